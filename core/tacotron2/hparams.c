/* Reads the config's "model" object (models/FORMAT.md) into struct taco_hparams, by a table. What no row can say - a size that must fit another one - is in check_sizes. */
#include "tacotron2/hparams.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "tacotron2/attention.h"

static const struct taco_hparams *of(const void *target) {
    return target;
}
static bool has_speakers(const void *t) {
    return of(t)->speaker_mode != TACO_SPEAKER_NONE;
}
static bool has_self_attention(const void *t) {
    return of(t)->encoder_attention_layers > 0;
}

static const char *const speaker_modes[] = {"none", "concat", "add", NULL};
static const char *const firing_frames[] = {"keep", "exclude", "drop", NULL};
static const char *const precisions[] = {"auto", "f32", "bf16", "int8", NULL};

static enum taco_status read_dims(const struct taco_config_reader *r,
                                  const struct taco_config_key *key,
                                  const json_t *value) {
    struct taco_hparams *hparams = r->target;
    size_t n = json_array_size(value);
    bool good = n >= 1 && n <= TACO_MAX_PRENET_LAYERS;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *dim = json_array_get(value, i);
        json_int_t x = json_integer_value(dim);
        good = json_is_integer(dim) && x >= (json_int_t)key->min &&
               x <= (json_int_t)key->max;
        hparams->prenet_dim[i] = (int)x;
    }
    if (!good)
        return taco_config_fail(r, TACO_ERR_FORMAT, key->name,
                                "must be a list of 1 to 4 sizes, 1 to 8192 each");
    hparams->prenet_n_layers = (int)n;
    return TACO_OK;
}

static enum taco_status read_attention(const struct taco_config_reader *r,
                                       const struct taco_config_key *key,
                                       const json_t *value);

static enum taco_status read_attentions(const struct taco_config_reader *r,
                                        const struct taco_config_key *key,
                                        const json_t *value);

#define ROW(key, type, field, ...)                                                       \
    {                                                                                    \
        .name = key, .kind = TACO_KEY_##type,                                            \
        .offset = offsetof(struct taco_hparams, field), __VA_ARGS__                      \
    }
#define RANGE(lo, hi) .min = lo, .max = hi
#define BELOW(lo, hi) RANGE(lo, hi), .open_max = true
#define DEFAULT(x) .optional = true, .fallback = x
#define IF(predicate) .applies = predicate
#define OTHER(key, reader, ...)                                                          \
    { .name = key, .read = reader, __VA_ARGS__ }

static const struct taco_config_key model_keys[] = {
    ROW("n_symbols", INT, n_symbols, RANGE(1, 65536)),
    ROW("n_mels", INT, n_mels, RANGE(1, 512)),
    ROW("n_frames_per_step", INT, n_frames_per_step, RANGE(1, 16)),
    ROW("symbols_embedding_dim", INT, symbols_embedding_dim, RANGE(1, 8192)),
    ROW("encoder_n_convolutions", INT, encoder_n_convolutions,
        RANGE(0, TACO_MAX_CONVOLUTIONS)),
    ROW("encoder_kernel_size", ODD, encoder_kernel_size, RANGE(1, 63)),
    ROW("encoder_conv_dim", INT, encoder_conv_dim, RANGE(1, 8192)),
    ROW("encoder_residual", BOOL, encoder_residual, DEFAULT(false)),
    ROW("encoder_lstm_dim", INT, encoder_lstm_dim, RANGE(1, 8192)),
    ROW("encoder_attention_layers", INT, encoder_attention_layers,
        RANGE(0, TACO_MAX_SELF_ATTENTION), DEFAULT(0)),
    ROW("encoder_attention_heads", INT, encoder_attention_heads, RANGE(1, TACO_MAX_HEADS),
        IF(has_self_attention)),
    ROW("encoder_attention_dim", INT, encoder_attention_dim, RANGE(1, 8192),
        IF(has_self_attention)),
    ROW("encoder_attention_causal", BOOL, encoder_attention_causal, DEFAULT(false),
        IF(has_self_attention)),
    ROW("encoder_lstm", BOOL, encoder_lstm, DEFAULT(true), IF(has_self_attention)),
    ROW("speaker_mode", NAME, speaker_mode, DEFAULT(TACO_SPEAKER_NONE),
        .names = speaker_modes),
    ROW("speaker_embedding_dim", INT, speaker_embedding_dim, RANGE(1, 8192),
        IF(has_speakers)),
    OTHER("prenet_dims", read_dims, RANGE(1, 8192)),
    ROW("prenet_bias", BOOL, prenet_bias, DEFAULT(false)),
    ROW("prenet_dropout", REAL, prenet_dropout, BELOW(0, 1)),
    ROW("prenet_all_frames", BOOL, prenet_all_frames, DEFAULT(false)),
    ROW("attention_rnn_dim", INT, attention_rnn_dim, RANGE(1, 8192)),
    ROW("decoder_rnn_dim", INT, decoder_rnn_dim, RANGE(1, 8192)),
    ROW("attention_first", BOOL, attention_first, DEFAULT(false)),
    ROW("decoder_rnn_context", BOOL, decoder_rnn_context, DEFAULT(true)),
    ROW("zoneout", REAL, zoneout, BELOW(0, 1), DEFAULT(0)),
    OTHER("attention", read_attention, RANGE(0, 0)),
    OTHER("attentions", read_attentions, .optional = true),
    ROW("gate_dim", INT, gate_dim, RANGE(1, 16), DEFAULT(1)),
    ROW("gate_threshold", REAL, gate_threshold, BELOW(0, 1), .open_min = true),
    ROW("gate_inclusive", BOOL, gate_inclusive, DEFAULT(false)),
    ROW("min_steps", INT, min_steps, RANGE(0, 1000), DEFAULT(0)),
    ROW("firing_frame", NAME, firing_frame, .names = firing_frames),
    ROW("max_frames_per_symbol", REAL, max_frames_per_symbol, RANGE(0, 1000)),
    ROW("max_frames_base", INT, max_frames_base, RANGE(0, 20000)),
    ROW("frames_per_symbol", REAL, frames_per_symbol, RANGE(0, 1000), DEFAULT(0)),
    ROW("postnet_n_convolutions", INT, postnet_n_convolutions,
        RANGE(0, TACO_MAX_CONVOLUTIONS)),
    ROW("postnet_kernel_size", ODD, postnet_kernel_size, RANGE(1, 63)),
    ROW("postnet_embedding_dim", INT, postnet_embedding_dim, RANGE(1, 8192)),
    ROW("precision", NAME, precision, DEFAULT(TACO_PRECISION_AUTO), .names = precisions),
    {.name = NULL},
};

static enum taco_status read_attention(const struct taco_config_reader *r,
                                       const struct taco_config_key *key,
                                       const json_t *value) {
    (void)key;
    struct taco_hparams *h = r->target;
    h->n_attentions = 1;
    enum taco_status status =
        taco_attention_params_read(&h->attention, "attention.", value, r->err);
    if (status == TACO_OK)
        snprintf(h->attention.name, sizeof h->attention.name, "%s",
                 h->attention.mechanism->name);
    return status;
}

/* A name that may stand in a request and before a tensor's. */
static bool is_name(const char *name) {
    size_t n = strlen(name);
    return n >= 1 && n < TACO_ATTENTION_NAME_BYTES &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

/* The voice's other attentions, by name. */
static enum taco_status read_attentions(const struct taco_config_reader *r,
                                        const struct taco_config_key *key,
                                        const json_t *value) {
    struct taco_hparams *h = r->target;
    const char *name;
    json_t *object;
    if (!value)
        return TACO_OK;
    if (!json_is_object(value) || json_object_size(value) >= TACO_MAX_ATTENTIONS)
        return taco_config_fail(r, TACO_ERR_FORMAT, key->name,
                                "must be an object of at most 23 attentions by name");
    json_object_foreach((json_t *)(uintptr_t)value, name, object) {
        char prefix[TACO_ATTENTION_NAME_BYTES + 16];
        if (!is_name(name) || strcmp(name, h->attention.name) == 0)
            return taco_config_fail(
                r, TACO_ERR_FORMAT, key->name,
                "has a name that is not 1 to 31 of a-z, 0-9 and _, or "
                "is that of the default attention");
        struct taco_attention_params *params = &h->attentions[h->n_attentions];
        snprintf(prefix, sizeof prefix, "attentions.%s.", name);
        enum taco_status status =
            taco_attention_params_read(params, prefix, object, r->err);
        if (status != TACO_OK)
            return status;
        snprintf(params->name, sizeof params->name, "%s", name);
        h->n_attentions++;
    }
    return TACO_OK;
}

_Static_assert(sizeof(enum taco_attention_start) == sizeof(int) &&
                   sizeof(enum taco_speaker_mode) == sizeof(int) &&
                   sizeof(enum taco_precision) == sizeof(int),
               "TACO_KEY_NAME writes ints");

static enum taco_status check_sizes(const struct taco_config_reader *r) {
    const struct taco_hparams *h = r->target;
    bool same = h->encoder_conv_dim == h->symbols_embedding_dim;
    if (!same && h->encoder_n_convolutions == 0)
        return taco_config_fail(
            r, TACO_ERR_FORMAT, "encoder_conv_dim",
            "must equal symbols_embedding_dim where there is no convolution");
    if (!same && h->encoder_residual)
        return taco_config_fail(r, TACO_ERR_FORMAT, "encoder_conv_dim",
                                "must equal symbols_embedding_dim with encoder_residual");
    if (h->encoder_attention_layers > 0 &&
        2 * h->encoder_lstm_dim % h->encoder_attention_heads != 0)
        return taco_config_fail(r, TACO_ERR_FORMAT, "encoder_attention_heads",
                                "must divide twice encoder_lstm_dim");
    if (h->encoder_attention_layers > 0 && !h->encoder_lstm &&
        h->encoder_conv_dim != 2 * h->encoder_lstm_dim)
        return taco_config_fail(
            r, TACO_ERR_FORMAT, "encoder_lstm",
            "may be false only where encoder_conv_dim is twice encoder_lstm_dim");
    if (h->speaker_mode == TACO_SPEAKER_ADD &&
        h->speaker_embedding_dim != 2 * h->encoder_lstm_dim)
        return taco_config_fail(
            r, TACO_ERR_FORMAT, "speaker_embedding_dim",
            "must be twice encoder_lstm_dim with speaker_mode \"add\"");
    if (h->gate_dim != 1 && h->gate_dim != h->n_frames_per_step)
        return taco_config_fail(r, TACO_ERR_FORMAT, "gate_dim",
                                "must be 1 or n_frames_per_step");
    return TACO_OK;
}

enum taco_status taco_hparams_parse(struct taco_hparams *hparams, const json_t *model,
                                    struct taco_error *err) {
    memset(hparams, 0, sizeof *hparams);
    struct taco_config_reader r = {hparams, "model", "", err};
    enum taco_status st = taco_config_read(&r, model_keys, model);
    if (st == TACO_OK)
        st = check_sizes(&r);
    if (st != TACO_OK)
        return st;
    bool concat = hparams->speaker_mode == TACO_SPEAKER_CONCAT;
    hparams->n_speakers = hparams->speaker_mode == TACO_SPEAKER_NONE ? 1 : 0;
    hparams->encoder_lstm = hparams->encoder_lstm || !has_self_attention(hparams);
    hparams->memory_dim =
        2 * hparams->encoder_lstm_dim + (concat ? hparams->speaker_embedding_dim : 0);
    for (int i = 0; st == TACO_OK && i < hparams->n_attentions; i++) {
        const struct taco_attention_params *params = &hparams->attentions[i];
        char prefix[TACO_ATTENTION_NAME_BYTES + 16];
        snprintf(prefix, sizeof prefix, i ? "attentions.%s." : "attention.",
                 params->name);
        struct taco_config_reader inner = {hparams, "model", prefix, err};
        if (params->mechanism->check)
            st = params->mechanism->check(&inner, params, hparams);
    }
    return st;
}
