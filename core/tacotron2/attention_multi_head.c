/* Several heads (Vaswani et al. 2017, "Attention Is All You Need", section 3.2.2; with
 * additive and location scores as in ESPnet's AttMultiHead*; MODEL.md, 6.19). For head i,
 * with its own rows of every layer:
 *
 *   q_i = W_i q (+ b),  k_ij = U_i m_j (+ b'),  u_ij = V_i m_j (+ b'')
 *   e_ij = q_i . k_ij, of the tanh of both with tanh    dot; / sqrt(D) scaled_dot
 *   e_ij = v_i . tanh(q_i + k_ij)                        additive
 *   e_ij = v_i . tanh(q_i + k_ij + dense_i conv_i(a_i))  location, a_i the head's weights
 *   w_i = softmax(scale e_i)
 *   context = W_o [sum_j w_1j u_1j, sum_j w_2j u_2j, ...] (+ b_o)
 *
 * What the row reports as its weights is the mean of the heads'. */
#include <math.h>
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const char *const scores[] = {"dot", "scaled_dot", "additive", "location", NULL};

static bool is_dot(const void *params) {
    const struct taco_attention_params *p = params;
    return p->head_score == TACO_HEAD_DOT || p->head_score == TACO_HEAD_SCALED_DOT;
}
static bool is_location(const void *params) {
    const struct taco_attention_params *p = params;
    return p->head_score == TACO_HEAD_LOCATION;
}

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,
    TACO_PARAM("n_heads", INT, n_heads, TACO_RANGE(1, TACO_MAX_HEADS)),
    TACO_PARAM("head_score", NAME, head_score, .names = scores),
    TACO_PARAM_DIM,
    TACO_PARAM("value_dim", INT, value_dim, TACO_RANGE(1, 8192)),
    TACO_PARAM_QUERY_BIAS,
    TACO_PARAM_MEMORY_BIAS,
    TACO_PARAM("value_bias", BOOL, value_bias, TACO_DEFAULT(false)),
    TACO_PARAM("output_bias", BOOL, output_bias, TACO_DEFAULT(false)),
    TACO_PARAM("tanh", BOOL, tanh, TACO_DEFAULT(false), TACO_IF(is_dot)),
    TACO_PARAM("location_n_filters", INT, location_n_filters, TACO_RANGE(1, 1024),
               TACO_IF(is_location)),
    TACO_PARAM("location_kernel_size", ODD, location_kernel_size, TACO_RANGE(1, 255),
               TACO_IF(is_location)),
    TACO_PARAM("start", NAME, start, TACO_DEFAULT(TACO_START_ZEROS),
               .names = taco_attention_starts, TACO_IF(is_location)),
    TACO_PARAM_SCALE,
    TACO_PARAM_END,
};

struct weights {
    struct taco_linear value_layer; /* [H dv, M] */
    struct taco_matrix output;      /* [M, H dv] */
};

struct sizes {
    size_t H, D, V; /* heads; width of a head's keys, of its values */
};

static struct sizes sizes_of(const struct taco_attention_params *p) {
    return (struct sizes){(size_t)p->n_heads, (size_t)p->dim, (size_t)p->value_dim};
}

static void add(struct taco_weight_list *w, const char *weight, const char *bias,
                int64_t n_out, int64_t n_in, bool has_bias) {
    taco_weight_add(w, weight, n_out, n_in, 0);
    if (has_bias)
        taco_weight_add(w, bias, n_out, 0, 0);
}

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *p) {
    int64_t H = p->n_heads, D = p->dim, V = p->value_dim;
    int64_t A = h->attention_rnn_dim, M = h->memory_dim;
    add(w, "query_layer.weight", "query_layer.bias", H * D, A, p->query_bias);
    add(w, "memory_layer.weight", "memory_layer.bias", H * D, M, p->memory_bias);
    add(w, "value_layer.weight", "value_layer.bias", H * V, M, p->value_bias);
    add(w, "output_layer.weight", "output_layer.bias", M, H * V, p->output_bias);
    if (!is_dot(p))
        taco_weight_add(w, "v.weight", H, D, 0);
    if (is_location(p)) {
        taco_weight_add(w, "location_conv.weight", H, p->location_n_filters,
                        p->location_kernel_size);
        taco_weight_add(w, "location_dense.weight", H, D, p->location_n_filters);
    }
}

/* a->location [H, kernel, D] */
static bool load_location(struct taco_loader *l, struct taco_attention *a) {
    struct sizes s = sizes_of(a->params);
    size_t F = (size_t)a->params->location_n_filters;
    size_t kernel = (size_t)a->params->location_kernel_size;
    const float *conv = taco_load_borrow(l, "location_conv.weight");
    const float *dense = taco_load_borrow(l, "location_dense.weight");
    float *all = taco_arena_alloc(l->arena, s.H * kernel * s.D, sizeof *all);
    if (!conv || !dense || !all)
        return false;
    for (size_t i = 0; i < s.H; i++) {
        const float *one =
            taco_load_fold(l, dense + i * s.D * F, conv + i * F * kernel, s.D, F, kernel);
        if (!one)
            return false;
        memcpy(all + i * kernel * s.D, one, kernel * s.D * sizeof *all);
    }
    a->location = all;
    a->channels = 1;
    a->kernel = a->params->location_kernel_size;
    return true;
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    const struct taco_attention_params *p = a->params;
    struct sizes s = sizes_of(p);
    struct weights *own = taco_arena_alloc(l->arena, 1, sizeof *own);
    if (!own || !taco_load_memory_layer(l, a, s.H * s.D, p->memory_bias) ||
        !taco_load_linear(l, &a->query[0], "query_layer.", s.H * s.D, a->query_dim,
                          p->query_bias) ||
        !taco_load_linear_f32(l, &own->value_layer, "value_layer.", "weight",
                              p->value_bias) ||
        !taco_load_linear(l, &own->output, "output_layer.", a->memory_dim, s.H * s.V,
                          p->output_bias))
        return false;
    a->own = own;
    a->n_query = 1;
    a->key_dim = s.H * (s.D + s.V);
    if (p->head_score == TACO_HEAD_SCALED_DOT)
        a->scale /= sqrtf((float)s.D);
    if (!is_dot(p) && !(a->v = taco_load_keep(l, "v.weight")))
        return false;
    return !is_location(p) || load_location(l, a);
}

/* Keys [H, n, D], then values [n, H V]. */
static void keys(const struct taco_attention *a, const float *memory, size_t n,
                 const int32_t *words, float *out) {
    const struct weights *own = a->own;
    struct sizes s = sizes_of(a->params);
    size_t M = a->memory_dim;
    (void)words;
    for (size_t i = 0; i < s.H; i++)
        taco_gemm(n, s.D, M, memory, a->memory_layer.weight + i * s.D * M,
                  a->memory_layer.bias ? a->memory_layer.bias + i * s.D : NULL,
                  out + i * n * s.D);
    if (a->params->tanh)
        a->kernels->tanh(out, s.H * n * s.D);
    taco_gemm(n, s.H * s.V, M, memory, own->value_layer.weight, own->value_layer.bias,
              out + s.H * n * s.D);
}

/* own: the heads' weights [H, n + 2 (kernel / 2)], padded for the convolution; their
 * energies [H, n]; tanh of the query [H D] */
static size_t stride_of(const struct taco_attention *a, size_t n) {
    return n + 2 * ((size_t)a->kernel / 2);
}
static size_t row_floats(const struct taco_attention *a, size_t n) {
    struct sizes s = sizes_of(a->params);
    return s.H * (stride_of(a, n) + n) + (a->params->tanh ? s.H * s.D : 0);
}
static float *weights_of(const struct taco_attention *a,
                         const struct taco_attention_row *row, size_t i) {
    return row->own + i * stride_of(a, row->n) + (size_t)a->kernel / 2;
}
static float *energies_of(const struct taco_attention *a,
                          const struct taco_attention_row *row, size_t i) {
    return row->own + sizes_of(a->params).H * stride_of(a, row->n) + i * row->n;
}
static float *queries_of(const struct taco_attention *a,
                         const struct taco_attention_row *row) {
    return energies_of(a, row, sizes_of(a->params).H);
}

/* row->prev shows what `start` says. */
static void start(const struct taco_attention *a, struct taco_attention_row *row) {
    for (size_t i = 0; i < sizes_of(a->params).H; i++)
        memcpy(weights_of(a, row, i), row->prev, row->n * sizeof *row->prev);
}

static void prepare(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query) {
    struct sizes s = sizes_of(a->params);
    if (!a->params->tanh)
        return;
    memcpy(queries_of(a, row), query, s.H * s.D * sizeof *query);
    a->kernels->tanh(queries_of(a, row), s.H * s.D);
}

static void score(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile) {
    struct sizes s = sizes_of(a->params);
    const struct taco_kernels *k = a->kernels;
    size_t kernel = (size_t)a->kernel;
    const float *queries = a->params->tanh ? queries_of(a, row) : query;
    first = first > row->begin ? first : row->begin;
    last = last < row->end ? last : row->end;
    for (size_t i = 0; i < s.H; i++) {
        const float *q = queries + i * s.D;
        const float *of_head = row->memory->processed_memory + i * row->n * s.D;
        float *e = energies_of(a, row, i);
        for (size_t j = first; is_dot(a->params) && j < last; j++)
            e[j] = k->dot(q, of_head + j * s.D, s.D);
        for (size_t j = first, n; !is_dot(a->params) && j < last; j += n) {
            n = last - j < TACO_ATTENTION_TILE ? last - j : TACO_ATTENTION_TILE;
            const float *in[1] = {weights_of(a, row, i) + j};
            if (a->channels)
                k->location_features(in, 1, a->kernel, a->location + i * kernel * s.D,
                                     s.D, tile, 0, n);
            k->attention_energies(q, of_head + j * s.D, a->channels ? tile : NULL,
                                  a->v + i * s.D, 0, e + j, s.D, 0, n);
        }
    }
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    size_t H = sizes_of(a->params).H;
    (void)query;
    memset(weights, 0, row->n * sizeof *weights);
    for (size_t i = 0; i < H; i++) {
        const float *e = energies_of(a, row, i);
        float *w = weights_of(a, row, i);
        memset(w, 0, row->n * sizeof *w);
        for (size_t j = row->begin; j < row->end; j++)
            w[j] = row->factor * e[j];
        a->kernels->softmax(w + row->begin, row->end - row->begin);
        for (size_t j = row->begin; j < row->end; j++)
            weights[j] += w[j] / (float)H;
    }
    taco_attention_remember(row, weights);
}

static size_t context_floats(const struct taco_attention *a) {
    struct sizes s = sizes_of(a->params);
    return s.H * s.V;
}

static void context(const struct taco_attention *a, const struct taco_attention_row *row,
                    const float *weights, float *out, float *scratch) {
    const struct weights *own = a->own;
    struct sizes s = sizes_of(a->params);
    const float *values = row->memory->processed_memory + s.H * row->n * s.D;
    (void)weights;
    for (size_t i = 0; i < s.H; i++)
        a->kernels->weighted_sum(weights_of(a, row, i), values, row->n, s.H * s.V,
                                 scratch, i * s.V, (i + 1) * s.V);
    a->kernels->matmul(&own->output, scratch, s.H * s.V, out, a->memory_dim, 1, 0,
                       own->output.n_blocks, NULL);
}

static const float *head(const struct taco_attention *a,
                         const struct taco_attention_row *row, size_t i) {
    return weights_of(a, row, i);
}

const struct taco_attention_mechanism taco_attention_multi_head = {
    .name = "multi_head",
    .summary = "several heads, each with a look of its own",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .keys = keys,
    .row_floats = row_floats,
    .start = start,
    .prepare = prepare,
    .score = score,
    .weigh = weigh,
    .context = context,
    .context_floats = context_floats,
    .head = head,
};
