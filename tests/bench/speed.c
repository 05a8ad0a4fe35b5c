/* Times the engine's stages one by one on a voice, for tests/bench/bench, which puts them
 * beside torchaudio's. Prints lines `name value`; every value is a median over
 * repetitions.
 *
 *   speed VOICE PRECISION THREADS N_SYMBOLS N_FRAMES [ROWS...]
 *
 * Frame counts are fixed: the gate is not heeded. One thread is timed by the processor
 * time that it takes, so that a busy machine does no harm; several by the clock on the
 * wall. Opening is always timed by the wall. */
#include "base/memory.h"
#include "engine/voice.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/measure.h"

#define REPETITIONS 5

static double (*now)(void);

/* Median seconds of a decoder step with n_rows rows; mel of row 0 is left in mel. */
static double time_decoder(const struct taco_voice *voice,
                           const struct taco_memory *memory, struct taco_team *team,
                           int n_rows, int n_steps, float *mel) {
    const struct taco_hparams *h = &voice->hparams;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_decoder *decoder;
    test_expect(taco_decoder_create(&decoder, voice->model, n_rows, &err), &err);
    struct taco_row *rows = test_need((size_t)n_rows, sizeof *rows);
    const size_t frame = (size_t)(h->n_mels * h->n_frames_per_step);
    double *times = test_need((size_t)n_steps, sizeof *times);
    double best[REPETITIONS];

    for (int rep = 0; rep < REPETITIONS; rep++) {
        for (int r = 0; r < n_rows; r++) {
            struct taco_row *row = &rows[r];
            float *keep_mel = row->mel, *keep_gate = row->gate, *keep_a = row->alignment;
            memset(row, 0, sizeof *row);
            row->memory = memory;
            row->seed = (uint64_t)r + 1;
            row->max_steps = n_steps;
            row->ignore_gate = true;
            row->mel =
                keep_mel ? keep_mel : test_need((size_t)n_steps * frame, sizeof(float));
            row->gate = keep_gate
                            ? keep_gate
                            : test_need((size_t)(n_steps * h->gate_dim), sizeof(float));
            row->alignment = keep_a
                                 ? keep_a
                                 : test_need((size_t)n_steps * (size_t)memory->n_symbols,
                                             sizeof(float));
            test_expect(taco_decoder_add(decoder, row, &err), &err);
        }
        for (int s = 0; s < n_steps; s++) {
            const double start = now();
            taco_decoder_step(decoder, team);
            times[s] = now() - start;
        }
        best[rep] = test_median(times, (size_t)n_steps);
    }
    memcpy(mel, rows[0].mel, (size_t)n_steps * frame * sizeof *mel);
    for (int r = 0; r < n_rows; r++) {
        free(rows[r].mel);
        free(rows[r].gate);
        free(rows[r].alignment);
    }
    free(rows);
    free(times);
    taco_decoder_destroy(decoder);
    return test_median(best, REPETITIONS);
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr,
                "usage: speed VOICE PRECISION THREADS N_SYMBOLS N_FRAMES [ROWS...]\n");
        return 2;
    }
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice_options options = taco_voice_options_default();
    test_expect(taco_precision_parse(argv[2], &options.precision, &err), &err);
    const int threads = (int)strtol(argv[3], NULL, 10),
              n = (int)strtol(argv[4], NULL, 10);
    const int n_frames = (int)strtol(argv[5], NULL, 10);
    if (threads < 1 || n < 1 || n_frames < 1) {
        fprintf(stderr, "speed: numbers must be positive\n");
        return 2;
    }

    now = test_now;
    double times[REPETITIONS];
    struct taco_voice *voice = NULL;
    for (int rep = 0; rep < REPETITIONS; rep++) {
        taco_voice_close(voice);
        const double start = now();
        test_expect(taco_voice_open(&voice, argv[1], &options, &err), &err);
        times[rep] = now() - start;
    }
    const struct taco_voice_info *info = taco_voice_info(voice);
    const struct taco_hparams *h = &voice->hparams;
    printf("isa %s\nprecision %s\n", info->isa, taco_precision_name(info->precision));
    printf("open_s %.6f\n", test_median(times, REPETITIONS));

    now = threads > 1 ? test_now : test_worked;
    struct taco_team *team = NULL;
    if (threads > 1)
        test_expect(taco_team_create(&team, threads, &err), &err);

    int32_t *ids = test_need((size_t)n, sizeof *ids);
    for (int i = 0; i < n; i++)
        ids[i] = (int32_t)((i * 7 + 11) % h->n_symbols);
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_memory memory;
    for (int rep = 0; rep < REPETITIONS; rep++) {
        taco_arena_reset(&keep);
        taco_arena_reset(&scratch);
        const double start = now();
        if (taco_encoder_forward(voice->model, ids, n, 0, 0, NULL, &keep, &scratch,
                                 &memory) != TACO_OK) {
            fprintf(stderr, "speed: out of memory\n");
            return 1;
        }
        times[rep] = now() - start;
    }
    printf("encoder_s %.6f\n", test_median(times, REPETITIONS));

    const int n_steps = (n_frames + h->n_frames_per_step - 1) / h->n_frames_per_step;
    const int t = n_steps * h->n_frames_per_step;
    float *mel = test_need((size_t)t * (size_t)h->n_mels, sizeof *mel);
    float *post = test_need((size_t)t * (size_t)h->n_mels, sizeof *post);
    float *samples = test_need(taco_vocoder_samples(voice->vocoder, t), sizeof *samples);
    const char *default_rows[] = {"1"};
    const int n_counts = argc > 6 ? argc - 6 : 1;
    for (int i = 0; i < n_counts; i++) {
        const int rows = (int)strtol(argc > 6 ? argv[6 + i] : default_rows[0], NULL, 10);
        const double step = time_decoder(voice, &memory, team, rows, n_steps, mel);
        printf("step_rows%d_s %.9f\n", rows, step);
    }

    for (int rep = 0; rep < REPETITIONS; rep++) {
        taco_arena_reset(&scratch);
        const double start = now();
        if (taco_postnet_forward(voice->model, mel, t, &scratch, post) != TACO_OK)
            return 1;
        times[rep] = now() - start;
    }
    printf("postnet_s %.6f\n", test_median(times, REPETITIONS));

    const struct taco_vocoder_options vocoder = taco_vocoder_options_default();
    const struct taco_rng_key key = {1, 0, TACO_RNG_PHASE};
    for (int rep = 0; rep < REPETITIONS; rep++) {
        taco_arena_reset(&scratch);
        const double start = now();
        if (taco_vocoder_synthesize(voice->vocoder, post, t, &vocoder, &key, NULL,
                                    &scratch, samples) != TACO_OK)
            return 1;
        times[rep] = now() - start;
    }
    printf("vocoder_s %.6f\n", test_median(times, REPETITIONS));
    printf("audio_s %.6f\n",
           (double)taco_vocoder_samples(voice->vocoder, t) / (double)info->sample_rate);

    free(ids);
    free(mel);
    free(post);
    free(samples);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
    taco_team_destroy(team);
    taco_voice_close(voice);
    return 0;
}
