/* What the attention mechanisms share: a row's state, the choice, the arg-maximum. */
#include "tacotron2/attention.h"

#include <stdint.h>
#include <string.h>

const struct taco_attention_mechanism *taco_attention_get(enum taco_attention_type type) {
    switch (type) {
    case TACO_ATTENTION_LOCATION:
        return &taco_attention_location;
    case TACO_ATTENTION_FORWARD:
        return &taco_attention_forward;
    case TACO_ATTENTION_GMM:
        return &taco_attention_gmm;
    case TACO_ATTENTION_DYNAMIC_CONVOLUTION:
        return &taco_attention_dynamic_convolution;
    }
    return NULL;
}

/* Zeros that the location convolution reads on each side of a channel. */
static size_t channel_pad(const struct taco_tacotron2 *model) {
    return (size_t)model->attention.kernel / 2;
}

static size_t filter_floats(const struct taco_tacotron2 *model) {
    bool dynamic = model->attention.dynamic_weight != NULL;
    return dynamic
               ? (size_t)model->attention.kernel * (size_t)model->hparams.attention.dim
               : 0;
}

size_t taco_attention_row_floats(const struct taco_tacotron2 *model, size_t n) {
    size_t fixed = 4 * channel_pad(model) + filter_floats(model) +
                   (size_t)model->hparams.attention.gmm_components;
    return n < (SIZE_MAX / sizeof(float) - fixed) / 3 ? fixed + 3 * n : 0;
}

void taco_attention_row_start(const struct taco_tacotron2 *model,
                              struct taco_attention_row *row,
                              const struct taco_memory *memory, float *block) {
    const struct taco_hparams *h = &model->hparams;
    size_t n = (size_t)memory->n_symbols, pad = channel_pad(model);
    memset(block, 0, taco_attention_row_floats(model, n) * sizeof *block);
    *row = (struct taco_attention_row){
        .memory = memory,
        .n = n,
        .prev = block + pad,
        .cum = h->attention.location_cum ? block + n + 3 * pad : NULL,
        .energies = block + 2 * n + 4 * pad,
        .filters = block + 3 * n + 4 * pad,
        .mu = block + 3 * n + 4 * pad + filter_floats(model),
        .u = 0.5f,
    };
    taco_attention_window_start(model, row);

    /* The weights "of the step before" the first. Where the convolution sees nothing but
     * the sum, they stand in for it once (ESPnet). */
    bool only_cum = row->cum && !h->attention.location_prev;
    float *seen = only_cum ? row->cum : row->prev;
    switch (h->attention.start) {
    case TACO_START_ZEROS:
        break;
    case TACO_START_UNIFORM:
        for (size_t j = 0; j < n; j++)
            seen[j] = 1.0f / (float)n;
        break;
    case TACO_START_ONE_HOT:
        seen[0] = 1.0f;
        break;
    }
    if (h->attention.type == TACO_ATTENTION_DYNAMIC_CONVOLUTION)
        row->prev[0] = 1.0f;
}

void taco_attention_accumulate(struct taco_attention_row *row, const float *w) {
    if (!row->cum)
        return;
    if (row->step ==
        0) /* whatever stood there was the start, which is no part of the sum */
        memcpy(row->cum, w, row->n * sizeof *w);
    else
        for (size_t j = 0; j < row->n; j++)
            row->cum[j] += w[j];
}

void taco_attention_remember(const struct taco_tacotron2 *model,
                             struct taco_attention_row *row, const float *w) {
    memcpy(row->prev, w, row->n * sizeof *w);
    row->argmax = taco_argmax(w, row->n);
    row->step++;
    taco_attention_window_next(model, row);
}

size_t taco_argmax(const float *x, size_t n) {
    size_t best = 0;
    for (size_t j = 1; j < n; j++)
        if (x[j] > x[best])
            best = j;
    return best;
}
