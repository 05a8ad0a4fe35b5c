/* Stepwise monotonic attention (He et al. 2019, "Robust Sequence-to-Sequence Acoustic
 * Modeling with Stepwise Monotonic Attention for Neural TTS", section 3, as it runs at
 * inference; MODEL.md, 6.16): location energies, and
 *
 *   w = one at the place before where s(e) >= 1/2 there, else one symbol further on
 *
 * The last symbol is never left. Only one energy a step is needed. */
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,   TACO_PARAM_DIM,   TACO_PARAMS_LOCATION, TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS, TACO_PARAM_SCALE, TACO_PARAM_END,
};

static void score(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile) {
    if (row->argmax >= first && row->argmax < last)
        taco_attention_energies(a, row, query, row->argmax, row->argmax + 1, tile);
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    size_t at = row->argmax;
    if (at + 1 < row->n && !(row->energies[at] >= 0))
        at++;
    taco_attention_one_hot(row, at, weights);
    taco_attention_accumulate(a, row, weights);
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_stepwise = {
    .name = "stepwise",
    .summary =
        "one symbol a step, to stay or to move on by one: can neither skip nor repeat",
    .settings = settings,
    .tensors = taco_attention_location_tensors,
    .load = taco_attention_location_load,
    .score = score,
    .weigh = weigh,
};
