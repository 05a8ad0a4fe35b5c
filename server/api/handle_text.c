/* POST and GET /v1/text: how a text is read, without speech. */
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* Longer texts take longer than an answer on the connection's own thread may. */
enum { MAX_BYTES = 20000 };

static json_t *source_of(const struct taco_text *text, struct taco_span span) {
    return json_stringn(text->source + span.begin, span.end - span.begin);
}

static json_t *span_json(json_t *object, struct taco_span span) {
    json_t *more = json_pack("{s:[I,I], s:[I,I]}", "bytes", (json_int_t)span.begin,
                             (json_int_t)span.end, "codepoints",
                             (json_int_t)span.begin_cp, (json_int_t)span.end_cp);
    if (!object || !more || json_object_update(object, more)) {
        json_decref(object);
        object = NULL;
    }
    json_decref(more);
    return object;
}

static json_t *spoken_json(const struct taco_text *text, const char *const *names,
                           const struct taco_spoken_word *spoken) {
    json_t *symbols = json_array();
    for (uint32_t i = 0; i < spoken->n_symbols; i++) {
        const struct taco_symbol *symbol = &text->symbols[spoken->first_symbol + i];
        if (symbol->spoken != TACO_NO_WORD)
            json_array_append_new(symbols, json_string(names[symbol->id]));
    }
    return json_pack("{s:s, s:o}", "text", spoken->text, "symbols", symbols);
}

static json_t *word_json(const struct taco_text *text, const char *const *names,
                         const struct taco_word *word) {
    json_t *spoken = json_array();
    for (uint32_t i = 0; i < word->n_spoken; i++)
        json_array_append_new(
            spoken, spoken_json(text, names, &text->spoken[word->first_spoken + i]));
    return span_json(json_pack("{s:o, s:s, s:o}", "text", source_of(text, word->span),
                               "rule", word->rule, "spoken", spoken),
                     word->span);
}

static json_t *chunk_json(const struct taco_text *text, const struct taco_chunk *chunk) {
    return span_json(
        json_pack("{s:o, s:f, s:I, s:I, s:I}", "text", source_of(text, chunk->span),
                  "pause", (double)chunk->pause, "first_word",
                  (json_int_t)chunk->first_word, "n_words", (json_int_t)chunk->n_words,
                  "n_symbols", (json_int_t)chunk->n_symbols),
        chunk->span);
}

static json_t *note_json(const struct taco_note *note) {
    return span_json(json_pack("{s:s, s:s}", "kind", taco_note_kind_name(note->kind),
                               "text", note->text),
                     note->span);
}

static json_t *text_json(const struct taco_named_voice *voice,
                         const struct taco_text *text) {
    const char *const *names = taco_voice_info(voice->voice)->symbols;
    json_t *chunks = json_array(), *words = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < text->n_chunks; i++)
        json_array_append_new(chunks, chunk_json(text, &text->chunks[i]));
    for (uint32_t i = 0; i < text->n_words; i++)
        json_array_append_new(words, word_json(text, names, &text->words[i]));
    for (uint32_t i = 0; i < text->n_notes; i++)
        json_array_append_new(notes, note_json(&text->notes[i]));
    return json_pack("{s:s, s:o, s:o, s:o}", "voice", voice->name, "chunks", chunks,
                     "words", words, "notes", notes);
}

enum MHD_Result taco_handle_text(struct taco_exchange *x) {
    static const struct taco_compat native = {.events = &taco_native_events};
    struct taco_speech_state *s = taco_speech_state_create(x, &native);
    if (!s)
        return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
    int problem = taco_request_read_native(x, &s->speech, TACO_FIELD_READING, &s->err);
    if (!problem)
        problem = taco_speech_find_voice(s, s->speech.voice);
    if (problem)
        return taco_reply_problem(x, problem, &s->err);
    struct taco_text_options options = s->speech.request.text_options;
    options.max_bytes = MAX_BYTES;
    struct taco_text *text;
    enum taco_status status =
        taco_text_analyse(s->voice->voice, s->speech.text, s->speech.request.text_length,
                          &options, &text, &s->err);
    if (status)
        return taco_reply_problem(x, (int)status, &s->err);
    json_t *root = text_json(s->voice, text);
    taco_text_destroy(text);
    return taco_reply_json(x, MHD_HTTP_OK, root);
}
