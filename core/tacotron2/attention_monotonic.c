/* Hard monotonic attention (Raffel et al. 2017, "Online and Linear-Time Attention by
 * Enforcing Monotonic Alignments", section 2.2, as it runs at inference; MODEL.md, 6.15):
 * location energies, and from the last place on
 *
 *   w = one at the first j with s(e_j) >= 1/2; all 0 where there is none
 *
 * s is the logistic function, so the test is e_j >= 0. A step without a choice gives an
 * empty context, and the place stays. */
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,   TACO_PARAM_DIM,   TACO_PARAMS_LOCATION, TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS, TACO_PARAM_SCALE, TACO_PARAM_END,
};

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    size_t j = row->argmax > row->begin ? row->argmax : row->begin;
    while (j < row->end && !(row->energies[j] >= 0))
        j++;
    if (j < row->end)
        taco_attention_one_hot(row, j, weights);
    else
        memset(weights, 0, row->n * sizeof *weights);
    taco_attention_accumulate(a, row, weights);
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_monotonic = {
    .name = "monotonic",
    .summary = "one symbol a step and never back: may skip, cannot repeat",
    .settings = settings,
    .tensors = taco_attention_location_tensors,
    .load = taco_attention_location_load,
    .score = taco_attention_location_score,
    .weigh = weigh,
};
