/* The alignment as JSON: ALIGNMENT.md is its specification. What is told of a chunk while
 * it streams has the same entries. */
#include "base/base64.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/json_writer.h"
#include "engine/result_forms.h"
#include "engine/times.h"
#include <math.h>
#include <string.h>
#include <taco/engine.h>
#include <taco/voice.h>

/* -- entries ------------------------------------------------------------------------- */

static void pair(struct taco_json_writer *w, const char *key, uint32_t begin,
                 uint32_t end) {
    taco_json_begin(w, key, '[');
    taco_json_count(w, NULL, begin);
    taco_json_count(w, NULL, end);
    taco_json_end(w, ']');
}

static void write_span(struct taco_json_writer *w, const struct taco_span *span) {
    pair(w, "bytes", span->begin, span->end);
    pair(w, "codepoints", span->begin_cp, span->end_cp);
}

static void write_times(struct taco_json_writer *w, const struct taco_times *times) {
    taco_json_number(w, "start", times->start);
    taco_json_number(w, "end", times->end);
}

static void write_source(struct taco_json_writer *w, const struct taco_text *text,
                         const struct taco_span *span) {
    taco_json_stringn(w, "text", text->source + span->begin, span->end - span->begin);
}

/* "twenty five dollars fifty cents" */
static void write_reading(struct taco_json_writer *w, const struct taco_text *text,
                          const struct taco_word *word) {
    struct taco_buffer joined = TACO_BUFFER_INIT;
    for (uint32_t i = 0; i < word->n_spoken; i++) {
        if (i > 0)
            taco_buffer_text(&joined, " ");
        taco_buffer_text(&joined, text->spoken[word->first_spoken + i].text);
    }
    w->out->failed |= joined.failed;
    taco_json_stringn(w, "spoken", joined.data ? joined.data : "", joined.size);
    taco_buffer_free(&joined);
}

/* times [n] of the words, spoken words or symbols from first on. */
static void write_words(struct taco_json_writer *w, const struct taco_text *text,
                        uint32_t first, uint32_t n, const struct taco_times *times) {
    taco_json_begin(w, "words", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_word *word = &text->words[first + i];
        taco_json_begin(w, NULL, '{');
        write_source(w, text, &word->span);
        write_reading(w, text, word);
        write_times(w, &times[i]);
        write_span(w, &word->span);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
}

static void write_spoken(struct taco_json_writer *w, const struct taco_text *text,
                         uint32_t first, uint32_t n, const struct taco_times *times) {
    taco_json_begin(w, "spoken_words", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_spoken_word *spoken = &text->spoken[first + i];
        taco_json_begin(w, NULL, '{');
        taco_json_string(w, "text", spoken->text);
        taco_json_count(w, "word", spoken->word);
        write_times(w, &times[i]);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
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

static void write_symbols(struct taco_json_writer *w, const struct taco_text *text,
                          const struct taco_voice *voice, uint32_t first, uint32_t n,
                          const struct taco_times *times) {
    const char *const *names = taco_voice_info(voice)->symbols;
    taco_json_begin(w, "symbols", '[');
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_symbol *symbol = &text->symbols[first + i];
        taco_json_begin(w, NULL, '{');
        taco_json_string(w, "symbol", names[symbol->id]);
        taco_json_count(w, "id", (uint64_t)symbol->id);
        taco_json_count(w, "chunk", chunk_of_symbol(text, first + i));
        if (symbol->word == TACO_NO_WORD)
            taco_json_null(w, "word");
        else
            taco_json_count(w, "word", symbol->word);
        write_times(w, &times[i]);
        write_span(w, &symbol->span);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
}

static void write_characters(struct taco_json_writer *w,
                             const struct taco_result *result) {
    const struct taco_text *text = result->text;
    uint32_t n = taco_result_n_characters(result);
    struct taco_times *times = taco_malloc((n + 1) * sizeof *times);
    taco_json_begin(w, "characters", '[');
    if (times)
        taco_result_characters(result, times);
    else
        w->out->failed = true;
    struct taco_span span = {0};
    for (uint32_t i = 0; times && i < n; i++) {
        span.begin = span.end++;
        span.begin_cp = i;
        span.end_cp = i + 1;
        while (span.end < text->source_length &&
               ((unsigned char)text->source[span.end] & 0xC0) == 0x80)
            span.end++;
        taco_json_begin(w, NULL, '{');
        write_source(w, text, &span);
        write_times(w, &times[i]);
        write_span(w, &span);
        taco_json_end(w, '}');
    }
    taco_free(times);
    taco_json_end(w, ']');
}

/* -- chunks -------------------------------------------------------------------------- */

static void write_diagnostics(struct taco_json_writer *w,
                              const struct taco_diagnostics *d) {
    taco_json_begin(w, "diagnostics", '{');
    taco_json_boolean(w, "ok", d->ok);
    taco_json_number(w, "coverage", (double)d->coverage);
    taco_json_number(w, "focus", (double)d->focus);
    taco_json_count(w, "backward_jumps", d->backward_jumps);
    taco_json_count(w, "forward_jumps", d->forward_jumps);
    taco_json_count(w, "longest_stall", d->longest_stall);
    taco_json_number(w, "frames_per_symbol", (double)d->frames_per_symbol);
    taco_json_end(w, '}');
}

static void write_flaws(struct taco_json_writer *w, unsigned flaws) {
    taco_json_begin(w, "flaws", '[');
    for (int i = 0; i < TACO_N_FLAWS; i++)
        if (flaws >> i & 1)
            taco_json_string(w, NULL, taco_flaw_name((enum taco_flaw)(1 << i)));
    taco_json_end(w, ']');
}

static void write_tried(struct taco_json_writer *w,
                        const struct taco_chunk_result *chunk) {
    taco_json_begin(w, "tried", '[');
    for (int i = 0; i < chunk->attempts; i++) {
        const struct taco_attempt *attempt = &chunk->tried[i];
        taco_json_begin(w, NULL, '{');
        taco_json_count(w, "seed", attempt->seed);
        taco_json_count(w, "window_back", (uint64_t)attempt->window_back);
        taco_json_count(w, "window_forward", (uint64_t)attempt->window_forward);
        write_flaws(w, attempt->flaws);
        taco_json_boolean(w, "kept", attempt->seed == chunk->seed);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
}

static void write_numbers(struct taco_json_writer *w, const char *key,
                          const float *values, size_t n) {
    taco_json_begin(w, key, '[');
    for (size_t i = 0; i < n && !w->out->failed; i++)
        taco_json_number(w, NULL, (double)values[i]);
    taco_json_end(w, ']');
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

/* Base64 of three bytes is whole, and so is that of 3 * BLOCK numbers. */
#define BLOCK 1024

/* Weights [n_steps, n_symbols] of the chunk, or of one of its heads: rows lie stride
 * apart. */
struct matrix {
    const float *values;
    size_t stride;
};

static void write_f16(struct taco_json_writer *w, const char *key,
                      const struct taco_chunk_result *chunk, const struct matrix *m) {
    const size_t n_symbols = chunk->n_symbols, n = chunk->n_steps * n_symbols;
    taco_json_begin(w, key, '{');
    taco_json_string(w, "encoding", "float16");
    pair(w, "shape", chunk->n_steps, chunk->n_symbols);
    char *room = taco_json_room(w, "data", TACO_BASE64_LENGTH(2 * n));
    for (size_t done = 0; room && done < n; done += (size_t)3 * BLOCK) {
        unsigned char halves[2 * 3 * BLOCK];
        size_t some = n - done < (size_t)3 * BLOCK ? n - done : (size_t)3 * BLOCK;
        for (size_t i = 0; i < some; i++) {
            uint16_t half = to_f16(
                m->values[(done + i) / n_symbols * m->stride + (done + i) % n_symbols]);
            halves[2 * i] = (unsigned char)(half & 255);
            halves[2 * i + 1] = (unsigned char)(half >> 8);
        }
        room = taco_base64(room, halves, 2 * some);
    }
    taco_json_end(w, '}');
}

static void write_matrix(struct taco_json_writer *w, const char *key,
                         const struct taco_chunk_result *chunk, const struct matrix *m,
                         enum taco_matrix_encoding encoding) {
    if (encoding == TACO_MATRIX_F16) {
        write_f16(w, key, chunk, m);
        return;
    }
    taco_json_begin(w, key, '[');
    for (uint32_t t = 0; t < chunk->n_steps; t++)
        write_numbers(w, NULL, m->values + (size_t)t * m->stride, chunk->n_symbols);
    taco_json_end(w, ']');
}

/* -sum_j w_j ln w_j of every step's weights, brought to sum 1: 0 looks at one symbol, ln
 * n_symbols at all alike. */
static void write_entropy(struct taco_json_writer *w,
                          const struct taco_chunk_result *chunk) {
    taco_json_begin(w, "entropy", '[');
    for (uint32_t t = 0; t < chunk->n_steps && !w->out->failed; t++) {
        const float *x = chunk->alignment + (size_t)t * chunk->n_symbols;
        double sum = 0, moment = 0;
        for (uint32_t j = 0; j < chunk->n_symbols; j++) {
            sum += (double)x[j];
            moment += x[j] > 0 ? (double)x[j] * log((double)x[j]) : 0;
        }
        double h = sum > 0 ? log(sum) - moment / sum : 0;
        taco_json_number(w, NULL, h > 0 ? h : 0);
    }
    taco_json_end(w, ']');
}

static void write_matrices(struct taco_json_writer *w, const struct taco_result *result,
                           const struct taco_chunk_result *chunk,
                           enum taco_matrix_encoding encoding) {
    const struct matrix mean = {chunk->alignment, chunk->n_symbols};
    if (encoding == TACO_MATRIX_NONE)
        return;
    write_entropy(w, chunk);
    write_matrix(w, "alignment", chunk, &mean, encoding);
    if (!chunk->heads)
        return;
    size_t n_heads = (size_t)result->attention->n_heads;
    taco_json_begin(w, "heads", '[');
    for (size_t i = 0; i < n_heads && !w->out->failed; i++) {
        const struct matrix head = {chunk->heads + i * chunk->n_symbols,
                                    n_heads * chunk->n_symbols};
        write_matrix(w, NULL, chunk, &head, encoding);
    }
    taco_json_end(w, ']');
}

/* Silence between this chunk and the next, samples. */
static uint64_t pause_after(const struct taco_result *result, uint32_t i) {
    const struct taco_chunk_result *chunk = &result->chunks[i];
    uint64_t end = chunk->first_sample + chunk->n_samples;
    uint64_t next =
        i + 1 < result->n_chunks ? result->chunks[i + 1].first_sample : result->n_samples;
    return next - end;
}

static void write_chunk(struct taco_json_writer *w, const struct taco_result *result,
                        uint32_t i, enum taco_matrix_encoding matrix) {
    const struct taco_chunk *source = &result->text->chunks[i];
    const struct taco_chunk_result *chunk = &result->chunks[i];
    const double rate = result->sample_rate;
    const struct taco_times times = {(double)chunk->first_sample / rate,
                                     (double)(chunk->first_sample + chunk->n_samples) /
                                         rate};
    taco_json_begin(w, NULL, '{');
    write_source(w, result->text, &source->span);
    write_span(w, &source->span);
    write_times(w, &times);
    taco_json_number(w, "pause", (double)pause_after(result, i) / rate);
    taco_json_number(w, "speed", round((double)chunk->speed * 1e6) / 1e6);
    taco_json_count(w, "first_symbol", source->first_symbol);
    taco_json_count(w, "n_symbols", chunk->n_symbols);
    taco_json_count(w, "n_steps", chunk->n_steps);
    taco_json_count(w, "n_frames", chunk->n_frames);
    taco_json_count(w, "seed", chunk->seed);
    taco_json_count(w, "attempts", (uint64_t)chunk->attempts);
    write_tried(w, chunk);
    taco_json_string(w, "stop_reason", taco_stop_reason_name(chunk->stop_reason));
    write_numbers(w, "gate", chunk->gate, chunk->n_steps);
    write_diagnostics(w, &chunk->diagnostics);
    write_matrices(w, result, chunk, matrix);
    taco_json_end(w, '}');
}

/* -- the whole ----------------------------------------------------------------------- */

static void write_notes(struct taco_json_writer *w, const struct taco_text *text) {
    taco_json_begin(w, "notes", '[');
    for (uint32_t i = 0; i < text->n_notes; i++) {
        const struct taco_note *note = &text->notes[i];
        taco_json_begin(w, NULL, '{');
        taco_json_string(w, "kind", taco_note_kind_name(note->kind));
        write_span(w, &note->span);
        taco_json_string(w, "text", note->text);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
}

static void write_mark(struct taco_json_writer *w, const struct taco_text *text,
                       uint32_t i, double time) {
    const struct taco_mark *mark = &text->marks[i];
    taco_json_begin(w, NULL, '{');
    taco_json_string(w, "name", mark->name);
    taco_json_number(w, "time", time);
    if (mark->word == text->n_words)
        taco_json_null(w, "word");
    else
        taco_json_count(w, "word", mark->word);
    write_span(w, &mark->span);
    taco_json_end(w, '}');
}

static void write_marks(struct taco_json_writer *w, const struct taco_result *result) {
    taco_json_begin(w, "marks", '[');
    for (uint32_t i = 0; i < result->text->n_marks && !w->out->failed; i++)
        write_mark(w, result->text, i, taco_result_mark_time(result, i));
    taco_json_end(w, ']');
}

/* Those that are reached in the chunk. */
static void write_chunk_marks(struct taco_json_writer *w,
                              const struct taco_spoken_chunk *told, double end) {
    double time;
    taco_json_begin(w, "marks", '[');
    for (uint32_t i = 0; i < told->text->n_marks; i++)
        if (taco_chunk_mark_time(told->text, told->index, i, told->words, end, &time))
            write_mark(w, told->text, i, time);
    taco_json_end(w, ']');
}

static void write_failures(struct taco_json_writer *w, const struct taco_result *result) {
    struct taco_failure few[16], *failures = few;
    uint32_t n = taco_result_failures(result, few, 16);
    if (n > 16) {
        failures = taco_malloc(n * sizeof *failures);
        if (!failures) {
            w->out->failed = true;
            return;
        }
        taco_result_failures(result, failures, n);
    }
    taco_json_begin(w, "failures", '[');
    for (uint32_t i = 0; i < n && !w->out->failed; i++) {
        taco_json_begin(w, NULL, '{');
        taco_json_string(w, "kind", taco_flaw_name(failures[i].kind));
        taco_json_count(w, "chunk", failures[i].chunk);
        write_span(w, &failures[i].span);
        write_times(w, &failures[i].times);
        taco_json_string(w, "sentence", failures[i].sentence);
        taco_json_end(w, '}');
    }
    taco_json_end(w, ']');
    if (failures != few)
        taco_free(failures);
}

static void write_stage_times(struct taco_json_writer *w,
                              const struct taco_stage_times *t) {
    taco_json_begin(w, "times", '{');
    taco_json_number(w, "queued", t->queued);
    taco_json_number(w, "text", t->text);
    taco_json_number(w, "encoder", t->encoder);
    taco_json_number(w, "decoder", t->decoder);
    taco_json_number(w, "postnet", t->postnet);
    taco_json_number(w, "vocoder", t->vocoder);
    taco_json_number(w, "total", t->total);
    taco_json_end(w, '}');
}

/* The worst of the chunks': they are in that order. */
static enum taco_stop_reason worst_stop_reason(const struct taco_result *result) {
    enum taco_stop_reason worst = TACO_STOP_GATE;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        if (result->chunks[i].stop_reason > worst)
            worst = result->chunks[i].stop_reason;
    return worst;
}

static void write_facts(struct taco_json_writer *w, const struct taco_result *result,
                        const char *id) {
    const struct taco_voice_info *voice = taco_voice_info(result->voice);
    const double speed = round((double)result->speed * 1e6) / 1e6;
    taco_json_count(w, "version", 1);
    if (id)
        taco_json_string(w, "id", id);
    taco_json_string(w, "voice", voice->name);
    taco_json_string(w, "attention", result->attention->name);
    taco_json_stringn(w, "text", result->text->source, result->text->source_length);
    taco_json_count(w, "seed", result->seed);
    taco_json_number(w, "speed", speed);
    taco_json_count(w, "sample_rate", (uint64_t)result->sample_rate);
    taco_json_count(w, "hop_length", (uint64_t)voice->hop_length);
    taco_json_count(w, "frames_per_step", (uint64_t)voice->n_frames_per_step);
    taco_json_number(w, "frame_rate", result->sample_rate * speed / voice->hop_length);
    taco_json_count(w, "n_samples", result->n_samples);
    taco_json_number(w, "duration", taco_result_duration(result));
    taco_json_count(w, "n_clipped", result->n_clipped);
    taco_json_string(w, "stop_reason", taco_stop_reason_name(worst_stop_reason(result)));
}

enum taco_status taco_result_write_json(const struct taco_result *result,
                                        const struct taco_format_options *options,
                                        struct taco_buffer *out, struct taco_error *err) {
    (void)err;
    const struct taco_text *text = result->text;
    struct taco_json_writer w = {.out = out, .indent = options->compact ? 0 : 2};
    taco_json_begin(&w, NULL, '{');
    write_facts(&w, result, options->id);
    write_words(&w, text, 0, text->n_words, result->words);
    write_spoken(&w, text, 0, text->n_spoken, result->spoken);
    write_characters(&w, result);
    write_symbols(&w, text, result->voice, 0, text->n_symbols, result->symbols);
    taco_json_begin(&w, "chunks", '[');
    for (uint32_t i = 0; i < result->n_chunks && !out->failed; i++)
        write_chunk(&w, result, i, options->matrix);
    taco_json_end(&w, ']');
    write_diagnostics(&w, &result->diagnostics);
    write_failures(&w, result);
    write_notes(&w, text);
    write_marks(&w, result);
    write_stage_times(&w, &result->times);
    taco_json_end(&w, '}');
    return TACO_OK;
}

enum taco_status taco_spoken_chunk_write(const struct taco_spoken_chunk *told,
                                         const struct taco_voice *voice, char **bytes,
                                         size_t *size, struct taco_error *err) {
    const struct taco_text *text = told->text;
    const struct taco_chunk *chunk = &text->chunks[told->index];
    const double rate = told->sample_rate;
    const struct taco_times times = {(double)told->first_sample / rate,
                                     (double)(told->first_sample + told->n_samples) /
                                         rate};
    struct taco_buffer out = TACO_BUFFER_INIT;
    struct taco_json_writer w = {.out = &out};
    taco_json_begin(&w, NULL, '{');
    taco_json_count(&w, "chunk", told->index);
    write_source(&w, text, &chunk->span);
    write_times(&w, &times);
    write_span(&w, &chunk->span);
    taco_json_boolean(&w, "ok", told->diagnostics->ok);
    taco_json_string(&w, "stop_reason", taco_stop_reason_name(told->stop_reason));
    write_words(&w, text, chunk->first_word, chunk->n_words, told->words);
    write_spoken(&w, text, told->first_spoken, told->n_spoken, told->spoken);
    write_symbols(&w, text, voice, chunk->first_symbol, chunk->n_symbols, told->symbols);
    write_chunk_marks(&w, told, times.end);
    taco_json_end(&w, '}');
    *bytes = out.failed ? NULL : out.data;
    *size = out.failed ? 0 : out.size;
    if (!out.failed)
        return TACO_OK;
    taco_buffer_free(&out);
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a chunk's times");
}
