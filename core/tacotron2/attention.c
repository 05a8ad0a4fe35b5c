/* What the attention mechanisms share: a row's state, the choice, the arg-maximum. */
#include "tacotron2/attention.h"

#include <stdint.h>
#include <string.h>

#define ROW(name) &taco_attention_##name,
static const struct taco_attention_mechanism *const mechanisms[] = {
    TACO_ATTENTION_MECHANISMS(ROW) NULL};
#undef ROW

const struct taco_attention_mechanism *taco_attention_find(const char *name) {
    for (size_t i = 0; mechanisms[i]; i++)
        if (strcmp(mechanisms[i]->name, name) == 0)
            return mechanisms[i];
    return NULL;
}

const char *taco_attention_name(int i) {
    size_t n = sizeof mechanisms / sizeof *mechanisms - 1;
    return (size_t)i < n ? mechanisms[i]->name : NULL;
}

/* Zeros that the location convolution reads on each side of a channel. */
static size_t channel_pad(const struct taco_attention *a) {
    return (size_t)a->kernel / 2;
}

static size_t own_floats(const struct taco_attention *a, size_t n) {
    return a->mechanism->row_floats ? a->mechanism->row_floats(a, n) : 0;
}

size_t taco_attention_row_floats(const struct taco_attention *a, size_t n) {
    size_t fixed = 4 * channel_pad(a) + own_floats(a, n);
    return n < (SIZE_MAX / sizeof(float) - fixed) / 3 ? fixed + 3 * n : 0;
}

/* The weights "of the step before" the first. Where the convolution sees nothing but the
 * sum, they stand in for it once (ESPnet); with start_in_sum they stay in it. */
static void show_start(const struct taco_attention *a, struct taco_attention_row *row) {
    bool in_sum = row->cum && (!a->sees_prev || a->params->start_in_sum);
    float *const seen[2] = {in_sum ? row->cum : row->prev,
                            in_sum && a->sees_prev ? row->prev : NULL};
    for (int c = 0; c < 2 && seen[c]; c++)
        switch (a->params->start) {
        case TACO_START_ZEROS:
            break;
        case TACO_START_UNIFORM:
            for (size_t j = 0; j < row->n; j++)
                seen[c][j] = 1.0f / (float)row->n;
            break;
        case TACO_START_ONE_HOT:
            seen[c][0] = 1.0f;
            break;
        }
}

void taco_attention_row_start(const struct taco_attention *a,
                              struct taco_attention_row *row,
                              const struct taco_row *options, float *block) {
    size_t n = (size_t)options->memory->n_symbols, pad = channel_pad(a);
    memset(block, 0, taco_attention_row_floats(a, n) * sizeof *block);
    *row = (struct taco_attention_row){
        .memory = options->memory,
        .n = n,
        .prev = block + pad,
        .cum = a->sees_cum ? block + n + 3 * pad : NULL,
        .energies = block + 2 * n + 4 * pad,
        .own = block + 3 * n + 4 * pad,
        .factor = options->temperature > 0 ? a->scale / options->temperature : a->scale,
        .window = a->params->window,
        .window_back = a->params->window_back,
        .window_forward = a->params->window_forward,
        .seed = options->seed,
        .chunk = options->chunk,
    };
    if (options->window_forward > 0) {
        row->window = TACO_WINDOW_ESPNET;
        row->window_back = options->window_back;
        row->window_forward = options->window_forward;
    }
    taco_attention_window_start(row);
    show_start(a, row);
    if (a->mechanism->start)
        a->mechanism->start(a, row);
}

void taco_attention_keys(const struct taco_attention *a, const float *memory, size_t n,
                         const int32_t *words, float *out) {
    (void)words;
    if (a->memory_layer.weight)
        taco_gemm(n, a->key_dim, a->memory_dim, memory, a->memory_layer.weight,
                  a->memory_layer.bias, out);
    else
        memcpy(out, memory, n * a->key_dim * sizeof *out);
}

void taco_attention_accumulate(const struct taco_attention *a,
                               struct taco_attention_row *row, const float *w) {
    if (!row->cum)
        return;
    if (row->step == 0 && !a->params->start_in_sum)
        /* What stood there was the start, which is no part of the sum. */
        memcpy(row->cum, w, row->n * sizeof *w);
    else
        for (size_t j = 0; j < row->n; j++)
            row->cum[j] += w[j];
}

void taco_attention_remember(struct taco_attention_row *row, const float *w) {
    memcpy(row->prev, w, row->n * sizeof *w);
    size_t best = taco_argmax(w, row->n);
    if (w[best] > 0)
        row->argmax = best;
    row->step++;
    taco_attention_window_next(row);
}

void taco_attention_weigh(const struct taco_attention *a, struct taco_attention_row *row,
                          const float *query, float *weights) {
    (void)query;
    taco_attention_normalise(a, row, weights);
    taco_attention_accumulate(a, row, weights);
    taco_attention_remember(row, weights);
}

void taco_attention_one_hot(const struct taco_attention_row *row, size_t j,
                            float *weights) {
    memset(weights, 0, row->n * sizeof *weights);
    weights[j] = 1.0f;
}

size_t taco_argmax(const float *x, size_t n) {
    size_t best = 0;
    for (size_t j = 1; j < n; j++)
        if (x[j] > x[best])
            best = j;
    return best;
}
