/* Mel scale, mel inversion, time-stretch. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/mel_basis.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "support/speech.h"
#include "vocoder/mel_inversion.h"
#include "vocoder/mel_scale.h"

enum { N_MELS = 5 };

static struct taco_audio_params scale_params(void) {
    struct taco_audio_params p = test_clip_params();
    p.n_mels = N_MELS;
    return p;
}

static struct taco_mel_scale make_scale(const struct taco_audio_params *params,
                                        const float *mean, const float *std,
                                        struct taco_arena *arena) {
    struct taco_mel_scale scale;
    ck_assert_int_eq(taco_mel_scale_init(&scale, params, mean, std, arena, NULL),
                     TACO_OK);
    return scale;
}

START_TEST(mean_and_std_that_cannot_be_undone_are_refused) {
    struct taco_audio_params params = scale_params();
    params.has_mean_std = true;
    static const float bad[][2] = {{0, 0},        {0, -1},  {0, NAN},      {0, INFINITY},
                                   {INFINITY, 1}, {NAN, 1}, {-INFINITY, 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_mel_scale scale;
        float mean[N_MELS] = {0}, std[N_MELS] = {1, 1, 1, 1, 1};
        mean[3] = bad[i][0];
        std[3] = bad[i][1];
        ck_assert_int_eq(taco_mel_scale_init(&scale, &params, mean, std, &arena, &err),
                         TACO_ERR_FORMAT);
        ck_assert_ptr_nonnull(strstr(err.message, "band 3"));
        taco_arena_free(&arena);
    }
}
END_TEST

/* Every scale of models/FORMAT.md in double precision, straight from its definition. */
static double define(const struct taco_audio_params *p, double mel, double mean,
                     double std) {
    double x = fmax(mel, p->log_floor);
    double value = p->log_gain * (p->log10 ? log10(x) : log(x));
    if (p->range) {
        value = (value - p->ref_level_db - p->min_level_db) / -p->min_level_db;
        value = p->range_symmetric ? 2 * p->max_norm * value - p->max_norm
                                   : p->max_norm * value;
        if (p->range_clip)
            value = fmin(fmax(value, p->range_symmetric ? -p->max_norm : 0), p->max_norm);
    }
    return p->has_mean_std ? (value - mean) / std : value;
}

START_TEST(every_scale_is_its_definition_and_goes_back) {
    for (int c = 0; c < 48; c++) {
        struct taco_audio_params p = scale_params();
        p.log10 = c % 2;
        p.log_gain = c / 2 % 2 ? 20 : 1;
        p.mel_power = c / 4 % 2 ? 2 : 1;
        p.log_floor = 1e-6f;
        int kind = c / 8; /* 0: none, 1: mean and std, then ranges */
        p.has_mean_std = kind == 1;
        p.range = kind > 1;
        p.range_symmetric = kind % 2;
        p.range_clip = kind > 3;
        p.ref_level_db = 20;
        p.min_level_db = -100;
        p.max_norm = 4;
        if (p.range)
            p.log10 = true, p.log_gain = 20;
        const float mean[N_MELS] = {-3, 0, 1, 2, 5}, std[N_MELS] = {0.5f, 1, 2, 3, 0.1f};
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_mel_scale scale = make_scale(&p, mean, std, &arena);
        float linear[60 * N_MELS], value[60 * N_MELS], back[60 * N_MELS];
        for (int i = 0; i < 60; i++)
            for (int d = 0; d < N_MELS; d++)
                linear[i * N_MELS + d] = powf(10, -8 + 0.2f * (float)i);
        taco_mel_scale_apply(&scale, linear, 60, value);
        taco_mel_scale_undo(&scale, value, 60, back);
        for (int i = 0; i < 60 * N_MELS; i++) {
            double want = define(&p, linear[i], mean[i % N_MELS], std[i % N_MELS]);
            ck_assert_double_eq_tol(value[i], want, 2e-5 * (fabs(want) + 10));
            /* The range's ends are as far as it goes; below the floor there is the floor.
             */
            double limit = linear[i] < p.log_floor ? p.log_floor : linear[i];
            if (p.range_clip)
                limit = fmin(fmax(limit, pow(10, -80 / 20.0)), pow(10, 20 / 20.0));
            ck_assert_double_eq_tol(log(back[i]), log(limit), 1e-4);
        }
        taco_arena_free(&arena);
    }
}
END_TEST

START_TEST(whatever_a_network_says_becomes_a_magnitude) {
    const float wild[N_MELS] = {NAN, INFINITY, -INFINITY, 1e30f, -1e30f};
    for (int clip = 0; clip < 2; clip++) {
        struct taco_audio_params p = scale_params();
        p.range = p.range_clip = clip;
        p.log10 = true;
        p.log_gain = 20;
        p.ref_level_db = 20;
        p.min_level_db = -100;
        p.max_norm = 1;
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_mel_scale scale = make_scale(&p, NULL, NULL, &arena);
        float out[N_MELS];
        taco_mel_scale_undo(&scale, wild, 1, out);
        ck_assert(out[0] == p.log_floor);
        for (int d = 1; d < N_MELS; d++)
            ck_assert_msg(isfinite(out[d]) && out[d] > 0 &&
                              out[d] <= 1.001f * TACO_MEL_LARGEST,
                          "%g -> %g", wild[d], out[d]);
        ck_assert(out[1] == out[3] && out[2] == out[4] && out[1] > 1000 * out[2]);
        taco_arena_free(&arena);
    }
}
END_TEST

START_TEST(bases_that_cannot_be_inverted_are_refused) {
    static const struct {
        float value;
        const char *says;
    } bad[] = {{-1e-3f, "band 1, bin 2 is -0.001"}, {NAN, "band 1, bin 2"},
               {INFINITY, "band 1, bin 2"},         {1e7f, "band 1, bin 2"},
               {0, "band 1 sees no bin"},           {1e-7f, "band 1 sees no bin"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        float basis[2 * 4] = {0, 1, 0, 0, 0, 0, bad[i].value, 0};
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_mel_inversion inversion;
        ck_assert_int_eq(taco_mel_inversion_init(&inversion, basis, 2, 4, &arena, &err),
                         TACO_ERR_FORMAT);
        ck_assert_str_eq(err.param, "audio.mel_basis");
        ck_assert_msg(strstr(err.message, bad[i].says) != NULL, "%s", err.message);
        taco_arena_free(&arena);
    }
}
END_TEST

/* Relative error of basis x solution against mel, and of the solution against truth. */
START_TEST(the_solution_has_the_mel_and_is_near_the_truth) {
    float *basis = test_clip_basis();
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_mel_inversion v;
    ck_assert_int_eq(taco_mel_inversion_init(&v, basis, 80, 513, &arena, NULL), TACO_OK);
    ck_assert_int_eq(v.first_bin, 1);
    ck_assert_int_eq(v.n_bins, 371);
    struct test_clip clip = test_clip_load(0);
    struct taco_vocoder *vocoder = test_clip_vocoder();
    int t = clip.n_frames;
    float *mel = taco_arena_alloc(&arena, (size_t)t * 80, sizeof *mel);
    float *again = taco_arena_alloc(&arena, (size_t)t * 80, sizeof *again);
    float *x = taco_arena_alloc(&arena, (size_t)t * 371, sizeof *x);
    float *scratch =
        taco_arena_alloc(&arena, taco_mel_inversion_scratch(&v), sizeof *scratch);
    taco_vocoder_mel_linear(vocoder, clip.mel, t, mel);
    double last = 1;
    for (int n = 0; n <= 16; n = n ? 2 * n : 1) {
        taco_mel_inversion_solve(&v, mel, t, n, scratch, x);
        taco_mel_inversion_project(&v, x, t, again);
        double error = 0, norm = 0;
        for (int i = 0; i < t * 80; i++) {
            error += pow(again[i] - mel[i], 2);
            norm += pow(mel[i], 2);
        }
        error = sqrt(error / norm);
        ck_assert_msg(error < last, "%d updates: %g, after %g", n, error, last);
        last = error;
        if (n == TACO_MEL_INVERSION_UPDATES)
            ck_assert_double_lt(error, 4e-3);
    }
    ck_assert_double_lt(last, 3e-4);
    for (int i = 0; i < t * 371; i++)
        ck_assert(isfinite(x[i]) && x[i] >= 0);
    taco_vocoder_destroy(vocoder);
    taco_arena_free(&arena);
    test_clip_free(&clip);
    free(basis);
}
END_TEST

START_TEST(frames_are_solved_each_for_itself) {
    float *basis = test_clip_basis();
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_mel_inversion v;
    ck_assert_int_eq(taco_mel_inversion_init(&v, basis, 80, 513, &arena, NULL), TACO_OK);
    float *scratch =
        taco_arena_alloc(&arena, taco_mel_inversion_scratch(&v), sizeof *scratch);
    enum { T = 37 };
    float *mel = taco_arena_alloc(&arena, T * 80, sizeof *mel);
    float *all = taco_arena_alloc(&arena, T * 371, sizeof *all);
    float *one = taco_arena_alloc(&arena, 371, sizeof *one);
    uint64_t state = 3;
    for (int i = 0; i < T * 80; i++)
        mel[i] = expf(6 * test_random_float(&state));
    memset(mel + 80 * 4, 0, 80 * sizeof *mel); /* silence */
    for (int d = 0; d < 80; d++)
        mel[80 * 5 + d] = d % 2 ? 1e12f : 1e-38f; /* no spectrum has such a mel */
    taco_mel_inversion_solve(&v, mel, T, 8, scratch, all);
    for (int i = 0; i < T; i++) {
        taco_mel_inversion_solve(&v, mel + 80 * i, 1, 8, scratch, one);
        ck_assert_mem_eq(one, all + 371 * i, 371 * sizeof *one);
        for (int k = 0; k < 371; k++)
            ck_assert(isfinite(one[k]) && one[k] >= 0);
    }
    for (int k = 0; k < 371; k++)
        ck_assert(all[371 * 4 + k] == 0);
    taco_arena_free(&arena);
    free(basis);
}
END_TEST

START_TEST(any_basis_will_do) {
    /* Overlapping without bounds, with a bin that nobody sees, with one band. */
    uint64_t state = 11;
    for (int n_mels = 1; n_mels <= 6; n_mels++) {
        float basis[6 * 9], mel[6], x[9], again[6], truth[9];
        for (int i = 0; i < n_mels * 9; i++)
            basis[i] = i % 9 == 4 ? 0 : 0.1f + fabsf(test_random_float(&state));
        for (int k = 0; k < 9; k++)
            truth[k] = fabsf(test_random_float(&state));
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_mel_inversion v;
        ck_assert_int_eq(taco_mel_inversion_init(&v, basis, n_mels, 9, &arena, NULL),
                         TACO_OK);
        ck_assert_int_eq(v.n_bins, 9);
        float *scratch =
            taco_arena_alloc(&arena, taco_mel_inversion_scratch(&v), sizeof *scratch);
        taco_mel_inversion_project(&v, truth, 1, mel);
        taco_mel_inversion_solve(&v, mel, 1, 2000, scratch, x);
        taco_mel_inversion_project(&v, x, 1, again);
        ck_assert(
            test_floats_close(again, mel, (size_t)n_mels, 2e-2f * test_largest(mel, 6)));
        ck_assert(x[4] == 0);
        taco_arena_free(&arena);
    }
}
END_TEST

START_TEST(allocations_that_fail_are_told) {
    struct taco_audio_params params = scale_params();
    float *basis = test_mel_basis(&params);
    for (long at = 1; at <= 2; at++) {
        struct taco_arena arena = TACO_ARENA_INIT;
        struct taco_mel_scale scale;
        struct taco_mel_inversion v;
        taco_memory_fail_at(1);
        enum taco_status status =
            at == 1 ? taco_mel_scale_init(&scale, &params, NULL, NULL, &arena, NULL)
                    : taco_mel_inversion_init(&v, basis, N_MELS, 513, &arena, NULL);
        taco_memory_fail_at(0);
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
        taco_arena_free(&arena);
    }
    free(basis);
}
END_TEST

START_TEST(stretching_keeps_the_pace) {
    enum { T = 50 };
    float mel[2 * T], out[2 * 4 * T + 8], part[2 * 4 * T + 8];
    for (int i = 0; i < T; i++) {
        mel[2 * i] = (float)i;
        mel[2 * i + 1] = -2 * (float)i;
    }
    ck_assert_int_eq(taco_mel_stretched(0, 2), 0);
    ck_assert_int_eq(taco_mel_stretched(1, 4), 1);
    ck_assert_int_eq(taco_mel_stretched(50, 0.25f), 200);
    ck_assert_int_eq(taco_mel_stretched(50, 2), 25);
    taco_mel_stretch(mel, T, 2, 1, out);
    ck_assert_mem_eq(out, mel, sizeof mel);
    static const float speeds[] = {0.25f, 0.9f, 1.1f, 2, 3.7f, 4};
    for (size_t s = 0; s < sizeof speeds / sizeof *speeds; s++) {
        int n = taco_mel_stretched(T, speeds[s]);
        ck_assert_int_le(abs(n - (int)(T / speeds[s])), 1);
        taco_mel_stretch(mel, T, 2, speeds[s], out);
        for (int i = 0; i < n; i++) {
            float at = fminf((float)i * speeds[s], T - 1);
            ck_assert_float_eq_tol(out[2 * i], at, 1e-4f);
            ck_assert_float_eq_tol(out[2 * i + 1], -2 * at, 2e-4f);
        }
        /* The frames that the first 20 of mel decide are these whatever comes behind. */
        int ready = taco_mel_stretchable(20, speeds[s]);
        ck_assert_int_gt(ready, 0);
        taco_mel_stretch_window(mel, 20, 2, speeds[s], 0, ready, part);
        ck_assert_mem_eq(part, out, (size_t)ready * 2 * sizeof *out);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("mel");
    TCase *scale = tcase_create("scale");
    tcase_add_test(scale, mean_and_std_that_cannot_be_undone_are_refused);
    tcase_add_test(scale, every_scale_is_its_definition_and_goes_back);
    tcase_add_test(scale, whatever_a_network_says_becomes_a_magnitude);
    suite_add_tcase(suite, scale);
    TCase *inversion = tcase_create("inversion");
    tcase_set_timeout(inversion, 60);
    tcase_add_test(inversion, bases_that_cannot_be_inverted_are_refused);
    tcase_add_test(inversion, the_solution_has_the_mel_and_is_near_the_truth);
    tcase_add_test(inversion, frames_are_solved_each_for_itself);
    tcase_add_test(inversion, any_basis_will_do);
    tcase_add_test(inversion, allocations_that_fail_are_told);
    suite_add_tcase(suite, inversion);
    TCase *stretch = tcase_create("stretch");
    tcase_add_test(stretch, stretching_keeps_the_pace);
    suite_add_tcase(suite, stretch);
    return test_run(suite);
}
