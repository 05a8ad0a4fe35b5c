/* The attention mechanisms (MODEL.md, section 6): one family, run by one decoder.
 *
 * A step of a row has up to five parts, which the decoder puts between its barriers:
 *   query    h1 through one or two linear layers, for all rows in one product (decoder.c)
 *   prepare  what depends on the query alone; dynamic convolution only
 *   score    energies of symbols, any range of them at a time
 *   weigh    energies -> weights (window, normaliser, recurrence), and the row's memory
 *            of them
 *   transit  after the context is known: the transition agent of forward attention
 * None of them allocates or fails. */
#ifndef TACO_TACOTRON2_ATTENTION_H
#define TACO_TACOTRON2_ATTENTION_H

#include "tacotron2/model.h"

/* What a row's attention remembers from step to step. Pointers lie in a block that the
 * decoder owns, taco_attention_row_floats long. */
struct taco_attention_row {
    const struct taco_memory *memory;
    size_t n;    /* symbols */
    int step;    /* steps done */
    float *prev; /* [n] weights of the step before, with `pad` zeros on both sides */
    float *cum;  /* [n] sum of the weights of all steps before, padded alike; or NULL */
    float *energies;   /* [n] */
    float *filters;    /* [kernel, D], dynamic convolution: static and dynamic filters */
    float *mu;         /* [K], gmm: means of the components */
    float u;           /* forward: the transition agent's probability */
    size_t begin, end; /* symbols that the window lets through at the next score */
    int window_at;     /* coqui's window: argmax of the energies of the step before, -1 at
                          first */
    size_t argmax;     /* of the weights of the step before */
};

/* Symbols scored at a time: their location features stay in the first cache. */
enum { TACO_ATTENTION_TILE = 32 };

enum taco_activation { TACO_ACTIVATION_NONE, TACO_ACTIVATION_RELU, TACO_ACTIVATION_TANH };

/* query: the row's query after all its layers. NULL functions do nothing. */
struct taco_attention_mechanism {
    const char *name;
    enum taco_activation query_activation; /* between the two query layers */
    void (*prepare)(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                    const float *query);
    /* tile [TACO_ATTENTION_TILE, D] is the calling thread's */
    void (*score)(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, size_t first, size_t last, float *tile);
    void (*weigh)(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                  const float *query, float *weights /* [n] */);
    /* x: h1, the query before its layers [A]; frame: the last frame before this step
     * [n_mels] */
    void (*transit)(const struct taco_tacotron2 *model, struct taco_attention_row *row,
                    const float *context, const float *x, const float *frame);
};

extern const struct taco_attention_mechanism taco_attention_location;
extern const struct taco_attention_mechanism taco_attention_forward;
extern const struct taco_attention_mechanism taco_attention_gmm;
extern const struct taco_attention_mechanism taco_attention_dynamic_convolution;

const struct taco_attention_mechanism *taco_attention_get(enum taco_attention_type type);

/* Floats that a row over n symbols needs; 0 when size_t does not hold it. */
size_t taco_attention_row_floats(const struct taco_tacotron2 *model, size_t n);

/* The state before the first step, in block [taco_attention_row_floats]. */
void taco_attention_row_start(const struct taco_tacotron2 *model,
                              struct taco_attention_row *row,
                              const struct taco_memory *memory, float *block);

/* -- shared by mechanisms -------------------------------------------------- */

/* e_j = v . tanh(W_q q + W_m m_j + W_loc f_j) + b_v for first <= j < last within the
 * window. */
void taco_attention_score_location(const struct taco_tacotron2 *model,
                                   struct taco_attention_row *row, const float *query,
                                   size_t first, size_t last, float *tile);

/* p = normaliser(energies) within the window, 0 elsewhere; moves coqui's window on. */
void taco_attention_normalise(const struct taco_tacotron2 *model,
                              struct taco_attention_row *row, float *p /* [n] */);

/* s += w; what the row's sum is of differs, so it is not part of _remember. */
void taco_attention_accumulate(struct taco_attention_row *row, const float *w /* [n] */);

/* prev = w, argmax, the window of the next step. Ends every weigh. */
void taco_attention_remember(const struct taco_tacotron2 *model,
                             struct taco_attention_row *row, const float *w /* [n] */);

/* Index of the largest of x [n >= 1]; the first of equals. */
size_t taco_argmax(const float *x, size_t n);

/* attention_window.c: energies that the window of the first step, of the next one, lets
 * through. */
void taco_attention_window_start(const struct taco_tacotron2 *model,
                                 struct taco_attention_row *row);
/* Between scoring and normalising, over the energies in the window. */
void taco_attention_window_energies(const struct taco_tacotron2 *model,
                                    struct taco_attention_row *row);
void taco_attention_window_next(const struct taco_tacotron2 *model,
                                struct taco_attention_row *row);

#endif
