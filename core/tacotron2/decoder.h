/* The decoder's batch, for decoder.c (rows come and go) and decoder_step.c (one step). */
#ifndef TACO_TACOTRON2_DECODER_H
#define TACO_TACOTRON2_DECODER_H

#include "tacotron2/attention.h"

/* Threads that share a step: more find nothing to do, since a step is bound by memory. */
enum { TACO_DECODER_MAX_PARTS = 16 };

/* What a row has besides its numbers in the batch's arrays. */
struct taco_slot {
    struct taco_row *row;
    const struct taco_attention *mechanism; /* one of the model's attentions */
    struct taco_attention_row attention;
    float *block; /* owned: the attention's arrays; kept for the next row */
    size_t block_floats;
    float gate_threshold;
    int rest; /* how long the attention has been at the end (decoder.c) */
};

/* Rows 0 .. n_rows-1 are active and packed; arrays [max_rows, dim] are one a quantity. */
struct taco_decoder {
    const struct taco_tacotron2 *model;
    struct taco_arena arena; /* owns everything below but the slots' blocks */
    int max_rows, n_rows;
    struct taco_slot *slots; /* [max_rows] */

    /* state */
    float *x;      /* [max_rows, layout.size]: struct taco_row_layout */
    float *c1;     /* [max_rows, A] */
    float *c2;     /* [max_rows, R] */
    float *frames; /* [max_rows, r x n_mels]: the step before's */
    float *masks;  /* [max_rows, n_masks]: the next step's dropout, layer after layer */
    size_t n_masks;

    /* within a step */
    float *prenet[2]; /* [max_rows, widest prenet layer], in turns */
    size_t prenet_width;
    float *gates;        /* [max_rows, 4 max(A, R)] */
    float *query_hidden; /* [max_rows, hidden_width]: after the first of two layers */
    float *query;        /* [max_rows, query_width]: after the last layer */
    size_t hidden_width, query_width; /* the widest of all attentions */
    float *out;                       /* [max_rows, r x n_mels + gate_dim] */
    unsigned char *scratch[TACO_DECODER_MAX_PARTS]; /* matmul's, one a thread */
    float *tiles[TACO_DECODER_MAX_PARTS]; /* [TACO_ATTENTION_TILE, D], the widest; and
                                             what a mechanism's context needs */
};

/* Dropout factors of the row's given step into masks. */
void taco_decoder_draw_masks(struct taco_decoder *decoder, int i, int step);

/* All rows' outputs of one step into the arrays above and the rows' alignments. */
void taco_decoder_compute(struct taco_decoder *decoder, struct taco_team *team);

#endif
