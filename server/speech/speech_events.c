/* Server-sent events of POST /v1/speech with stream=sse: audio, and times as they become
 * known. https://html.spec.whatwg.org/multipage/server-sent-events.html */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "http/reply.h"
#include "speech/speech_state.h"

bool taco_event_json(struct taco_bytes *out, const char *name, json_t *root) {
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    bool ok = text && (!name || taco_bytes_printf(out, "event: %s\n", name)) &&
              taco_bytes_add(out, "data: ", 6) &&
              taco_bytes_add(out, text, strlen(text)) && taco_bytes_add(out, "\n\n", 2);
    taco_free(text); /* Jansson takes its memory from taco_malloc */
    return ok;
}

static bool write_begin(struct taco_speech_state *s, struct taco_bytes *out) {
    const struct taco_audio_options *audio = &s->speech.audio;
    int rate = taco_audio_output_rate(
        audio->format, taco_voice_info(s->voice->voice)->sample_rate, audio->sample_rate);
    char type[96];
    taco_audio_media_type(audio->format, rate, type, sizeof type);
    return taco_event_json(out, "start",
                           json_pack("{s:s, s:I, s:s, s:{s:s, s:s, s:i}}", "id", s->x->id,
                                     "seed", (json_int_t)taco_job_seed(s->job), "voice",
                                     s->voice->name, "audio", "type", type, "format",
                                     taco_audio_format_name(audio->format), "sample_rate",
                                     rate));
}

static bool write_audio(struct taco_speech_state *s, struct taco_bytes *out,
                        const void *bytes, size_t size) {
    (void)s;
    static const char begin[] = "event: audio\ndata: {\"data\":\"";
    return taco_bytes_add(out, begin, sizeof begin - 1) &&
           taco_bytes_base64(out, bytes, size) && taco_bytes_add(out, "\"}\n\n", 4);
}

static json_t *source(const struct taco_text *text, const struct taco_span *span) {
    return json_stringn(text->source + span->begin, span->end - span->begin);
}

/* Adds start and end, and where in the text it is, as alignment JSON has them. */
static json_t *with_times(json_t *object, const struct taco_times *times,
                          const struct taco_span *span) {
    json_t *more = json_pack("{s:f, s:f}", "start", times->start, "end", times->end);
    if (more && span)
        json_object_set_new(more, "bytes",
                            json_pack("[i, i]", (int)span->begin, (int)span->end));
    if (more && span)
        json_object_set_new(more, "codepoints",
                            json_pack("[i, i]", (int)span->begin_cp, (int)span->end_cp));
    if (!object || !more || json_object_update(object, more) < 0) {
        json_decref(object);
        object = NULL;
    }
    json_decref(more);
    return object;
}

static json_t *words_json(const struct taco_spoken_chunk *told) {
    const struct taco_text *text = told->text;
    const struct taco_chunk *chunk = &text->chunks[told->index];
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < chunk->n_words; i++) {
        const struct taco_span *span = &text->words[chunk->first_word + i].span;
        json_array_append_new(list,
                              with_times(json_pack("{s:o}", "text", source(text, span)),
                                         &told->words[i], span));
    }
    return list;
}

static json_t *spoken_json(const struct taco_spoken_chunk *told) {
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < told->n_spoken; i++) {
        const struct taco_spoken_word *word = &told->text->spoken[told->first_spoken + i];
        json_array_append_new(list, with_times(json_pack("{s:s, s:i}", "text", word->text,
                                                         "word", (int)word->word),
                                               &told->spoken[i], NULL));
    }
    return list;
}

static json_t *symbols_json(const struct taco_speech_state *s,
                            const struct taco_spoken_chunk *told) {
    const struct taco_voice_info *info = taco_voice_info(s->voice->voice);
    const struct taco_chunk *chunk = &told->text->chunks[told->index];
    json_t *list = json_array();
    for (uint32_t i = 0; list && i < chunk->n_symbols; i++) {
        const struct taco_symbol *symbol = &told->text->symbols[chunk->first_symbol + i];
        json_t *word =
            symbol->word == TACO_NO_WORD ? json_null() : json_integer(symbol->word);
        json_array_append_new(list, with_times(json_pack("{s:s, s:i, s:o}", "symbol",
                                                         info->symbols[symbol->id], "id",
                                                         (int)symbol->id, "word", word),
                                               &told->symbols[i], &symbol->span));
    }
    return list;
}

static bool write_chunk(struct taco_speech_state *s, struct taco_bytes *out,
                        const struct taco_spoken_chunk *told) {
    const struct taco_span *span = &told->text->chunks[told->index].span;
    const struct taco_times times = {(double)told->first_sample / told->sample_rate,
                                     (double)(told->first_sample + told->n_samples) /
                                         told->sample_rate};
    json_t *root = json_pack(
        "{s:i, s:o, s:b, s:s, s:o, s:o, s:o}", "chunk", (int)told->index, "text",
        source(told->text, span), "ok", (int)told->diagnostics->ok, "stop_reason",
        taco_stop_reason_name(told->stop_reason), "words", words_json(told),
        "spoken_words", spoken_json(told), "symbols", symbols_json(s, told));
    return taco_event_json(out, "timing", with_times(root, &times, span));
}

static bool write_end(struct taco_speech_state *s, struct taco_bytes *out,
                      const struct taco_result *result) {
    struct taco_format_options options = taco_format_options_default();
    options.matrix = s->speech.matrix;
    options.id = s->x->id;
    char *json = NULL;
    size_t size;
    bool ok = taco_result_write(result, TACO_FORMAT_ALIGNMENT_JSON, &options, &json,
                                &size, NULL) == TACO_OK;
    /* A newline would end the data; compact JSON has none but at its end. */
    while (ok && size > 0 && json[size - 1] == '\n')
        size--;
    ok = ok && taco_bytes_printf(out, "event: done\ndata: ") &&
         taco_bytes_add(out, json, size) && taco_bytes_add(out, "\n\n", 2);
    free(json);
    return ok;
}

static bool write_failure(struct taco_speech_state *s, struct taco_bytes *out,
                          int problem, const struct taco_error *err) {
    (void)s;
    return taco_event_json(out, "error", taco_problem_json(problem, err));
}

const struct taco_events taco_native_events = {.media_type = "text/event-stream",
                                               .begin = write_begin,
                                               .audio = write_audio,
                                               .chunk = write_chunk,
                                               .end = write_end,
                                               .failure = write_failure};
