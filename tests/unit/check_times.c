/* engine/times.h: the monotonic reading of an alignment, and times that never run back.
 */
#include "base/memory.h"
#include "engine/times.h"
#include "support/numbers.h"
#include "support/results.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* -- edges ------------------------------------------------------------------------------
 */

static void check_edges(const uint32_t *edges, uint32_t n_symbols, uint32_t n_steps) {
    ck_assert_uint_eq(edges[0], 0);
    for (uint32_t j = 0; j < n_symbols; j++)
        ck_assert_uint_le(edges[j], edges[j + 1]);
    ck_assert_uint_eq(edges[n_symbols], n_steps);
}

START_TEST(no_memory_is_told) {
    float alignment[6] = {1, 0, 0, 1, 0, 1};
    uint32_t edges[3];
    for (long n = 1; n <= 2; n++) {
        taco_memory_fail_at(n);
        enum taco_status status = taco_symbol_edges(alignment, 3, 2, NULL, edges);
        taco_memory_fail_at(0);
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
    }
}
END_TEST

/* A sharp alignment is read exactly, symbols of no duration included. */
START_TEST(a_sharp_alignment_is_read_exactly) {
    uint64_t seed = (uint64_t)_i;
    enum { MOST = 300 };
    uint32_t durations[MOST], edges[MOST + 1];
    uint32_t n = 1 + (uint32_t)test_random_below(&seed, MOST), steps = 0;
    for (uint32_t j = 0; j < n; j++) {
        /* Runs of skipped symbols of every length, up to more than a byte holds. */
        bool skip =
            _i % 3 && (_i % 3 == 1 ? test_random_below(&seed, 4) == 0 : j % 290 > 8);
        steps += durations[j] = skip ? 0 : 1 + (uint32_t)test_random_below(&seed, 12);
    }
    if (steps == 0)
        steps = durations[0] = 1;
    float *alignment = calloc((size_t)steps * n, sizeof *alignment);
    test_alignment_fill(alignment, n, durations, _i % 2 ? 1.0f : 0.9999f);
    ck_assert_int_eq(taco_symbol_edges(alignment, steps, n, NULL, edges), TACO_OK);
    check_edges(edges, n, steps);
    uint32_t at = 0;
    for (uint32_t j = 0; j < n; j++) {
        if (durations[j] > 0) {
            ck_assert_uint_eq(edges[j], at);
            ck_assert_uint_eq(edges[j + 1], at + durations[j]);
        }
        at += durations[j];
    }
    free(alignment);
}
END_TEST

START_TEST(any_alignment_gives_ordered_edges) {
    uint64_t seed = 1000 + (uint64_t)_i;
    uint32_t n = 1 + (uint32_t)test_random_below(&seed, 60);
    uint32_t steps = 1 + (uint32_t)test_random_below(&seed, 90);
    float *alignment = calloc((size_t)steps * n, sizeof *alignment);
    uint32_t *edges = calloc(n + 1, sizeof *edges);
    for (size_t i = 0; i < (size_t)steps * n; i++) {
        float u = (float)(test_random(&seed) >> 40) * 0x1p-24f;
        alignment[i] = _i % 4 == 0 ? u : _i % 4 == 1 ? 0 : u < 0.9f ? 0 : u;
    }
    ck_assert_int_eq(taco_symbol_edges(alignment, steps, n, NULL, edges), TACO_OK);
    check_edges(edges, n, steps);
    free(alignment);
    free(edges);
}
END_TEST

/* A glance back does not turn the reading back, and a weak symbol is not lost. */
START_TEST(noise_does_not_confuse_the_reading) {
    enum { STEPS = 9, SYMBOLS = 3 };
    static const float alignment[STEPS * SYMBOLS] = {
        .9f, .1f, 0, .8f, .2f, 0,   .5f, .4f, .1f, .1f, .3f, .6f, .1f, .1f,
        .8f, .9f, 0, .1f, 0,   .1f, .9f, 0,   0,   1,   0,   0,   1};
    uint32_t edges[SYMBOLS + 1];
    ck_assert_int_eq(taco_symbol_edges(alignment, STEPS, SYMBOLS, NULL, edges), TACO_OK);
    check_edges(edges, SYMBOLS, STEPS);
    ck_assert_uint_eq(edges[1], 2);
    ck_assert_uint_eq(edges[2], 3);
}
END_TEST

/* -- times --------------------------------------------------------------------------- */

START_TEST(steps_become_samples) {
    static const uint32_t edges[] = {0, 2, 2, 5};
    const struct taco_time_base base = {16000, 100.5, 8000, 480, 0, 480};
    struct taco_times times[3];
    taco_symbol_times(&base, edges, 3, times);
    ck_assert_double_eq(times[0].start, 0.5);
    ck_assert_double_eq(times[0].end, 8201 / 16000.0);
    ck_assert_double_eq(times[1].start, 8201 / 16000.0);
    ck_assert_double_eq(times[1].end, 8201 / 16000.0);
    /* The last symbol ends with the chunk, whatever its steps come to. */
    ck_assert_double_eq(times[2].end, 8480 / 16000.0);
    /* Silence belongs to no symbol: what lies in it has no length. */
    const struct taco_time_base within = {16000, 100.5, 8000, 480, 210, 400};
    taco_symbol_times(&within, edges, 3, times);
    ck_assert_double_eq(times[0].start, 8210 / 16000.0);
    ck_assert_double_eq(times[0].end, 8210 / 16000.0);
    ck_assert_double_eq(times[2].start, 8210 / 16000.0);
    ck_assert_double_eq(times[2].end, 8400 / 16000.0);
}
END_TEST

START_TEST(sound_has_a_begin_and_an_end) {
    enum { RATE = 16000, WINDOW = RATE / 200, N = 20 * WINDOW };
    float samples[N] = {0};
    size_t begin, end;
    taco_sound_bounds(samples, N, RATE, &begin, &end); /* silence throughout */
    ck_assert_uint_eq(begin, 0);
    ck_assert_uint_eq(end, N);
    for (int i = 0; i < N; i++) /* 60 dB below what comes */
        samples[i] = i % 2 ? 0.0005f : -0.0005f;
    for (int i = 5 * WINDOW; i < 12 * WINDOW; i++)
        samples[i] *= 1000;
    for (int i = 12 * WINDOW; i < 15 * WINDOW; i++) /* 34 dB below */
        samples[i] *= 20;
    taco_sound_bounds(samples, N, RATE, &begin, &end);
    ck_assert_uint_eq(begin, 5 * WINDOW);
    ck_assert_uint_eq(end, 15 * WINDOW);
    taco_sound_bounds(samples, 13 * WINDOW - 7, RATE, &begin, &end);
    ck_assert_uint_eq(begin, 5 * WINDOW);
    ck_assert_uint_eq(end, 13 * WINDOW - 7);
    taco_sound_bounds(samples + 5 * WINDOW, 7, RATE, &begin, &end);
    ck_assert_uint_eq(begin, 0);
    ck_assert_uint_eq(end, 7);
    taco_sound_bounds(samples, 0, RATE, &begin, &end);
    ck_assert_uint_eq(end, 0);
}
END_TEST

static void check_order(const struct taco_times *times, uint32_t n, double duration) {
    double now = 0;
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_double_ge(times[i].start, now);
        ck_assert_double_ge(times[i].end, times[i].start);
        now = times[i].end;
    }
    ck_assert_double_le(now, duration);
}

START_TEST(every_word_once_and_in_order) {
    struct made_result made;
    made_result_random(&made, (uint64_t)_i, _i % 2);
    const struct taco_result *result = &made.result;
    double duration = (double)result->n_samples / result->sample_rate;
    check_order(result->symbols, made.text.n_symbols, duration);
    check_order(result->words, made.text.n_words, duration);
    check_order(result->spoken, made.text.n_spoken, duration);
    for (uint32_t w = 0; w < made.text.n_words; w++) {
        const struct taco_word *word = &made.text.words[w];
        if (word->n_symbols == 0) {
            ck_assert_double_eq(result->words[w].start, result->words[w].end);
            continue;
        }
        ck_assert_double_eq(result->words[w].start,
                            result->symbols[word->first_symbol].start);
        ck_assert_double_eq(
            result->words[w].end,
            result->symbols[word->first_symbol + word->n_symbols - 1].end);
    }

    uint32_t n = taco_result_n_characters(result);
    struct taco_times *characters = calloc(n, sizeof *characters);
    taco_result_characters(result, characters);
    check_order(characters, n, duration);
    /* They leave no hole, and those of a word have the word's time. */
    ck_assert_double_eq(characters[0].start, 0);
    ck_assert_double_eq(characters[n - 1].end, duration);
    for (uint32_t i = 0; i + 1 < n; i++)
        ck_assert_double_eq(characters[i].end, characters[i + 1].start);
    for (uint32_t w = 0; w < made.text.n_words; w++) {
        const struct taco_span *span = &made.text.words[w].span;
        ck_assert_double_eq(characters[span->begin_cp].start, result->words[w].start);
        ck_assert_double_eq(characters[span->end_cp - 1].end, result->words[w].end);
    }
    free(characters);
    made_result_free(&made);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("times");
    TCase *tc = tcase_create("times");
    tcase_add_test(tc, no_memory_is_told);
    tcase_add_loop_test(tc, a_sharp_alignment_is_read_exactly, 0, 60);
    tcase_add_loop_test(tc, any_alignment_gives_ordered_edges, 0, 200);
    tcase_add_test(tc, noise_does_not_confuse_the_reading);
    tcase_add_test(tc, steps_become_samples);
    tcase_add_test(tc, sound_has_a_begin_and_an_end);
    tcase_add_loop_test(tc, every_word_once_and_in_order, 0, 200);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
