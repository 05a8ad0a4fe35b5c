/* Luong's general (Luong et al. 2015, section 3.1; MODEL.md, 6.12):
 *
 *   e_j = q' W m_j,  w = softmax(scale e)
 *
 * W m_j is computed once a text; the query needs no layer. */
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,    TACO_PARAM_NORMALISER, TACO_PARAM_SCALE,
    TACO_PARAMS_WINDOW, TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    (void)params;
    taco_weight_add(w, "memory_layer.weight", h->attention_rnn_dim, h->memory_dim, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    return taco_load_memory_layer(l, a, a->query_dim, false);
}

const struct taco_attention_mechanism taco_attention_general = {
    .name = "general",
    .summary = "content alone, by one matrix between query and memory",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .score = taco_attention_dot_score,
    .weigh = taco_attention_weigh,
};
