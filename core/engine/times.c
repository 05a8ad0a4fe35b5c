/* The most likely monotonic reading of an alignment, and the times that follow from it.
 */
#include "engine/times.h"
#include "base/cancel.h"
#include "base/memory.h"
#include <math.h>

/* What it costs to pass a symbol over, in nats: the path visits a symbol whose weight
 * never gets above some e^-3 of its neighbours' only if it has a step to spare. */
static const float skip_cost = 3.0f;

/* Longest way forward in one step, symbols: what a byte holds. */
enum { MAX_JUMP = 255 };

/* One step of the search: next[j] = log a[j] + max over i <= j of best[i] - cost(j - i),
 * where staying and going on by one cost nothing and each symbol passed over costs
 * skip_cost. jump[j] = j - i. */
static void search_step(const float *a /* [n] */, const float *best /* [n] */, uint32_t n,
                        float *next /* [n] */, uint8_t *jump /* [n] */) {
    float skip = -INFINITY; /* the best of those that pass over at least one symbol */
    uint32_t skip_from = 0;
    for (uint32_t j = 0; j < n; j++) {
        float value = best[j];
        uint32_t from = j;
        if (j > 0 && best[j - 1] >= value) {
            value = best[j - 1];
            from = j - 1;
        }
        if (j > 1) {
            skip -= skip_cost;
            if (best[j - 2] - skip_cost >= skip || j - skip_from > MAX_JUMP) {
                skip = best[j - 2] - skip_cost;
                skip_from = j - 2;
            }
            if (skip > value) {
                value = skip;
                from = skip_from;
            }
        }
        next[j] = value + logf(a[j] + 1e-6f);
        jump[j] = (uint8_t)(j - from);
    }
}

enum taco_status taco_symbol_edges(const float *alignment, uint32_t n_steps,
                                   uint32_t n_symbols, const struct taco_cancel *cancel,
                                   uint32_t *edges) {
    size_t n = n_symbols;
    enum taco_status status = TACO_ERR_NO_MEMORY;
    uint8_t *jumps = taco_malloc((size_t)n_steps * n);
    float *rows = taco_malloc(2 * n * sizeof *rows);
    if (!jumps || !rows)
        goto done;
    float *best = rows, *next = rows + n;
    for (uint32_t j = 0; j < n_symbols; j++)
        best[j] = logf(alignment[j] + 1e-6f) - skip_cost * (float)j;
    for (uint32_t t = 1; t < n_steps; t++) {
        if (taco_is_cancelled(cancel)) {
            status = TACO_ERR_CANCELLED;
            goto done;
        }
        search_step(alignment + t * n, best, n_symbols, next, jumps + t * n);
        float *swap = best;
        best = next;
        next = swap;
    }
    /* Symbols left over at the end were passed over as well. */
    uint32_t j = 0;
    for (uint32_t i = 0; i < n_symbols; i++) {
        float left = skip_cost * (float)(n_symbols - 1 - i);
        if (best[i] - left >= best[j] - skip_cost * (float)(n_symbols - 1 - j))
            j = i;
    }
    /* Back along the path: what lies above j begins no earlier than the step after t. */
    for (uint32_t i = j + 1; i <= n_symbols; i++)
        edges[i] = n_steps;
    for (uint32_t t = n_steps - 1; t > 0; t--) {
        uint32_t from = j - jumps[t * n + j];
        while (j > from)
            edges[j--] = t;
    }
    for (;; j--) {
        edges[j] = 0;
        if (j == 0)
            break;
    }
    status = TACO_OK;
done:
    taco_free(rows);
    taco_free(jumps);
    return status;
}

/* Mean square of the samples. */
static double power(const float *samples, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += (double)samples[i] * (double)samples[i];
    return sum / (double)n;
}

void taco_sound_bounds(const float *samples, size_t n, int sample_rate, size_t *begin,
                       size_t *end) {
    const double quiet = 1e-4; /* -40 dB */
    size_t window = (size_t)sample_rate / 200;
    double loudest = 0;
    *begin = 0;
    *end = n;
    if (window == 0 || n < window)
        return;
    for (size_t i = 0; i + window <= n; i += window)
        loudest = fmax(loudest, power(samples + i, window));
    double least = loudest * quiet;
    if (!(least > 0))
        return;
    while (power(samples + *begin, window) < least)
        *begin += window;
    while (power(samples + *end - window, window) < least && *end - window > *begin)
        *end -= window;
}

void taco_symbol_times(const struct taco_time_base *base, const uint32_t *edges,
                       uint32_t n_symbols, struct taco_times *out) {
    double previous =
        (double)(base->first_sample + base->sound_begin) / base->sample_rate;
    for (uint32_t j = 0; j < n_symbols; j++) {
        uint64_t at = (uint64_t)llround((double)edges[j + 1] * base->step_samples);
        if (at < base->sound_begin)
            at = base->sound_begin;
        if (at > base->sound_end || j + 1 == n_symbols)
            at = base->sound_end;
        double end = (double)(base->first_sample + at) / base->sample_rate;
        out[j] = (struct taco_times){previous, end};
        previous = end;
    }
}

/* From the first symbol's start to the last one's end, not before *now, which moves on.
 */
static struct taco_times span(const struct taco_times *symbols, uint32_t first,
                              uint32_t n, double *now) {
    struct taco_times times = {*now, *now};
    if (n > 0) {
        times.start = fmax(symbols[first].start, *now);
        times.end = fmax(symbols[first + n - 1].end, times.start);
    }
    *now = times.end;
    return times;
}

void taco_word_times(const struct taco_text *text, const struct taco_times *symbols,
                     struct taco_times *words, struct taco_times *spoken) {
    double now = 0;
    for (uint32_t i = 0; i < text->n_words; i++)
        words[i] =
            span(symbols, text->words[i].first_symbol, text->words[i].n_symbols, &now);
    now = 0;
    for (uint32_t i = 0; i < text->n_spoken; i++)
        spoken[i] =
            span(symbols, text->spoken[i].first_symbol, text->spoken[i].n_symbols, &now);
}

uint32_t taco_chunk_spoken(const struct taco_text *text, uint32_t chunk, uint32_t *n) {
    const struct taco_chunk *c = &text->chunks[chunk];
    uint32_t first = 0;
    *n = 0;
    for (uint32_t i = c->first_word; i < c->first_word + c->n_words; i++) {
        if (*n == 0)
            first = text->words[i].first_spoken;
        *n += text->words[i].n_spoken;
    }
    return first;
}

void taco_chunk_word_times(const struct taco_text *text, uint32_t chunk,
                           const struct taco_times *symbols, struct taco_times *words,
                           struct taco_times *spoken, double until[2]) {
    const struct taco_chunk *c = &text->chunks[chunk];
    uint32_t n_spoken, first_spoken = taco_chunk_spoken(text, chunk, &n_spoken);
    for (uint32_t i = 0; i < c->n_words; i++) {
        const struct taco_word *word = &text->words[c->first_word + i];
        uint32_t first = word->n_symbols ? word->first_symbol - c->first_symbol : 0;
        words[i] = span(symbols, first, word->n_symbols, &until[0]);
    }
    for (uint32_t i = 0; i < n_spoken; i++) {
        const struct taco_spoken_word *word = &text->spoken[first_spoken + i];
        uint32_t first = word->n_symbols ? word->first_symbol - c->first_symbol : 0;
        spoken[i] = span(symbols, first, word->n_symbols, &until[1]);
    }
}

/* -- characters ---------------------------------------------------------------------- */

uint32_t taco_result_n_characters(const struct taco_result *result) {
    const struct taco_text *text = result->text;
    uint32_t n = 0;
    for (uint32_t i = 0; i < text->source_length; i++)
        n += ((unsigned char)text->source[i] & 0xC0) != 0x80;
    return n;
}

/* Code points [begin, end) share the time from a to b evenly. */
static void share(struct taco_times *out, uint32_t begin, uint32_t end, double a,
                  double b) {
    for (uint32_t i = begin; i < end; i++) {
        double n = end - begin;
        out[i].start = a + (b - a) * ((i - begin) / n);
        out[i].end = i + 1 == end ? b : a + (b - a) * ((i + 1 - begin) / n);
    }
}

void taco_result_characters(const struct taco_result *result, struct taco_times *out) {
    const struct taco_text *text = result->text;
    uint32_t n = taco_result_n_characters(result), at = 0;
    double now = 0;
    for (uint32_t w = 0; w < text->n_words; w++) {
        const struct taco_span *s = &text->words[w].span;
        if (s->begin_cp < at || s->end_cp > n)
            continue;
        share(out, at, s->begin_cp, now, result->words[w].start);
        share(out, s->begin_cp, s->end_cp, result->words[w].start, result->words[w].end);
        at = s->end_cp;
        now = result->words[w].end;
    }
    share(out, at, n, now, (double)result->n_samples / result->sample_rate);
}

struct taco_span taco_chunk_region(const struct taco_text *text, uint32_t chunk) {
    struct taco_span region = text->chunks[chunk].span;
    if (chunk == 0)
        region.begin = region.begin_cp = 0;
    if (chunk + 1 < text->n_chunks) {
        region.end = text->chunks[chunk + 1].span.begin;
        region.end_cp = text->chunks[chunk + 1].span.begin_cp;
        return region;
    }
    for (; region.end < text->source_length; region.end++)
        region.end_cp += ((unsigned char)text->source[region.end] & 0xC0) != 0x80;
    return region;
}

void taco_chunk_characters(const struct taco_text *text, uint32_t chunk,
                           const struct taco_times *words, double start, double end,
                           struct taco_times *out) {
    const struct taco_chunk *c = &text->chunks[chunk];
    const struct taco_span region = taco_chunk_region(text, chunk);
    uint32_t n = region.end_cp - region.begin_cp, at = 0;
    double now = start;
    for (uint32_t i = 0; i < c->n_words; i++) {
        const struct taco_span *s = &text->words[c->first_word + i].span;
        if (s->begin_cp < region.begin_cp + at || s->end_cp > region.end_cp)
            continue;
        struct taco_times times = {fmax(words[i].start, now), fmax(words[i].end, now)};
        uint32_t begin = s->begin_cp - region.begin_cp,
                 stop = s->end_cp - region.begin_cp;
        share(out, at, begin, now, times.start);
        share(out, begin, stop, times.start, times.end);
        at = stop;
        now = times.end;
    }
    share(out, at, n, now, fmax(end, now));
}

/* -- marks --------------------------------------------------------------------------- */

double taco_result_mark_time(const struct taco_result *result, uint32_t mark) {
    const struct taco_mark *m = &result->text->marks[mark];
    if (m->before_silence)
        return m->word > 0 ? result->words[m->word - 1].end : 0;
    return m->word < result->text->n_words
               ? result->words[m->word].start
               : (double)result->n_samples / result->sample_rate;
}

bool taco_chunk_mark_time(const struct taco_text *text, uint32_t chunk, uint32_t mark,
                          const struct taco_times *words, double end, double *time) {
    const struct taco_chunk *c = &text->chunks[chunk];
    const struct taco_mark *m = &text->marks[mark];
    uint32_t word = m->before_silence && m->word > 0 ? m->word - 1 : m->word;
    bool at_end = m->word == text->n_words && !m->before_silence;
    if (at_end ? chunk + 1 < text->n_chunks
               : word < c->first_word || word >= c->first_word + c->n_words)
        return false;
    *time = at_end               ? end
            : !m->before_silence ? words[word - c->first_word].start
            : m->word > 0        ? words[word - c->first_word].end
                                 : 0;
    return true;
}
