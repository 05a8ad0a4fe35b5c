/* Static attention: one query for the whole text (MODEL.md, 6.8):
 *
 *   e_j = v . tanh(q_0 + U m_j (+ b)) (+ b_v),  w = softmax(e), the same at every step
 *
 * With v = 0 every symbol weighs 1 / T (ESPnet's NoAtt). It cannot speak: the decoder sees
 * one context all the time. It is there to be seen. */
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,   TACO_PARAM_DIM,   TACO_PARAM_NORMALISER, TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS, TACO_PARAM_SCALE, TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_weight_add(w, "query", params->dim, 0, 0);
    taco_attention_key_tensors(w, h, params);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    a->fixed_query = taco_load_keep(l, "query");
    return a->fixed_query && taco_attention_key_load(l, a);
}

const struct taco_attention_mechanism taco_attention_static = {
    .name = "static",
    .summary = "the same weights at every step: cannot speak, by design",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
