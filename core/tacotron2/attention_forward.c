/* Forward attention (Zhang et al. 2018, "Forward Attention in Sequence-to-sequence
 * Acoustic Modelling for Speech Synthesis"; MODEL.md, 6.3) on location energies, p =
 * normaliser(e):
 *
 *   coqui:  w_j = ((1 - u) a_j + u a_{j-1} + 1e-8) p_j, a = [1, 1e-7, ...] at first; s +=
 * p espnet: w_j = max((a_j + a_{j-1}) p_j, 1e-6), with a transition agent w_j = max((u
 * a_j + (1 - u) a_{j-1}) p_j, 1e-6), a = one-hot at first; s += w w /= sum of w
 *
 * u = 1/2 at first, then sigmoid(W_ta [context, h1] + b) (coqui) or
 * sigmoid(W_ta [context, frame before, q] + b) (espnet) with a transition agent. */
#include <math.h>

#include "tacotron2/attention.h"

/* The weights of the step before, a_j; the rules' own start at the first step. */
static float before(const struct taco_attention_row *row, bool coqui, size_t j) {
    if (row->step > 0)
        return row->prev[j];
    return j == 0 ? 1.0f : coqui ? 1e-7f : 0.0f;
}

/* Coqui's forward_attn_mask: n = argmax of the shifted weights; of w, only n - 1 to n + 2
 * stay, and n - 2 becomes a hundredth of the largest. Its Python counts indices below
 * zero from the end: for n = 0 everything but the last symbol is cleared, and for n < 2
 * the hundredth goes to one of the last two. */
static void mask(float *w, size_t n_symbols, size_t n, float largest) {
    size_t cleared = n == 0 ? n_symbols - 1 : n - 1;
    for (size_t j = n + 3; j < n_symbols; j++)
        w[j] = 0;
    for (size_t j = 0; j < cleared; j++)
        w[j] = 0;
    if (n >= 2)
        w[n - 2] = 0.01f * largest;
    else if (n_symbols + n >= 2)
        w[n_symbols + n - 2] = 0.01f * largest;
}

static void recur_coqui(const struct taco_attention_row *row, bool masked, float *w) {
    float left = 0, best = -1, largest = 0;
    size_t at = 0;
    for (size_t j = 0; j < row->n; j++) {
        float here = before(row, true, j);
        w[j] *= (1.0f - row->u) * here + row->u * left + 1e-8f;
        largest = w[j] > largest ? w[j] : largest;
        if (left > best) {
            best = left;
            at = j;
        }
        left = here;
    }
    if (masked)
        mask(w, row->n, at, largest);
}

static void recur_espnet(const struct taco_attention_row *row, bool agent, float *w) {
    float stay = agent ? row->u : 1.0f, move = agent ? 1.0f - row->u : 1.0f, left = 0;
    for (size_t j = 0; j < row->n; j++) {
        float here = before(row, false, j);
        w[j] = fmaxf((stay * here + move * left) * w[j], 1e-6f);
        left = here;
    }
}

static void weigh(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, float *weights) {
    const struct taco_hparams *h = &model->hparams;
    (void)query;
    taco_attention_normalise(model, row, weights);
    if (h->attention.cum_plain)
        taco_attention_accumulate(row, weights);
    if (h->attention.forward_rule == TACO_FORWARD_COQUI)
        recur_coqui(row, h->attention.forward_mask, weights);
    else
        recur_espnet(row, h->attention.transition_agent, weights);
    float sum = 0;
    for (size_t j = 0; j < row->n; j++)
        sum += weights[j];
    if (sum > 0)
        for (size_t j = 0; j < row->n; j++)
            weights[j] /= sum;
    if (!h->attention.cum_plain)
        taco_attention_accumulate(row, weights);
    taco_attention_remember(model, row, weights);
}

static void transit(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                    const float *context, const float *x, const float *frame) {
    const struct taco_hparams *h = &model->hparams;
    const struct taco_kernels *k = model->kernels;
    const float *w = model->attention.transition;
    if (!w)
        return;
    size_t M = (size_t)h->memory_dim, A = (size_t)h->attention_rnn_dim;
    float u = model->attention.transition_bias + k->dot(w, context, M);
    w += M;
    if (h->attention.forward_rule == TACO_FORWARD_ESPNET) {
        u += k->dot(w, frame, (size_t)h->n_mels);
        w += h->n_mels;
    }
    u += k->dot(w, x, A);
    row->u = 1.0f / (1.0f + expf(-u));
}

const struct taco_attention_mechanism taco_attention_forward = {
    .name = "forward",
    .score = taco_attention_score_location,
    .weigh = weigh,
    .transit = transit,
};
