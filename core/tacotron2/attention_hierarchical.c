/* Two layers, words over symbols (Yang et al. 2016, "Hierarchical Attention Networks for
 * Document Classification", with a query; MODEL.md, 6.18):
 *
 *   e_j = v . tanh(W q + U m_j)                              symbols
 *   E_k = v' . tanh(W' q + U' mean of m_j over word k)       words
 *   w_j = softmax(E)_k softmax(e within word k)_j            j in word k
 *
 * The keys of words stand behind those of symbols. */
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/attention_keys.h"
#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static enum taco_status read_word_ends(const struct taco_config_reader *r,
                                       const struct taco_config_key *key,
                                       const json_t *value) {
    struct taco_attention_params *params = r->target;
    size_t n = json_array_size(value);
    bool good = n >= 1 && n <= TACO_MAX_WORD_ENDS;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *id = json_array_get(value, i);
        json_int_t x = json_integer_value(id);
        good = json_is_integer(id) && x >= 0 && x < 65536;
        params->word_ends[i] = (int32_t)x;
    }
    if (!good)
        return taco_config_fail(r, TACO_ERR_FORMAT, key->name,
                                "must be a list of 1 to 64 ids of symbols");
    params->n_word_ends = (int)n;
    return TACO_OK;
}

static const struct taco_config_key settings[] = {
    TACO_PARAM_TYPE,  TACO_PARAM_DIM, {.name = "word_ends", .read = read_word_ends},
    TACO_PARAM_SCALE, TACO_PARAM_END,
};

struct weights {
    struct taco_linear word_layer; /* [D, M] */
    const float *word_v;           /* [D] */
};

static void tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params) {
    int64_t D = params->dim, A = h->attention_rnn_dim, M = h->memory_dim;
    taco_attention_location_tensors(w, h, params);
    taco_weight_add(w, "word_query_layer.weight", D, A, 0);
    taco_weight_add(w, "word_memory_layer.weight", D, M, 0);
    taco_weight_add(w, "word_v.weight", D, 0, 0);
}

static bool load(struct taco_loader *l, struct taco_attention *a) {
    size_t D = (size_t)a->params->dim;
    static const char *const parts[2] = {"query_layer.", "word_query_layer."};
    struct weights *own = taco_arena_alloc(l->arena, 1, sizeof *own);
    if (!own || !taco_attention_key_load(l, a))
        return false;
    a->own = own;
    a->n_query = 1;
    a->key_dim = 2 * D;
    own->word_v = taco_load_keep(l, "word_v.weight");
    return own->word_v &&
           taco_load_linear_f32(l, &own->word_layer, "word_memory_layer.", "weight",
                                false) &&
           taco_load_stacked(l, &a->query[0], 2, parts, (size_t[]){D, D}, a->query_dim,
                             (bool[]){false, false});
}

static void keys(const struct taco_attention *a, const float *memory, size_t n,
                 const int32_t *words, float *out) {
    const struct weights *own = a->own;
    size_t D = (size_t)a->params->dim, M = a->memory_dim;
    float *of_words = out + n * D;
    taco_gemm(n, D, M, memory, a->memory_layer.weight, a->memory_layer.bias, out);
    taco_gemm(n, D, M, memory, own->word_layer.weight, NULL, of_words);
    for (size_t first = 0, end; first < n; first = end) { /* a word's mean, in place */
        float *mean = of_words + (size_t)words[first] * D;
        for (end = first + 1; end < n && words[end] == words[first]; end++)
            for (size_t d = 0; d < D; d++)
                of_words[first * D + d] += of_words[end * D + d];
        for (size_t d = 0; d < D; d++)
            mean[d] = of_words[first * D + d] / (float)(end - first);
    }
}

/* own: energies, then weights of the words [at most n] */
static size_t row_floats(const struct taco_attention *a, size_t n) {
    (void)a;
    return n;
}

/* x = softmax(factor x) */
static void normalise(const struct taco_attention *a,
                      const struct taco_attention_row *row, float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] *= row->factor;
    a->kernels->softmax(x, n);
}

static void weigh(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights) {
    const struct weights *own = a->own;
    const int32_t *words = row->memory->words;
    size_t D = (size_t)a->params->dim;
    size_t first_word = (size_t)words[row->begin];
    size_t end_word = (size_t)words[row->end - 1] + 1;
    float *of_words = row->own;
    a->kernels->attention_energies(query + D, row->memory->processed_memory + row->n * D,
                                   NULL, own->word_v, 0, of_words, D, first_word,
                                   end_word);
    normalise(a, row, of_words + first_word, end_word - first_word);
    memset(weights, 0, row->n * sizeof *weights);
    for (size_t first = row->begin, end; first < row->end; first = end) {
        end = first + 1;
        while (end < row->end && words[end] == words[first])
            end++;
        memcpy(weights + first, row->energies + first, (end - first) * sizeof *weights);
        normalise(a, row, weights + first, end - first);
        for (size_t j = first; j < end; j++)
            weights[j] *= of_words[words[first]];
    }
    taco_attention_remember(row, weights);
}

const struct taco_attention_mechanism taco_attention_hierarchical = {
    .name = "hierarchical",
    .summary = "content, first of words, then of the symbols within each",
    .settings = settings,
    .tensors = tensors,
    .load = load,
    .keys = keys,
    .row_floats = row_floats,
    .score = taco_attention_location_score,
    .weigh = weigh,
};
