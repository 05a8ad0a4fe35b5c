/* The attention mechanisms (MODEL.md, section 6): one file and one row of
 * TACO_ATTENTION_MECHANISMS each.
 *
 * A step of a row has up to six parts, which the decoder puts between its barriers:
 *   query    h1 through one or two linear layers, or h1 itself (decoder_step.c)
 *   prepare  what depends on the query alone
 *   score    energies of symbols, any range of them at a time
 *   weigh    energies -> weights (window, normaliser, recurrence), and the row's memory
 *            of them
 *   context  sum of w_j m_j (decoder_step.c), unless the mechanism has its own
 *   transit  after the context is known: the transition agent of forward attention
 * None of them allocates or fails. */
#ifndef TACO_TACOTRON2_ATTENTION_H
#define TACO_TACOTRON2_ATTENTION_H

#include "tacotron2/model.h"

struct taco_loader;      /* load.h */
struct taco_weight_list; /* weights.h */
struct taco_config_key;  /* base/config.h */
struct taco_config_reader;

/* What a row's attention remembers from step to step. Pointers lie in a block that the
 * decoder owns, taco_attention_row_floats long. */
struct taco_attention_row {
    const struct taco_memory *memory;
    size_t n; /* symbols */
    int step; /* steps done */
    float
        *prev; /* [n] weights of the step before, with `kernel / 2` zeros on both sides */
    float *cum; /* [n] sum of the weights of all steps before, padded alike; or NULL */
    float *energies; /* [n] */
    float *own;      /* the mechanism's row_floats, zero at the start */
    float factor;    /* of the energies: scale / temperature */
    enum taco_window_rule window;
    int window_back, window_forward;
    size_t begin, end; /* symbols that the window lets through at the next score */
    int window_at;     /* coqui's window: argmax of the energies of the step before, -1 at
                          first */
    size_t argmax;     /* of the weights of the step before */
    uint64_t seed;     /* with chunk and step, of the row's random numbers */
    uint32_t chunk;
};

/* Symbols scored at a time: their location features stay in the first cache. */
enum { TACO_ATTENTION_TILE = 32 };

/* query: the row's query after all its layers. A function that is NULL does nothing. */
struct taco_attention_mechanism {
    const char *name;
    enum taco_activation {
        TACO_ACTIVATION_NONE,
        TACO_ACTIVATION_RELU,
        TACO_ACTIVATION_TANH
    } query_activation;  /* between two query layers */
    bool no_energies;    /* the weights come from no energies: there is no temperature */
    const char *summary; /* one line for lists of what a voice has */
    /* Settings that the config may have (attention_keys.h). */
    const struct taco_config_key *settings;
    /* What no row can say, NULL: nothing. The same errors as the rows'. */
    enum taco_status (*check)(const struct taco_config_reader *r,
                              const struct taco_attention_params *params,
                              const struct taco_hparams *h);

    /* Names and shapes of its tensors. */
    void (*tensors)(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params);
    /* Fills everything in a that `tensors` feeds. False: no memory. */
    bool (*load)(struct taco_loader *l, struct taco_attention *a);
    /* Keys of a text, out [n, key_dim] in whatever order score reads them; NULL:
     * taco_attention_keys. words is NULL without word_ends. */
    void (*keys)(const struct taco_attention *a, const float *memory, size_t n,
                 const int32_t *words, float *out);
    /* Floats of row->own for a text of n symbols. */
    size_t (*row_floats)(const struct taco_attention *a, size_t n);
    /* After the common start: own is zero, prev and cum are as `start` says. */
    void (*start)(const struct taco_attention *a, struct taco_attention_row *row);

    void (*prepare)(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *query);
    /* tile [TACO_ATTENTION_TILE, D] is the calling thread's */
    void (*score)(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile);
    void (*weigh)(const struct taco_attention *a, struct taco_attention_row *row,
                  const float *query, float *weights /* [n] */);
    /* out [M] in place of the sum of w_j m_j; scratch [context_floats] is the calling
     * thread's. */
    void (*context)(const struct taco_attention *a, const struct taco_attention_row *row,
                    const float *weights, float *out, float *scratch);
    size_t (*context_floats)(const struct taco_attention *a);
    /* Weights [n] of head i after weigh; NULL: there are no heads. */
    const float *(*head)(const struct taco_attention *a,
                         const struct taco_attention_row *row, size_t i);
    /* x: h1, the query before its layers [A]; frame: the last frame before this step
     * [n_mels] */
    void (*transit)(const struct taco_attention *a, struct taco_attention_row *row,
                    const float *context, const float *x, const float *frame);
};

/* The table. A mechanism NAME is taco_attention_NAME, in attention_NAME.c. */
#define TACO_ATTENTION_MECHANISMS(ROW)                                                   \
    ROW(location)                                                                        \
    ROW(forward)                                                                         \
    ROW(gmm)                                                                             \
    ROW(dynamic_convolution)                                                             \
    ROW(additive)                                                                        \
    ROW(location_only)                                                                   \
    ROW(dot)                                                                             \
    ROW(scaled_dot)                                                                      \
    ROW(general)                                                                         \
    ROW(concat)                                                                          \
    ROW(cosine)                                                                          \
    ROW(multi_head)                                                                      \
    ROW(local_m)                                                                         \
    ROW(local_p)                                                                         \
    ROW(hard)                                                                            \
    ROW(monotonic)                                                                       \
    ROW(stepwise)                                                                        \
    ROW(static)                                                                          \
    ROW(coverage)                                                                        \
    ROW(hierarchical)

#define TACO_ATTENTION_DECLARE(name)                                                     \
    extern const struct taco_attention_mechanism taco_attention_##name;
TACO_ATTENTION_MECHANISMS(TACO_ATTENTION_DECLARE)
#undef TACO_ATTENTION_DECLARE

/* NULL: there is none of this name. */
const struct taco_attention_mechanism *taco_attention_find(const char *name);

/* The name of mechanism i in the table's order; NULL behind the last. */
const char *taco_attention_name(int i);

/* Floats that a row over n symbols needs; 0 when size_t does not hold it. */
size_t taco_attention_row_floats(const struct taco_attention *a, size_t n);

/* The state before the first step, in block [taco_attention_row_floats]. Of options:
 * memory, seed, chunk, temperature and window. */
void taco_attention_row_start(const struct taco_attention *a,
                              struct taco_attention_row *row,
                              const struct taco_row *options, float *block);

/* -- shared by mechanisms -------------------------------------------------- */

/* out [n, key_dim] = the memory layer's product, or the memory itself where there is no
 * layer. */
void taco_attention_keys(const struct taco_attention *a, const float *memory, size_t n,
                         const int32_t *words, float *out);

/* Tensors and weights of additive energies: memory layer and v; location layers, where
 * there are filters; both with a query layer, which is all of `location`. */
void taco_attention_key_tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                                const struct taco_attention_params *params);
bool taco_attention_key_load(struct taco_loader *l, struct taco_attention *a);
void taco_attention_feature_tensors(struct taco_weight_list *w,
                                    const struct taco_attention_params *params);
bool taco_attention_feature_load(struct taco_loader *l, struct taco_attention *a);
void taco_attention_location_tensors(struct taco_weight_list *w,
                                     const struct taco_hparams *h,
                                     const struct taco_attention_params *params);
bool taco_attention_location_load(struct taco_loader *l, struct taco_attention *a);

/* e_j = v . tanh(W_q q + W_m m_j + W_loc f_j) + b_v for first <= j < last. */
void taco_attention_energies(const struct taco_attention *a,
                             struct taco_attention_row *row, const float *query,
                             size_t first, size_t last, float *tile);
/* The same of those within the window. */
void taco_attention_location_score(const struct taco_attention *a,
                                   struct taco_attention_row *row, const float *query,
                                   size_t first, size_t last, float *tile);

/* Query and memory layers of dot products, with the biases that the settings ask for. */
void taco_attention_dot_tensors(struct taco_weight_list *w, const struct taco_hparams *h,
                                const struct taco_attention_params *params);
bool taco_attention_dot_load(struct taco_loader *l, struct taco_attention *a);
/* e_j = query . key_j over key_dim. */
void taco_attention_dot_score(const struct taco_attention *a,
                              struct taco_attention_row *row, const float *query,
                              size_t first, size_t last, float *tile);

/* p = normaliser(energies) within the window, 0 elsewhere; moves coqui's window on. */
void taco_attention_normalise(const struct taco_attention *a,
                              struct taco_attention_row *row, float *p /* [n] */);

/* s += w; what the row's sum is of differs, so it is not part of _remember. */
void taco_attention_accumulate(const struct taco_attention *a,
                               struct taco_attention_row *row, const float *w /* [n] */);

/* prev = w, argmax (unless all weights are 0), the window of the next step. Ends every
 * weigh. */
void taco_attention_remember(struct taco_attention_row *row, const float *w /* [n] */);

/* Normalise, accumulate, remember: the weigh of mechanisms that do no more. */
void taco_attention_weigh(const struct taco_attention *a, struct taco_attention_row *row,
                          const float *query, float *weights /* [n] */);

/* weights = one at j. */
void taco_attention_one_hot(const struct taco_attention_row *row, size_t j,
                            float *weights /* [n] */);

/* Index of the largest of x [n >= 1]; the first of equals. */
size_t taco_argmax(const float *x, size_t n);

/* attention_window.c: energies that the window of the first step, of the next one, lets
 * through. */
void taco_attention_window_start(struct taco_attention_row *row);
/* Between scoring and normalising, over the energies in the window. */
void taco_attention_window_energies(struct taco_attention_row *row);
void taco_attention_window_next(struct taco_attention_row *row);
/* Only |j - p| <= local_width, within the window where the two meet; 0 <= p <= n. */
void taco_attention_local_window(const struct taco_attention *a,
                                 struct taco_attention_row *row, float p);

#endif
