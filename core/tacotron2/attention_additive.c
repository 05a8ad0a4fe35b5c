/* Additive, content-based attention (Bahdanau et al. 2014, "Neural Machine Translation by
 * Jointly Learning to Align and Translate"; MODEL.md, 6.6):
 *
 *   e_j = v . tanh(W q + U m_j (+ b)) (+ b_v),  w = softmax(e)
 *
 * Location energies without location features. Nothing tells two equal sounds apart. */
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,   TACO_PARAM_DIM,   TACO_PARAM_NORMALISER, TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS, TACO_PARAM_SCALE, TACO_PARAMS_WINDOW,    TACO_PARAM_END,
};

const struct taco_attention_mechanism taco_attention_additive = {
    .name = "additive",
    .summary = "content alone: loses its place where a sound comes again",
    .settings = settings,
    .tensors = taco_attention_location_tensors,
    .load = taco_attention_location_load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
