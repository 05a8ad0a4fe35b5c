/* The streaming vocoder. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "support/mel_basis.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "support/speech.h"
#include "vocoder/vocoder.h"

static const struct taco_vocoder_options defaults = {
    .phase = TACO_PHASE_PGHI, .n_iter = 16, .momentum = 0.99f, .power = 1};
static const struct taco_rng_key some_key = {.seed = 7};

/* Feeds mel in portions that the seed draws, 1 to largest frames; out [samples of t]. */
static void stream_all(const struct taco_vocoder *vocoder, const float *mel, int t,
                       int n_mels, const struct taco_vocoder_options *options,
                       int largest, uint64_t seed, float *out) {
    struct taco_vocoder_stream *stream;
    size_t done = 0, n;
    bool last = t == 0;
    ck_assert_int_eq(
        taco_vocoder_stream_create(&stream, vocoder, options, &some_key, NULL, NULL),
        TACO_OK);
    for (int i = 0; i < t || last;) {
        int take = 1 + (int)test_random_below(&seed, (size_t)largest);
        take = take < t - i ? take : t - i;
        /* Sometimes the end is told with the last frames, sometimes behind them. */
        last = i + take == t && (take == 0 || seed % 2 == 0);
        size_t bound = taco_vocoder_stream_bound(stream, take);
        taco_vocoder_stream_feed(stream, mel + (size_t)i * (size_t)n_mels, take, last,
                                 out + done, &n);
        ck_assert_uint_le(n, bound);
        done += n;
        i += take;
        if (last)
            break;
        last = i == t;
    }
    ck_assert_uint_eq(done, taco_vocoder_samples(vocoder, t));
    ck_assert_uint_eq(taco_vocoder_stream_bound(stream, 0), 0);
    taco_vocoder_stream_destroy(stream);
}

START_TEST(portions_do_not_matter) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct test_clip clip = test_clip_load(0);
    static const int lengths[] = {0, 1, 2, 3, 4, 5, 16, 17, 101};
    for (int l = 0; l < 9; l++)
        for (int phase = 0; phase < 2; phase++) {
            struct taco_vocoder_options o = defaults;
            o.phase = phase ? TACO_PHASE_RANDOM : TACO_PHASE_PGHI;
            size_t n = taco_vocoder_samples(vocoder, lengths[l]);
            float *whole = malloc((n + 1) * sizeof *whole), *parts = malloc((n + 1) * 4);
            stream_all(vocoder, clip.mel, lengths[l], 80, &o, 1000, 2, whole);
            for (uint64_t seed = 0; seed < 12; seed++) {
                stream_all(vocoder, clip.mel, lengths[l], 80, &o, 1 + (int)seed * 2, seed,
                           parts);
                ck_assert_mem_eq(whole, parts, n * sizeof *whole);
            }
            free(whole);
            free(parts);
        }
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(speech_is_within_two_decibels_of_the_whole_clip) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        struct test_clip clip = test_clip_load(i);
        struct taco_arena arena = TACO_ARENA_INIT;
        const struct taco_rng_key key = {.seed = 0};
        size_t n = taco_vocoder_samples(vocoder, clip.n_frames);
        float *whole = malloc(n * sizeof *whole), *stream = malloc(n * sizeof *stream);
        double sc, l1, sc_stream, l1_stream;
        ck_assert_int_eq(taco_vocoder_synthesize(vocoder, clip.mel, clip.n_frames,
                                                 &defaults, &key, NULL, &arena, whole),
                         TACO_OK);
        stream_all(vocoder, clip.mel, clip.n_frames, 80, &defaults, 3, 1, stream);
        test_clip_measure(&clip, whole, n, &sc, &l1);
        test_clip_measure(&clip, stream, n, &sc_stream, &l1_stream);
        ck_assert_msg(sc_stream < sc + 0.5 && sc_stream < clip.reference_sc_db &&
                          l1_stream < 1.1 * clip.reference_mel_l1,
                      "%s: SC %.2f dB, whole %.2f; mel L1 %.4f, whole %.4f", clip.name,
                      sc_stream, sc, l1_stream, l1);
        free(whole);
        free(stream);
        taco_arena_free(&arena);
        test_clip_free(&clip);
    }
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* A steady vowel has no jump where two deliveries meet: the largest step from sample to
 * sample there is not larger than elsewhere. */
START_TEST(nothing_clicks_where_deliveries_meet) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct taco_arena arena = TACO_ARENA_INIT;
    enum { N = 44100 };
    float *vowel = malloc(N * sizeof *vowel);
    for (int i = 0; i < N; i++) {
        vowel[i] = 0;
        for (int h = 1; h < 12; h++)
            vowel[i] += (float)(0.2 / h * sin(2 * M_PI * 130.7 * h * i / 22050));
    }
    int t = taco_vocoder_analysis_frames(vocoder, N);
    float *mel = malloc((size_t)t * 80 * sizeof *mel);
    float *out = malloc((size_t)t * 256 * sizeof *out);
    ck_assert_int_eq(taco_vocoder_analyse(vocoder, vowel, N, &arena, mel), TACO_OK);
    struct taco_vocoder_stream *stream;
    ck_assert_int_eq(
        taco_vocoder_stream_create(&stream, vocoder, &defaults, &some_key, NULL, NULL),
        TACO_OK);
    float at_joins = 0, elsewhere = 0;
    size_t done = 0, n;
    bool *join = calloc((size_t)t * 256 + 1, sizeof *join);
    for (int i = 0; i < t; i++) {
        taco_vocoder_stream_feed(stream, mel + 80 * i, 1, i == t - 1, out + done, &n);
        done += n;
        join[done] = true;
    }
    for (size_t i = 22050 / 4; i < done - 22050 / 4; i++) {
        /* The second difference: what a kink is. */
        float step = fabsf(out[i + 1] - 2 * out[i] + out[i - 1]);
        if (join[i] || join[i + 1])
            at_joins = fmaxf(at_joins, step);
        else
            elsewhere = fmaxf(elsewhere, step);
    }
    ck_assert_float_gt(at_joins, 0);
    ck_assert_msg(at_joins <= 1.05f * elsewhere, "%g at joins, %g elsewhere", at_joins,
                  elsewhere);
    taco_vocoder_stream_destroy(stream);
    taco_arena_free(&arena);
    free(join);
    free(out);
    free(mel);
    free(vowel);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(samples_follow_their_frames_soon) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct test_clip clip = test_clip_load(0);
    for (int n_iter = 0; n_iter <= 1000;
         n_iter = n_iter < 4 ? n_iter + 1 : n_iter + 498) {
        struct taco_vocoder_options o = defaults;
        struct taco_vocoder_stream *stream;
        float *out = malloc((size_t)clip.n_frames * 256 * sizeof *out);
        size_t done = 0, n;
        o.n_iter = n_iter;
        ck_assert_int_eq(
            taco_vocoder_stream_create(&stream, vocoder, &o, &some_key, NULL, NULL),
            TACO_OK);
        int most = 6 + 2 * (n_iter < 4 ? n_iter : 4);
        for (int i = 0; i < clip.n_frames; i++) {
            taco_vocoder_stream_feed(stream, clip.mel + 80 * i, 1, false, out + done, &n);
            done += n;
            ck_assert_msg((int)done >= (i + 1 - most) * 256, "%zu samples of %d frames",
                          done, i + 1);
            int lag = taco_vocoder_stream_lag(stream);
            ck_assert(i + 1 >= lag ? done > 0 : i + 1 >= lag - 3 || done == 0);
        }
        taco_vocoder_stream_destroy(stream);
        free(out);
    }
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* The first samples come with the frame that the lag tells, or shortly before. */
static void check_lag(const struct taco_vocoder *vocoder, int n_mels) {
    struct taco_vocoder_stream *stream;
    ck_assert_int_eq(
        taco_vocoder_stream_create(&stream, vocoder, &defaults, &some_key, NULL, NULL),
        TACO_OK);
    int lag = taco_vocoder_stream_lag(stream);
    float *mel = calloc((size_t)(lag * n_mels), sizeof *mel);
    float *out = calloc(taco_vocoder_stream_bound(stream, lag), sizeof *out);
    size_t n;
    taco_vocoder_stream_feed(stream, mel, lag - 4, false, out, &n);
    ck_assert_uint_eq(n, 0);
    taco_vocoder_stream_feed(stream, mel, 4, false, out, &n);
    ck_assert_uint_gt(n, 0);
    taco_vocoder_stream_destroy(stream);
    free(mel);
    free(out);
}

/* Other settings: pre-emphasis goes on over deliveries, powers, a long window, no centre.
 */
START_TEST(other_settings_stream_as_well) {
    for (int i = 0; i < 4; i++) {
        struct taco_audio_params p = test_clip_params();
        p.n_fft = i % 2 ? 2048 : 1024;
        p.win_length = i % 2 ? 1100 : 800;
        p.hop_length = i % 2 ? 275 : 200;
        p.center = i != 2;
        p.preemphasis = 0.97f;
        p.mel_power = i == 3 ? 2 : 1;
        float *basis = test_mel_basis(&p);
        struct taco_vocoder *vocoder;
        struct test_clip clip = test_clip_load(0);
        struct taco_arena arena = TACO_ARENA_INIT;
        ck_assert_int_eq(taco_vocoder_create(&vocoder, &p, basis, NULL, NULL, NULL),
                         TACO_OK);
        int t = taco_vocoder_analysis_frames(vocoder, clip.n_samples);
        size_t n = taco_vocoder_samples(vocoder, t);
        check_lag(vocoder, 80);
        float *mel = malloc((size_t)t * 80 * sizeof *mel), *out = malloc(n * sizeof *out);
        float *whole = malloc(n * sizeof *whole);
        ck_assert_int_eq(
            taco_vocoder_analyse(vocoder, clip.samples, clip.n_samples, &arena, mel),
            TACO_OK);
        stream_all(vocoder, mel, t, 80, &defaults, 5, 3, out);
        stream_all(vocoder, mel, t, 80, &defaults, 500, 3, whole);
        ck_assert_mem_eq(out, whole, n * sizeof *out);
        double energy = 0, energy_out = 0;
        for (size_t j = 0; j < clip.n_samples && j < n; j++) {
            energy += pow(clip.samples[j], 2);
            energy_out += pow(out[j], 2);
        }
        ck_assert_msg(fabs(log(energy_out / energy)) < 0.3, "%d: energy %g, not %g", i,
                      energy_out, energy);
        free(mel);
        free(out);
        free(whole);
        free(basis);
        test_clip_free(&clip);
        taco_arena_free(&arena);
        taco_vocoder_destroy(vocoder);
    }
}
END_TEST

START_TEST(the_key_draws_random_phases) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct test_clip clip = test_clip_load(0);
    const struct taco_rng_key keys[] = {
        {.seed = 0}, {.seed = 1}, {.seed = 1, .chunk = 1}, {.seed = 0}};
    float outs[4][10 * 256];
    struct taco_vocoder_options o = {
        .phase = TACO_PHASE_RANDOM, .n_iter = 2, .momentum = 0.99f, .power = 1};
    for (int i = 0; i < 4; i++) {
        struct taco_vocoder_stream *stream;
        size_t n;
        ck_assert_int_eq(
            taco_vocoder_stream_create(&stream, vocoder, &o, &keys[i], NULL, NULL),
            TACO_OK);
        taco_vocoder_stream_feed(stream, clip.mel, 10, true, outs[i], &n);
        ck_assert_uint_eq(n, 2560);
        taco_vocoder_stream_destroy(stream);
    }
    ck_assert_mem_eq(outs[0], outs[3], sizeof *outs);
    ck_assert(memcmp(outs[0], outs[1], sizeof *outs) != 0);
    ck_assert(memcmp(outs[1], outs[2], sizeof *outs) != 0);
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(every_failed_allocation_is_told) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    enum taco_status status = TACO_ERR_NO_MEMORY;
    for (long at = 1; status != TACO_OK; at++) {
        struct taco_vocoder_stream *stream = (void *)&status;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(at);
        status = taco_vocoder_stream_create(&stream, vocoder, &defaults, &some_key, NULL,
                                            &err);
        taco_memory_fail_at(0);
        ck_assert_int_eq(err.status, status);
        ck_assert((stream != NULL) == (status == TACO_OK));
        ck_assert(status != TACO_OK || at > 2);
        ck_assert_int_lt(at, 100);
        taco_vocoder_stream_destroy(stream);
    }
    taco_vocoder_stream_destroy(NULL);
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* Feeding takes no memory: nothing can fail there. */
START_TEST(feeding_does_not_allocate) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct test_clip clip = test_clip_load(0);
    struct taco_vocoder_stream *stream;
    float *out = malloc((size_t)clip.n_frames * 256 * sizeof *out);
    size_t n;
    ck_assert_int_eq(
        taco_vocoder_stream_create(&stream, vocoder, &defaults, &some_key, NULL, NULL),
        TACO_OK);
    taco_memory_fail_at(1);
    taco_vocoder_stream_feed(stream, clip.mel, clip.n_frames, true, out, &n);
    ck_assert_int_eq(taco_memory_count(), 0);
    taco_memory_fail_at(0);
    ck_assert_uint_eq(n, (size_t)clip.n_frames * 256);
    taco_vocoder_stream_destroy(stream);
    free(out);
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("vocoder_stream");
    TCase *tcase = tcase_create("stream");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, portions_do_not_matter);
    tcase_add_test(tcase, speech_is_within_two_decibels_of_the_whole_clip);
    tcase_add_test(tcase, nothing_clicks_where_deliveries_meet);
    tcase_add_test(tcase, samples_follow_their_frames_soon);
    tcase_add_test(tcase, other_settings_stream_as_well);
    tcase_add_test(tcase, the_key_draws_random_phases);
    tcase_add_test(tcase, every_failed_allocation_is_told);
    tcase_add_test(tcase, feeding_does_not_allocate);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
