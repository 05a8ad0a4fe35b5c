/* Local attention with a place that moves on (Luong et al. 2015, section 3.2, local-m, for
 * speech, where a symbol lasts many steps; MODEL.md, 6.17):
 *
 *   p  += pace, or with pace_learnt softplus(w_p . q + b_p); at most T - 1, 0 at first
 *   e_j = v . tanh(W q + U m_j (+ b)) (+ b_v)   for |j - p| <= D,   w = softmax(e) there
 *
 * D is local_width, T the symbols of the text. */
#include <math.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static bool has_pace(const void *params) {
    const struct taco_attention_params *p = params;
    return !p->pace_learnt;
}

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM_DIM,
    TACO_PARAM_LOCAL_WIDTH,
    TACO_PARAM("pace_learnt", BOOL, pace_learnt, TACO_DEFAULT(false)),
    TACO_PARAM("pace", REAL, pace, TACO_RANGE(0, 16), TACO_IF(has_pace)),
    TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS,
    TACO_PARAM_SCALE,
    TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_attention_location_tensors(w, h, params);
    if (params->pace_learnt) {
        taco_weight_add(w, "pace_layer.weight", 1, h->attention_rnn_dim, 0);
        taco_weight_add(w, "pace_layer.bias", 1, 0, 0);
    }
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t D = (size_t)a->params->dim;
    static const char *const parts[2] = {"query_layer.", "pace_layer."};
    a->n_query = 1;
    return taco_attention_key_load(l, a) &&
           taco_load_stacked(l, &a->query[0], a->params->pace_learnt ? 2 : 1, parts,
                             (size_t[]){D, 1}, a->query_dim, (bool[]){false, true});
}

/* own: p */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)a, (void)n;
    return 1;
}

static void prepare(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query) {
    float p = a->params->pace * (float)(row->step + 1);
    if (a->params->pace_learnt) {
        float x = query[a->params->dim];
        p = row->own[0] + (x > 20.0f ? x : log1pf(expf(x)));
    }
    row->own[0] = fminf(p, (float)(row->n - 1));
    taco_attention_local_window(a, row, row->own[0]);
}

const struct taco_attention_mechanism taco_attention_local_m = {
    .name = "local_m",
    .summary = "content within a few symbols of a place that moves on by itself",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .row_floats = row_floats,
    .prepare = prepare,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
