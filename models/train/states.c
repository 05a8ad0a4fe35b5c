/* What an attention of a voice is trained on: the decoder's states as the voice speaks.
 *
 *   states VOICE < SENTENCES > STATES
 *
 * Reads one sentence a line, decodes each with the voice's own attention, and writes those that
 * it read well (engine/diagnostics.h). STATES is, for each, in the machine's byte order: int32 T, S,
 * M, A; int32 ids [T]; float32 memory [T, M], queries [S, A], alignment [S, T]. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "engine/diagnostics.h"
#include "engine/voice.h"
#include "tacotron2/decoder.h"

enum { MOST_STEPS = 1200 };

struct work {
    const struct taco_voice *voice;
    struct taco_decoder *decoder; /* of one row */
    struct taco_arena keep, scratch;
    uint64_t seed;
};

static float *floats(struct work *w, size_t n) {
    float *x = taco_arena_alloc(&w->keep, n, sizeof *x);
    if (!x) {
        fprintf(stderr, "states: no memory\n");
        exit(1);
    }
    return x;
}

/* The row's steps; its queries go to queries [steps, A]. */
static bool decode(struct work *w, struct taco_row *row, float *queries) {
    const struct taco_tacotron2 *model = w->voice->model;
    struct taco_error err = TACO_ERROR_INIT;
    size_t A = (size_t)w->voice->hparams.attention_rnn_dim;
    const float *h1 = w->decoder->x + model->layout.h1;
    if (taco_decoder_add(w->decoder, row, &err) != TACO_OK) {
        fprintf(stderr, "states: %s\n", err.message);
        return false;
    }
    while (!row->done) {
        float *query = queries + (size_t)row->n_steps * A;
        if (w->voice->hparams.attention_first) /* the state of the step before */
            memcpy(query, h1, A * sizeof *query);
        taco_decoder_step(w->decoder, NULL);
        if (!w->voice->hparams.attention_first)
            memcpy(query, h1, A * sizeof *query);
    }
    return true;
}

static void write_all(const void *data, size_t n, size_t size) {
    if (fwrite(data, size, n, stdout) != n) {
        perror("states");
        exit(1);
    }
}

/* One chunk of a text; false: it was not read well, or could not be. */
static bool write_chunk(struct work *w, const struct taco_text *text,
                        const struct taco_chunk *chunk) {
    const struct taco_hparams *h = &w->voice->hparams;
    const struct taco_symbol *symbols = text->symbols + chunk->first_symbol;
    size_t n = chunk->n_symbols, A = (size_t)h->attention_rnn_dim,
           r = (size_t)h->n_frames_per_step;
    int32_t *ids = (int32_t *)floats(w, n); /* both are four bytes */
    for (size_t i = 0; i < n; i++)
        ids[i] = symbols[i].id;
    struct taco_memory memory;
    if (taco_encoder_forward(w->voice->model, ids, (int)n, 0, 0, NULL, &w->keep,
                             &w->scratch, &memory) != TACO_OK)
        return false;
    struct taco_row row = {
        .memory = &memory,
        .seed = w->seed++,
        .max_steps = MOST_STEPS,
        .watch_end = true,
        .mel = floats(w, MOST_STEPS * r * (size_t)h->n_mels),
        .gate = floats(w, MOST_STEPS * (size_t)h->gate_dim),
        .alignment = floats(w, MOST_STEPS * n),
    };
    float *queries = floats(w, MOST_STEPS * A);
    struct taco_diagnostics diagnostics;
    if (!decode(w, &row, queries))
        return false;
    struct taco_reading reading = taco_reading_of(w->voice, symbols);
    reading.alignment = row.alignment;
    reading.n_steps = (uint32_t)row.n_steps;
    reading.n_symbols = (uint32_t)n;
    reading.n_frames = (uint32_t)row.n_steps * (uint32_t)r;
    reading.stop_reason =
        row.end == TACO_ROW_MAX_STEPS ? TACO_STOP_MAX_FRAMES : TACO_STOP_GATE;
    taco_diagnose(&reading, &diagnostics);
    if (!diagnostics.ok)
        return false;
    size_t steps = (size_t)row.n_steps, M = (size_t)h->memory_dim;
    const int32_t sizes[4] = {(int32_t)n, row.n_steps, h->memory_dim,
                              h->attention_rnn_dim};
    write_all(sizes, 4, sizeof *sizes);
    write_all(ids, n, sizeof *ids);
    write_all(memory.memory, n * M, sizeof(float));
    write_all(queries, steps * A, sizeof(float));
    write_all(row.alignment, steps * n, sizeof(float));
    return true;
}

int main(int argc, char **argv) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice *voice = NULL;
    struct work w = {.keep = TACO_ARENA_INIT, .scratch = TACO_ARENA_INIT, .seed = 1};
    if (argc != 2) {
        fprintf(stderr, "usage: %s VOICE < SENTENCES > STATES\n", argv[0]);
        return 2;
    }
    if (taco_voice_open(&voice, argv[1], NULL, &err) != TACO_OK ||
        taco_decoder_create(&w.decoder, voice->model, 1, &err) != TACO_OK) {
        fprintf(stderr, "states: %s\n", err.message);
        taco_voice_close(voice);
        return 1;
    }
    w.voice = voice;
    char *line = NULL;
    size_t room = 0, n_written = 0, n_read = 0;
    while (getline(&line, &room, stdin) > 0) {
        struct taco_text *text;
        size_t length = strcspn(line, "\n");
        if (taco_text_analyse(voice, line, length, NULL, &text, &err) != TACO_OK)
            continue;
        for (uint32_t i = 0; i < text->n_chunks; i++) {
            n_read++;
            n_written += write_chunk(&w, text, &text->chunks[i]);
            taco_arena_reset(&w.keep);
            taco_arena_reset(&w.scratch);
        }
        taco_text_destroy(text);
    }
    fprintf(stderr, "states: %zu of %zu sentences\n", n_written, n_read);
    free(line);
    taco_decoder_destroy(w.decoder);
    taco_arena_free(&w.keep);
    taco_arena_free(&w.scratch);
    taco_voice_close(voice);
    return n_written ? 0 : 1;
}
