/* Finds where a reading failed (faults.h). j(t) is the most attended symbol of step t, m(t)
 * the furthest so far. */
#include "engine/faults.h"

enum {
    MAX_BACKWARD = 3, /* symbols that the attention may glance back */
    MAX_FROM_END = 3, /* it ends on one of the last so many */
    LONG_SKIP = 3,    /* symbols of words left out in a row: a syllable is missing */
    LONG_LEAP = 7,    /* symbols of words between two steps: none had its time */
    LONG_RETURN = 5,  /* frames behind the furthest symbol: a glance back is shorter */
    SHORTEST_DRAGGING = 12 /* symbols of a text whose pace says something */
};
/* The shipped voice covers 0.97 to 1 of ordinary sentences; a word left out of ten takes a
 * tenth away. It rests at most 0.33 s on a sound, and its sentences' paces lie within 0.65
 * to 1.35 of its usual one, the silence around short ones taken off (models/heart.md;
 * tests/bench/attention). */
static const float min_coverage = 0.9f, max_stall_seconds = 0.6f, max_tail_seconds = 1.0f,
                   max_pace = 1.4f, silence_seconds = 0.35f;

/* Where faults go. */
struct list {
    struct taco_fault *out; /* [TACO_MAX_FAULTS] */
    uint32_t n, n_skips, n_repeats;
};

enum {
    MOST_OF_A_KIND = (TACO_MAX_FAULTS - 4) / 2
}; /* of the four other kinds one each */

static void add(struct list *list, enum taco_flaw kind, uint32_t first_symbol,
                uint32_t end_symbol, uint32_t first_step, uint32_t end_step) {
    if ((kind == TACO_FLAW_SKIP && list->n_skips++ >= MOST_OF_A_KIND) ||
        (kind == TACO_FLAW_REPEAT && list->n_repeats++ >= MOST_OF_A_KIND))
        return;
    list->out[list->n++] =
        (struct taco_fault){kind, first_symbol, end_symbol, first_step, end_step};
}

uint32_t taco_most_attended(const float *row, uint32_t n, uint32_t before) {
    uint32_t best = 0;
    for (uint32_t j = 1; j < n; j++)
        if (row[j] > row[best])
            best = j;
    return row[best] > 0 ? best : before;
}

/* A symbol of a word that did not get half a frame's worth of weight. */
static bool left_out(const struct taco_reading *r, uint32_t j) {
    const float enough = 0.5f / (float)r->frames_per_step;
    float sum = 0;
    if (r->symbols[j].word == TACO_NO_WORD)
        return false;
    for (uint32_t t = 0; t < r->n_steps && sum < enough; t++)
        sum += r->alignment[(size_t)t * r->n_symbols + j];
    return sum < enough;
}

/* The step at which the attention first gets to symbol j or behind it; n_steps if never. */
static uint32_t step_of(const struct taco_reading *r, uint32_t j) {
    uint32_t at = 0;
    for (uint32_t t = 0; t < r->n_steps; t++) {
        at =
            taco_most_attended(r->alignment + (size_t)t * r->n_symbols, r->n_symbols, at);
        if (at >= j)
            return t;
    }
    return r->n_steps;
}

/* Runs of symbols left out. What is left out up to the end of the text is no skip: the
 * speech was cut off there; its first symbol is returned, n_symbols if there is none. */
static uint32_t find_skips(const struct taco_reading *r, struct list *list) {
    uint32_t n_left_out = 0, n_words = 0, cut = r->n_symbols;
    for (uint32_t j = 0; j < r->n_symbols; j++) {
        n_words += r->symbols[j].word != TACO_NO_WORD;
        n_left_out += left_out(r, j);
    }
    bool many = (float)n_left_out > (1 - min_coverage) * (float)n_words;
    for (uint32_t j = 0; j < r->n_symbols;) {
        uint32_t end = j, n = 0, last = j;
        while (end < r->n_symbols &&
               (r->symbols[end].word == TACO_NO_WORD ? n > 0 : left_out(r, end))) {
            if (r->symbols[end].word != TACO_NO_WORD) {
                n++;
                last = end + 1;
            }
            end++;
        }
        if (n >= LONG_SKIP || (many && n > 0)) {
            if (end == r->n_symbols)
                cut = j;
            else
                add(list, TACO_FLAW_SKIP, j, last, step_of(r, last), step_of(r, last));
        }
        j = end > j ? end : j + 1;
    }
    return cut;
}

/* The step t leaps from the symbol `from`, over symbols of words, to `to`. Weights spread
 * over all symbols give every one of them its half frame in time, and yet none is read.
 * What has been told as left out is not told again. */
static void find_leap(const struct taco_reading *r, uint32_t from, uint32_t to,
                      uint32_t t, struct list *list) {
    uint32_t n = 0, first = to, end = from;
    for (uint32_t j = t > 0 ? from + 1 : from; j < to; j++)
        if (r->symbols[j].word != TACO_NO_WORD) {
            first = n++ ? first : j;
            end = j + 1;
        }
    for (uint32_t i = 0; i < list->n; i++)
        if (list->out[i].kind == TACO_FLAW_SKIP && list->out[i].first_symbol < end &&
            list->out[i].end_symbol > first)
            return;
    if (n >= LONG_LEAP)
        add(list, TACO_FLAW_SKIP, first, end, t, t);
}

/* Leaps, repeats, the longest stall, the tail behind the last symbol; returns the last
 * j(t). */
static uint32_t follow(const struct taco_reading *r, struct list *list) {
    const uint32_t frames = (uint32_t)r->frames_per_step;
    const uint32_t long_return = (LONG_RETURN + frames - 1) / frames;
    const float steps_a_second = r->frames_per_second / (float)r->frames_per_step;
    uint32_t at = 0, furthest = 0, since = 0, at_end = r->n_steps;
    uint32_t n_behind = 0,
             back_to = 0; /* steps behind the furthest, the first's symbol */
    struct taco_fault stall = {TACO_FLAW_STALL, 0, 0, 0, 0};
    for (uint32_t t = 0; t < r->n_steps; t++) {
        uint32_t j =
            taco_most_attended(r->alignment + (size_t)t * r->n_symbols, r->n_symbols, at);
        bool behind = j + MAX_BACKWARD < furthest;
        back_to = behind && (n_behind == 0 || j < back_to) ? j : back_to;
        n_behind = behind ? n_behind + 1 : 0;
        if (n_behind == long_return) {
            add(list, TACO_FLAW_REPEAT, back_to, furthest + 1, t + 1 - n_behind,
                t + 1 - n_behind);
            furthest = j;
            n_behind = 0;
        }
        if (j > furthest) {
            find_leap(r, furthest, j, t, list);
            furthest = j;
        }
        since = t > 0 && j == at ? since : t;
        if (r->symbols[j].word != TACO_NO_WORD &&
            t + 1 - since > stall.end_step - stall.first_step)
            stall = (struct taco_fault){TACO_FLAW_STALL, j, j + 1, since, t + 1};
        if (j + 2 < r->n_symbols)
            at_end = r->n_steps;
        else if (at_end == r->n_steps)
            at_end = t;
        at = j;
    }
    if ((float)(stall.end_step - stall.first_step) > max_stall_seconds * steps_a_second)
        add(list, stall.kind, stall.first_symbol, stall.end_symbol, stall.first_step,
            stall.end_step);
    bool ended = r->n_symbols - at <= MAX_FROM_END;
    if (ended && (r->stop_reason == TACO_STOP_MAX_FRAMES ||
                  (float)(r->n_steps - at_end) > max_tail_seconds * steps_a_second))
        add(list, TACO_FLAW_RUN_ON, r->n_symbols - 1, r->n_symbols,
            at_end < r->n_steps ? at_end : r->n_steps - 1, r->n_steps);
    return at;
}

/* By steps; those of one step by kind. */
static void sort(struct taco_fault *faults, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0; k--) {
            struct taco_fault *a = &faults[k - 1], *b = &faults[k], swap = *a;
            if (a->first_step < b->first_step ||
                (a->first_step == b->first_step && a->kind <= b->kind))
                break;
            *a = *b;
            *b = swap;
        }
}

uint32_t taco_faults_find(const struct taco_reading *r, struct taco_fault *out) {
    struct list list = {out, 0, 0, 0};
    uint32_t cut = find_skips(r, &list), last = follow(r, &list);
    if (r->n_symbols - last > MAX_FROM_END && last + 1 < cut)
        cut = last + 1;
    if (cut < r->n_symbols)
        add(&list, TACO_FLAW_CUT_OFF, cut, r->n_symbols, r->n_steps, r->n_steps);
    float pace = ((float)r->n_frames - silence_seconds * r->frames_per_second) /
                 (float)r->n_symbols;
    if (r->usual_pace > 0 && r->n_symbols >= SHORTEST_DRAGGING &&
        pace > max_pace * r->usual_pace)
        add(&list, TACO_FLAW_DRAGGING, 0, r->n_symbols, 0, r->n_steps);
    sort(out, list.n);
    return list.n;
}
