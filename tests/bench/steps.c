/* Decoder steps and nothing else, for tests/bench/instructions, which counts what they
 * cost.
 *
 *   steps VOICE PRECISION ROWS N_STEPS [ATTENTION]
 *
 * With the name of one of the voice's attentions it prints milliseconds a step, too. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/voice.h"
#include "support/measure.h"

enum { N_SYMBOLS = 60 };

int main(int argc, char **argv) {
    if (argc != 5 && argc != 6) {
        fprintf(stderr, "usage: steps VOICE PRECISION ROWS N_STEPS [ATTENTION]\n");
        return 2;
    }
    size_t n_rows = strtoul(argv[3], NULL, 10), n_steps = strtoul(argv[4], NULL, 10);
    struct taco_voice *voice = test_open_file(argv[1], argv[2]);
    const struct taco_hparams *h = &voice->hparams;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_arena keep = TACO_ARENA_INIT, scratch = TACO_ARENA_INIT;
    struct taco_memory memory;
    int32_t ids[N_SYMBOLS];
    for (int i = 0; i < N_SYMBOLS; i++)
        ids[i] = (i * 7 + 11) % h->n_symbols;
    int attention = 0;
    while (argc == 6 && attention < h->n_attentions &&
           strcmp(h->attentions[attention].name, argv[5]) != 0)
        attention++;
    struct taco_decoder *decoder;
    if (n_rows < 1 || n_steps < 1 || attention == h->n_attentions ||
        taco_encoder_forward(voice->model, ids, N_SYMBOLS, 0, attention, NULL, &keep,
                             &scratch, &memory) != TACO_OK)
        return 1;
    test_expect(taco_decoder_create(&decoder, voice->model, (int)n_rows, &err), &err);
    struct taco_row *rows = test_need(n_rows, sizeof *rows);
    size_t frames = (size_t)(h->n_frames_per_step * h->n_mels);
    for (size_t i = 0; i < n_rows; i++) {
        rows[i] = (struct taco_row){
            .memory = &memory,
            .seed = i + 1,
            .max_steps = (int)n_steps,
            .ignore_gate = true,
            .mel = test_need(n_steps * frames, sizeof(float)),
            .gate = test_need(n_steps * (size_t)h->gate_dim, sizeof(float)),
            .alignment = test_need(n_steps * N_SYMBOLS, sizeof(float)),
        };
        test_expect(taco_decoder_add(decoder, &rows[i], &err), &err);
    }
    double begin = test_worked();
    while (taco_decoder_count(decoder) > 0)
        taco_decoder_step(decoder, NULL);
    if (argc == 6)
        printf("%-22s%8.3f ms a step of %zu rows\n", argv[5],
               1000 * (test_worked() - begin) / (double)n_steps, n_rows);
    for (size_t i = 0; i < n_rows; i++) {
        free(rows[i].mel);
        free(rows[i].gate);
        free(rows[i].alignment);
    }
    free(rows);
    taco_decoder_destroy(decoder);
    taco_arena_free(&keep);
    taco_arena_free(&scratch);
    taco_voice_close(voice);
    return 0;
}
