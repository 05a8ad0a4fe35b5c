/* The whole vocoder: recorded speech, every project's features, hostile input. */
#include <check.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
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
static const struct taco_rng_key key = {.seed = 5, .chunk = 1};

static float *synthesize(const struct taco_vocoder *vocoder, const float *mel, int t,
                         const struct taco_vocoder_options *options,
                         const struct taco_rng_key *k) {
    struct taco_arena arena = TACO_ARENA_INIT;
    float *out = malloc((taco_vocoder_samples(vocoder, t) + 1) * sizeof *out);
    ck_assert_ptr_nonnull(out);
    ck_assert_int_eq(
        taco_vocoder_synthesize(vocoder, mel, t, options, k, NULL, &arena, out), TACO_OK);
    taco_arena_free(&arena);
    return out;
}

START_TEST(the_mel_of_a_clip_is_torchaudios) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        struct test_clip clip = test_clip_load(i);
        struct taco_arena arena = TACO_ARENA_INIT;
        size_t n = (size_t)clip.n_frames * 80;
        ck_assert_int_eq(taco_vocoder_analysis_frames(vocoder, clip.n_samples),
                         clip.n_frames);
        float *mel = malloc(n * sizeof *mel);
        ck_assert_int_eq(
            taco_vocoder_analyse(vocoder, clip.samples, clip.n_samples, &arena, mel),
            TACO_OK);
        ck_assert(test_floats_close(mel, clip.mel, n, 2e-3f));
        free(mel);
        taco_arena_free(&arena);
        test_clip_free(&clip);
    }
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* torchaudio's 32 iterations on the least-squares magnitudes are reached at the default
 * setting, clip by clip, and the measures of random and plain Griffin-Lim are sane. */
START_TEST(speech_comes_back_as_well_as_torchaudio_brings_it) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        struct test_clip clip = test_clip_load(i);
        size_t n = taco_vocoder_samples(vocoder, clip.n_frames);
        double sc, l1, sc_none, l1_none;
        float *out = synthesize(vocoder, clip.mel, clip.n_frames, &defaults, &key);
        test_clip_measure(&clip, out, n, &sc, &l1);
        ck_assert_msg(sc <= clip.reference_sc_db && l1 <= clip.reference_mel_l1,
                      "%s: SC %.2f dB, mel L1 %.4f; torchaudio %.2f dB, %.4f", clip.name,
                      sc, l1, clip.reference_sc_db, clip.reference_mel_l1);
        free(out);
        struct taco_vocoder_options o = defaults;
        o.n_iter = 0;
        out = synthesize(vocoder, clip.mel, clip.n_frames, &o, &key);
        test_clip_measure(&clip, out, n, &sc_none, &l1_none);
        ck_assert_msg(sc < sc_none && l1 < 0.5 * l1_none, "%g %g", sc_none, l1_none);
        free(out);
        o = (struct taco_vocoder_options){
            .phase = TACO_PHASE_RANDOM, .n_iter = 32, .momentum = 0.99f, .power = 1};
        out = synthesize(vocoder, clip.mel, clip.n_frames, &o, &key);
        test_clip_measure(&clip, out, n, &sc, &l1);
        ck_assert_msg(sc <= clip.reference_sc_db && l1 <= clip.reference_mel_l1,
                      "random: %g %g", sc, l1);
        free(out);
        o.momentum = 0;
        out = synthesize(vocoder, clip.mel, clip.n_frames, &o, &key);
        test_clip_measure(&clip, out, n, &sc_none, &l1_none);
        ck_assert_msg(sc < sc_none && sc_none < -9, "plain: %g, fast: %g", sc_none, sc);
        free(out);
        test_clip_free(&clip);
    }
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* The audio settings of the projects whose checkpoints there are (models/FORMAT.md). */
static struct taco_audio_params project(int i, const char **name) {
    struct taco_audio_params p = test_clip_params();
    static const char *const names[] = {
        "NVIDIA",  "ESPnet", "Coqui range", "Mozilla stats", "NeMo",        "keithito",
        "Rayhane", "bshall", "Coqui",       "TFTTS",         "WaveRNN mels"};
    *name = names[i];
    switch (i) {
    case 1: /* log10, mean and std a band, 80 to 7600 Hz */
    case 9:
        p.fmin = 80;
        p.fmax = 7600;
        p.log10 = p.has_mean_std = true;
        p.log_floor = 1e-10f;
        break;
    case 2: /* dB, symmetric range of 4 */
        p.log10 = p.range = p.range_symmetric = p.range_clip = true;
        p.log_gain = 20;
        p.log_floor = 1e-8f;
        p.ref_level_db = 20;
        p.min_level_db = -100;
        p.max_norm = 4;
        break;
    case 3:
        p.log10 = p.has_mean_std = true;
        p.fmin = 50;
        p.fmax = 7600;
        break;
    case 4: /* symmetric window, frames begin at their hop */
        p.window_periodic = p.center = p.pad_reflect = false;
        break;
    case 5: /* pre-emphasis */
        p.preemphasis = 0.97f;
        p.log10 = p.range = p.range_clip = true;
        p.log_gain = 20;
        p.ref_level_db = 20;
        p.min_level_db = -100;
        p.max_norm = 1;
        p.n_fft = 2048;
        p.win_length = 1102;
        p.hop_length = 275;
        break;
    case 6: /* powers */
        p.mel_power = 2;
        p.n_fft = 2048;
        p.win_length = 1100;
        p.hop_length = 275;
        p.fmin = 55;
        p.fmax = 7600;
        p.pad_reflect = false;
        p.log10 = p.range = p.range_symmetric = p.range_clip = true;
        p.log_gain = 10;
        p.ref_level_db = 20;
        p.min_level_db = -100;
        p.max_norm = 4;
        break;
    case 7:
        p.n_fft = 2048;
        p.win_length = 800;
        p.hop_length = 200;
        p.fmin = 50;
        p.preemphasis = 0.97f;
        p.log10 = p.range = true;
        p.log_gain = 20;
        p.ref_level_db = 20;
        p.min_level_db = -80;
        p.max_norm = 1;
        break;
    case 8:
        p.log_floor = 1e-8f;
        break;
    case 10:
        p.n_fft = 2048;
        p.win_length = 1100;
        p.hop_length = 275;
        p.fmin = 40;
        p.fmax = 11025;
        break;
    default:
        break;
    }
    return p;
}

static struct taco_vocoder *make_vocoder(const struct taco_audio_params *params) {
    struct taco_vocoder *vocoder;
    struct taco_error err = TACO_ERROR_INIT;
    float mean[80], std[80], *basis = test_mel_basis(params);
    for (int d = 0; d < 80; d++) {
        mean[d] = -2 - 0.02f * (float)d;
        std[d] = 0.5f + 0.01f * (float)d;
    }
    ck_assert_msg(taco_vocoder_create(&vocoder, params, basis, mean, std, &err) ==
                      TACO_OK,
                  "%s", err.message);
    free(basis);
    return vocoder;
}

/* samples -> features -> samples -> features: the same, where there is sound. */
START_TEST(every_projects_features_come_back) {
    const char *name;
    struct taco_audio_params params = project(_i, &name);
    struct taco_vocoder *vocoder = make_vocoder(&params);
    struct test_clip clip = test_clip_load(0);
    struct taco_arena arena = TACO_ARENA_INIT;
    int t = taco_vocoder_analysis_frames(vocoder, clip.n_samples);
    size_t n = taco_vocoder_samples(vocoder, t);
    int t_again = taco_vocoder_analysis_frames(vocoder, n);
    float *mel = malloc((size_t)t * 80 * sizeof *mel);
    float *again = malloc((size_t)t_again * 80 * sizeof *again);
    ck_assert_int_ge(t_again, t);
    ck_assert_int_eq(
        taco_vocoder_analyse(vocoder, clip.samples, clip.n_samples, &arena, mel),
        TACO_OK);
    float *out = synthesize(vocoder, mel, t, &defaults, &key);
    ck_assert_int_eq(taco_vocoder_analyse(vocoder, out, n, &arena, again), TACO_OK);
    taco_vocoder_mel_linear(vocoder, mel, t, mel);
    taco_vocoder_mel_linear(vocoder, again, t_again, again);
    double l1 = 0, bias = 0, energy = 0, energy_out = 0;
    int count = 0;
    float audible = 1e-4f * test_largest(mel, (size_t)t * 80);
    for (int i = 0; i < t * 80; i++)
        if (mel[i] > audible) {
            double difference = log(again[i] / mel[i]) / params.mel_power;
            l1 += fabs(difference);
            bias += difference;
            count++;
        }
    ck_assert_int_gt(count, t * 20);
    ck_assert_msg(l1 / count < 0.15 && fabs(bias / count) < 0.08,
                  "%s: |ln mel| differs by %.3f, on the average %.3f", name, l1 / count,
                  bias / count);
    for (size_t i = 0; i < clip.n_samples && i < n; i++) {
        energy += pow(clip.samples[i], 2);
        energy_out += pow(out[i], 2);
    }
    ck_assert_msg(fabs(log(energy_out / energy)) < 0.3, "%s: energy %g, not %g", name,
                  energy_out, energy);
    free(out);
    free(again);
    free(mel);
    taco_arena_free(&arena);
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

/* A burst is heard where it was, whatever the padding. */
START_TEST(sounds_stay_in_their_place) {
    const char *name;
    struct taco_audio_params params = project(_i, &name);
    struct taco_vocoder *vocoder = make_vocoder(&params);
    struct taco_arena arena = TACO_ARENA_INIT;
    enum { N = 22050, AT = 9000, LENGTH = 1500 };
    float *samples = calloc(N, sizeof *samples);
    uint64_t state = 21;
    test_random_fill(&state, 0.3f, samples + AT, LENGTH);
    int t = taco_vocoder_analysis_frames(vocoder, N);
    float *mel = malloc((size_t)t * 80 * sizeof *mel);
    ck_assert_int_eq(taco_vocoder_analyse(vocoder, samples, N, &arena, mel), TACO_OK);
    float *out = synthesize(vocoder, mel, t, &defaults, &key);
    double sum = 0, moment = 0;
    for (size_t i = 0; i < taco_vocoder_samples(vocoder, t); i++) {
        sum += pow(out[i], 2);
        moment += (double)i * pow(out[i], 2);
    }
    double middle = AT + LENGTH / 2;
    ck_assert_msg(fabs(moment / sum - middle) < 80, "%s: at %g, not %g", name,
                  moment / sum, middle);
    free(out);
    free(mel);
    free(samples);
    taco_arena_free(&arena);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(the_same_input_gives_the_same_bits) {
    struct taco_vocoder *vocoder = test_clip_vocoder(), *other = test_clip_vocoder();
    struct test_clip clip = test_clip_load(0);
    size_t bytes = taco_vocoder_samples(vocoder, clip.n_frames) * sizeof(float);
    for (int phase = 0; phase < 2; phase++) {
        struct taco_vocoder_options o = defaults;
        o.phase = phase ? TACO_PHASE_RANDOM : TACO_PHASE_PGHI;
        float *a = synthesize(vocoder, clip.mel, clip.n_frames, &o, &key);
        float *b = synthesize(other, clip.mel, clip.n_frames, &o, &key);
        ck_assert_mem_eq(a, b, bytes);
        free(b);
        /* The key counts for random phases, and for them alone. */
        const struct taco_rng_key seed = {.seed = 6, .chunk = 1},
                                  chunk = {.seed = 5, .chunk = 2};
        b = synthesize(vocoder, clip.mel, clip.n_frames, &o, &seed);
        ck_assert((memcmp(a, b, bytes) != 0) == (phase == 1));
        free(b);
        b = synthesize(vocoder, clip.mel, clip.n_frames, &o, &chunk);
        ck_assert((memcmp(a, b, bytes) != 0) == (phase == 1));
        free(b);
        free(a);
    }
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
    taco_vocoder_destroy(other);
}
END_TEST

START_TEST(short_clips_are_as_long_as_they_should) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct test_clip clip = test_clip_load(1);
    for (int t = 0; t <= 9; t++)
        for (int n_iter = 0; n_iter <= 20; n_iter += 4) {
            struct taco_vocoder_options o = defaults;
            o.n_iter = n_iter;
            float *out = synthesize(vocoder, clip.mel + 80 * 100, t, &o, &key);
            size_t n = taco_vocoder_samples(vocoder, t);
            ck_assert_uint_eq(n, 256 * (size_t)t);
            for (size_t i = 0; i < n; i++)
                ck_assert(fabsf(out[i]) < 1.5f);
            ck_assert(t == 0 || test_largest(out, n) > 0.01f);
            free(out);
        }
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(silence_is_silent) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    enum { T = 60 };
    float *mel = malloc(T * 80 * sizeof *mel);
    static const float floors[] = {-11.512925f, -40, -INFINITY, -1e30f};
    for (int f = 0; f < 4; f++)
        for (int phase = 0; phase < 2; phase++) {
            struct taco_vocoder_options o = defaults;
            o.phase = phase ? TACO_PHASE_RANDOM : TACO_PHASE_PGHI;
            for (int i = 0; i < T * 80; i++)
                mel[i] = floors[f];
            float *out = synthesize(vocoder, mel, T, &o, &key);
            for (int i = 0; i < T * 256; i++) /* below the last of 16 bits */
                ck_assert(fabsf(out[i]) < 1.0f / 65536);
            free(out);
        }
    free(mel);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(hostile_mels_give_finite_samples) {
    struct test_clip clip = test_clip_load(0);
    enum { T = 50 };
    float *mel = malloc(T * 80 * sizeof *mel);
    static const float wild[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1000, 50};
    for (int i = 0; i < 11; i++) {
        const char *name;
        struct taco_audio_params params = project(i, &name);
        struct taco_vocoder *vocoder = make_vocoder(&params);
        uint64_t state = 31;
        for (int round = 0; round < 4; round++) {
            struct taco_vocoder_options o = defaults;
            o.power = round == 3 ? 3 : 1;
            memcpy(mel, clip.mel, T * 80 * sizeof *mel);
            for (int j = 0; j < T * 80; j++) /* some, many, all */
                if (test_random_below(&state, 100) < (round == 0   ? 1u
                                                      : round == 1 ? 50u
                                                                   : 100u))
                    mel[j] = wild[test_random_below(&state, 7)];
            float *out = synthesize(vocoder, mel, T, &o, &key);
            for (size_t j = 0; j < taco_vocoder_samples(vocoder, T); j++)
                ck_assert_msg(isfinite(out[j]), "%s, round %d", name, round);
            free(out);
        }
        taco_vocoder_destroy(vocoder);
    }
    free(mel);
    test_clip_free(&clip);
}
END_TEST

START_TEST(power_sharpens_and_keeps_the_level) {
    struct taco_audio_params params = test_clip_params();
    struct taco_arena arena = TACO_ARENA_INIT;
    params.mel_power = (float)_i;
    struct taco_vocoder *vocoder = make_vocoder(&params);
    struct test_clip clip = test_clip_load(2);
    size_t n = taco_vocoder_samples(vocoder, clip.n_frames);
    ck_assert_int_eq(
        taco_vocoder_analyse(vocoder, clip.samples, clip.n_samples, &arena, clip.mel),
        TACO_OK);
    taco_arena_free(&arena);
    double last = 0;
    for (int i = 0; i < 4; i++) {
        struct taco_vocoder_options o = defaults;
        o.power = 0.5f + 0.5f * (float)i;
        float *out = synthesize(vocoder, clip.mel, clip.n_frames, &o, &key);
        double squares = 0, fourths = 0;
        for (size_t j = 0; j < n; j++) {
            squares += pow(out[j], 2);
            fourths += pow(out[j], 4);
        }
        double rms = sqrt(squares / (double)n);
        double crest = fourths / (double)n / pow(rms, 4);
        ck_assert_msg(rms > 0.02 && rms < 0.3, "power %g: rms %g", o.power, rms);
        ck_assert_msg(crest > last, "power %g: %g after %g", o.power, crest, last);
        last = crest;
        free(out);
    }
    test_clip_free(&clip);
    taco_vocoder_destroy(vocoder);
}
END_TEST

static void *run_thread(void *argument) {
    const struct taco_vocoder *vocoder = argument;
    struct test_clip clip = test_clip_load(0);
    float *out = synthesize(vocoder, clip.mel, 40, &defaults, &key);
    struct taco_vocoder *own = test_clip_vocoder(); /* the planner has a lock */
    taco_vocoder_destroy(own);
    test_clip_free(&clip);
    return out;
}

START_TEST(threads_share_a_vocoder) {
    struct taco_vocoder *vocoder = test_clip_vocoder();
    pthread_t threads[4];
    void *outs[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_thread, vocoder), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], &outs[i]);
    for (int i = 1; i < 4; i++)
        ck_assert_mem_eq(outs[0], outs[i],
                         taco_vocoder_samples(vocoder, 40) * sizeof(float));
    for (int i = 0; i < 4; i++)
        free(outs[i]);
    taco_vocoder_destroy(vocoder);
}
END_TEST

START_TEST(every_failed_allocation_is_told) {
    struct taco_audio_params params = test_clip_params();
    struct test_clip clip = test_clip_load(0);
    float *basis = test_clip_basis(), *out = malloc(20 * 256 * sizeof *out);
    float *mel = malloc(21 * 80 * sizeof *mel);
    for (int what = 0; what < 3; what++) {
        enum taco_status status = TACO_ERR_NO_MEMORY;
        for (long at = 1; status != TACO_OK; at++) {
            struct taco_error err = TACO_ERROR_INIT;
            struct taco_vocoder *vocoder;
            struct taco_arena arena = TACO_ARENA_INIT;
            taco_memory_fail_at(what == 0 ? at : 0);
            status = taco_vocoder_create(&vocoder, &params, basis, NULL, NULL, &err);
            ck_assert_int_eq(err.status, status);
            ck_assert((vocoder != NULL) == (status == TACO_OK));
            taco_memory_fail_at(what == 0 ? 0 : at);
            if (what == 1)
                status = taco_vocoder_synthesize(vocoder, clip.mel, 20, &defaults, &key,
                                                 NULL, &arena, out);
            if (what == 2)
                status =
                    taco_vocoder_analyse(vocoder, clip.samples, 20 * 256, &arena, mel);
            taco_memory_fail_at(0);
            ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
            ck_assert(status != TACO_OK || at > 2);
            ck_assert_int_lt(at, 100);
            taco_arena_free(&arena);
            taco_vocoder_destroy(vocoder);
        }
    }
    free(mel);
    free(out);
    free(basis);
    test_clip_free(&clip);
}
END_TEST

START_TEST(a_bad_basis_makes_no_vocoder) {
    struct taco_audio_params params = test_clip_params();
    float *basis = test_clip_basis();
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_vocoder *vocoder = (void *)&err;
    memset(basis + 7 * 513, 0, 513 * sizeof *basis);
    ck_assert_int_eq(taco_vocoder_create(&vocoder, &params, basis, NULL, NULL, &err),
                     TACO_ERR_FORMAT);
    ck_assert_ptr_null(vocoder);
    ck_assert_str_eq(err.message, "audio.mel_basis: band 7 sees no bin");
    taco_vocoder_destroy(NULL);
    free(basis);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("vocoder");
    TCase *speech = tcase_create("speech");
    tcase_set_timeout(speech, 120);
    tcase_add_test(speech, a_bad_basis_makes_no_vocoder);
    tcase_add_test(speech, the_mel_of_a_clip_is_torchaudios);
    tcase_add_test(speech, speech_comes_back_as_well_as_torchaudio_brings_it);
    tcase_add_loop_test(speech, every_projects_features_come_back, 0, 11);
    tcase_add_loop_test(speech, sounds_stay_in_their_place, 0, 11);
    tcase_add_loop_test(speech, power_sharpens_and_keeps_the_level, 1, 3);
    suite_add_tcase(suite, speech);
    TCase *edges = tcase_create("edges");
    tcase_set_timeout(edges, 120);
    tcase_add_test(edges, the_same_input_gives_the_same_bits);
    tcase_add_test(edges, short_clips_are_as_long_as_they_should);
    tcase_add_test(edges, silence_is_silent);
    tcase_add_test(edges, hostile_mels_give_finite_samples);
    tcase_add_test(edges, threads_share_a_vocoder);
    tcase_add_test(edges, every_failed_allocation_is_told);
    suite_add_tcase(suite, edges);
    return test_run(suite);
}
