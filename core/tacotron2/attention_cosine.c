/* Cosine attention (Graves et al. 2014, "Neural Turing Machines", section 3.3.1; MODEL.md,
 * 6.13):
 *
 *   e_j = exp(log_beta) cos(W q, U m_j),  w = softmax(scale e)
 *
 * The keys are brought to length 1 once a text. A vector of length 0 has cosine 0. */
#include <math.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

/* exp(log_beta) stays finite whatever the file says. */
#define LOG_BETA_MAX 20.0f

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,  TACO_PARAM_DIM,     TACO_PARAM_NORMALISER,
    TACO_PARAM_SCALE, TACO_PARAMS_WINDOW, TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_attention_dot_tensors(w, h, params);
    taco_weight_add(w, "log_beta", 1, 0, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    float log_beta;
    if (!taco_load_scalar(l, &log_beta, "log_beta"))
        return false;
    a->scale *= expf(fminf(log_beta, LOG_BETA_MAX));
    return taco_attention_dot_load(l, a);
}

static float inverse_length(const struct taco_attention *a, const float *x) {
    float length = sqrtf(a->kernels->dot(x, x, a->key_dim));
    return length > 0 ? 1.0f / length : 0;
}

static void keys(const struct taco_attention *a, const float *memory, size_t n,
                 const int32_t *words, float *out) {
    taco_attention_keys(a, memory, n, words, out);
    for (size_t j = 0; j < n; j++) {
        float *key = out + j * a->key_dim, inverse = inverse_length(a, key);
        for (size_t d = 0; d < a->key_dim; d++)
            key[d] *= inverse;
    }
}

static void score(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile) {
    float inverse = inverse_length(a, query);
    taco_attention_dot_score(a, row, query, first, last, tile);
    first = first > row->begin ? first : row->begin;
    last = last < row->end ? last : row->end;
    for (size_t j = first; j < last; j++)
        row->energies[j] *= inverse;
}

const struct taco_attention_mechanism taco_attention_cosine = {
    .name = "cosine",
    .summary = "content alone, by the angle between query and memory",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .keys = keys,
    .score = score,
    .weigh = taco_attention_weigh,
};
