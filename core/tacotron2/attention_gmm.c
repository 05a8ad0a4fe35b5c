/* Mixture attention (Graves 2013, "Generating Sequences With Recurrent Neural Networks",
 * section 5.1, in the discretised logistic form that Coqui and Mozilla call "graves";
 * MODEL.md, 6.4). [g, b, k] = query, K each:
 *
 *   sigma = softplus(b) + 1e-5, mu += softplus(k), g = softmax(g) + 1e-5
 *   F(x) = sum over K of g / (1 + sigmoid((mu - x) / sigma))
 *   w_j = F(j + 3/2) - F(j + 1/2), an exact 0 becomes 1e-8
 *   with gmm_normalised w /= sum of w; in the original their sum is below 1/2
 *
 * The weights depend on the query and on mu alone: there are no energies. */
#include <math.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

enum { MAX_COMPONENTS = 64 }; /* FORMAT.md */

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM("gmm_components", INT, gmm_components, TACO_RANGE(1, MAX_COMPONENTS)),
    TACO_PARAM("gmm_normalised", BOOL, gmm_normalised, TACO_DEFAULT(false)),
    TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    int64_t A = h->attention_rnn_dim, K = params->gmm_components;
    taco_weight_add(w, "gmm.0.weight", A, A, 0);
    taco_weight_add(w, "gmm.0.bias", A, 0, 0);
    taco_weight_add(w, "gmm.1.weight", 3 * K, A, 0);
    taco_weight_add(w, "gmm.1.bias", 3 * K, 0, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t A = a->query_dim, K = (size_t)a->params->gmm_components;
    a->n_query = 2;
    return taco_load_linear(l, &a->query[0], "gmm.0.", A, A, true) &&
           taco_load_linear(l, &a->query[1], "gmm.1.", 3 * K, A, true);
}

/* own: mu [K] */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)n;
    return (size_t)a->params->gmm_components;
}

static float softplus(float x) {
    return x > 20.0f ? x : log1pf(expf(x));
}

static void normalise(const struct taco_attention_row *row, float *weights) {
    float sum = 0;
    for (size_t j = 0; j < row->n; j++)
        sum += weights[j];
    for (size_t j = 0; sum > 0 && j < row->n; j++)
        weights[j] /= sum;
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    size_t K = (size_t)a->params->gmm_components;
    float *mu = row->own, g[MAX_COMPONENTS], sigma[MAX_COMPONENTS];
    for (size_t i = 0; i < K; i++) {
        g[i] = query[i];
        sigma[i] = softplus(query[K + i]) + 1e-5f;
        mu[i] += softplus(query[2 * K + i]);
    }
    a->kernels->softmax(g, K);
    float left = 0;
    for (size_t j = 0; j <= row->n; j++) {
        float x = (float)j + 0.5f, right = 0;
        for (size_t i = 0; i < K; i++) {
            float s = 1.0f / (1.0f + expf(-(mu[i] - x) / sigma[i]));
            right += (g[i] + 1e-5f) / (1.0f + s);
        }
        if (j > 0) {
            float w = right - left;
            weights[j - 1] = w == 0.0f ? 1e-8f : w;
        }
        left = right;
    }
    for (size_t j = 0; j < row->n; j++) /* a request's window */
        if (j < row->begin || j >= row->end)
            weights[j] = 0;
    if (a->params->gmm_normalised)
        normalise(row, weights);
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_gmm = {
    .name = "gmm",
    .query_activation = TACO_ACTIVATION_RELU,
    .summary = "a mixture whose means only move forward; what is said does not count",
    .no_energies = true,
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .row_floats = row_floats,
    .weigh = weigh,
};
