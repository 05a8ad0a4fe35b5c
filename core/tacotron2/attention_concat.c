/* Luong's concat (Luong et al. 2015, "Effective Approaches to Attention-based Neural
 * Machine Translation", section 3.1; MODEL.md, 6.10):
 *
 *   e_j = v . tanh(W [q, m_j]),  w = softmax(e)
 *
 * W's columns fall into a query layer and a memory layer: additive attention in one
 * matrix. */
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,  TACO_PARAM_DIM,     TACO_PARAM_NORMALISER,
    TACO_PARAM_SCALE, TACO_PARAMS_WINDOW, TACO_PARAM_END,
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    taco_weight_add(w, "concat_layer.weight", params->dim,
                    h->attention_rnn_dim + h->memory_dim, 0);
    taco_weight_add(w, "v.weight", params->dim, 0, 0);
}

/* Columns [first, first + n) of x [D, stride]. */
static const float *columns(struct taco_arena *arena, const float *x, size_t D,
                            size_t stride, size_t first, size_t n) {
    float *out = taco_arena_alloc(arena, D * n, sizeof *out);
    for (size_t i = 0; out && i < D; i++)
        memcpy(&out[i * n], &x[i * stride + first], n * sizeof *out);
    return out;
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t D = (size_t)a->params->dim, A = a->query_dim, M = a->memory_dim;
    const float *whole = taco_load_borrow(l, "concat_layer.weight");
    const float *query = whole ? columns(&l->scratch, whole, D, A + M, 0, A) : NULL;
    a->n_query = 1;
    a->key_dim = D;
    a->memory_layer.weight = query ? columns(l->arena, whole, D, A + M, A, M) : NULL;
    a->v = taco_load_keep(l, "v.weight");
    return a->v && a->memory_layer.weight &&
           taco_load_pack(l, &a->query[0], D, 1, &query, &A, NULL, TACO_PRECISION_F32);
}

const struct taco_attention_mechanism taco_attention_concat = {
    .name = "concat",
    .summary = "content alone, query and memory through one matrix",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .score = taco_attention_location_score,
    .weigh = taco_attention_weigh,
};
