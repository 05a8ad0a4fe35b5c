/* Scaled dot products (Vaswani et al. 2017, "Attention Is All You Need", section 3.2.1;
 * MODEL.md, 6.11):
 *
 *   e_j = (W q (+ b)) . (U m_j (+ b')) / sqrt(D),  w = softmax(scale e) */
#include <math.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,        TACO_PARAM_DIM,        TACO_PARAM_QUERY_BIAS,
    TACO_PARAM_MEMORY_BIAS, TACO_PARAM_NORMALISER, TACO_PARAM_SCALE,
    TACO_PARAMS_WINDOW,     TACO_PARAM_END,
};

static bool load(struct taco_loader *l, struct taco_attention *a) {
    a->scale /= sqrtf((float)a->params->dim);
    return taco_attention_dot_load(l, a);
}

const struct taco_attention_mechanism taco_attention_scaled_dot = {
    .name = "scaled_dot",
    .summary = "content alone, by the scaled product of query and memory",
    .settings = settings,
    .tensors = taco_attention_dot_tensors,
    .load = load,
    .score = taco_attention_dot_score,
    .weigh = taco_attention_weigh,
};
