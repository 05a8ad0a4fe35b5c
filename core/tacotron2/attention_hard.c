/* Hard attention (Xu et al. 2015, "Show, Attend and Tell", section 4.1; MODEL.md, 6.14):
 * location energies, and one symbol takes it all:
 *
 *   p = normaliser(e),  w = one at argmax p; with draw, at a symbol drawn from p
 *
 * The draw is a function of (seed, chunk, step). Location features see the one-hot
 * weights. */
#include "base/rng.h"
#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,        TACO_PARAM_DIM,
    TACO_PARAMS_LOCATION,   TACO_PARAM_NORMALISER,
    TACO_PARAM_MEMORY_BIAS, TACO_PARAM_V_BIAS,
    TACO_PARAM_SCALE,       TACO_PARAM("draw", BOOL, draw, TACO_DEFAULT(false)),
    TACO_PARAMS_WINDOW,     TACO_PARAM_END,
};

/* The symbol at which the running sum of p first exceeds u; the last with p > 0 where
 * rounding leaves the sum below u. */
static size_t draw(const struct taco_attention_row *row, const float *p) {
    struct taco_rng_key key = {row->seed, row->chunk, TACO_RNG_ATTENTION};
    float u, sum = 0;
    size_t at = row->begin;
    taco_rng_uniform(&key, (uint32_t)row->step, 0, 1, &u);
    for (size_t j = row->begin; j < row->end; j++) {
        sum += p[j];
        at = p[j] > 0 ? j : at;
        if (sum > u)
            break;
    }
    return at;
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    (void)query;
    taco_attention_normalise(a, row, weights);
    size_t at = a->params->draw ? draw(row, weights) : taco_argmax(weights, row->n);
    taco_attention_one_hot(row, at, weights);
    taco_attention_accumulate(a, row, weights);
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_hard = {
    .name = "hard",
    .summary = "one symbol a step, the likeliest or a drawn one",
    .settings = settings,
    .tensors = taco_attention_location_tensors,
    .load = taco_attention_location_load,
    .score = taco_attention_location_score,
    .weigh = weigh,
};
