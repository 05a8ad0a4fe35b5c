/* The alignment as JSON: ALIGNMENT.md is its specification. */
#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/result_forms.h"
#include <jansson.h>
#include <math.h>
#include <string.h>
#include <taco/voice.h>

/* Every builder returns NULL when memory is out; Jansson's setters take NULL as a failure
 * in turn, so that one look at the end is enough. */

static json_t *number(double value) {
    /* Six decimals are a 16th of a sample at 16 kHz; more would be noise in the text. */
    return json_real(round(value * 1e6) / 1e6);
}

static json_t *count(uint64_t value) {
    return json_integer((json_int_t)value);
}

/* object[key] = value, which is taken; false: no memory. */
static bool set(json_t *object, const char *key, json_t *value) {
    return json_object_set_new(object, key, value) == 0;
}

/* object if ok, else nothing. */
static json_t *keep_if(bool ok, json_t *object) {
    if (ok)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *pair(uint32_t begin, uint32_t end) {
    json_t *list = json_array();
    bool ok = json_array_append_new(list, count(begin)) == 0 &&
              json_array_append_new(list, count(end)) == 0;
    return keep_if(ok, list);
}

static bool set_span(json_t *object, const struct taco_span *span) {
    return set(object, "bytes", pair(span->begin, span->end)) &&
           set(object, "codepoints", pair(span->begin_cp, span->end_cp));
}

static bool set_times(json_t *object, const struct taco_times *times) {
    return set(object, "start", number(times->start)) &&
           set(object, "end", number(times->end));
}

static json_t *source_text(const struct taco_text *text, const struct taco_span *span) {
    return json_stringn(text->source + span->begin, span->end - span->begin);
}

/* A list of n objects made by one(result, i, object). */
static json_t *list_of(const struct taco_result *result, uint32_t n,
                       bool (*one)(const struct taco_result *, uint32_t, json_t *)) {
    json_t *list = json_array();
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < n; i++) {
        json_t *object = json_object();
        ok = object && one(result, i, object);
        if (ok)
            ok = json_array_append_new(list, object) == 0;
        else
            json_decref(object);
    }
    return keep_if(ok, list);
}

/* -- words ------------------------------------------------------------------------------
 */

/* "twenty five dollars fifty cents" */
static json_t *spoken_text(const struct taco_text *text, const struct taco_word *word) {
    struct taco_buffer joined = TACO_BUFFER_INIT;
    taco_buffer_text(&joined, "");
    for (uint32_t i = 0; i < word->n_spoken; i++) {
        if (i > 0)
            taco_buffer_text(&joined, " ");
        taco_buffer_text(&joined, text->spoken[word->first_spoken + i].text);
    }
    json_t *string = joined.failed ? NULL : json_stringn(joined.data, joined.size);
    taco_buffer_free(&joined);
    return string;
}

static bool one_word(const struct taco_result *result, uint32_t i, json_t *object) {
    const struct taco_text *text = result->text;
    const struct taco_word *word = &text->words[i];
    return set(object, "text", source_text(text, &word->span)) &&
           set(object, "spoken", spoken_text(text, word)) &&
           set_times(object, &result->words[i]) && set_span(object, &word->span);
}

static bool one_spoken(const struct taco_result *result, uint32_t i, json_t *object) {
    const struct taco_spoken_word *spoken = &result->text->spoken[i];
    return set(object, "text", json_string(spoken->text)) &&
           set(object, "word", count(spoken->word)) &&
           set_times(object, &result->spoken[i]);
}

static json_t *characters(const struct taco_result *result) {
    const struct taco_text *text = result->text;
    uint32_t n = taco_result_n_characters(result);
    struct taco_times *times = taco_malloc(n * sizeof *times);
    json_t *list = json_array();
    bool ok = times && list;
    if (ok)
        taco_result_characters(result, times);
    struct taco_span span = {0};
    for (uint32_t i = 0; ok && i < n; i++) {
        span.begin = span.end++;
        span.begin_cp = i;
        span.end_cp = i + 1;
        while (span.end < text->source_length &&
               ((unsigned char)text->source[span.end] & 0xC0) == 0x80)
            span.end++;
        json_t *object = json_object();
        ok = object && set(object, "text", source_text(text, &span)) &&
             set_times(object, &times[i]) && set_span(object, &span);
        if (ok)
            ok = json_array_append_new(list, object) == 0;
        else
            json_decref(object);
    }
    taco_free(times);
    return keep_if(ok, list);
}

static uint32_t chunk_of_symbol(const struct taco_text *text, uint32_t symbol) {
    uint32_t low = 0, high = text->n_chunks;
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        if (text->chunks[middle].first_symbol <= symbol)
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool one_symbol(const struct taco_result *result, uint32_t i, json_t *object) {
    const struct taco_symbol *symbol = &result->text->symbols[i];
    return set(object, "symbol", json_string(taco_result_symbol_name(result, i))) &&
           set(object, "id", count((uint64_t)symbol->id)) &&
           set(object, "chunk", count(chunk_of_symbol(result->text, i))) &&
           set(object, "word",
               symbol->word == TACO_NO_WORD ? json_null() : count(symbol->word)) &&
           set_times(object, &result->symbols[i]) && set_span(object, &symbol->span);
}

/* -- chunks -------------------------------------------------------------------------- */

static json_t *diagnostics(const struct taco_diagnostics *d) {
    json_t *object = json_object();
    bool ok = set(object, "ok", json_boolean(d->ok)) &&
              set(object, "coverage", number((double)d->coverage)) &&
              set(object, "focus", number((double)d->focus)) &&
              set(object, "backward_jumps", count(d->backward_jumps)) &&
              set(object, "forward_jumps", count(d->forward_jumps)) &&
              set(object, "longest_stall", count(d->longest_stall)) &&
              set(object, "frames_per_symbol", number((double)d->frames_per_symbol));
    return keep_if(ok, object);
}

static json_t *numbers(const float *values, size_t n) {
    json_t *list = json_array();
    bool ok = list != NULL;
    for (size_t i = 0; ok && i < n; i++)
        ok = json_array_append_new(list, number((double)values[i])) == 0;
    return keep_if(ok, list);
}

static json_t *matrix_arrays(const struct taco_chunk_result *chunk) {
    json_t *rows = json_array();
    bool ok = rows != NULL;
    for (uint32_t t = 0; ok && t < chunk->n_steps; t++) {
        const float *row = chunk->alignment + (size_t)t * chunk->n_symbols;
        ok = json_array_append_new(rows, numbers(row, chunk->n_symbols)) == 0;
    }
    return keep_if(ok, rows);
}

/* IEEE 754 binary16, rounded to nearest, ties to even; for what weights are: 0 to 1 (a
 * sum of a few more does not harm up to 65504). */
static uint16_t to_f16(float value) {
    if (!(value > 0.0f))
        return 0;
    if (value > 65504.0f)
        return 0x7BFF;
    int exponent;
    (void)frexpf(value, &exponent); /* value = m 2^exponent, 0.5 <= m < 1 */
    if (exponent < -13)
        exponent = -13;                                   /* subnormal: steps of 2^-24 */
    long mantissa = lrintf(ldexpf(value, 11 - exponent)); /* the leading bit included */
    /* A mantissa that rounds up to the next power of two carries into the exponent. */
    return (uint16_t)(((exponent + 13) << 10) + mantissa);
}

static json_t *f16_data(const struct taco_chunk_result *chunk) {
    size_t n = (size_t)chunk->n_steps * chunk->n_symbols;
    unsigned char *halves = taco_malloc(2 * n);
    char *text = taco_malloc(TACO_BASE64_LENGTH(2 * n));
    json_t *string = NULL;
    if (halves && text) {
        for (size_t i = 0; i < n; i++) {
            uint16_t half = to_f16(chunk->alignment[i]);
            halves[2 * i] = (unsigned char)(half & 255);
            halves[2 * i + 1] = (unsigned char)(half >> 8);
        }
        char *end = taco_base64(text, halves, 2 * n);
        string = json_stringn_nocheck(text, (size_t)(end - text));
    }
    taco_free(halves);
    taco_free(text);
    return string;
}

static json_t *matrix_f16(const struct taco_chunk_result *chunk) {
    json_t *object = json_object();
    bool ok = set(object, "encoding", json_string("float16")) &&
              set(object, "shape", pair(chunk->n_steps, chunk->n_symbols)) &&
              set(object, "data", f16_data(chunk));
    return keep_if(ok, object);
}

static bool set_matrix(json_t *object, const struct taco_chunk_result *chunk,
                       enum taco_matrix_encoding matrix) {
    switch (matrix) {
    case TACO_MATRIX_NONE:
        return true;
    case TACO_MATRIX_ARRAYS:
        return set(object, "alignment", matrix_arrays(chunk));
    case TACO_MATRIX_F16:
        return set(object, "alignment", matrix_f16(chunk));
    }
    return false;
}

/* Silence between this chunk and the next, samples. */
static uint64_t pause_after(const struct taco_result *result, uint32_t i) {
    const struct taco_chunk_result *chunk = &result->chunks[i];
    uint64_t end = chunk->first_sample + chunk->n_samples;
    uint64_t next =
        i + 1 < result->n_chunks ? result->chunks[i + 1].first_sample : result->n_samples;
    return next - end;
}

static bool one_chunk(const struct taco_result *result, uint32_t i, json_t *object) {
    const struct taco_chunk *source = &result->text->chunks[i];
    const struct taco_chunk_result *chunk = &result->chunks[i];
    double rate = result->sample_rate;
    struct taco_times times = {(double)chunk->first_sample / rate,
                               (double)(chunk->first_sample + chunk->n_samples) / rate};
    return set(object, "text", source_text(result->text, &source->span)) &&
           set_span(object, &source->span) && set_times(object, &times) &&
           set(object, "pause", number((double)pause_after(result, i) / rate)) &&
           set(object, "first_symbol", count(source->first_symbol)) &&
           set(object, "n_symbols", count(chunk->n_symbols)) &&
           set(object, "n_steps", count(chunk->n_steps)) &&
           set(object, "n_frames", count(chunk->n_frames)) &&
           set(object, "seed", count(chunk->seed)) &&
           set(object, "attempts", count((uint64_t)chunk->attempts)) &&
           set(object, "stop_reason",
               json_string(taco_stop_reason_name(chunk->stop_reason))) &&
           set(object, "gate", numbers(chunk->gate, chunk->n_steps)) &&
           set(object, "diagnostics", diagnostics(&chunk->diagnostics));
}

static json_t *chunks(const struct taco_result *result,
                      enum taco_matrix_encoding matrix) {
    json_t *list = list_of(result, result->n_chunks, one_chunk);
    bool ok = list != NULL;
    for (uint32_t i = 0; ok && i < result->n_chunks; i++)
        ok = set_matrix(json_array_get(list, i), &result->chunks[i], matrix);
    return keep_if(ok, list);
}

/* -- the whole ----------------------------------------------------------------------- */

static bool one_note(const struct taco_result *result, uint32_t i, json_t *object) {
    const struct taco_note *note = &result->text->notes[i];
    return set(object, "kind", json_string(taco_note_kind_name(note->kind))) &&
           set_span(object, &note->span) && set(object, "text", json_string(note->text));
}

static json_t *stage_times(const struct taco_stage_times *t) {
    json_t *object = json_object();
    bool ok = set(object, "queued", number(t->queued)) &&
              set(object, "text", number(t->text)) &&
              set(object, "encoder", number(t->encoder)) &&
              set(object, "decoder", number(t->decoder)) &&
              set(object, "postnet", number(t->postnet)) &&
              set(object, "vocoder", number(t->vocoder)) &&
              set(object, "total", number(t->total));
    return keep_if(ok, object);
}

/* The worst of the chunks': they are in that order. */
static enum taco_stop_reason worst_stop_reason(const struct taco_result *result) {
    enum taco_stop_reason worst = TACO_STOP_GATE;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        if (result->chunks[i].stop_reason > worst)
            worst = result->chunks[i].stop_reason;
    return worst;
}

static int append(const char *bytes, size_t n, void *user) {
    struct taco_buffer *out = user;
    taco_buffer_add(out, bytes, n);
    return out->failed ? -1 : 0;
}

static bool set_facts(json_t *root, const struct taco_result *result, const char *id) {
    const struct taco_voice_info *voice = taco_voice_info(result->voice);
    double speed = round((double)result->speed * 1e6) / 1e6;
    return set(root, "version", count(1)) && (!id || set(root, "id", json_string(id))) &&
           set(root, "voice", json_string(voice->name)) &&
           set(root, "text",
               json_stringn(result->text->source, result->text->source_length)) &&
           set(root, "seed", count(result->seed)) && set(root, "speed", number(speed)) &&
           set(root, "sample_rate", count((uint64_t)result->sample_rate)) &&
           set(root, "hop_length", count((uint64_t)voice->hop_length)) &&
           set(root, "frames_per_step", count((uint64_t)voice->n_frames_per_step)) &&
           set(root, "frame_rate",
               number(result->sample_rate * speed / voice->hop_length)) &&
           set(root, "n_samples", count(result->n_samples)) &&
           set(root, "duration", number(taco_result_duration(result))) &&
           set(root, "n_clipped", count(result->n_clipped)) &&
           set(root, "stop_reason",
               json_string(taco_stop_reason_name(worst_stop_reason(result))));
}

enum taco_status taco_result_write_json(const struct taco_result *result,
                                        const struct taco_format_options *options,
                                        struct taco_buffer *out, struct taco_error *err) {
    const struct taco_text *text = result->text;
    json_t *root = json_object();
    bool ok = set_facts(root, result, options->id) &&
              set(root, "words", list_of(result, text->n_words, one_word)) &&
              set(root, "spoken_words", list_of(result, text->n_spoken, one_spoken)) &&
              set(root, "characters", characters(result)) &&
              set(root, "symbols", list_of(result, text->n_symbols, one_symbol)) &&
              set(root, "chunks", chunks(result, options->matrix)) &&
              set(root, "diagnostics", diagnostics(&result->diagnostics)) &&
              set(root, "notes", list_of(result, text->n_notes, one_note)) &&
              set(root, "times", stage_times(&result->times));
    size_t flags = JSON_REAL_PRECISION(15);
    flags |= options->compact ? JSON_COMPACT : JSON_INDENT(2);
    ok = ok && json_dump_callback(root, append, out, flags) == 0;
    json_decref(root);
    if (!ok)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the JSON form");
    return TACO_OK;
}
