/* Phase gradient heap integration. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "vocoder/griffin_lim.h"
#include "vocoder/pghi.h"

enum { N_FFT = 512, HOP = 128, BINS = N_FFT / 2 + 1, T = 40, N = (T - 1) * HOP };

struct fixture {
    struct taco_arena arena;
    struct taco_stft stft;
    struct taco_pghi pghi;
    struct taco_pghi_rows rows;
    float *magnitudes; /* [T, BINS] */
};

static void set_up(struct fixture *f) {
    const struct taco_audio_params params = {.sample_rate = 16000,
                                             .n_fft = N_FFT,
                                             .win_length = N_FFT,
                                             .hop_length = HOP,
                                             .window_periodic = true,
                                             .center = true,
                                             .pad_reflect = true};
    memset(f, 0, sizeof *f);
    ck_assert_int_eq(taco_stft_init(&f->stft, &params, &f->arena, NULL), TACO_OK);
    ck_assert_int_eq(taco_pghi_init(&f->pghi, &f->stft, 0, BINS, &f->arena, NULL),
                     TACO_OK);
    size_t cells = (size_t)(T + 2) * (size_t)f->pghi.stride;
    f->rows.log_magnitude = taco_arena_alloc(&f->arena, cells, sizeof(float));
    f->rows.phase = taco_arena_alloc(&f->arena, cells, sizeof(float));
    f->rows.link = taco_arena_alloc(&f->arena, cells, sizeof(int32_t));
    f->magnitudes = taco_arena_alloc(&f->arena, T * BINS, sizeof(float));
}

static void tear_down(struct fixture *f) {
    taco_stft_end(&f->stft);
    taco_arena_free(&f->arena);
}

static void analyse(struct fixture *f, const float *samples) {
    ck_assert_int_eq(taco_stft_frames(&f->stft, N), T);
    ck_assert_int_eq(taco_stft_magnitudes(&f->stft, samples, N, &f->arena, f->magnitudes),
                     TACO_OK);
}

/* The rows of frames first..first + t - 1, and of the frames before and behind where
 * there are any. */
static void set_rows(struct fixture *f, int first, int t) {
    for (int i = 0; i < t + (first + t < T); i++)
        taco_pghi_set_row(&f->pghi, &f->rows, i + 1, f->magnitudes + (first + i) * BINS);
    if (first == 0)
        taco_pghi_copy_row(&f->pghi, &f->rows, 0, 1);
    if (first + t == T)
        taco_pghi_copy_row(&f->pghi, &f->rows, t + 1, t);
}

static const float *phase_of(const struct fixture *f, int row) {
    return f->rows.phase + row * f->pghi.stride + 1;
}

/* Spectral convergence in dB of the samples that the phases give. */
static double convergence(struct fixture *f, float *out /* [T * HOP] */) {
    struct taco_griffin_lim *gl;
    size_t done = 0, n;
    ck_assert_int_eq(taco_griffin_lim_init(&gl, &f->stft, 0, BINS, 0, 0, &f->arena),
                     TACO_OK);
    for (int t = 0; t < T; t += 2) {
        const float *m[2] = {f->magnitudes + t * BINS, f->magnitudes + (t + 1) * BINS};
        const float *p[2] = {phase_of(f, t + 1), phase_of(f, t + 2)};
        taco_griffin_lim_push(gl, 2, m, p, out + done, &n);
        done += n;
    }
    (void)taco_griffin_lim_finish(gl, NULL, out + done, &n);
    float *got = taco_arena_alloc(&f->arena, T * BINS, sizeof *got);
    ck_assert_int_eq(taco_stft_magnitudes(&f->stft, out, N, &f->arena, got), TACO_OK);
    double error = 0, norm = 0;
    for (int i = 4 * BINS; i < (T - 4) * BINS; i++) {
        error += pow(got[i] - f->magnitudes[i], 2);
        norm += pow(f->magnitudes[i], 2);
    }
    return 10 * log10(error / norm);
}

/* Difference in turns, -0.5 to 0.5. */
static double turns(double x) {
    return x - nearbyint(x);
}

START_TEST(a_sine_turns_by_its_frequency) {
    static const double frequencies[] = {20.0, 40.37, 100.5, 200.8}; /* bins */
    for (int c = 0; c < 4; c++) {
        struct fixture f;
        float samples[N];
        set_up(&f);
        for (int i = 0; i < N; i++)
            samples[i] = (float)cos(2 * M_PI * frequencies[c] * i / N_FFT);
        analyse(&f, samples);
        set_rows(&f, 0, T);
        taco_pghi_integrate(&f.pghi, &f.rows, T, false);
        for (int t = 4; t < T - 5; t++)
            for (int k = (int)frequencies[c] - 1; k <= (int)frequencies[c] + 2; k++) {
                double step = phase_of(&f, t + 2)[k] - phase_of(&f, t + 1)[k];
                ck_assert_double_lt(fabs(turns(step - frequencies[c] * HOP / N_FFT)),
                                    0.03);
            }
        tear_down(&f);
    }
}
END_TEST

START_TEST(an_impulse_stays_where_it_was) {
    for (int at = 2000; at < 2200; at += 37) {
        struct fixture f;
        float samples[N] = {0}, out[T * HOP];
        set_up(&f);
        samples[at] = 1;
        analyse(&f, samples);
        set_rows(&f, 0, T);
        taco_pghi_integrate(&f.pghi, &f.rows, T, false);
        convergence(&f, out);
        int loudest = 0;
        for (int i = 0; i < T * HOP; i++)
            loudest = fabsf(out[i]) > fabsf(out[loudest]) ? i : loudest;
        ck_assert_msg(abs(loudest - at) <= HOP / 8, "at %d, not %d", loudest, at);
        ck_assert_float_gt(fabsf(out[loudest]), 0.3f);
        tear_down(&f);
    }
}
END_TEST

START_TEST(chirps_come_back) {
    struct fixture f;
    float samples[N], out[T * HOP];
    set_up(&f);
    for (int i = 0; i < N; i++) {
        double s = (double)i / N;
        samples[i] = (float)(0.5 * sin(2 * M_PI * (200 * s + 300 * s * s)) +
                             0.3 * sin(2 * M_PI * (1500 * s - 400 * s * s)));
    }
    analyse(&f, samples);
    set_rows(&f, 0, T);
    taco_pghi_integrate(&f.pghi, &f.rows, T, false);
    double whole = convergence(&f, out);
    ck_assert_msg(whole < -25, "%g dB", whole);
    tear_down(&f);
}
END_TEST

/* In blocks of any size, each continuing the one before. */
START_TEST(blocks_continue_one_another) {
    static const int blocks[] = {1, 2, 5, 16, 39};
    struct fixture f;
    float samples[N], out[T * HOP], phase[T * BINS];
    set_up(&f);
    for (int i = 0; i < N; i++)
        samples[i] = (float)(0.5 * sin(2 * M_PI * (0.03 * i + 1e-6 * i * i)) +
                             0.2 * sin(2 * M_PI * 0.2 * i));
    analyse(&f, samples);
    for (int b = 0; b < 5; b++) {
        int n;
        for (int first = 0; first < T; first += n) {
            n = T - first < blocks[b] ? T - first : blocks[b];
            set_rows(&f, first, n);
            taco_pghi_integrate(&f.pghi, &f.rows, n, first > 0);
            for (int i = 0; i < n; i++)
                memcpy(phase + (first + i) * BINS, phase_of(&f, i + 1),
                       BINS * sizeof(float));
            taco_pghi_copy_row(&f.pghi, &f.rows, 0, n);
        }
        for (int t = 0; t < T; t++)
            memcpy(f.rows.phase + (t + 1) * f.pghi.stride + 1, phase + t * BINS,
                   BINS * sizeof(float));
        double got = convergence(&f, out);
        ck_assert_msg(got < -20, "blocks of %d: %g dB", blocks[b], got);
    }
    tear_down(&f);
}
END_TEST

START_TEST(islands_and_silence_are_finite) {
    struct fixture f;
    set_up(&f);
    uint64_t state = 8;
    for (int round = 0; round < 40; round++) {
        memset(f.magnitudes, 0, T * BINS * sizeof(float));
        for (int island = 0; island < round; island++) {
            int t0 = (int)test_random_below(&state, T),
                k0 = (int)test_random_below(&state, BINS);
            for (int t = t0; t < T && t < t0 + 3; t++)
                for (int k = k0; k < BINS && k < k0 + 5; k++)
                    f.magnitudes[t * BINS + k] = expf(8 * test_random_float(&state));
        }
        set_rows(&f, 0, T);
        for (int i = 0; i < (T + 2) * f.pghi.stride; i++)
            f.rows.phase[i] = NAN; /* every phase must be written */
        taco_pghi_integrate(&f.pghi, &f.rows, T, false);
        for (int t = 0; t < T; t++)
            for (int k = 0; k < BINS; k++) {
                ck_assert(isfinite(phase_of(&f, t + 1)[k]));
                if (round == 0)
                    ck_assert_int_eq((int)phase_of(&f, t + 1)[k], phase_of(&f, t + 1)[k]);
            }
        /* No bin above the threshold was forgotten: each is in the list of those reached.
         */
        float loudest = test_largest(f.magnitudes, T * BINS);
        for (int t = 0; t < T; t++)
            for (int k = 0; k < BINS; k++)
                if (f.magnitudes[t * BINS + k] > 2e-6f * loudest && loudest > 0)
                    ck_assert_int_ge(f.rows.link[(t + 1) * f.pghi.stride + 1 + k], -1);
    }
    tear_down(&f);
}
END_TEST

START_TEST(the_same_magnitudes_give_the_same_phases) {
    struct fixture f;
    float first[T * BINS];
    set_up(&f);
    uint64_t state = 12;
    for (int i = 0; i < T * BINS; i++)
        f.magnitudes[i] = expf(5 * test_random_float(&state));
    for (int round = 0; round < 2; round++) {
        set_rows(&f, 0, T);
        taco_pghi_integrate(&f.pghi, &f.rows, T, false);
        for (int t = 0; t < T; t++) {
            if (round == 0)
                memcpy(first + t * BINS, phase_of(&f, t + 1), BINS * sizeof(float));
            ck_assert_mem_eq(first + t * BINS, phase_of(&f, t + 1), BINS * sizeof(float));
        }
    }
    tear_down(&f);
}
END_TEST

START_TEST(a_failed_allocation_is_told) {
    struct fixture f;
    struct taco_pghi pghi;
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_error err = TACO_ERROR_INIT;
    set_up(&f);
    taco_memory_fail_at(1);
    ck_assert_int_eq(taco_pghi_init(&pghi, &f.stft, 0, BINS, &arena, &err),
                     TACO_ERR_NO_MEMORY);
    taco_memory_fail_at(0);
    ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
    tear_down(&f);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("pghi");
    TCase *tcase = tcase_create("integrate");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_sine_turns_by_its_frequency);
    tcase_add_test(tcase, an_impulse_stays_where_it_was);
    tcase_add_test(tcase, chirps_come_back);
    tcase_add_test(tcase, blocks_continue_one_another);
    tcase_add_test(tcase, islands_and_silence_are_finite);
    tcase_add_test(tcase, the_same_magnitudes_give_the_same_phases);
    tcase_add_test(tcase, a_failed_allocation_is_told);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
