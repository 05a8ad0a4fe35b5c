/* Quality and time of the vocoder's settings, on the recorded clips of
 * tests/golden/griffin_lim, whose make_reference.py tells what the measures are.
 *
 *   vocoder [ROUNDS]
 *
 * Three tables: mel inversion by number of updates, whole clips by phase, momentum and
 * iterations, streams by iterations. Measures are means over the clips; the time is the
 * best of the rounds, one thread, seconds of work for a second of speech. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/speech.h"
#include "vocoder/pipeline.h"

#define RATE 22050.0

static int n_rounds;
static struct test_clip clips[TEST_N_CLIPS];
static const struct taco_vocoder *vocoder;

/* CPU seconds of this thread, so that a busy machine changes little. */
static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void *need(void *p) {
    if (!p) {
        fprintf(stderr, "vocoder: out of memory\n");
        exit(1);
    }
    return p;
}

/* What is timed: samples out [n_frames * hop] of a clip. */
typedef void (*synthesis)(const struct test_clip *clip,
                          const struct taco_vocoder_options *options,
                          struct taco_arena *arena, float *out);

static void whole_clip(const struct test_clip *clip,
                       const struct taco_vocoder_options *options,
                       struct taco_arena *arena, float *out) {
    const struct taco_rng_key key = {.seed = 1};
    if (taco_vocoder_synthesize(vocoder, clip->mel, clip->n_frames, options, &key, NULL,
                                arena, out) != TACO_OK)
        need(NULL);
}

/* As the postnet gives them: some frames at a time. */
static void in_portions(const struct test_clip *clip,
                        const struct taco_vocoder_options *options,
                        struct taco_arena *arena, float *out) {
    struct taco_vocoder_stream *stream;
    size_t n;
    (void)arena;
    const struct taco_rng_key key = {.seed = 0};
    if (taco_vocoder_stream_create(&stream, vocoder, options, &key, NULL, NULL) !=
        TACO_OK)
        need(NULL);
    for (int i = 0; i < clip->n_frames; i += 4) {
        int take = clip->n_frames - i < 4 ? clip->n_frames - i : 4;
        taco_vocoder_stream_feed(stream, clip->mel + 80 * i, take,
                                 i + 4 >= clip->n_frames, out, &n);
        out += n;
    }
    taco_vocoder_stream_destroy(stream);
}

static void print_row(const char *name, synthesis run,
                      const struct taco_vocoder_options *options) {
    double sc = 0, l1 = 0, time = 0, speech = 0;
    struct taco_arena arena = TACO_ARENA_INIT;
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        size_t n = taco_vocoder_samples(vocoder, clips[i].n_frames);
        float *out = need(calloc(n, sizeof *out));
        double best = INFINITY, clip_sc, clip_l1;
        for (int r = 0; r < n_rounds; r++) {
            taco_arena_reset(&arena);
            double begin = now();
            run(&clips[i], options, &arena, out);
            best = fmin(best, now() - begin);
        }
        test_clip_measure(&clips[i], out, n, &clip_sc, &clip_l1);
        sc += clip_sc / TEST_N_CLIPS;
        l1 += clip_l1 / TEST_N_CLIPS;
        time += best;
        speech += (double)n / RATE;
        free(out);
    }
    printf("%-44s %7.2f dB %9.4f %10.5f\n", name, sc, l1, time / speech);
    taco_arena_free(&arena);
}

/* 20 log10(||x - |S| || / || |S| ||) over all bins, x 0 outside the basis. */
static double inversion_db(const struct test_clip *clip, const float *x) {
    struct taco_arena arena = TACO_ARENA_INIT;
    const struct taco_mel_inversion *v = &vocoder->inversion;
    size_t t = (size_t)clip->n_frames, all = (size_t)vocoder->stft.n_bins;
    float *s = need(taco_arena_alloc(&arena, t * all, sizeof *s));
    if (taco_stft_magnitudes(&vocoder->stft, clip->samples, clip->n_samples, &arena, s) !=
        TACO_OK)
        need(NULL);
    double error = 0, norm = 0;
    for (size_t i = 0; i < t; i++)
        for (size_t bin = 0; bin < all; bin++) {
            long k = (long)bin - v->first_bin;
            float got =
                k >= 0 && k < v->n_bins ? x[i * (size_t)v->n_bins + (size_t)k] : 0;
            error += pow((double)(got - s[i * all + bin]), 2);
            norm += pow((double)s[i * all + bin], 2);
        }
    taco_arena_free(&arena);
    return 10 * log10(error / norm);
}

static void print_inversion(int n_updates) {
    const struct taco_mel_inversion *v = &vocoder->inversion;
    double db = 0, misfit = 0, time = 0, speech = 0;
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        struct taco_arena arena = TACO_ARENA_INIT;
        size_t t = (size_t)clips[i].n_frames, bins = (size_t)v->n_bins;
        float *mel = need(taco_arena_alloc(&arena, t * 80, sizeof *mel));
        float *again = need(taco_arena_alloc(&arena, t * 80, sizeof *again));
        float *x = need(taco_arena_alloc(&arena, t * bins, sizeof *x));
        float *scratch = need(
            taco_arena_alloc(&arena, taco_mel_inversion_scratch(v), sizeof *scratch));
        double best = INFINITY, error = 0, norm = 0;
        taco_vocoder_mel_linear(vocoder, clips[i].mel, clips[i].n_frames, mel);
        for (int r = 0; r < n_rounds; r++) {
            double begin = now();
            taco_mel_inversion_solve(v, mel, clips[i].n_frames, n_updates, scratch, x);
            best = fmin(best, now() - begin);
        }
        taco_mel_inversion_project(v, x, clips[i].n_frames, again);
        for (size_t j = 0; j < t * 80; j++) {
            error += pow((double)(again[j] - mel[j]), 2);
            norm += pow((double)mel[j], 2);
        }
        db += inversion_db(&clips[i], x) / TEST_N_CLIPS;
        misfit += sqrt(error / norm) / TEST_N_CLIPS;
        time += best;
        speech += (double)t * 256 / RATE;
        taco_arena_free(&arena);
    }
    printf("%2d updates%34s %7.2f dB %9.4f %10.5f%s\n", n_updates, "", db, misfit,
           time / speech, n_updates == TACO_MEL_INVERSION_UPDATES ? "  <- in use" : "");
}

static void print_inversions(void) {
    static const int updates[] = {0, 1, 2, 4, 6, 8, 12, 16, 32};
    double db = 0;
    for (int i = 0; i < TEST_N_CLIPS; i++)
        db += clips[i].reference_inversion_db / TEST_N_CLIPS;
    printf("%-44s %10s %9s %10s\n", "mel inversion", "error", "mel error", "s / s");
    printf("%-44s %7.2f dB %9.4f\n", "least squares", db, 0.0);
    for (size_t i = 0; i < sizeof updates / sizeof *updates; i++)
        print_inversion(updates[i]);
}

static void print_clips(void) {
    double sc = 0, l1 = 0;
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        sc += clips[i].reference_sc_db / TEST_N_CLIPS;
        l1 += clips[i].reference_mel_l1 / TEST_N_CLIPS;
    }
    printf("\n%-44s %10s %9s %10s\n", "whole clips", "SC", "mel L1", "s / s");
    printf("%-44s %7.2f dB %9.4f\n", "torchaudio, least squares, 32 iterations", sc, l1);
    for (int kind = 0; kind < 3; kind++)
        for (int n = 0; n <= 64; n = n ? 2 * n : 1) {
            const struct taco_vocoder_options options = {
                .phase = kind == 1 ? TACO_PHASE_RANDOM : TACO_PHASE_PGHI,
                .n_iter = n,
                .momentum = kind == 2 ? 0 : 0.99f,
                .power = 1};
            char name[64];
            snprintf(name, sizeof name, "%s start, momentum %.2f, %d iterations",
                     kind == 1 ? "random" : "PGHI", (double)options.momentum, n);
            print_row(name, whole_clip, &options);
        }
}

static void print_streams(void) {
    printf("\n%-44s %10s %9s %10s\n", "streams, 4 frames at a time", "SC", "mel L1",
           "s / s");
    for (int n = 0; n <= 4; n++) {
        const struct taco_vocoder_options options = {
            .phase = TACO_PHASE_PGHI, .n_iter = n, .momentum = 0.99f, .power = 1};
        char name[64];
        snprintf(name, sizeof name, "PGHI start, momentum 0.99, %d iterations", n);
        print_row(name, in_portions, &options);
    }
}

int main(int argc, char **argv) {
    struct taco_vocoder *of_clips = test_clip_vocoder();
    n_rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 7;
    n_rounds = n_rounds < 1 ? 1 : n_rounds;
    vocoder = of_clips;
    for (int i = 0; i < TEST_N_CLIPS; i++)
        clips[i] = test_clip_load(i);
    print_inversions();
    print_clips();
    print_streams();
    for (int i = 0; i < TEST_N_CLIPS; i++)
        test_clip_free(&clips[i]);
    taco_vocoder_destroy(of_clips);
    return 0;
}
