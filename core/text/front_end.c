/* The way of a text through a front end: check, code points, tokens, sentences, chunks. */
#include "text/front_end.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/analysis.h"
#include <math.h>
#include <string.h>

static bool in_range(float value, float low, float high) {
    return isfinite(value) && value >= low && value <= high;
}

enum taco_status taco_text_options_check(const struct taco_text_options *options,
                                         struct taco_error *err) {
    if (!in_range(options->sentence_pause, 0, 10))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "sentence_pause",
                              "sentence_pause must be 0 to 10 seconds");
    if (!in_range(options->paragraph_pause, 0, 10))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "paragraph_pause",
                              "paragraph_pause must be 0 to 10 seconds");
    if (options->max_symbols < 20 || options->max_symbols > 2000)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "max_symbols",
                              "max_symbols must be 20 to 2000");
    if (taco_reserved_check(options->reserved, err) != TACO_OK)
        return TACO_ERR_INVALID_ARGUMENT;
    if ((unsigned)options->input > TACO_INPUT_AUTO)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "input",
                              "input must be text, html, markdown, ssml or auto");
    if (options->max_bytes < 1 || options->max_bytes > 1U << 26)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "max_bytes",
                              "max_bytes must be 1 to %u", 1U << 26);
    return TACO_OK;
}

enum taco_status taco_text_check(const char *text, size_t length,
                                 const struct taco_text_options *options,
                                 struct taco_error *err) {
    if (length > options->max_bytes)
        return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                              "the text has %zu bytes, more than the %u that are allowed",
                              length, (unsigned)options->max_bytes);
    return taco_code_points_check(text, length, err);
}

static bool keeps(const void *user, uint32_t cp) {
    const struct taco_front_end *fe = user;
    return (fe->english && taco_reading_knows(cp)) ||
           (fe->ops->unicode && cp >= 0x80 &&
            taco_front_end_character(fe, cp) != TACO_NO_SYMBOL);
}

static bool speaks(const void *user, uint32_t cp) {
    const struct taco_front_end *fe = user;
    return !fe->ops->speaks || fe->ops->speaks(fe, cp);
}

/* The plain text's code points and notes, at the bytes of the marked-up source. */
static enum taco_status map_back(struct taco_analysis *a,
                                 const struct taco_builder *plain) {
    for (uint32_t i = 0; i < a->code_points.n; i++) {
        struct taco_code_point *cp = &a->code_points.at[i];
        taco_markup_span(&a->markup, cp->begin, cp->end, &cp->begin, &cp->end);
    }
    for (uint32_t i = 0; i < plain->n_notes; i++) {
        const struct taco_note *note = &plain->notes[i];
        const char *with = plain->strings.bytes + plain->note_text[i];
        uint32_t begin, end;
        taco_markup_span(&a->markup, note->span.begin, note->span.end, &begin, &end);
        if (!taco_builder_add_note(&a->builder, note->kind,
                                   taco_builder_span(&a->builder, begin, end), with,
                                   strlen(with)))
            return taco_analysis_no_memory(a);
    }
    return TACO_OK;
}

enum taco_status taco_front_end_read_plain(const struct taco_front_end *front_end,
                                           const char *text, size_t length,
                                           struct taco_builder *builder,
                                           struct taco_code_points *code_points,
                                           struct taco_error *err) {
    struct taco_code_point_options reading = {
        .fold = front_end->english, .keeps = keeps, .speaks = speaks, .user = front_end};
    return taco_code_points_read(code_points, text, length, &reading, builder, err);
}

static enum taco_status read_markup(struct taco_analysis *a) {
    const struct taco_front_end *fe = a->front_end;
    struct taco_markup *m = &a->markup;
    m->language = fe->language;
    m->english = fe->english;
    m->ipa = fe->ops == &taco_ipa;
    m->cancel = a->options->cancel;
    enum taco_status status =
        taco_markup_read(m, a->input, a->builder.source, a->builder.length, a->err);
    for (uint32_t i = 0; i < m->n_notes && status == TACO_OK; i++) {
        const struct taco_markup_note *note = &m->notes[i];
        struct taco_span span = taco_builder_span(&a->builder, note->begin, note->end);
        if (!taco_builder_add_note(&a->builder, TACO_NOTE_IGNORED, span, note->text,
                                   strlen(note->text)))
            status = taco_analysis_no_memory(a);
    }
    return status;
}

static enum taco_status read_code_points(struct taco_analysis *a) {
    struct taco_builder *builder = &a->builder;
    if (a->input == TACO_INPUT_TEXT)
        return taco_front_end_read_plain(a->front_end, builder->source, builder->length,
                                         builder, &a->code_points, a->err);
    enum taco_status status = read_markup(a);
    const char *text = a->markup.text.bytes ? a->markup.text.bytes : "";
    uint32_t length = a->markup.text.n;
    if (status == TACO_OK)
        status = taco_code_points_check(text, length, a->err);
    if (status != TACO_OK)
        return status;
    struct taco_builder plain;
    if ((status = taco_builder_init(&plain, text, length, a->err)) == TACO_OK &&
        (status = taco_front_end_read_plain(a->front_end, text, length, &plain,
                                            &a->code_points, a->err)) == TACO_OK)
        status = map_back(a, &plain);
    taco_builder_free(&plain);
    return status;
}

/* What is heard of a text without a word. */
#define SILENCE_SECONDS 0.2F

/* Silences that the markup asks for: each goes to the chunk that it follows, or before all of
 * them to *lead. */
static void set_pauses(struct taco_analysis *a, float *lead) {
    uint32_t k = 0, n = a->builder.n_chunks;
    struct taco_chunk *chunks = a->builder.chunks;
    for (uint32_t i = 0; i < a->markup.n_pauses; i++) {
        const struct taco_markup_pause *pause = &a->markup.pauses[i];
        bool is_break = pause->kind == TACO_MARKUP_BREAK;
        while (k < n && chunks[k].span.begin < pause->at)
            k++;
        if (k == 0)
            *lead = is_break ? fmaxf(*lead, pause->seconds) : *lead;
        else if (is_break)
            chunks[k - 1].pause = pause->seconds;
        else if (k < n)
            chunks[k - 1].pause =
                pause->kind == TACO_MARKUP_CUT ? 0 : a->options->sentence_pause;
    }
    if (n == 0 && *lead <= 0)
        *lead = SILENCE_SECONDS;
}

/* A change of speed or volume lies between two chunks: see taco_markup_cut. */
static void set_prosody(struct taco_analysis *a) {
    const struct taco_markup *m = &a->markup;
    for (uint32_t i = 0, k = 0; i < a->builder.n_chunks && m->n_prosodies > 0; i++) {
        struct taco_chunk *chunk = &a->builder.chunks[i];
        while (k < m->n_prosodies && m->prosodies[k].at <= chunk->span.begin)
            k++;
        if (k > 0) {
            chunk->speed = m->prosodies[k - 1].speed;
            chunk->volume = m->prosodies[k - 1].volume;
        }
    }
}

static enum taco_status add_marks(struct taco_analysis *a) {
    const struct taco_markup *m = &a->markup;
    struct taco_builder *b = &a->builder;
    for (uint32_t i = 0, word = 0, pause = 0; i < m->n_marks; i++) {
        uint32_t at = m->marks[i].at;
        while (word < b->n_words && b->words[word].span.begin < at)
            word++;
        while (pause < m->n_pauses && m->pauses[pause].at < at)
            pause++;
        uint32_t next = word < b->n_words ? b->words[word].span.begin : b->length;
        struct taco_mark mark = {
            .name = m->names.bytes + m->marks[i].name,
            .span = taco_builder_span(b, at, at),
            .word = word,
            .before_silence = pause < m->n_pauses && m->pauses[pause].at <= next &&
                              m->pauses[pause].kind == TACO_MARKUP_BREAK,
        };
        if (!taco_builder_add_mark(b, &mark))
            return taco_analysis_no_memory(a);
    }
    return TACO_OK;
}

static enum taco_status read_lexicon(struct taco_analysis *a) {
    const struct taco_front_end *fe = a->front_end;
    a->lexicon = fe->lexicon;
    if (!a->options->lexicon)
        return TACO_OK;
    if (!fe->english)
        return taco_error_set(a->err, TACO_ERR_UNSUPPORTED, "lexicon",
                              "a lexicon is of no use to this voice: it does not read "
                              "English words");
    enum taco_status status =
        taco_lexicon_parse(&a->own_lexicon, a->options->lexicon, fe->lexicon, a->err);
    if (status == TACO_OK)
        status = taco_front_end_check_lexicon(fe, a->own_lexicon,
                                              TACO_ERR_INVALID_ARGUMENT, a->err);
    a->lexicon = a->own_lexicon;
    return status;
}

enum taco_status taco_front_end_analyse(const struct taco_front_end *front_end,
                                        const char *text, size_t length,
                                        const struct taco_text_options *options,
                                        struct taco_text **out, struct taco_error *err) {
    *out = NULL;
    struct taco_text_options defaults = taco_text_options_default();
    struct taco_analysis a = {
        .front_end = front_end, .options = options ? options : &defaults, .err = err};
    struct taco_token_rules rules = {front_end->english, taco_analysis_is_pronunciation,
                                     &a};
    enum taco_status status = taco_text_options_check(a.options, err);
    if (status == TACO_OK)
        status = taco_text_check(text, length, a.options, err);
    if (status != TACO_OK)
        return status;
    a.input = a.options->input == TACO_INPUT_AUTO
                  ? taco_markup_detect(text, (uint32_t)length)
                  : a.options->input;
    if ((status = taco_builder_init(&a.builder, text, (uint32_t)length, err)) ||
        (status = read_code_points(&a)) ||
        (status = taco_tokens_read(&a.tokens, &a.code_points, &rules, err)))
        goto done;
    if ((status = read_lexicon(&a)) != TACO_OK)
        goto done;
    taco_sentences_mark(&a.tokens, &a.code_points);
    float lead = 0;
    if ((status = taco_chunks_make(&a)) == TACO_OK) {
        set_pauses(&a, &lead);
        set_prosody(&a);
        status = add_marks(&a);
    }
    if (status == TACO_OK) {
        status = taco_builder_finish(&a.builder, out, err);
        if (status == TACO_OK) {
            (*out)->input = a.input;
            (*out)->lead = lead;
        }
    }
done:
    taco_markup_free(&a.markup);
    taco_code_points_free(&a.code_points);
    taco_tokens_free(&a.tokens);
    taco_lexicon_close(a.own_lexicon);
    taco_builder_free(&a.builder);
    taco_items_free(&a.items);
    taco_flite_result_free(&a.flite);
    taco_free(a.flite_tokens);
    taco_free(a.phones);
    taco_string_free(&a.text);
    return status;
}
