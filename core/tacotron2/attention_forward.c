/* Forward attention (Zhang et al. 2018, "Forward Attention in Sequence-to-sequence
 * Acoustic Modelling for Speech Synthesis"; MODEL.md, 6.3) on location energies, p =
 * normaliser(e):
 *
 *   coqui:  w_j = ((1 - u) a_j + u a_{j-1} + 1e-8) p_j, a = [1, 1e-7, ...] at first; s +=
 * p espnet: w_j = max((a_j + a_{j-1}) p_j, 1e-6), with a transition agent w_j = max((u
 * a_j + (1 - u) a_{j-1}) p_j, 1e-6), a = one-hot at first; s += w w /= sum of w
 *
 * u = 1/2 at first, then sigmoid(W_ta [context, h1] + b) (coqui) or
 * sigmoid(W_ta [context, frame before, q] + b) (espnet) with a transition agent. */
#include <math.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

struct weights {
    const float *transition; /* [M + A] or [M + n_mels + A]; NULL without an agent */
    float bias;
};

static const char *const rules[] = {"coqui", "espnet", NULL};

static bool is_coqui(const void *params) {
    const struct taco_attention_params *p = params;
    return p->forward_rule == TACO_FORWARD_COQUI;
}

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM_DIM,
    TACO_PARAMS_LOCATION,
    TACO_PARAM_NORMALISER,
    TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM_V_BIAS,
    TACO_PARAM_SCALE,
    TACO_PARAM("forward_rule", NAME, forward_rule, .names = rules),
    TACO_PARAM("forward_mask", BOOL, forward_mask, TACO_DEFAULT(false),
               TACO_IF(is_coqui)),
    TACO_PARAM("transition_agent", BOOL, transition_agent, TACO_DEFAULT(false)),
    TACO_PARAMS_WINDOW,
    TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    int64_t frame = is_coqui(params) ? 0 : h->n_mels;
    taco_attention_location_tensors(w, h, params);
    if (params->transition_agent) {
        taco_weight_add(w, "transition_agent.weight", 1,
                        h->memory_dim + frame + h->attention_rnn_dim, 0);
        taco_weight_add(w, "transition_agent.bias", 1, 0, 0);
    }
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    struct weights *own = taco_arena_alloc(l->arena, 1, sizeof *own);
    if (!own || !taco_attention_location_load(l, a))
        return false;
    *own = (struct weights){0};
    a->own = own;
    if (!a->params->transition_agent)
        return true;
    own->transition = taco_load_keep(l, "transition_agent.weight");
    return own->transition && taco_load_scalar(l, &own->bias, "transition_agent.bias");
}

/* own: u, the transition agent's probability */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)a, (void)n;
    return 1;
}

static void start(const struct taco_attention *a, struct taco_attention_row *row) {
    (void)a;
    row->own[0] = 0.5f;
}

/* The weights of the step before, a_j; the rules' own start at the first step. */
static float before(const struct taco_attention_row *row, bool coqui, size_t j) {
    if (row->step > 0)
        return row->prev[j];
    return j == 0 ? 1.0f : coqui ? 1e-7f : 0.0f;
}

/* Coqui's forward_attn_mask: n = argmax of the shifted weights; of w, only n - 1 to n + 2
 * stay, and n - 2 becomes a hundredth of the largest. Its Python counts indices below
 * zero from the end: for n = 0 everything but the last symbol is cleared, and for n < 2
 * the hundredth goes to one of the last two. */
static void mask(float *w, size_t n_symbols, size_t n, float largest) {
    size_t cleared = n == 0 ? n_symbols - 1 : n - 1;
    for (size_t j = n + 3; j < n_symbols; j++)
        w[j] = 0;
    for (size_t j = 0; j < cleared; j++)
        w[j] = 0;
    if (n >= 2)
        w[n - 2] = 0.01f * largest;
    else if (n_symbols + n >= 2)
        w[n_symbols + n - 2] = 0.01f * largest;
}

static void recur_coqui(const struct taco_attention_row *row, bool masked, float *w) {
    float u = row->own[0], left = 0, best = -1, largest = 0;
    size_t at = 0;
    for (size_t j = 0; j < row->n; j++) {
        float here = before(row, true, j);
        w[j] *= (1.0f - u) * here + u * left + 1e-8f;
        largest = w[j] > largest ? w[j] : largest;
        if (left > best) {
            best = left;
            at = j;
        }
        left = here;
    }
    if (masked)
        mask(w, row->n, at, largest);
}

static void recur_espnet(const struct taco_attention_row *row, bool agent, float *w) {
    float u = row->own[0], left = 0;
    float stay = agent ? u : 1.0f, move = agent ? 1.0f - u : 1.0f;
    for (size_t j = 0; j < row->n; j++) {
        float here = before(row, false, j);
        w[j] = fmaxf((stay * here + move * left) * w[j], 1e-6f);
        left = here;
    }
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    bool coqui = is_coqui(a->params);
    (void)query;
    taco_attention_normalise(a, row, weights);
    if (coqui) /* its sum is of the weights before the recursion */
        taco_attention_accumulate(a, row, weights);
    if (coqui)
        recur_coqui(row, a->params->forward_mask, weights);
    else
        recur_espnet(row, a->params->transition_agent, weights);
    float sum = 0;
    for (size_t j = 0; j < row->n; j++)
        sum += weights[j];
    if (sum > 0)
        for (size_t j = 0; j < row->n; j++)
            weights[j] /= sum;
    if (!coqui)
        taco_attention_accumulate(a, row, weights);
    taco_attention_remember(row, weights);
}

static void transit(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *context, const float *x, const float *frame) {
    const struct weights *own = a->own;
    const struct taco_kernels *k = a->kernels;
    const float *w = own->transition;
    if (!w)
        return;
    float u = own->bias + k->dot(w, context, a->memory_dim);
    w += a->memory_dim;
    if (!is_coqui(a->params)) {
        u += k->dot(w, frame, a->n_mels);
        w += a->n_mels;
    }
    u += k->dot(w, x, a->query_dim);
    row->own[0] = 1.0f / (1.0f + expf(-u));
}

const struct taco_attention_mechanism taco_attention_forward = {
    .name = "forward",
    .summary = "location with a recurrence that only stays or moves on",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .row_floats = row_floats,
    .start = start,
    .score = taco_attention_location_score,
    .weigh = weigh,
    .transit = transit,
};
