/* Dynamic convolution attention (Battenberg et al. 2020, "Location-Relative Attention
 * Mechanisms for Robust Long-Form Speech Synthesis"; MODEL.md, 6.5). G = the query, one
 * kernel a filter:
 *
 *   e_j = v . tanh(W_static (conv * a)_j + W_dynamic (G * a)_j + b_dynamic)
 *         + ln(max(sum_i prior_i a_{j - (L-1) + i}, 1e-6)),  w = softmax(e)
 *
 * Both convolutions see the same a with the same kernel width, so a step folds its G and
 * W_dynamic into one matrix with the static part, and convolves once. */
#include <math.h>
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

struct weights {
    const float *dynamic_weight; /* [n_filters, D]: W_dynamic transposed */
    const float *dynamic_bias;   /* [D] */
    const float *prior;          /* [prior_length] */
};

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM_DIM,
    TACO_PARAM("dynamic_n_filters", INT, dynamic_n_filters, TACO_RANGE(1, 256)),
    TACO_PARAM("dynamic_kernel_size", ODD, dynamic_kernel_size, TACO_RANGE(1, 255)),
    TACO_PARAM("prior_length", INT, prior_length, TACO_RANGE(1, 255)),
    TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    int64_t A = h->attention_rnn_dim, D = params->dim;
    int64_t F = params->dynamic_n_filters, kernel = params->dynamic_kernel_size;
    taco_weight_add(w, "query_layer.weight", D, A, 0);
    taco_weight_add(w, "query_layer.bias", D, 0, 0);
    taco_weight_add(w, "v.weight", D, 0, 0);
    taco_weight_add(w, "key_layer.weight", F * kernel, D, 0);
    taco_weight_add(w, "static_conv.weight", F, kernel, 0);
    taco_weight_add(w, "static_layer.weight", D, F, 0);
    taco_weight_add(w, "dynamic_layer.weight", D, F, 0);
    taco_weight_add(w, "dynamic_layer.bias", D, 0, 0);
    taco_weight_add(w, "prior", params->prior_length, 0, 0);
}

/* The key layer's rows are put into the order [tap][filter], so that a step finds the
 * filters' values for one tap side by side. */
static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t A = a->query_dim, D = (size_t)a->params->dim;
    size_t F = (size_t)a->params->dynamic_n_filters;
    size_t kernel = (size_t)a->params->dynamic_kernel_size;
    a->n_query = 2;
    a->channels = 1;
    a->kernel = a->params->dynamic_kernel_size;
    struct weights *own = taco_arena_alloc(l->arena, 1, sizeof *own);
    if (!own || !taco_load_linear(l, &a->query[0], "query_layer.", D, A, true))
        return false;
    const float *key = taco_load_borrow(l, "key_layer.weight");
    float *by_tap = taco_arena_alloc(&l->scratch, F * kernel * D, sizeof *by_tap);
    if (!key || !by_tap)
        return false;
    for (size_t f = 0; f < F; f++)
        for (size_t k = 0; k < kernel; k++)
            memcpy(&by_tap[(k * F + f) * D], &key[(f * kernel + k) * D], D * sizeof *key);
    if (!taco_load_pack(l, &a->query[1], F * kernel, 1, (const float *const[]){by_tap},
                        &D, NULL, TACO_PRECISION_F32))
        return false;
    a->v = taco_load_keep(l, "v.weight");
    a->location = taco_load_fold(l, taco_load_borrow(l, "static_layer.weight"),
                                 taco_load_borrow(l, "static_conv.weight"), D, F, kernel);
    own->dynamic_weight =
        taco_load_transpose(l, taco_load_borrow(l, "dynamic_layer.weight"), D, F);
    own->dynamic_bias = taco_load_keep(l, "dynamic_layer.bias");
    own->prior = taco_load_keep(l, "prior");
    a->own = own;
    return a->v && a->location && own->dynamic_weight && own->dynamic_bias && own->prior;
}

/* own: this step's filters [kernel, D], static and dynamic in one */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)n;
    return (size_t)a->kernel * (size_t)a->params->dim;
}

static void start(const struct taco_attention *a, struct taco_attention_row *row) {
    (void)a;
    row->prev[0] = 1.0f;
}

/* filters[k, d] = static[k, d] + sum_f W_dynamic[d, f] G[k, f] */
static void prepare(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query) {
    const struct weights *own = a->own;
    size_t D = (size_t)a->params->dim, kernel = (size_t)a->kernel;
    size_t F = (size_t)a->params->dynamic_n_filters;
    for (size_t k = 0; k < kernel; k++) {
        float *out = &row->own[k * D];
        a->kernels->weighted_sum(&query[k * F], own->dynamic_weight, F, D, out, 0, D);
        for (size_t d = 0; d < D; d++)
            out[d] += a->location[k * D + d];
    }
}

/* The prior's filter ends at j: it lets the attention go on by 0 to L - 1 symbols. */
static float log_prior(const struct taco_attention *a,
                       const struct taco_attention_row *row, size_t j) {
    size_t L = (size_t)a->params->prior_length;
    const struct weights *own = a->own;
    float sum = 0;
    for (size_t i = j + 1 < L ? L - 1 - j : 0; i < L; i++)
        sum += own->prior[i] * row->prev[j + i - (L - 1)];
    return logf(sum > 1e-6f ? sum : 1e-6f);
}

static void score(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile) {
    const struct weights *own = a->own;
    const struct taco_kernels *k = a->kernels;
    size_t D = (size_t)a->params->dim;
    (void)query;
    while (first < last) {
        size_t n =
            last - first < TACO_ATTENTION_TILE ? last - first : TACO_ATTENTION_TILE;
        const float *in[1] = {row->prev + first};
        k->location_features(in, 1, a->kernel, row->own, D, tile, 0, n);
        k->attention_energies(own->dynamic_bias, tile, NULL, a->v, 0,
                              row->energies + first, D, 0, n);
        for (size_t j = first; j < first + n; j++)
            row->energies[j] += log_prior(a, row, j);
        first += n;
    }
}

const struct taco_attention_mechanism taco_attention_dynamic_convolution = {
    .name = "dynamic_convolution",
    .query_activation = TACO_ACTIVATION_TANH,
    .summary =
        "location alone, through filters that the query makes; a prior moves it on",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .row_floats = row_floats,
    .start = start,
    .prepare = prepare,
    .score = score,
    .weigh = taco_attention_weigh,
};
