/* engine/diagnostics.h: what is told of good and of bad alignments. */
#include "engine/diagnostics.h"
#include "support/results.h"
#include "support/runner.h"

#include <string.h>

enum { N = 10, MOST_STEPS = 200 };

/* Symbols 0 .. N - 2 belong to one word, the last is a full stop. */
static struct taco_symbol symbols[N];

static void make_symbols(void) {
    for (int i = 0; i < N; i++)
        symbols[i].word = i < N - 1 ? 0 : TACO_NO_WORD;
}

/* The last reading that was judged, and its faults. */
static struct taco_fault faults[TACO_MAX_FAULTS];
static uint32_t n_faults;
static float usual_pace;

static void judge_text(const float *alignment, uint32_t n_steps, uint32_t n_symbols,
                       const struct taco_symbol *text, int frames_per_step,
                       enum taco_stop_reason reason, struct taco_diagnostics *out) {
    const struct taco_reading reading = {
        .alignment = alignment,
        .n_steps = n_steps,
        .n_symbols = n_symbols,
        .symbols = text,
        .frames_per_step = frames_per_step,
        .n_frames = n_steps * (uint32_t)frames_per_step,
        .frames_per_second = 50,
        .usual_pace = usual_pace,
        .stop_reason = reason,
    };
    taco_diagnose(&reading, out);
    n_faults = taco_faults_find(&reading, faults);
}

static void judge(const float *alignment, uint32_t n_steps, int frames_per_step,
                  enum taco_stop_reason reason, struct taco_diagnostics *out) {
    judge_text(alignment, n_steps, N, symbols, frames_per_step, reason, out);
}

static void expect_fault(uint32_t i, enum taco_flaw kind, uint32_t first_symbol,
                         uint32_t end_symbol, uint32_t first_step) {
    ck_assert_uint_lt(i, n_faults);
    ck_assert_str_eq(taco_flaw_name(faults[i].kind), taco_flaw_name(kind));
    ck_assert_uint_eq(faults[i].first_symbol, first_symbol);
    ck_assert_uint_eq(faults[i].end_symbol, end_symbol);
    ck_assert_uint_eq(faults[i].first_step, first_step);
}

/* An alignment that attends to path[t] with the weight at step t. */
static struct taco_diagnostics diagnose(const uint32_t *path, uint32_t n_steps,
                                        float weight, enum taco_stop_reason reason) {
    float alignment[MOST_STEPS * N];
    for (uint32_t t = 0; t < n_steps; t++)
        for (uint32_t j = 0; j < N; j++)
            alignment[t * N + j] = j == path[t] ? weight : (1 - weight) / (N - 1);
    struct taco_diagnostics d;
    memset(&d, 0xFF, sizeof d);
    judge(alignment, n_steps, 1, reason, &d);
    return d;
}

static const uint32_t straight[] = {0, 0, 1, 2, 2, 3, 4, 5, 5, 6, 7, 8, 9, 9, 9, 9};
enum { STRAIGHT = sizeof straight / sizeof *straight };

START_TEST(a_straight_reading_is_ok) {
    struct taco_diagnostics d = diagnose(straight, STRAIGHT, 0.9f, TACO_STOP_GATE);
    ck_assert(d.ok);
    ck_assert_float_eq(d.coverage, 1);
    ck_assert_float_eq_tol(d.focus, 0.9f, 1e-6f);
    ck_assert_uint_eq(d.backward_jumps, 0);
    ck_assert_uint_eq(d.forward_jumps, 0);
    ck_assert_uint_eq(d.longest_stall, 2); /* rest on the full stop is no stall */
    ck_assert_float_eq(d.frames_per_symbol, 1.6f);
    ck_assert(diagnose(straight, STRAIGHT, 0.9f, TACO_STOP_ATTENTION_END).ok);
    ck_assert_uint_eq(d.flaws, 0);
    d = diagnose(straight, STRAIGHT, 0.9f, TACO_STOP_MAX_FRAMES);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_RUN_ON);
    expect_fault(0, TACO_FLAW_RUN_ON, N - 1, N, 11);
}
END_TEST

START_TEST(what_is_left_out_shows) {
    static const uint32_t path[] = {0, 1, 6, 7, 8, 9};
    struct taco_diagnostics d = diagnose(path, 6, 1, TACO_STOP_GATE);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_SKIP);
    expect_fault(0, TACO_FLAW_SKIP, 2, 6, 2);
    ck_assert_float_eq_tol(d.coverage, 5 / 9.0f, 1e-6f);
    ck_assert_uint_eq(d.forward_jumps, 1);
    /* The full stop may be left out. */
    ck_assert(diagnose(straight, 12, 1, TACO_STOP_GATE).ok);
}
END_TEST

START_TEST(what_is_said_twice_shows) {
    static const uint32_t path[] = {0, 1, 2, 3, 4, 5, 1, 1, 1, 1,
                                    1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct taco_diagnostics d = diagnose(path, 19, 1, TACO_STOP_GATE);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_REPEAT);
    expect_fault(0, TACO_FLAW_REPEAT, 1, 6, 6);
    ck_assert_uint_eq(n_faults, 1);
    ck_assert_uint_eq(d.backward_jumps, 1);
    /* A glance at the neighbour is neither a jump nor a fault. */
    static const uint32_t glance[] = {0, 1, 2, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    d = diagnose(glance, 12, 1, TACO_STOP_GATE);
    ck_assert(d.ok);
    ck_assert_uint_eq(d.backward_jumps, 0);
}
END_TEST

/* Weights spread over the text cover every symbol, but the attention reads only where it
 * is strongest. */
START_TEST(a_leap_over_the_text_shows) {
    static const uint32_t over_7[] = {0, 0, 0, 0, 0, 8, 8, 8, 8, 9},
                          over_6[] = {0, 0, 0, 0, 0, 7, 7, 7, 8, 9};
    struct taco_diagnostics d = diagnose(over_7, 10, 0.3f, TACO_STOP_GATE);
    ck_assert_float_eq(d.coverage, 1);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_SKIP);
    expect_fault(0, TACO_FLAW_SKIP, 1, 8, 5);
    ck_assert_uint_eq(n_faults, 1);
    ck_assert(diagnose(over_6, 10, 0.3f, TACO_STOP_GATE).ok);
    /* From the first step on: one query for the whole text stays at one symbol. */
    static const uint32_t still[] = {9, 9, 9, 9, 9, 9, 9, 9, 9, 9};
    d = diagnose(still, 10, 0.3f, TACO_STOP_GATE);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_SKIP);
    expect_fault(0, TACO_FLAW_SKIP, 0, 9, 0);
}
END_TEST

START_TEST(an_early_end_shows) {
    struct taco_diagnostics d = diagnose(straight, 9, 1, TACO_STOP_GATE);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_CUT_OFF);
    expect_fault(0, TACO_FLAW_CUT_OFF, 6, N, 9);
}
END_TEST

/* n symbols of words, of which the last n_left_out get nothing. */
static struct taco_diagnostics leave_out(uint32_t n, uint32_t n_left_out) {
    struct taco_symbol words[20] = {{0}};
    float alignment[20 * 20] = {0};
    uint32_t n_steps = n - n_left_out;
    for (uint32_t t = 0; t < n_steps; t++)
        alignment[t * n + t] = 1;
    struct taco_diagnostics d;
    judge_text(alignment, n_steps, n, words, 1, TACO_STOP_GATE, &d);
    return d;
}

/* Each threshold at its bound and one beyond. */
START_TEST(thresholds_are_where_they_are_said_to_be) {
    /* Coverage: 0.9 is enough. The end: one of the last 3 symbols. */
    ck_assert(!(leave_out(10, 1).flaws & TACO_FLAW_CUT_OFF));
    ck_assert(leave_out(19, 2).flaws & TACO_FLAW_CUT_OFF); /* 0.894 */
    ck_assert(!(leave_out(20, 2).flaws & (TACO_FLAW_SKIP | TACO_FLAW_CUT_OFF)));
    ck_assert(leave_out(20, 3).flaws & TACO_FLAW_CUT_OFF);
    /* Backward: by 3 is none. */
    static const uint32_t by_3[] = {0, 1, 2, 3, 4, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    struct taco_diagnostics d = diagnose(by_3, 14, 1, TACO_STOP_GATE);
    ck_assert(d.ok);
    ck_assert_uint_eq(d.backward_jumps, 1);
    /* By 4 for 5 frames; 4 frames are a glance. */
    static const uint32_t by_4[] = {0, 1, 2, 3, 4, 0, 0, 0, 0, 0,
                                    1, 2, 3, 4, 5, 6, 7, 8, 9};
    ck_assert_uint_eq(diagnose(by_4, 19, 1, TACO_STOP_GATE).flaws, TACO_FLAW_REPEAT);
    static const uint32_t glance[] = {0, 1, 2, 3, 4, 0, 0, 0, 0,
                                      1, 2, 3, 4, 5, 6, 7, 8, 9};
    d = diagnose(glance, 18, 1, TACO_STOP_GATE);
    ck_assert_uint_eq(d.flaws, 0);
    ck_assert_uint_eq(d.backward_jumps, 1);
    /* Forward: by 3 is none. */
    static const uint32_t forward[] = {0, 3, 6, 9}, further[] = {0, 4, 7, 9};
    ck_assert_uint_eq(diagnose(forward, 4, 1, TACO_STOP_GATE).forward_jumps, 0);
    ck_assert_uint_eq(diagnose(further, 4, 1, TACO_STOP_GATE).forward_jumps, 1);
    /* The first step has none before it: neither jump nor stall. */
    static const uint32_t late[] = {5, 6, 7, 8, 9};
    d = diagnose(late, 5, 1, TACO_STOP_GATE);
    ck_assert_uint_eq(d.forward_jumps, 0);
    ck_assert_uint_eq(d.longest_stall, 1);
    /* A step back ends a stall. */
    static const uint32_t back[] = {0, 1, 2, 2, 2, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    ck_assert_uint_eq(diagnose(back, 16, 1, TACO_STOP_GATE).longest_stall, 3);
    /* Half a frame's worth of weight is enough, with two frames a step a quarter. */
    struct taco_symbol word = {0};
    const float half = 0.5f, less = 0.49f, quarter = 0.25f;
    judge_text(&half, 1, 1, &word, 1, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.coverage, 1);
    judge_text(&less, 1, 1, &word, 1, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.coverage, 0);
    judge_text(&quarter, 1, 1, &word, 2, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.coverage, 1);
}
END_TEST

START_TEST(flaws_have_names) {
    static const char *const names[] = {"skip",   "repeat",  "stall",
                                        "run_on", "cut_off", "dragging"};
    for (int i = 0; i < TACO_N_FLAWS; i++)
        ck_assert_str_eq(taco_flaw_name((enum taco_flaw)(1 << i)), names[i]);
    ck_assert_str_eq(taco_flaw_name((enum taco_flaw)(1 << TACO_N_FLAWS)), "unknown");
    ck_assert_str_eq(taco_flaw_name((enum taco_flaw)0), "unknown");
}
END_TEST

START_TEST(a_stall_is_counted) {
    uint32_t path[60];
    for (uint32_t t = 0; t < 60; t++)
        path[t] = t < 40 ? 4 : 5;
    struct taco_diagnostics d = diagnose(path, 60, 1, TACO_STOP_MAX_FRAMES);
    ck_assert_uint_eq(d.longest_stall, 40);
    ck_assert(d.flaws & TACO_FLAW_STALL); /* 0.8 seconds */
    for (uint32_t t = 0; t < 60; t++)
        path[t] = t < 40 ? t / 4 : 9;
    ck_assert(diagnose(path, 60, 1, TACO_STOP_GATE).ok);
    for (uint32_t t = 0; t < 60; t++)
        path[t] = t < 18 ? t / 2 : t < 49 ? 8 : 9;
    ck_assert_uint_eq(diagnose(path, 60, 1, TACO_STOP_GATE).flaws, TACO_FLAW_STALL);
    expect_fault(0, TACO_FLAW_STALL, 8, 9, 16);
}
END_TEST

/* Silence behind the text of more than a second. */
START_TEST(a_long_tail_shows) {
    uint32_t path[120];
    for (uint32_t t = 0; t < 120; t++)
        path[t] = t < 36 ? t / 4 : 9;
    ck_assert(diagnose(path, 80, 1, TACO_STOP_GATE).ok);
    ck_assert_uint_eq(diagnose(path, 120, 1, TACO_STOP_GATE).flaws, TACO_FLAW_RUN_ON);
    expect_fault(0, TACO_FLAW_RUN_ON, N - 1, N, 32);
}
END_TEST

/* Graves' weights sum to less than one: shares are what counts. */
START_TEST(weights_need_not_sum_to_one) {
    float alignment[4 * N] = {0};
    for (uint32_t t = 0; t < 4; t++)
        alignment[t * N + t] = 0.3f;
    struct taco_diagnostics d;
    judge(alignment, 4, 1, TACO_STOP_GATE, &d);
    ck_assert_float_eq_tol(d.focus, 1, 1e-6f);
    memset(alignment, 0, sizeof alignment);
    judge(alignment, 4, 1, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.focus, 0);
}
END_TEST

START_TEST(several_frames_a_step_cover_more) {
    float alignment[N * N];
    for (int i = 0; i < N * N; i++)
        alignment[i] = 0.2f / (N - 1);
    for (uint32_t t = 0; t < N; t++)
        alignment[t * N + t] = 0.2f;
    struct taco_diagnostics d;
    judge(alignment, N, 1, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.coverage, 0);
    judge(alignment, N, 2, TACO_STOP_GATE, &d);
    ck_assert_float_eq(d.coverage, 1);
}
END_TEST

START_TEST(the_better_attempt_is_known) {
    struct taco_diagnostics good = diagnose(straight, STRAIGHT, 0.9f, TACO_STOP_GATE);
    struct taco_diagnostics early = diagnose(straight, 9, 1, TACO_STOP_GATE);
    struct taco_diagnostics earlier = diagnose(straight, 5, 1, TACO_STOP_GATE);
    ck_assert(taco_diagnostics_better(&good, &early));
    ck_assert(!taco_diagnostics_better(&early, &good));
    ck_assert(taco_diagnostics_better(&early, &earlier));
    ck_assert(!taco_diagnostics_better(&earlier, &early));
    ck_assert(!taco_diagnostics_better(&good, &good));
    struct taco_diagnostics jumpy = early;
    jumpy.forward_jumps++;
    ck_assert(taco_diagnostics_better(&early, &jumpy));
    ck_assert(!taco_diagnostics_better(&jumpy, &early));
    /* Coverage decides before jumps, and jumps of both kinds add up. */
    earlier.forward_jumps = earlier.backward_jumps = 0;
    early.forward_jumps = early.backward_jumps = 3;
    ck_assert(!taco_diagnostics_better(&earlier, &early));
    ck_assert(taco_diagnostics_better(&early, &earlier));
    jumpy = early;
    jumpy.backward_jumps = 0;
    ck_assert(taco_diagnostics_better(&jumpy, &early));
    ck_assert(!taco_diagnostics_better(&early, &jumpy));
}
END_TEST

START_TEST(chunks_are_joined) {
    struct taco_chunk_result chunks[2] = {
        {.n_steps = 10,
         .n_frames = 10,
         .n_symbols = 5,
         .diagnostics = {.coverage = 1, .focus = 0.8f, .longest_stall = 3, .ok = true}},
        {.n_steps = 30,
         .n_frames = 30,
         .n_symbols = 15,
         .diagnostics = {.coverage = 0.6f,
                         .focus = 0.4f,
                         .backward_jumps = 2,
                         .forward_jumps = 1,
                         .longest_stall = 9,
                         .flaws = TACO_FLAW_SKIP | TACO_FLAW_CUT_OFF,
                         .ok = false}}};
    struct taco_diagnostics d;
    taco_diagnostics_join(chunks, 2, &d);
    ck_assert_float_eq_tol(d.coverage, 0.7f, 1e-6f);
    ck_assert_float_eq_tol(d.focus, 0.5f, 1e-6f);
    ck_assert_uint_eq(d.backward_jumps, 2);
    ck_assert_uint_eq(d.forward_jumps, 1);
    ck_assert_uint_eq(d.longest_stall, 9);
    ck_assert_float_eq(d.frames_per_symbol, 2);
    ck_assert(!d.ok);
    ck_assert_uint_eq(d.flaws, TACO_FLAW_SKIP | TACO_FLAW_CUT_OFF);
    taco_diagnostics_join(chunks, 1, &d);
    ck_assert_uint_eq(d.flaws, 0);
    ck_assert(d.ok);
    /* The longest stall does not depend on the order. */
    const struct taco_chunk_result reversed[2] = {chunks[1], chunks[0]};
    taco_diagnostics_join(reversed, 2, &d);
    ck_assert_uint_eq(d.longest_stall, 9);
    ck_assert(!d.ok);
    /* Of no chunks. */
    taco_diagnostics_join(NULL, 0, &d);
    ck_assert(d.ok);
    ck_assert_float_eq(d.coverage, 1);
    ck_assert_float_eq(d.focus, 1);
    ck_assert_float_eq(d.frames_per_symbol, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("diagnostics");
    TCase *tc = tcase_create("diagnostics");
    tcase_add_checked_fixture(tc, make_symbols, NULL);
    tcase_add_test(tc, a_straight_reading_is_ok);
    tcase_add_test(tc, what_is_left_out_shows);
    tcase_add_test(tc, what_is_said_twice_shows);
    tcase_add_test(tc, a_leap_over_the_text_shows);
    tcase_add_test(tc, an_early_end_shows);
    tcase_add_test(tc, thresholds_are_where_they_are_said_to_be);
    tcase_add_test(tc, flaws_have_names);
    tcase_add_test(tc, a_stall_is_counted);
    tcase_add_test(tc, a_long_tail_shows);
    tcase_add_test(tc, weights_need_not_sum_to_one);
    tcase_add_test(tc, several_frames_a_step_cover_more);
    tcase_add_test(tc, the_better_attempt_is_known);
    tcase_add_test(tc, chunks_are_joined);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
