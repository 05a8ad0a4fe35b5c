/* Quality and time of the vocoder's settings, on the recorded clips of
 * tests/golden/griffin_lim.
 *
 *   vocoder [ROUNDS]
 *
 * Prints a table: spectral convergence and mel L1
 * (tests/golden/griffin_lim/make_reference.py tells what they are, means over the clips),
 * seconds of work a second of speech on one thread. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "support/speech.h"
#include "vocoder/vocoder.h"

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void run(const struct taco_vocoder *vocoder, const struct test_clip *clips,
                int rounds, const char *name,
                const struct taco_vocoder_options *options) {
    double sc = 0, l1 = 0, time = 0, speech = 0;
    struct taco_arena arena = TACO_ARENA_INIT;
    const struct taco_rng_key key = {.seed = 1};
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        const struct test_clip *clip = &clips[i];
        size_t n = taco_vocoder_samples(vocoder, clip->n_frames);
        float *out = calloc(n, sizeof *out);
        double best = 1e9, a, b;
        for (int r = 0; r < rounds; r++) {
            double begin = now();
            taco_arena_reset(&arena);
            if (!out || taco_vocoder_synthesize(vocoder, clip->mel, clip->n_frames,
                                                options, &key, &arena, out) != TACO_OK)
                exit(1);
            double took = now() - begin;
            best = took < best ? took : best;
        }
        test_clip_measure(clip, out, n, &a, &b);
        sc += a / TEST_N_CLIPS;
        l1 += b / TEST_N_CLIPS;
        time += best;
        speech += (double)n / 22050;
        free(out);
    }
    printf("%-40s %8.2f dB %8.4f %10.5f\n", name, sc, l1, time / speech);
    taco_arena_free(&arena);
}

int main(int argc, char **argv) {
    int rounds = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 5;
    struct test_clip clips[TEST_N_CLIPS];
    struct taco_vocoder *vocoder = test_clip_vocoder();
    double sc = 0, l1 = 0;
    for (int i = 0; i < TEST_N_CLIPS; i++) {
        clips[i] = test_clip_load(i);
        sc += clips[i].reference_sc_db / TEST_N_CLIPS;
        l1 += clips[i].reference_mel_l1 / TEST_N_CLIPS;
    }
    printf("%-40s %11s %8s %10s\n", "setting", "SC", "mel L1", "s / s");
    printf("%-40s %8.2f dB %8.4f\n", "torchaudio: least squares, 32 iterations", sc, l1);
    for (int phase = 0; phase < 2; phase++)
        for (int plain = 0; plain < 2; plain++)
            for (int n = 0; n <= 64; n = n ? 2 * n : 1) {
                const struct taco_vocoder_options o = {.phase = phase ? TACO_PHASE_RANDOM
                                                                      : TACO_PHASE_PGHI,
                                                       .n_iter = n,
                                                       .momentum = plain ? 0 : 0.99f,
                                                       .power = 1};
                char name[80];
                snprintf(name, sizeof name, "%s, %d iterations, momentum %g",
                         phase ? "random" : "PGHI", n, (double)o.momentum);
                run(vocoder, clips, rounds, name, &o);
            }
    for (int i = 0; i < TEST_N_CLIPS; i++)
        test_clip_free(&clips[i]);
    taco_vocoder_destroy(vocoder);
    return 0;
}
