/* Dynamic convolution attention (Battenberg et al. 2020, "Location-Relative Attention
 * Mechanisms for Robust Long-Form Speech Synthesis"; MODEL.md, 6.5). G = the query, one
 * kernel a filter:
 *
 *   e_j = v . tanh(W_static (conv * a)_j + W_dynamic (G * a)_j + b_dynamic)
 *         + ln(max(sum_i prior_i a_{j - (L-1) + i}, 1e-6)),  w = softmax(e)
 *
 * Both convolutions see the same a with the same kernel width, so a step folds its G and
 * W_dynamic into one matrix with the static part, and convolves once. */
#include <math.h>
#include <string.h>

#include "tacotron2/attention.h"

/* filters[k, d] = static[k, d] + sum_f W_dynamic[d, f] G[k, f] */
static void prepare(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                    const float *query) {
    const struct taco_attention *a = &model->attention;
    size_t D = (size_t)model->hparams.attention.dim, kernel = (size_t)a->kernel;
    size_t F = (size_t)model->hparams.attention.dynamic_n_filters;
    for (size_t k = 0; k < kernel; k++) {
        float *out = &row->filters[k * D];
        model->kernels->weighted_sum(&query[k * F], a->dynamic_weight, F, D, out, 0, D);
        for (size_t d = 0; d < D; d++)
            out[d] += a->location[k * D + d];
    }
}

/* The prior's filter ends at j: it lets the attention go on by 0 to L - 1 symbols. */
static float log_prior(const struct taco_tacotron2 *model,
                       const struct taco_attention_row *row, size_t j) {
    size_t L = (size_t)model->hparams.attention.prior_length;
    const float *prior = model->attention.prior;
    float sum = 0;
    for (size_t i = j + 1 < L ? L - 1 - j : 0; i < L; i++)
        sum += prior[i] * row->prev[j + i - (L - 1)];
    return logf(sum > 1e-6f ? sum : 1e-6f);
}

static void score(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile) {
    const struct taco_attention *a = &model->attention;
    const struct taco_kernels *k = model->kernels;
    size_t D = (size_t)model->hparams.attention.dim;
    (void)query;
    while (first < last) {
        size_t n =
            last - first < TACO_ATTENTION_TILE ? last - first : TACO_ATTENTION_TILE;
        const float *in[1] = {row->prev + first};
        k->location_features(in, 1, a->kernel, row->filters, D, tile, 0, n);
        k->attention_energies(a->dynamic_bias, tile, NULL, a->v, 0, row->energies + first,
                              D, 0, n);
        for (size_t j = first; j < first + n; j++)
            row->energies[j] += log_prior(model, row, j);
        first += n;
    }
}

static void weigh(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    memcpy(weights, row->energies, row->n * sizeof *weights);
    model->kernels->softmax(weights, row->n);
    taco_attention_remember(model, row, weights);
}

const struct taco_attention_mechanism taco_attention_dynamic_convolution = {
    .name = "dynamic_convolution",
    .query_activation = TACO_ACTIVATION_TANH,
    .prepare = prepare,
    .score = score,
    .weigh = weigh,
};
