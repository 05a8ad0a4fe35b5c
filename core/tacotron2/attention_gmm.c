/* Mixture attention (Graves 2013, "Generating Sequences With Recurrent Neural Networks",
 * section 5.1, in the discretised logistic form that Coqui and Mozilla call "graves";
 * MODEL.md, 6.4). [g, b, k] = query, K each:
 *
 *   sigma = softplus(b) + 1e-5, mu += softplus(k), g = softmax(g) + 1e-5
 *   F(x) = sum over K of g / (1 + sigmoid((mu - x) / sigma))
 *   w_j = F(j + 3/2) - F(j + 1/2), an exact 0 becomes 1e-8; not normalised
 *
 * The weights depend on the query and on mu alone: there are no energies. */
#include <math.h>

#include "tacotron2/attention.h"

enum { MAX_COMPONENTS = 64 }; /* FORMAT.md */

static float softplus(float x) {
    return x > 20.0f ? x : log1pf(expf(x));
}

static void weigh(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, float *weights) {
    size_t K = (size_t)model->hparams.attention.gmm_components;
    float g[MAX_COMPONENTS], sigma[MAX_COMPONENTS];
    for (size_t i = 0; i < K; i++) {
        g[i] = query[i];
        sigma[i] = softplus(query[K + i]) + 1e-5f;
        row->mu[i] += softplus(query[2 * K + i]);
    }
    model->kernels->softmax(g, K);
    float left = 0;
    for (size_t j = 0; j <= row->n; j++) {
        float x = (float)j + 0.5f, right = 0;
        for (size_t i = 0; i < K; i++) {
            float s = 1.0f / (1.0f + expf(-(row->mu[i] - x) / sigma[i]));
            right += (g[i] + 1e-5f) / (1.0f + s);
        }
        if (j > 0) {
            float w = right - left;
            weights[j - 1] = w == 0.0f ? 1e-8f : w;
        }
        left = right;
    }
    taco_attention_remember(model, row, weights);
}

const struct taco_attention_mechanism taco_attention_gmm = {
    .name = "gmm",
    .query_activation = TACO_ACTIVATION_RELU,
    .weigh = weigh,
};
