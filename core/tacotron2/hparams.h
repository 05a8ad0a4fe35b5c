/* The graph's sizes and rules, read from a voice's config (models/FORMAT.md, "model").
 * Names are those of NVIDIA's hparams.py where it has one. */
#ifndef TACO_TACOTRON2_HPARAMS_H
#define TACO_TACOTRON2_HPARAMS_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>
#include <taco/voice.h>

#define TACO_MAX_PRENET_LAYERS 4
#define TACO_MAX_CONVOLUTIONS 16
#define TACO_MAX_WORD_ENDS 64
#define TACO_MAX_HEADS 32
#define TACO_MAX_SELF_ATTENTION 8
/* Of a voice, the default one included. */
#define TACO_MAX_ATTENTIONS 24
#define TACO_ATTENTION_NAME_BYTES 32

enum taco_attention_normaliser { TACO_NORMALISER_SOFTMAX, TACO_NORMALISER_SIGMOID };

enum taco_attention_start { TACO_START_ZEROS, TACO_START_UNIFORM, TACO_START_ONE_HOT };

/* Which recurrence a forward attention follows: see FORMAT.md. */
enum taco_forward_rule { TACO_FORWARD_COQUI, TACO_FORWARD_ESPNET };

enum taco_window_rule { TACO_WINDOW_NONE, TACO_WINDOW_COQUI, TACO_WINDOW_ESPNET };

/* What the heads of a multi_head attention score by. */
enum taco_head_score {
    TACO_HEAD_DOT,
    TACO_HEAD_SCALED_DOT,
    TACO_HEAD_ADDITIVE,
    TACO_HEAD_LOCATION
};

enum taco_firing_frame {
    TACO_FIRING_KEEP,    /* the frame at which the gate fires belongs to the speech */
    TACO_FIRING_EXCLUDE, /* it is decoded and the postnet sees it, but it is cut from the
                            end */
    TACO_FIRING_DROP     /* it is not even appended */
};

enum taco_speaker_mode { TACO_SPEAKER_NONE, TACO_SPEAKER_CONCAT, TACO_SPEAKER_ADD };

struct taco_attention_mechanism; /* attention.h */

/* The settings of one attention mechanism. Which of them apply is the mechanism's. */
struct taco_attention_params {
    char name[TACO_ATTENTION_NAME_BYTES]; /* in the voice; the default has its type's */
    const struct taco_attention_mechanism *mechanism;
    int dim;                /* D */
    int location_n_filters; /* 0: no location layer */
    int location_kernel_size;
    bool location_prev, location_cum; /* channels of the convolution, in order */
    enum taco_attention_normaliser normaliser;
    enum taco_attention_start start;
    bool memory_bias, v_bias;
    enum taco_forward_rule forward_rule;
    bool forward_mask; /* Coqui's forward_attn_mask */
    bool transition_agent;
    enum taco_window_rule window;
    int window_back, window_forward;
    bool start_in_sum; /* the start counts as a step: it enters the sum */
    float scale;       /* energies are multiplied by it before the normaliser */
    bool matrices;     /* dot: false where query and memory are compared as they are */
    bool tanh;         /* dot: of the query's and the keys' projections */
    bool query_bias;
    int n_heads, value_dim; /* multi_head: H; width of a head's values */
    enum taco_head_score head_score;
    bool value_bias, output_bias;
    int local_width;  /* D of Luong et al. 2015, 3.2: symbols on either side of p */
    bool pace_learnt; /* local_m */
    float pace;       /* local_m: symbols a step, where it is not learnt */
    bool draw;        /* hard: drawn from the weights, not the largest of them */
    int n_word_ends;  /* hierarchical */
    int32_t word_ends[TACO_MAX_WORD_ENDS];      /* ids of the symbols that end a word */
    bool gmm_normalised;                        /* weights are divided by their sum */
    int gmm_components;                         /* K */
    int dynamic_n_filters, dynamic_kernel_size; /* static and dynamic filters alike */
    int prior_length;
};

struct taco_hparams {
    int n_symbols;
    int n_mels;
    int n_frames_per_step;     /* r */
    int symbols_embedding_dim; /* E */

    int encoder_n_convolutions;
    int encoder_kernel_size;       /* odd */
    int encoder_conv_dim;          /* C; equals E when there is no convolution */
    bool encoder_residual;         /* x + relu(conv(x)) */
    int encoder_lstm_dim;          /* per direction; the encoder's output is twice that */
    bool encoder_lstm;             /* false: self-attention stands in place of the LSTM */
    int encoder_attention_layers;  /* of self-attention, behind the LSTM; 0: none */
    int encoder_attention_heads;   /* divides 2 encoder_lstm_dim */
    int encoder_attention_dim;     /* of the layer's hidden vector */
    bool encoder_attention_causal; /* a symbol sees none behind it */

    enum taco_speaker_mode speaker_mode;
    int n_speakers; /* 1 without a table; with one 0 until the caller sets it: 0 means
                       as many as the table has rows */
    int speaker_embedding_dim; /* 0 without a table */
    int memory_dim; /* M = 2 encoder_lstm_dim (+ speaker_embedding_dim, concat) */

    int prenet_n_layers;
    int prenet_dim[TACO_MAX_PRENET_LAYERS]; /* the last is P */
    bool prenet_bias;
    float prenet_dropout;   /* p at inference; 0: off */
    bool prenet_all_frames; /* input is all r frames of the step before, not one */

    int attention_rnn_dim; /* A */
    int decoder_rnn_dim;   /* R */
    bool attention_first;  /* attention sees the attention_rnn's state of the step before
                              (ESPnet); otherwise that of this step */
    bool decoder_rnn_context; /* decoder_rnn's input is [h1 | context]; otherwise h1 */
    float zoneout;            /* h and c become z*old + (1-z)*new; 0: none */

    union {
        struct taco_attention_params attention; /* the default: the first of */
        struct taco_attention_params attentions[TACO_MAX_ATTENTIONS];
    };
    int n_attentions; /* >= 1 */

    int gate_dim;         /* logits a step: 1 or r */
    float gate_threshold; /* a probability */
    bool gate_inclusive;  /* fires at >=, not > */
    int min_steps;        /* the gate is not heeded before this many steps are made */
    enum taco_firing_frame firing_frame;
    /* The default frame limit: the first times the symbols, plus the second. */
    float max_frames_per_symbol;
    int max_frames_base;
    float frames_per_symbol; /* the voice's usual pace; 0: not known */

    int postnet_n_convolutions; /* 0: none */
    int postnet_kernel_size;    /* odd */
    int postnet_embedding_dim;

    enum taco_precision precision; /* what auto means for this voice; AUTO: INT8 */
};

/* Reads and range-checks the config's "model" object: unknown keys, wrong types and sizes
 * out of range are TACO_ERR_FORMAT with the key in err->param; a graph or attention that
 * this build does not run is TACO_ERR_UNSUPPORTED. */
enum taco_status taco_hparams_parse(struct taco_hparams *hparams, const json_t *model,
                                    struct taco_error *err);

/* Reads one attention object into *params, which is zero. prefix: "attention.", before the
 * keys that errors name. The same errors. */
enum taco_status taco_attention_params_read(struct taco_attention_params *params,
                                            const char *prefix, const json_t *object,
                                            struct taco_error *err);

#endif
