/* Runs one attention mechanism alone, for attention_check (README.md here):
 *
 *   attend CONFIG.json INPUTS.safetensors OUT_DIR
 *
 * CONFIG is {"attention": an object as in models/FORMAT.md}, or {"self_attention": {"n_heads":
 * N, "causal": true or false}} for a layer of the encoder, which gives output [T, W] and heads.
 * Of an attention INPUTS has memory [T, M], queries
 * [steps, A] and the mechanism's tensors without a prefix. Writes weights [steps, T], or
 * heads [steps x H, T] of several heads, and context [steps, M] as .npy. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/error.h"
#include "support/npy.h"
#include "tacotron2/attention.h"
#include "tacotron2/load.h"
#include "tacotron2/self_attention.h"
#include "tacotron2/weights.h"

struct module {
    struct taco_tacotron2 model; /* hparams and kernels alone */
    struct taco_safetensors *file;
    struct taco_arena keep;
    struct taco_attention attention;
    const float *queries;
    int n_steps;
    struct taco_memory memory;
};

static bool complain(const char *what) {
    fprintf(stderr, "attend: %s\n", what);
    return false;
}

static const struct taco_tensor *matrix(const struct module *m, const char *name) {
    const struct taco_tensor *t = taco_safetensors_find(m->file, name);
    bool good = t && t->dtype == TACO_DTYPE_F32 && t->n_dims == 2 && t->shape[0] >= 1 &&
                t->shape[1] >= 1 && t->shape[0] < 100000 && t->shape[1] < 10000;
    return good ? t : NULL;
}

static bool open_module(struct module *m, const char *config_path, const char *path) {
    struct taco_error err = TACO_ERROR_INIT;
    json_error_t json_error;
    struct taco_hparams *h = &m->model.hparams;
    if (taco_safetensors_open(&m->file, path, &err) != TACO_OK)
        return complain(err.message);
    const struct taco_tensor *memory = matrix(m, "memory"),
                             *queries = matrix(m, "queries");
    if (!memory || !queries)
        return complain("memory and queries must be F32 matrices");
    m->model.kernels = taco_kernels_get(taco_cpu_flags());
    h->memory_dim = (int)memory->shape[1];
    h->attention_rnn_dim = (int)queries->shape[1];
    h->n_mels = 1;
    h->n_attentions = 1;
    m->queries = queries->data;
    m->n_steps = (int)queries->shape[0];
    m->memory =
        (struct taco_memory){.n_symbols = (int)memory->shape[0], .memory = memory->data};
    json_t *config = json_load_file(config_path, 0, &json_error);
    enum taco_status status = taco_attention_params_read(
        &h->attention, "attention.", json_object_get(config, "attention"), &err);
    json_decref(config);
    if (status != TACO_OK)
        return complain(err.message);
    struct taco_weight *list = calloc(TACO_MAX_WEIGHTS, sizeof *list);
    if (!list)
        return complain("no memory");
    struct taco_weight_list writer = {list, 0, ""};
    h->attention.mechanism->tensors(&writer, h, &h->attention);
    taco_weight_add(&writer, "memory", memory->shape[0], memory->shape[1], 0);
    taco_weight_add(&writer, "queries", queries->shape[0], queries->shape[1], 0);
    status = taco_weights_check(list, writer.n, m->file, &err);
    free(list);
    if (status != TACO_OK)
        return complain(err.message);
    struct taco_loader l = {&m->model, m->file, &m->keep, TACO_ARENA_INIT, ""};
    bool loaded = taco_load_attention(&l, &h->attention, &m->attention);
    taco_arena_free(&l.scratch);
    return loaded || complain("no memory");
}

static float *floats(struct module *m, size_t n) {
    return taco_arena_alloc(&m->keep, n, sizeof(float));
}

/* A step as decoder_step.c makes it, on one thread. */
static void step(struct module *m, struct taco_attention_row *row, const float *h1,
                 float *const scratch[3], float *weights, float *context) {
    const struct taco_attention *a = &m->attention;
    const struct taco_attention_mechanism *mechanism = a->mechanism;
    const float *query = h1;
    for (int i = 0; i < a->n_query; i++) {
        const struct taco_matrix *w = &a->query[i];
        a->kernels->matmul(w, query, w->n_in, scratch[i], w->n_out, 1, 0, w->n_blocks,
                           NULL);
        if (i + 1 < a->n_query)
            (mechanism->query_activation == TACO_ACTIVATION_RELU
                 ? a->kernels->relu
                 : a->kernels->tanh)(scratch[i], w->n_out);
        query = scratch[i];
    }
    if (mechanism->prepare)
        mechanism->prepare(a, row, query);
    if (mechanism->score)
        mechanism->score(a, row, query, 0, row->n, scratch[2]);
    mechanism->weigh(a, row, query, weights);
    if (mechanism->context)
        mechanism->context(a, row, weights, context, scratch[2]);
    else
        a->kernels->weighted_sum(weights, m->memory.memory, row->n, a->memory_dim,
                                 context, 0, a->memory_dim);
}

static bool write_out(const char *dir, const char *name, const float *x, int rows,
                      int columns) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", dir, name);
    return test_write_npy(path, x, rows, columns) || complain("cannot write a result");
}

static bool run(struct module *m, const char *dir) {
    const struct taco_attention *a = &m->attention;
    const struct taco_attention_mechanism *mechanism = a->mechanism;
    size_t n = (size_t)m->memory.n_symbols, steps = (size_t)m->n_steps, M = a->memory_dim;
    size_t H = mechanism->head ? (size_t)a->params->n_heads : 0;
    size_t tile = TACO_ATTENTION_TILE * (size_t)a->params->dim;
    if (mechanism->context && mechanism->context_floats(a) > tile)
        tile = mechanism->context_floats(a);
    float *keys = floats(m, n * a->key_dim + 1), *weights = floats(m, steps * n);
    float *heads = floats(m, steps * H * n + 1), *context = floats(m, steps * M);
    float *block = floats(m, taco_attention_row_floats(a, n));
    float *scratch[3] = {NULL, NULL, floats(m, tile + 1)};
    for (int i = 0; i < a->n_query; i++)
        scratch[i] = floats(m, a->query[i].n_out);
    if (!keys || !weights || !heads || !context || !block || !scratch[2])
        return complain("no memory");
    if (a->key_dim > 0)
        (mechanism->keys ? mechanism->keys : taco_attention_keys)(a, m->memory.memory, n,
                                                                  NULL, keys);
    m->memory.processed_memory = keys;
    struct taco_row options = {.memory = &m->memory};
    struct taco_attention_row row;
    taco_attention_row_start(a, &row, &options, block);
    for (size_t t = 0; t < steps; t++) {
        step(m, &row, m->queries + t * a->query_dim, scratch, weights + t * n,
             context + t * M);
        for (size_t i = 0; i < H; i++)
            memcpy(heads + (t * H + i) * n, mechanism->head(a, &row, i),
                   n * sizeof *heads);
    }
    return write_out(dir, "weights", weights, (int)steps, (int)n) &&
           write_out(dir, "context", context, (int)steps, (int)M) &&
           (H == 0 || write_out(dir, "heads", heads, (int)(steps * H), (int)n));
}

/* -- a self-attention layer of the encoder --------------------------------------- */

static bool load_layer(struct module *m, const json_t *settings,
                       struct taco_self_attention *layer) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_hparams *h = &m->model.hparams;
    const struct taco_tensor *memory = matrix(m, "memory"),
                             *linear = matrix(m, "linear1.weight");
    int heads = (int)json_integer_value(json_object_get(settings, "n_heads"));
    if (!memory || !linear || memory->shape[1] % 2 || heads < 1 ||
        memory->shape[1] % heads)
        return complain("memory [T, W], W even and divisible by n_heads; linear1.weight");
    m->model.kernels = taco_kernels_get(taco_cpu_flags());
    h->encoder_lstm_dim = (int)memory->shape[1] / 2;
    h->encoder_attention_heads = heads;
    h->encoder_attention_dim = (int)linear->shape[0];
    h->encoder_attention_causal = json_is_true(json_object_get(settings, "causal"));
    struct taco_weight list[16];
    struct taco_weight_list writer = {list, 0, ""};
    taco_self_attention_tensors(&writer, memory->shape[1], linear->shape[0]);
    taco_weight_add(&writer, "memory", memory->shape[0], memory->shape[1], 0);
    if (taco_weights_check(list, writer.n, m->file, &err) != TACO_OK)
        return complain(err.message);
    struct taco_loader l = {&m->model, m->file, &m->keep, TACO_ARENA_INIT, ""};
    bool loaded = taco_load_self_attention(&l, layer, "");
    taco_arena_free(&l.scratch);
    return loaded || complain("no memory");
}

/* Writes output [T, W] and heads [H T, T]. */
static bool run_layer(struct module *m, const json_t *settings, const char *path,
                      const char *dir) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_self_attention layer;
    if (taco_safetensors_open(&m->file, path, &err) != TACO_OK)
        return complain(err.message);
    if (!load_layer(m, settings, &layer))
        return false;
    const struct taco_tensor *memory = matrix(m, "memory");
    size_t n = (size_t)memory->shape[0], W = (size_t)memory->shape[1];
    size_t H = (size_t)m->model.hparams.encoder_attention_heads;
    float *x = floats(m, n * W), *weights = floats(m, H * n * n);
    if (!x || !weights)
        return complain("no memory");
    memcpy(x, memory->data, n * W * sizeof *x);
    return (taco_self_attention_forward(&m->model, &layer, x, n, &m->keep, weights) ||
            complain("no memory")) &&
           write_out(dir, "output", x, (int)n, (int)W) &&
           write_out(dir, "heads", weights, (int)(H * n), (int)n);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s CONFIG.json INPUTS.safetensors OUT_DIR\n", argv[0]);
        return 2;
    }
    struct module m = {.keep = TACO_ARENA_INIT};
    json_t *config = json_load_file(argv[1], 0, NULL);
    const json_t *layer = json_object_get(config, "self_attention");
    bool good = layer ? run_layer(&m, layer, argv[2], argv[3])
                      : open_module(&m, argv[1], argv[2]) && run(&m, argv[3]);
    json_decref(config);
    taco_arena_free(&m.keep);
    taco_safetensors_close(m.file);
    return good ? 0 : 1;
}
