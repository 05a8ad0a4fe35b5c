/* Local attention with a predicted place (Luong et al. 2015, section 3.2, local-p;
 * MODEL.md, 6.17):
 *
 *   p   = T s(v_p . tanh(W_p q))
 *   e_j = v . tanh(W q + U m_j (+ b)) (+ b_v)           for |j - p| <= D
 *   w_j = softmax(e)_j exp(-(j - p)^2 / (2 (D / 2)^2)),  0 elsewhere; not normalised again
 *
 * D is local_width, T the symbols of the text. */
#include <math.h>
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,   TACO_PARAM_DIM,   TACO_PARAM_LOCAL_WIDTH, TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS, TACO_PARAM_SCALE, TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_attention_location_tensors(w, h, params);
    taco_weight_add(w, "position_layer.weight", params->dim, h->attention_rnn_dim, 0);
    taco_weight_add(w, "position_v.weight", params->dim, 0, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t D = (size_t)a->params->dim;
    static const char *const parts[2] = {"query_layer.", "position_layer."};
    a->own = taco_load_keep(l, "position_v.weight");
    a->n_query = 1;
    return a->own && taco_attention_key_load(l, a) &&
           taco_load_stacked(l, &a->query[0], 2, parts, (size_t[]){D, D}, a->query_dim,
                             (bool[]){false, false});
}

/* own: p; tanh(W_p q) [D] */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)n;
    return 1 + (size_t)a->params->dim;
}

static void prepare(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query) {
    size_t D = (size_t)a->params->dim;
    float *hidden = row->own + 1;
    memcpy(hidden, query + D, D * sizeof *hidden);
    a->kernels->tanh(hidden, D);
    float e = a->kernels->dot(a->own, hidden, D);
    row->own[0] = (float)row->n / (1.0f + expf(-e));
    taco_attention_local_window(a, row, row->own[0]);
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    taco_attention_normalise(a, row, weights);
    float sigma = (float)a->params->local_width / 2;
    for (size_t j = row->begin; j < row->end; j++) {
        float x = ((float)j - row->own[0]) / sigma;
        weights[j] *= expf(-0.5f * x * x);
    }
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_local_p = {
    .name = "local_p",
    .summary = "content within a few symbols of a place that the query predicts",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .row_floats = row_floats,
    .prepare = prepare,
    .score = taco_attention_location_score,
    .weigh = weigh,
};
