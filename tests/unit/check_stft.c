/* Short-time Fourier transform: frames, padding, magnitudes. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "vocoder/stft.h"

static struct taco_audio_params params_of(int n_fft, int win, int hop) {
    return (struct taco_audio_params){.sample_rate = 16000,
                                      .n_fft = n_fft,
                                      .win_length = win,
                                      .hop_length = hop,
                                      .window_periodic = true,
                                      .center = true,
                                      .pad_reflect = true};
}

/* The signal as it is padded, by walking to and fro. */
static double padded(const float *x, long n, bool reflect, long i) {
    if (i >= 0 && i < n)
        return x[i];
    if (!reflect || n == 0)
        return 0;
    while (n > 1 && (i < 0 || i >= n))
        i = i < 0 ? -i : 2 * (n - 1) - i;
    return x[n == 1 ? 0 : i];
}

/* |DFT| of frame t, from the definition, in double precision. */
static double define(const struct taco_audio_params *p, const float *x, long n, int t,
                     int k) {
    long first = (long)t * p->hop_length -
                 (p->center ? p->n_fft / 2 : (p->n_fft - p->hop_length) / 2);
    int pad = (p->n_fft - p->win_length) / 2;
    double re = 0, im = 0;
    for (int i = 0; i < p->win_length; i++) {
        double w = 0.5 - 0.5 * cos(2 * M_PI * i / (p->win_length - !p->window_periodic));
        double v = w * padded(x, n, p->pad_reflect, first + pad + i);
        re += v * cos(2 * M_PI * k * i / p->n_fft);
        im -= v * sin(2 * M_PI * k * i / p->n_fft);
    }
    return hypot(re, im);
}

START_TEST(magnitudes_are_those_of_the_definition) {
    static const int sizes[][3] = {{32, 32, 8}, {64, 50, 20}, {48, 33, 16}, {40, 16, 1}};
    static const size_t lengths[] = {0, 1, 2, 7, 40, 101, 160};
    uint64_t state = 2;
    float x[160];
    test_random_fill(&state, 1, x, 160);
    for (int s = 0; s < 4; s++)
        for (int mode = 0; mode < 8; mode++)
            for (int l = 0; l < 7; l++) {
                struct taco_audio_params p =
                    params_of(sizes[s][0], sizes[s][1], sizes[s][2]);
                p.window_periodic = mode & 1;
                p.center = mode & 2;
                p.pad_reflect = mode & 4;
                struct taco_arena arena = TACO_ARENA_INIT;
                struct taco_stft stft;
                ck_assert_int_eq(taco_stft_init(&stft, &p, &arena, NULL), TACO_OK);
                size_t n = lengths[l];
                int t = taco_stft_frames(&stft, n), bins = p.n_fft / 2 + 1;
                ck_assert_int_eq(t, (int)n / p.hop_length + (p.center ? 1 : 0));
                ck_assert_int_eq(stft.n_bins, bins);
                float *out = malloc((size_t)t * (size_t)bins * sizeof *out + 4);
                ck_assert_int_eq(taco_stft_magnitudes(&stft, x, n, &arena, out), TACO_OK);
                for (int i = 0; i < t; i++)
                    for (int k = 0; k < bins; k++) {
                        double want = define(&p, x, (long)n, i, k);
                        ck_assert_msg(
                            fabs(out[i * bins + k] - want) < 2e-5,
                            "n_fft %d, mode %d, %zu samples, frame %d, bin %d: %g, "
                            "not %g",
                            p.n_fft, mode, n, i, k, out[i * bins + k], want);
                    }
                free(out);
                taco_stft_end(&stft);
                taco_arena_free(&arena);
            }
}
END_TEST

START_TEST(a_frame_does_not_depend_on_those_far_from_it) {
    struct taco_audio_params p = params_of(64, 64, 16);
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_stft stft;
    float x[640], a[41 * 33], b[41 * 33];
    uint64_t state = 4;
    test_random_fill(&state, 1, x, 640);
    ck_assert_int_eq(taco_stft_init(&stft, &p, &arena, NULL), TACO_OK);
    ck_assert_int_eq(taco_stft_magnitudes(&stft, x, 640, &arena, a), TACO_OK);
    ck_assert_int_eq(taco_stft_magnitudes(&stft, x, 320, &arena, b), TACO_OK);
    ck_assert_mem_eq(a, b, 18 * 33 * sizeof *a);
    taco_stft_end(&stft);
    taco_stft_end(&stft); /* twice is once */
    taco_arena_free(&arena);
}
END_TEST

START_TEST(allocations_that_fail_are_told) {
    struct taco_audio_params p = params_of(64, 64, 16);
    float x[64] = {0}, out[5 * 33];
    for (int what = 0; what < 2; what++) {
        enum taco_status status = TACO_ERR_NO_MEMORY;
        for (long at = 1; status != TACO_OK; at++) {
            struct taco_arena arena = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
            struct taco_error err = TACO_ERROR_INIT;
            struct taco_stft stft;
            taco_memory_fail_at(what == 0 ? at : 0);
            status = taco_stft_init(&stft, &p, &arena, &err);
            if (status == TACO_OK) {
                taco_memory_fail_at(what == 1 ? at : 0);
                status = taco_stft_magnitudes(&stft, x, 64, &scratch, out);
                taco_memory_fail_at(0);
                taco_stft_end(&stft);
            } else {
                ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
            }
            taco_memory_fail_at(0);
            ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
            ck_assert(status != TACO_OK || at > 1);
            ck_assert_int_lt(at, 50);
            taco_arena_free(&arena);
            taco_arena_free(&scratch);
        }
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("stft");
    TCase *tcase = tcase_create("magnitudes");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, magnitudes_are_those_of_the_definition);
    tcase_add_test(tcase, a_frame_does_not_depend_on_those_far_from_it);
    tcase_add_test(tcase, allocations_that_fail_are_told);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
