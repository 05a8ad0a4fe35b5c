/* Dot products (Luong et al. 2015, section 3.1; ESPnet's AttDot with tanh; MODEL.md,
 * 6.11):
 *
 *   e_j = (W q (+ b)) . (U m_j (+ b')),  or the tanh of both
 *   e_j = q . m_j                        with matrices: false, A = M
 *   w   = softmax(scale e) */
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static bool has_matrices(const void *params) {
    const struct taco_attention_params *p = params;
    return p->matrices;
}

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM("matrices", BOOL, matrices, TACO_DEFAULT(true)),
    TACO_PARAM("dim", INT, dim, TACO_RANGE(1, 8192), TACO_IF(has_matrices)),
    TACO_PARAM("query_bias", BOOL, query_bias, TACO_DEFAULT(false),
               TACO_IF(has_matrices)),
    TACO_PARAM("memory_bias", BOOL, memory_bias, TACO_DEFAULT(false),
               TACO_IF(has_matrices)),
    TACO_PARAM("tanh", BOOL, tanh, TACO_DEFAULT(false), TACO_IF(has_matrices)),
    TACO_PARAM_NORMALISER,
    TACO_PARAM_SCALE,
    TACO_PARAMS_WINDOW,
    TACO_PARAM_END,
};

static enum taco_status check(const struct taco_config_reader *r,
                              const struct taco_attention_params *params,
                              const struct taco_hparams *h) {
    if (params->matrices || h->attention_rnn_dim == h->memory_dim)
        return TACO_OK;
    return taco_config_fail(
        r, TACO_ERR_FORMAT, "matrices",
        "may be false only where attention_rnn_dim is the memory's width");
}

void taco_attention_dot_tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                                const struct taco_attention_params *params) {
    int64_t D = params->dim;
    taco_weight_add(w, "query_layer.weight", D, h->attention_rnn_dim, 0);
    if (params->query_bias)
        taco_weight_add(w, "query_layer.bias", D, 0, 0);
    taco_weight_add(w, "memory_layer.weight", D, h->memory_dim, 0);
    if (params->memory_bias)
        taco_weight_add(w, "memory_layer.bias", D, 0, 0);
}

bool taco_attention_dot_load(struct taco_loader *l, struct taco_attention *a) {
    const struct taco_attention_params *p = a->params;
    size_t D = (size_t)p->dim;
    a->n_query = 1;
    return taco_load_linear(l, &a->query[0], "query_layer.", D, a->query_dim,
                            p->query_bias) &&
           taco_load_memory_layer(l, a, D, p->memory_bias);
}

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    if (params->matrices)
        taco_attention_dot_tensors(w, h, params);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    if (a->params->matrices)
        return taco_attention_dot_load(l, a);
    a->key_dim = a->memory_dim;
    return true;
}

static void keys(const struct taco_attention *a, const float *memory, size_t n,
                 const int32_t *words, float *out) {
    taco_attention_keys(a, memory, n, words, out);
    if (a->params->tanh)
        a->kernels->tanh(out, n * a->key_dim);
}

/* own: tanh of the query [D] */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)n;
    return a->params->tanh ? a->key_dim : 0;
}

static void prepare(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query) {
    if (!a->params->tanh)
        return;
    memcpy(row->own, query, a->key_dim * sizeof *query);
    a->kernels->tanh(row->own, a->key_dim);
}

void taco_attention_dot_score(const struct taco_attention *a,
                              struct taco_attention_row *row, const float *query,
                              size_t first, size_t last, float *tile) {
    (void)tile;
    size_t D = a->key_dim;
    const float *q = a->params->tanh ? row->own : query;
    first = first > row->begin ? first : row->begin;
    last = last < row->end ? last : row->end;
    for (size_t j = first; j < last; j++)
        row->energies[j] = a->kernels->dot(q, row->memory->processed_memory + j * D, D);
}

const struct taco_attention_mechanism taco_attention_dot = {
    .name = "dot",
    .summary = "content alone, by the product of query and memory",
    .settings = settings,
    .check = check,
    .tensors = tensors,
    .load = load,
    .keys = keys,
    .row_floats = row_floats,
    .prepare = prepare,
    .score = taco_attention_dot_score,
    .weigh = taco_attention_weigh,
};
