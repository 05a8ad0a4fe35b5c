/* Location-sensitive attention (Chorowski et al. 2015, "Attention-Based Models for Speech
 * Recognition", as in Shen et al. 2018, section 2.2; MODEL.md, 6.1):
 *
 *   e_j = v . tanh(W_q q + W_m m_j + b_m + W_loc f_j) + b_v,  f = conv(channels)
 *   w = softmax(e), or s(e) / sum of s(e)
 *   s += w, a = w */
#include <float.h>
#include <string.h>

#include "tacotron2/attention.h"

void taco_attention_score_location(const struct taco_tacotron2 *model,
                                   struct taco_attention_row *row, const float *query,
                                   size_t first, size_t last, float *tile) {
    const struct taco_attention *a = &model->attention;
    const struct taco_kernels *k = model->kernels;
    size_t D = (size_t)model->hparams.attention.dim;
    first = first > row->begin ? first : row->begin;
    last = last < row->end ? last : row->end;
    const float *channels[2] = {
        model->hparams.attention.location_prev ? row->prev : row->cum, row->cum};
    while (first < last) {
        size_t n =
            last - first < TACO_ATTENTION_TILE ? last - first : TACO_ATTENTION_TILE;
        if (a->channels) {
            const float *in[2];
            for (int c = 0; c < a->channels; c++)
                in[c] = channels[c] + first;
            k->location_features(in, a->channels, a->kernel, a->location, D, tile, 0, n);
        }
        k->attention_energies(query, row->memory->processed_memory + first * D,
                              a->channels ? tile : NULL, a->v, a->v_bias,
                              row->energies + first, D, 0, n);
        first += n;
    }
}

void taco_attention_normalise(const struct taco_tacotron2 *model,
                              struct taco_attention_row *row, float *p) {
    const struct taco_kernels *k = model->kernels;
    size_t n = row->end - row->begin;
    taco_attention_window_energies(model, row);
    memset(p, 0, row->n * sizeof *p);
    float *in = p + row->begin;
    memcpy(in, row->energies + row->begin, n * sizeof *p);
    if (model->hparams.attention.normaliser == TACO_NORMALISER_SOFTMAX) {
        k->softmax(in, n);
        return;
    }
    k->sigmoid(in, n);
    float sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += in[j];
    sum = sum > FLT_MIN ? sum
                        : FLT_MIN; /* all energies below -87: no weights, and no NaN */
    for (size_t j = 0; j < n; j++)
        in[j] /= sum;
}

static void weigh(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    taco_attention_normalise(model, row, weights);
    taco_attention_accumulate(row, weights);
    taco_attention_remember(model, row, weights);
}

const struct taco_attention_mechanism taco_attention_location = {
    .name = "location",
    .score = taco_attention_score_location,
    .weigh = weigh,
};
