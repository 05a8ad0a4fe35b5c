/* Location-based attention (Chorowski et al. 2015, section 2.1, with the content of each
 * symbol; MODEL.md, 6.7):
 *
 *   e_j = v . tanh(U m_j (+ b) + V f_j),  f = conv(channels): no query
 *
 * What the decoder has said does not count, only where the last steps looked. */
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,       TACO_PARAM_DIM,         TACO_PARAMS_LOCATION,
    TACO_PARAM_NORMALISER, TACO_PARAM_MEMORY_BIAS, TACO_PARAM_V_BIAS,
    TACO_PARAM_SCALE,      TACO_PARAMS_WINDOW,     TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_attention_key_tensors(w, h, params);
    taco_attention_feature_tensors(w, params);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t D = (size_t)a->params->dim;
    float *zeros = taco_arena_alloc(l->arena, D, sizeof *zeros);
    if (!zeros)
        return false;
    memset(zeros, 0, D * sizeof *zeros);
    a->fixed_query = zeros;
    return taco_attention_key_load(l, a) && taco_attention_feature_load(l, a);
}

const struct taco_attention_mechanism taco_attention_location_only = {
    .name = "location_only",
    .summary = "location alone: the decoder's own state does not count",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
