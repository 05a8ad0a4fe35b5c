/* The pipeline of Griffin-Lim against the iterations written down frame by frame. */
#include <check.h>
#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "vocoder/griffin_lim.h"

enum { MAX_T = 23, MAX_FFT = 64 };

struct setting {
    int n_fft, win, hop, t, n_iter, first_bin, n_bins;
    float momentum;
    bool center;
};

static struct taco_stft make_stft(const struct setting *s, struct taco_arena *arena) {
    struct taco_stft stft;
    const struct taco_audio_params params = {.sample_rate = 16000,
                                             .n_fft = s->n_fft,
                                             .win_length = s->win,
                                             .hop_length = s->hop,
                                             .window_periodic = true,
                                             .center = s->center};
    ck_assert_int_eq(taco_stft_init(&stft, &params, arena, NULL), TACO_OK);
    return stft;
}

/* y [win] = window times the inverse DFT of the spectrum [n_fft / 2 + 1]. */
static void inverse(const struct setting *s, const double complex *spectrum, double *y) {
    int pad = (s->n_fft - s->win) / 2, half = s->n_fft / 2;
    for (int i = 0; i < s->win; i++) {
        double sum = 0;
        for (int k = 0; k <= half; k++)
            sum += (k == 0 || k == half ? 1 : 2) *
                   creal(spectrum[k] * cexp(2 * M_PI * I * k * (pad + i) / s->n_fft));
        y[i] = sum / s->n_fft;
    }
}

static double window_at(const struct setting *s, int i) {
    return i < 0 || i >= s->win ? 0 : 0.5 - 0.5 * cos(2 * M_PI * i / s->win);
}

/* Overlapped windows of frames 0..last at sample `at` of the padded signal, divided by
 * the sum of the squared windows; largest: that sum inside a long signal. */
static double overlap(const struct setting *s, double frames[MAX_T][MAX_FFT], int last,
                      int at, double largest) {
    double sum = 0, squares = 0;
    for (int t = 0; t <= last && t < s->t; t++) {
        int i = at - t * s->hop;
        if (i >= 0 && i < s->win) {
            sum += window_at(s, i) * frames[t][i];
            squares += pow(window_at(s, i), 2);
        }
    }
    return sum / fmax(squares, 0.05 * largest);
}

/* Griffin-Lim in double precision: out [t * hop]. Like the pipeline, the STFT of frame 2p
 * + f knows the frames up to 2p + 1 + 2 lag. */
static void define(const struct setting *s, const float *magnitude, const float *phase,
                   double *out) {
    static double complex c[MAX_T][MAX_FFT], r[MAX_T][MAX_FFT];
    static double frames[MAX_T][MAX_FFT];
    int half = s->n_fft / 2, pad = (s->n_fft - s->win) / 2, reach = (s->win - 1) / s->hop;
    int lag = reach > 1 ? reach / 2 : 1;
    double beta = s->momentum / (1 + s->momentum), largest = 0;
    for (int i = 0; i < s->hop; i++) {
        double squares = 0;
        for (int at = i; at < s->win; at += s->hop)
            squares += pow(window_at(s, at), 2);
        largest = fmax(largest, squares);
    }
    memset(c, 0, sizeof c);
    memset(r, 0, sizeof r);
    for (int t = 0; t < s->t; t++)
        for (int k = 0; k < s->n_bins; k++) {
            int bin = s->first_bin + k;
            double m = magnitude[t * s->n_bins + k], p = phase[t * s->n_bins + k];
            c[t][bin] = m * cexp(2 * M_PI * I * p) * (bin % 2 ? -1 : 1);
            if (bin == 0 || bin == half)
                c[t][bin] = copysign(m, creal(c[t][bin]));
        }
    for (int n = 0; n < s->n_iter; n++) {
        for (int t = 0; t < s->t; t++)
            inverse(s, c[t], frames[t]);
        for (int t = 0; t < s->t; t++) {
            int last = t / 2 * 2 + 1 + 2 * lag;
            for (int k = 0; k < s->n_bins; k++) {
                int bin = s->first_bin + k;
                double complex sum = 0;
                for (int i = 0; i < s->win; i++)
                    sum += window_at(s, i) *
                           overlap(s, frames, last < t + reach ? last : t + reach,
                                   t * s->hop + i, largest) *
                           cexp(-2 * M_PI * I * bin * (pad + i) / s->n_fft);
                double complex u = sum - beta * r[t][bin];
                r[t][bin] = sum;
                c[t][bin] = magnitude[t * s->n_bins + k] * u / (cabs(u) + 1e-30);
            }
        }
    }
    for (int t = 0; t < s->t; t++)
        inverse(s, c[t], frames[t]);
    int before = (s->center ? s->n_fft / 2 : (s->n_fft - s->hop) / 2) - pad;
    for (int i = 0; i < s->t * s->hop; i++)
        out[i] = overlap(s, frames, s->t - 1, before + i, largest);
}

static void run(const struct setting *s, const float *magnitude, const float *phase,
                float *out) {
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_stft stft = make_stft(s, &arena);
    struct taco_griffin_lim *gl;
    ck_assert_int_eq(taco_griffin_lim_init(&gl, &stft, s->first_bin, s->n_bins, s->n_iter,
                                           s->momentum, &arena),
                     TACO_OK);
    size_t done = 0, n;
    for (int t = 0; t < s->t; t += 2) {
        const float *m[2] = {magnitude + t * s->n_bins, magnitude + (t + 1) * s->n_bins};
        const float *p[2] = {phase + t * s->n_bins, phase + (t + 1) * s->n_bins};
        taco_griffin_lim_push(gl, s->t - t < 2 ? 1 : 2, m, p, out + done, &n);
        ck_assert_uint_le(n, 2 * (size_t)s->hop);
        done += n;
        /* The promised delay, and not more. */
        int due = t + 2 - taco_griffin_lim_lag(gl);
        if (t + 2 <= s->t)
            ck_assert_int_ge((int)done, due * s->hop);
    }
    (void)taco_griffin_lim_finish(gl, NULL, out + done, &n);
    ck_assert_uint_le(n, (size_t)((taco_griffin_lim_lag(gl) + 2) * s->hop));
    ck_assert_uint_eq(done + n, (size_t)(s->t * s->hop));
    taco_stft_end(&stft);
    taco_arena_free(&arena);
}

static void compare(const struct setting *s) {
    static float magnitude[MAX_T * MAX_FFT], phase[MAX_T * MAX_FFT], out[MAX_T * MAX_FFT];
    static double want[MAX_T * MAX_FFT];
    uint64_t state = 7;
    for (int i = 0; i < s->t * s->n_bins; i++) {
        magnitude[i] = fabsf(test_random_float(&state));
        phase[i] = 3 * test_random_float(&state);
    }
    define(s, magnitude, phase, want);
    run(s, magnitude, phase, out);
    for (int i = 0; i < s->t * s->hop; i++)
        ck_assert_msg(
            fabs(out[i] - want[i]) < 2e-4,
            "n_fft %d, win %d, hop %d, %d frames, %d iterations, momentum %g: sample "
            "%d is %g, not %g",
            s->n_fft, s->win, s->hop, s->t, s->n_iter, s->momentum, i, out[i], want[i]);
}

/* The iterations are chaotic where a spectrum comes near 0, so only few of them are
 * compared. */
START_TEST(samples_are_those_of_the_definition) {
    static const int sizes[][3] = {{32, 32, 8},  {64, 64, 16}, {64, 50, 12}, {32, 32, 16},
                                   {48, 32, 15}, {32, 32, 5},  {40, 20, 3}};
    static const int lengths[] = {1, 2, 3, 4, 5, 6, 7, 8, 13, 22, 23};
    for (int a = 0; a < 7; a++)
        for (int b = 0; b < 11; b++)
            for (int n_iter = 0; n_iter < 4; n_iter++) {
                struct setting s = {.n_fft = sizes[a][0],
                                    .win = sizes[a][1],
                                    .hop = sizes[a][2],
                                    .t = lengths[b],
                                    .n_iter = n_iter,
                                    .first_bin = b % 3,
                                    .center = (a + b) % 2,
                                    .momentum = (float)(b % 4) * 0.33f};
                /* All bins, or a band of them. */
                s.n_bins = b % 2 ? s.n_fft / 2 + 1 - s.first_bin : 9;
                compare(&s);
            }
}
END_TEST

START_TEST(silence_stays_silence) {
    static float zero[MAX_T * MAX_FFT], out[MAX_T * MAX_FFT];
    const struct setting s = {.n_fft = 32,
                              .win = 32,
                              .hop = 8,
                              .t = 11,
                              .n_iter = 4,
                              .n_bins = 17,
                              .momentum = 0.99f,
                              .center = true};
    run(&s, zero, zero, out);
    for (int i = 0; i < 11 * 8; i++)
        ck_assert(out[i] == 0);
}
END_TEST

START_TEST(no_frames_make_no_samples) {
    const struct setting s = {
        .n_fft = 32, .win = 32, .hop = 8, .n_bins = 17, .n_iter = 3};
    float out[1];
    run(&s, NULL, NULL, out);
}
END_TEST

START_TEST(allocations_that_fail_are_told) {
    const struct setting s = {.n_fft = 1024, .win = 1024, .hop = 256, .t = 4};
    enum taco_status status = TACO_ERR_NO_MEMORY;
    for (long at = 1; status != TACO_OK; at++) {
        struct taco_arena arena = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
        struct taco_stft stft = make_stft(&s, &arena);
        struct taco_griffin_lim *gl;
        taco_memory_fail_at(at);
        status = taco_griffin_lim_init(&gl, &stft, 0, 513, 5, 0.99f, &scratch);
        taco_memory_fail_at(0);
        ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
        ck_assert(status != TACO_OK || at > 3);
        ck_assert_int_lt(at, 50);
        taco_stft_end(&stft);
        taco_arena_free(&arena);
        taco_arena_free(&scratch);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("griffin_lim");
    TCase *tcase = tcase_create("pipeline");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, samples_are_those_of_the_definition);
    tcase_add_test(tcase, silence_stays_silence);
    tcase_add_test(tcase, no_frames_make_no_samples);
    tcase_add_test(tcase, allocations_that_fail_are_told);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
