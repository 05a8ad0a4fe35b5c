/* Location-sensitive attention (Chorowski et al. 2015, "Attention-Based Models for Speech
 * Recognition", as in Shen et al. 2018, section 2.2; MODEL.md, 6.1):
 *
 *   e_j = v . tanh(W_q q + W_m m_j + b_m + W_loc f_j) + b_v,  f = conv(channels)
 *   w = softmax(e), or s(e) / sum of s(e)
 *   s += w, a = w */
#include <float.h>
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

void taco_attention_key_tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                                const struct taco_attention_params *params) {
    taco_weight_add(w, "memory_layer.weight", params->dim, h->memory_dim, 0);
    if (params->memory_bias)
        taco_weight_add(w, "memory_layer.bias", params->dim, 0, 0);
    taco_weight_add(w, "v.weight", params->dim, 0, 0);
    if (params->v_bias)
        taco_weight_add(w, "v.bias", 1, 0, 0);
}

void taco_attention_feature_tensors(struct taco_weight_list *w,
                                    const struct taco_attention_params *params) {
    int64_t F = params->location_n_filters;
    if (F == 0)
        return;
    taco_weight_add(w, "location_conv.weight", F,
                    params->location_prev + params->location_cum,
                    params->location_kernel_size);
    taco_weight_add(w, "location_dense.weight", params->dim, F, 0);
}

void taco_attention_location_tensors(struct taco_weight_list *w,
                                     const struct taco_hparams *h,
                                     const struct taco_attention_params *params) {
    taco_weight_add(w, "query_layer.weight", params->dim, h->attention_rnn_dim, 0);
    taco_attention_key_tensors(w, h, params);
    taco_attention_feature_tensors(w, params);
}

bool taco_attention_key_load(struct taco_loader *l, struct taco_attention *a) {
    const struct taco_attention_params *p = a->params;
    a->v = taco_load_keep(l, "v.weight");
    return a->v && (!p->v_bias || taco_load_scalar(l, &a->v_bias, "v.bias")) &&
           taco_load_memory_layer(l, a, (size_t)p->dim, p->memory_bias);
}

bool taco_attention_feature_load(struct taco_loader *l, struct taco_attention *a) {
    const struct taco_attention_params *p = a->params;
    if (p->location_n_filters == 0)
        return true;
    a->sees_prev = p->location_prev;
    a->sees_cum = p->location_cum;
    a->channels = p->location_prev + p->location_cum;
    a->kernel = p->location_kernel_size;
    a->location =
        taco_load_fold(l, taco_load_borrow(l, "location_dense.weight"),
                       taco_load_borrow(l, "location_conv.weight"), (size_t)p->dim,
                       (size_t)p->location_n_filters, (size_t)(a->channels * a->kernel));
    return a->location != NULL;
}

bool taco_attention_location_load(struct taco_loader *l, struct taco_attention *a) {
    a->n_query = 1;
    return taco_load_linear(l, &a->query[0], "query_layer.", (size_t)a->params->dim,
                            a->query_dim, false) &&
           taco_attention_key_load(l, a) && taco_attention_feature_load(l, a);
}

void taco_attention_energies(const struct taco_attention *a,
                             struct taco_attention_row *row, const float *query,
                             size_t first, size_t last, float *tile) {
    const struct taco_kernels *k = a->kernels;
    size_t D = (size_t)a->params->dim;
    const float *channels[2] = {a->sees_prev ? row->prev : row->cum, row->cum};
    query = a->fixed_query ? a->fixed_query : query;
    while (first < last) {
        size_t n =
            last - first < TACO_ATTENTION_TILE ? last - first : TACO_ATTENTION_TILE;
        if (a->channels) {
            const float *in[2];
            for (int c = 0; c < a->channels; c++)
                in[c] = channels[c] + first;
            k->location_features(in, a->channels, a->kernel, a->location, D, tile, 0, n);
        }
        k->attention_energies(query, row->memory->processed_memory + first * D,
                              a->channels ? tile : NULL, a->v, a->v_bias,
                              row->energies + first, D, 0, n);
        first += n;
    }
}

void taco_attention_location_score(const struct taco_attention *a,
                                   struct taco_attention_row *row, const float *query,
                                   size_t first, size_t last, float *tile) {
    taco_attention_energies(a, row, query, first > row->begin ? first : row->begin,
                            last < row->end ? last : row->end, tile);
}

void taco_attention_normalise(const struct taco_attention *a,
                              struct taco_attention_row *row, float *p) {
    const struct taco_kernels *k = a->kernels;
    size_t n = row->end - row->begin;
    taco_attention_window_energies(row);
    memset(p, 0, row->n * sizeof *p);
    float *in = p + row->begin;
    for (size_t j = 0; j < n; j++)
        in[j] = row->factor * row->energies[row->begin + j];
    if (a->params->normaliser == TACO_NORMALISER_SOFTMAX) {
        k->softmax(in, n);
        return;
    }
    k->sigmoid(in, n);
    float sum = 0;
    for (size_t j = 0; j < n; j++)
        sum += in[j];
    sum = sum > FLT_MIN ? sum
                        : FLT_MIN; /* all energies below -87: no weights, and no NaN */
    for (size_t j = 0; j < n; j++)
        in[j] /= sum;
}

const struct taco_attention_mechanism taco_attention_location = {
    .name = "location",
    .summary = "content and location: what is said, and where the last step looked",
    .settings = settings,
    .tensors = taco_attention_location_tensors,
    .load = taco_attention_location_load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
