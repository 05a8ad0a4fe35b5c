#include "support/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "support/numbers.h"

static _Noreturn void give_up(const char *what) {
    fprintf(stderr, "test model: %s\n", what);
    abort();
}

void test_model_open(struct test_model *m, const char *overrides, uint64_t seed) {
    struct taco_error err = TACO_ERROR_INIT;
    memset(m, 0, sizeof *m);
    test_voice_init(&m->voice, overrides, seed);
    if (test_model_load(m, TACO_PRECISION_F32, &err) != TACO_OK)
        give_up(err.message);
}

enum taco_status test_model_load(struct test_model *m, enum taco_precision precision,
                                 struct taco_error *err) {
    taco_tacotron2_close(m->model);
    taco_safetensors_close(m->st);
    free(m->bytes);
    m->model = NULL;
    m->st = NULL;
    size_t size;
    m->bytes = test_voice_bytes(&m->voice, &size);
    enum taco_status status = taco_safetensors_open_memory(&m->st, m->bytes, size, err);
    if (status != TACO_OK)
        return status;
    status =
        taco_hparams_parse(&m->hparams, json_object_get(m->voice.config, "model"), err);
    if (status != TACO_OK)
        return status;
    status =
        taco_tacotron2_open(&m->model, &m->hparams, m->st,
                            taco_kernels_get(taco_cpu_flags()), precision, NULL, err);
    if (status == TACO_OK)
        m->hparams = *taco_tacotron2_hparams(m->model);
    return status;
}

void test_model_close(struct test_model *m) {
    taco_tacotron2_close(m->model);
    taco_safetensors_close(m->st);
    free(m->bytes);
    test_voice_free(&m->voice);
    memset(m, 0, sizeof *m);
}

static float *floats(struct test_text *text, size_t n) {
    float *p = taco_arena_alloc(&text->keep, n, sizeof *p);
    if (!p)
        give_up("no memory");
    return p;
}

void test_text_make(struct test_text *text, const struct test_model *m, int n,
                    int max_steps, uint64_t seed) {
    test_text_make_by(text, m, 0, n, max_steps, seed);
}

void test_text_make_by(struct test_text *text, const struct test_model *m, int attention,
                       int n, int max_steps, uint64_t seed) {
    const struct taco_hparams *h = &m->hparams;
    size_t steps = (size_t)max_steps;
    memset(text, 0, sizeof *text);
    text->n = n;
    text->ids = calloc((size_t)n, sizeof *text->ids);
    if (!text->ids)
        give_up("no memory");
    text->row = (struct taco_row){
        .memory = &text->memory,
        .seed = seed,
        .max_steps = max_steps,
        .ignore_gate = true,
        .mel = floats(text, steps * (size_t)(h->n_frames_per_step * h->n_mels)),
        .gate = floats(text, steps * (size_t)h->gate_dim),
        .alignment = floats(text, steps * (size_t)n),
    };
    for (int i = 0; i < n; i++)
        text->ids[i] = (int32_t)test_random_below(&seed, (size_t)h->n_symbols);
    for (int layer = 0; layer < h->prenet_n_layers; layer++) {
        size_t count = steps * (size_t)h->prenet_dim[layer];
        text->masks[layer] = floats(text, count);
        for (size_t i = 0; i < count; i++)
            text->masks[layer][i] = test_random(&seed) & 1 ? 2.0f : 0.0f;
    }
    if (taco_encoder_forward(m->model, text->ids, n, 0, attention, NULL, &text->keep,
                             &text->scratch, &text->memory) != TACO_OK)
        give_up("the encoder has no memory");
}

void test_text_free(struct test_text *text) {
    free(text->ids);
    taco_arena_free(&text->keep);
    taco_arena_free(&text->scratch);
    memset(text, 0, sizeof *text);
}

void test_text_decode(struct test_text *text, const struct test_model *m) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_decoder *decoder;
    if (taco_decoder_create(&decoder, m->model, 1, &err) != TACO_OK ||
        taco_decoder_add(decoder, &text->row, &err) != TACO_OK)
        give_up(err.message);
    while (!text->row.done)
        taco_decoder_step(decoder, NULL);
    taco_decoder_destroy(decoder);
}
