/* What struct taco_tacotron2 is made of, for the files of this folder. Const after
 * opening. */
#ifndef TACO_TACOTRON2_MODEL_H
#define TACO_TACOTRON2_MODEL_H

#include "tacotron2/tacotron2.h"

/* y = W x + b over a whole text. In f32 for OpenBLAS: as in the file, nothing is packed. In
 * less for our own kernels. */
struct taco_linear {
    const float *weight;       /* [n_out, n_in]; NULL: packed */
    const float *bias;         /* [n_out], or NULL */
    struct taco_matrix packed; /* with its bias */
};

/* conv1d over time-major data, batch-norm folded in. */
struct taco_encoder_conv {
    size_t c_in, c_out;
    struct taco_linear linear; /* [c_out, kernel * c_in] */
};
struct taco_postnet_conv {
    size_t c_in, c_out;
    struct taco_matrix weight; /* [c_out, kernel * c_in] and its bias */
};

/* One direction of the encoder's LSTM. */
struct taco_encoder_lstm {
    struct taco_linear inputs; /* weight_ih [4H, C] */
    struct taco_matrix hidden; /* weight_hh [4H, H] */
};

struct taco_norm {
    const float *weight, *bias; /* [W] */
};

/* One self-attention layer of the encoder; W = 2 encoder_lstm_dim, F = encoder_attention_dim. */
struct taco_self_attention {
    struct taco_linear in_proj;   /* [3W, W]: q, k, v */
    struct taco_linear out_proj;  /* [W, W] */
    struct taco_linear linear[2]; /* [F, W], [W, F] */
    struct taco_norm norm[2];
};

/* The weights of one attention mechanism (MODEL.md, section 6). What it does not use is
 * zero. */
struct taco_attention {
    const struct taco_attention_params *params;
    const struct taco_attention_mechanism *mechanism;
    const struct taco_kernels *kernels;
    size_t query_dim, memory_dim, n_mels; /* A, M */
    struct taco_matrix query[2];          /* the first [., A] */
    int n_query;                          /* 0: the query is h1 itself; 1 or 2 */
    const float *fixed_query;             /* [D], in place of the row's query, or NULL */
    size_t key_dim;                  /* width of processed_memory; 0: it is not used */
    struct taco_linear memory_layer; /* [key_dim, M] */
    const float *v;                  /* [D] */
    float v_bias;
    float scale;              /* of the energies */
    bool sees_prev, sees_cum; /* channels of the location features, in order */
    int channels, kernel;     /* how many, and their taps; channels 0: none */
    const float *location;    /* [channels * kernel, D]: dense x conv, or for dynamic
                              convolution the static filters' part alone */
    const void *own;          /* what no other mechanism has; in its own file */
};

/* Where the parts of a decoder row's vector lie (MODEL.md, section 5). Each product reads
 * one run of it:
 *   attention_rnn  [prenet, context of the step before, h1]
 *   decoder_rnn    [h1, context, h2], or [h1, h2] without decoder_rnn_context
 *   projection     [context, h2], or [h2, context] */
struct taco_row_layout {
    size_t prenet, context_in, h1, context, h2; /* offsets */
    size_t projection_in;                       /* offset of the projection's input */
    size_t size;
};

/* Parts that are loaded side by side (load.h). */
enum { TACO_MODEL_N_PARTS = 5 };

struct taco_tacotron2 {
    struct taco_hparams hparams;
    const struct taco_kernels *kernels;
    enum taco_precision precision;
    struct taco_arena arenas[TACO_MODEL_N_PARTS]; /* everything below that is not in the
                                                     mapped file */

    const float *embedding; /* [n_symbols, E] */
    struct taco_encoder_conv encoder_conv[TACO_MAX_CONVOLUTIONS];
    struct taco_encoder_lstm encoder_lstm[2]; /* forward, backward */
    struct taco_self_attention self_attention[TACO_MAX_SELF_ATTENTION];
    const float *speaker_embedding; /* [n_speakers, speaker_embedding_dim] */

    struct taco_matrix prenet[TACO_MAX_PRENET_LAYERS];
    struct taco_matrix attention_rnn;                      /* [4A, P + M + A] */
    struct taco_attention attentions[TACO_MAX_ATTENTIONS]; /* [hparams.n_attentions] */
    struct taco_matrix decoder_rnn;                        /* [4R, A (+ M) + R] */
    struct taco_matrix projection; /* [r x n_mels + gate_dim, M + R]: mel, then gate */
    struct taco_row_layout layout;

    struct taco_postnet_conv postnet_conv[TACO_MAX_CONVOLUTIONS];
};

#endif
