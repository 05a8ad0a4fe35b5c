/* Coverage (See et al. 2017, "Get To The Point"; ESPnet's AttCov; MODEL.md, 6.9):
 *
 *   e_j = v . tanh(W q + U m_j (+ b) + w_c S_j) (+ b_v),  S_j the sum of the weights before
 *
 * A location feature of one tap over the sum: what has been read is known, not in which
 * order. */
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM_DIM,
    TACO_PARAM("start", NAME, start, TACO_DEFAULT(TACO_START_ZEROS),
               .names = taco_attention_starts),
    TACO_PARAM("start_in_sum", BOOL, start_in_sum, TACO_DEFAULT(false)),
    TACO_PARAM_NORMALISER,
    TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS,
    TACO_PARAM_SCALE,
    TACO_PARAMS_WINDOW,
    TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_attention_location_tensors(w, h, params);
    taco_weight_add(w, "coverage_layer.weight", params->dim, 0, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    a->sees_cum = true;
    a->channels = a->kernel = 1;
    a->location = taco_load_keep(l, "coverage_layer.weight");
    return a->location && taco_attention_location_load(l, a);
}

const struct taco_attention_mechanism taco_attention_coverage = {
    .name = "coverage",
    .summary = "content, and how much of each symbol has been read",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
