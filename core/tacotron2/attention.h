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

/* What a row's attention remembers from step to step. Pointers lie in a block that the
 * decoder owns, taco_attention_row_floats long. */
struct taco_attention_row {
    const struct taco_memory *memory;
    size_t n; /* symbols */
    int step; /* steps done */
    float
        *prev; /* [n] weights of the step before, with `kernel / 2` zeros on both sides */
    float *cum; /* [n] sum of the weights of all steps before, padded alike; or NULL */
    float *energies;   /* [n] */
    float *own;        /* the mechanism's row_floats, zero at the start */
    size_t begin, end; /* symbols that the window lets through at the next score */
    int window_at;     /* coqui's window: argmax of the energies of the step before, -1 at
                          first */
    size_t argmax;     /* of the weights of the step before */
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
    } query_activation; /* between two query layers */
    /* Settings beside "type" that the config may have (attention_keys.h). */
    const struct taco_config_key *keys;

    /* Names and shapes of its tensors. */
    void (*tensors)(struct taco_weight_list *w, const struct taco_hparams *h,
                    const struct taco_attention_params *params);
    /* Fills everything in a that `tensors` feeds. False: no memory. */
    bool (*load)(struct taco_loader *l, struct taco_attention *a);
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
    ROW(dynamic_convolution)

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

/* The state before the first step, in block [taco_attention_row_floats]. */
void taco_attention_row_start(const struct taco_attention *a,
                              struct taco_attention_row *row,
                              const struct taco_memory *memory, float *block);

/* -- shared by mechanisms -------------------------------------------------- */

/* Query, memory and location layers and v: all tensors of `location`, and the larger part
 * of `forward`'s. */
void taco_attention_location_tensors(struct taco_weight_list *w,
                                     const struct taco_hparams *h,
                                     const struct taco_attention_params *params);
bool taco_attention_location_load(struct taco_loader *l, struct taco_attention *a);

/* e_j = v . tanh(W_q q + W_m m_j + W_loc f_j) + b_v for first <= j < last within the
 * window. */
void taco_attention_location_score(const struct taco_attention *a,
                                   struct taco_attention_row *row, const float *query,
                                   size_t first, size_t last, float *tile);

/* p = normaliser(energies) within the window, 0 elsewhere; moves coqui's window on. */
void taco_attention_normalise(const struct taco_attention *a,
                              struct taco_attention_row *row, float *p /* [n] */);

/* s += w; what the row's sum is of differs, so it is not part of _remember. */
void taco_attention_accumulate(struct taco_attention_row *row, const float *w /* [n] */);

/* prev = w, argmax, the window of the next step. Ends every weigh. */
void taco_attention_remember(const struct taco_attention *a,
                             struct taco_attention_row *row, const float *w /* [n] */);

/* Normalise, accumulate, remember: the weigh of mechanisms that do no more. */
void taco_attention_weigh(const struct taco_attention *a, struct taco_attention_row *row,
                          const float *query, float *weights /* [n] */);

/* Index of the largest of x [n >= 1]; the first of equals. */
size_t taco_argmax(const float *x, size_t n);

/* attention_window.c: energies that the window of the first step, of the next one, lets
 * through. */
void taco_attention_window_start(const struct taco_attention *a,
                                 struct taco_attention_row *row);
/* Between scoring and normalising, over the energies in the window. */
void taco_attention_window_energies(const struct taco_attention *a,
                                    struct taco_attention_row *row);
void taco_attention_window_next(const struct taco_attention *a,
                                struct taco_attention_row *row);

#endif
