#include "speech/reading_json.h"

#include <math.h>

/* 0.2 of a float, not 0.20000000298. */
static double decimal(float value) {
    return round((double)value * 1e6) / 1e6;
}

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
        json_pack("{s:o, s:f, s:f, s:f, s:I, s:I, s:I}", "text",
                  source_of(text, chunk->span), "pause", decimal(chunk->pause), "speed",
                  decimal(chunk->speed), "volume", decimal(chunk->volume), "first_word",
                  (json_int_t)chunk->first_word, "n_words", (json_int_t)chunk->n_words,
                  "n_symbols", (json_int_t)chunk->n_symbols),
        chunk->span);
}

static json_t *note_json(const struct taco_note *note) {
    return span_json(json_pack("{s:s, s:s}", "kind", taco_note_kind_name(note->kind),
                               "text", note->text),
                     note->span);
}

static json_t *mark_json(const struct taco_text *text, const struct taco_mark *mark) {
    json_t *word =
        mark->word < text->n_words ? json_integer((json_int_t)mark->word) : json_null();
    return span_json(json_pack("{s:s, s:o}", "name", mark->name, "word", word),
                     mark->span);
}

json_t *taco_reading_json(const char *name, const struct taco_voice *voice,
                          const struct taco_text *text) {
    const char *const *names = taco_voice_info(voice)->symbols;
    json_t *chunks = json_array(), *words = json_array(), *notes = json_array();
    for (uint32_t i = 0; i < text->n_chunks; i++)
        json_array_append_new(chunks, chunk_json(text, &text->chunks[i]));
    for (uint32_t i = 0; i < text->n_words; i++)
        json_array_append_new(words, word_json(text, names, &text->words[i]));
    for (uint32_t i = 0; i < text->n_notes; i++)
        json_array_append_new(notes, note_json(&text->notes[i]));
    json_t *marks = json_array();
    for (uint32_t i = 0; i < text->n_marks; i++)
        json_array_append_new(marks, mark_json(text, &text->marks[i]));
    return json_pack("{s:s, s:s, s:f, s:o, s:o, s:o, s:o}", "voice", name, "input",
                     taco_input_name(text->input), "lead", decimal(text->lead), "chunks",
                     chunks, "words", words, "notes", notes, "marks", marks);
}
