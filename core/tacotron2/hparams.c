/* Reads the config's "model" object (models/FORMAT.md) into struct taco_hparams.
 *
 * Two tables say which keys there are, of which type, in which range and beside which
 * other settings; a key of the object that no row takes is refused. What no row can say -
 * a size that must fit another one - is in check_sizes. */
#include "tacotron2/hparams.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum kind {
    KIND_INT,
    KIND_ODD,
    KIND_BOOL,
    KIND_REAL,     /* min <= x < max; with open_min min < x */
    KIND_CLOSED,   /* REAL with x <= max */
    KIND_ENUM,     /* one of names; the index is the value */
    KIND_TYPE,     /* ENUM whose unknown names are TACO_ERR_UNSUPPORTED */
    KIND_DIMS,     /* prenet_dims */
    KIND_CHANNELS, /* attention.location_channels */
    KIND_OBJECT    /* attention */
};

struct key {
    const char *name;
    enum kind kind;
    size_t offset; /* of the field in struct taco_hparams */
    double min, max;
    bool open_min;
    bool optional; /* then fallback is the value */
    double fallback;
    const char *const *names; /* NULL-ended */
    /* Whether the key may stand beside what the rows above it have read; NULL: always. */
    bool (*applies)(const struct taco_hparams *hparams);
};

static bool has_speakers(const struct taco_hparams *h) {
    return h->speaker_mode != TACO_SPEAKER_NONE;
}
static bool is_forward(const struct taco_hparams *h) {
    return h->attention.type == TACO_ATTENTION_FORWARD;
}
static bool is_forward_coqui(const struct taco_hparams *h) {
    return is_forward(h) && h->attention.forward_rule == TACO_FORWARD_COQUI;
}
static bool is_gmm(const struct taco_hparams *h) {
    return h->attention.type == TACO_ATTENTION_GMM;
}
static bool is_dynamic(const struct taco_hparams *h) {
    return h->attention.type == TACO_ATTENTION_DYNAMIC_CONVOLUTION;
}
static bool has_location(const struct taco_hparams *h) {
    return h->attention.type == TACO_ATTENTION_LOCATION || is_forward(h);
}
static bool has_dim(const struct taco_hparams *h) {
    return !is_gmm(h);
}
static bool has_filters(const struct taco_hparams *h) {
    return has_location(h) && h->attention.location_n_filters > 0;
}
static bool has_window(const struct taco_hparams *h) {
    return has_location(h) && h->attention.window != TACO_WINDOW_NONE;
}

static const char *const speaker_modes[] = {"none", "concat", "add", NULL};
static const char *const firing_frames[] = {"keep", "exclude", "drop", NULL};
static const char *const attention_types[] = {"location", "forward", "gmm",
                                              "dynamic_convolution", NULL};
static const char *const normalisers[] = {"softmax", "sigmoid", NULL};
static const char *const starts[] = {"zeros", "uniform", "one_hot", NULL};
static const char *const forward_rules[] = {"coqui", "espnet", NULL};
static const char *const windows[] = {"none", "coqui", "espnet", NULL};

#define ROW(key, type, field, ...)                                                       \
    {                                                                                    \
        .name = key, .kind = type, .offset = offsetof(struct taco_hparams, field),       \
        __VA_ARGS__                                                                      \
    }
#define RANGE(lo, hi) .min = lo, .max = hi
#define DEFAULT(x) .optional = true, .fallback = x
#define IF(predicate) .applies = predicate

static const struct key model_keys[] = {
    ROW("n_symbols", KIND_INT, n_symbols, RANGE(1, 65536)),
    ROW("n_mels", KIND_INT, n_mels, RANGE(1, 512)),
    ROW("n_frames_per_step", KIND_INT, n_frames_per_step, RANGE(1, 16)),
    ROW("symbols_embedding_dim", KIND_INT, symbols_embedding_dim, RANGE(1, 8192)),
    ROW("encoder_n_convolutions", KIND_INT, encoder_n_convolutions,
        RANGE(0, TACO_MAX_CONVOLUTIONS)),
    ROW("encoder_kernel_size", KIND_ODD, encoder_kernel_size, RANGE(1, 63)),
    ROW("encoder_conv_dim", KIND_INT, encoder_conv_dim, RANGE(1, 8192)),
    ROW("encoder_residual", KIND_BOOL, encoder_residual, DEFAULT(false)),
    ROW("encoder_lstm_dim", KIND_INT, encoder_lstm_dim, RANGE(1, 8192)),
    ROW("speaker_mode", KIND_ENUM, speaker_mode, DEFAULT(TACO_SPEAKER_NONE),
        .names = speaker_modes),
    ROW("speaker_embedding_dim", KIND_INT, speaker_embedding_dim, RANGE(1, 8192),
        IF(has_speakers)),
    ROW("prenet_dims", KIND_DIMS, prenet_dim, RANGE(1, 8192)),
    ROW("prenet_bias", KIND_BOOL, prenet_bias, DEFAULT(false)),
    ROW("prenet_dropout", KIND_REAL, prenet_dropout, RANGE(0, 1)),
    ROW("prenet_all_frames", KIND_BOOL, prenet_all_frames, DEFAULT(false)),
    ROW("attention_rnn_dim", KIND_INT, attention_rnn_dim, RANGE(1, 8192)),
    ROW("decoder_rnn_dim", KIND_INT, decoder_rnn_dim, RANGE(1, 8192)),
    ROW("attention_first", KIND_BOOL, attention_first, DEFAULT(false)),
    ROW("decoder_rnn_context", KIND_BOOL, decoder_rnn_context, DEFAULT(true)),
    ROW("zoneout", KIND_REAL, zoneout, RANGE(0, 1), DEFAULT(0)),
    ROW("attention", KIND_OBJECT, attention, RANGE(0, 0)),
    ROW("gate_dim", KIND_INT, gate_dim, RANGE(1, 16), DEFAULT(1)),
    ROW("gate_threshold", KIND_REAL, gate_threshold, RANGE(0, 1), .open_min = true),
    ROW("gate_inclusive", KIND_BOOL, gate_inclusive, DEFAULT(false)),
    ROW("min_steps", KIND_INT, min_steps, RANGE(0, 1000), DEFAULT(0)),
    ROW("firing_frame", KIND_ENUM, firing_frame, .names = firing_frames),
    ROW("max_frames_per_symbol", KIND_CLOSED, max_frames_per_symbol, RANGE(0, 1000)),
    ROW("max_frames_base", KIND_INT, max_frames_base, RANGE(0, 20000)),
    ROW("postnet_n_convolutions", KIND_INT, postnet_n_convolutions,
        RANGE(0, TACO_MAX_CONVOLUTIONS)),
    ROW("postnet_kernel_size", KIND_ODD, postnet_kernel_size, RANGE(1, 63)),
    ROW("postnet_embedding_dim", KIND_INT, postnet_embedding_dim, RANGE(1, 8192)),
    {.name = NULL},
};

static const struct key attention_keys[] = {
    ROW("type", KIND_TYPE, attention.type, .names = attention_types),
    ROW("dim", KIND_INT, attention.dim, RANGE(1, 8192), IF(has_dim)),
    ROW("location_n_filters", KIND_INT, attention.location_n_filters, RANGE(0, 1024),
        IF(has_location)),
    ROW("location_kernel_size", KIND_ODD, attention.location_kernel_size, RANGE(1, 255),
        IF(has_filters)),
    ROW("location_channels", KIND_CHANNELS, attention.location_prev, IF(has_filters)),
    ROW("normaliser", KIND_ENUM, attention.normaliser, DEFAULT(TACO_NORMALISER_SOFTMAX),
        .names = normalisers, IF(has_location)),
    ROW("start", KIND_ENUM, attention.start, DEFAULT(TACO_START_ZEROS), .names = starts,
        IF(has_location)),
    ROW("memory_bias", KIND_BOOL, attention.memory_bias, DEFAULT(false),
        IF(has_location)),
    ROW("v_bias", KIND_BOOL, attention.v_bias, DEFAULT(false), IF(has_location)),
    ROW("forward_rule", KIND_ENUM, attention.forward_rule, .names = forward_rules,
        IF(is_forward)),
    ROW("forward_mask", KIND_BOOL, attention.forward_mask, DEFAULT(false),
        IF(is_forward_coqui)),
    ROW("transition_agent", KIND_BOOL, attention.transition_agent, DEFAULT(false),
        IF(is_forward)),
    ROW("window", KIND_ENUM, attention.window, DEFAULT(TACO_WINDOW_NONE),
        .names = windows, IF(has_location)),
    ROW("window_back", KIND_INT, attention.window_back, RANGE(0, 1000), IF(has_window)),
    ROW("window_forward", KIND_INT, attention.window_forward, RANGE(0, 1000),
        IF(has_window)),
    ROW("gmm_components", KIND_INT, attention.gmm_components, RANGE(1, 64), IF(is_gmm)),
    ROW("dynamic_n_filters", KIND_INT, attention.dynamic_n_filters, RANGE(1, 256),
        IF(is_dynamic)),
    ROW("dynamic_kernel_size", KIND_ODD, attention.dynamic_kernel_size, RANGE(1, 255),
        IF(is_dynamic)),
    ROW("prior_length", KIND_INT, attention.prior_length, RANGE(1, 255), IF(is_dynamic)),
    {.name = NULL},
};

/* One object being read; prefix stands before the names of its keys in messages. */
struct reader {
    struct taco_hparams *hparams;
    const char *prefix;
    struct taco_error *err;
};

static enum taco_status fail(const struct reader *r, enum taco_status status,
                             const char *name, const char *what) {
    char param[sizeof r->err->param];
    snprintf(param, sizeof param, "%s%.30s", r->prefix, name);
    return taco_error_set(r->err, status, param, "model.%s %s", param, what);
}

static enum taco_status read_object(const struct reader *r, const struct key *keys,
                                    const json_t *object);

static enum taco_status read_integer(const struct reader *r, const struct key *key,
                                     const json_t *value, int *out) {
    bool odd = key->kind == KIND_ODD;
    json_int_t x = json_integer_value(value);
    if (json_is_integer(value) && x >= (json_int_t)key->min &&
        x <= (json_int_t)key->max && (!odd || x % 2 == 1)) {
        *out = (int)x;
        return TACO_OK;
    }
    char what[80];
    snprintf(what, sizeof what, "must be an %s, %.0f to %.0f",
             odd ? "odd integer" : "integer", key->min, key->max);
    return fail(r, TACO_ERR_FORMAT, key->name, what);
}

/* The range is that of the stored float: 0.99999999999 is no probability below 1. */
static enum taco_status read_real(const struct reader *r, const struct key *key,
                                  const json_t *value, float *out) {
    bool closed = key->kind == KIND_CLOSED;
    double x = json_number_value(value);
    if (json_is_number(value) && x >= key->min && x <= key->max) {
        *out = (float)x;
        if ((closed || *out < (float)key->max) &&
            !(key->open_min && *out <= (float)key->min))
            return TACO_OK;
    }
    char what[80];
    snprintf(what, sizeof what, "must be a number x, %g %s x %s %g", key->min,
             key->open_min ? "<" : "<=", closed ? "<=" : "<", key->max);
    return fail(r, TACO_ERR_FORMAT, key->name, what);
}

static enum taco_status read_enum(const struct reader *r, const struct key *key,
                                  const json_t *value, void *out) {
    const char *name = json_string_value(value);
    char list[80] = "";
    for (int i = 0; key->names[i]; i++) {
        if (name && strcmp(name, key->names[i]) == 0) {
            memcpy(out, &i, sizeof i);
            return TACO_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "",
                 key->names[i]);
    }
    char what[180];
    if (key->kind == KIND_TYPE && name) {
        snprintf(what, sizeof what, "\"%.40s\" is none that this build runs: %s", name,
                 list);
        return fail(r, TACO_ERR_UNSUPPORTED, key->name, what);
    }
    snprintf(what, sizeof what, "must be one of %s", list);
    return fail(r, TACO_ERR_FORMAT, key->name, what);
}

_Static_assert(sizeof(enum taco_attention_type) == sizeof(int) &&
                   sizeof(enum taco_speaker_mode) == sizeof(int),
               "read_enum writes ints");

static enum taco_status read_dims(const struct reader *r, const struct key *key,
                                  const json_t *value) {
    size_t n = json_array_size(value);
    bool good = n >= 1 && n <= TACO_MAX_PRENET_LAYERS;
    for (size_t i = 0; good && i < n; i++) {
        const json_t *dim = json_array_get(value, i);
        json_int_t x = json_integer_value(dim);
        good = json_is_integer(dim) && x >= (json_int_t)key->min &&
               x <= (json_int_t)key->max;
        r->hparams->prenet_dim[i] = (int)x;
    }
    if (!good)
        return fail(r, TACO_ERR_FORMAT, key->name,
                    "must be a list of 1 to 4 sizes, 1 to 8192 each");
    r->hparams->prenet_n_layers = (int)n;
    return TACO_OK;
}

static enum taco_status read_channels(const struct reader *r, const struct key *key,
                                      const json_t *value) {
    bool prev = false, cum = false, good = json_array_size(value) > 0;
    for (size_t i = 0; good && i < json_array_size(value); i++) {
        const char *name = json_string_value(json_array_get(value, i));
        bool is_prev = name && strcmp(name, "prev") == 0;
        bool is_cum = name && strcmp(name, "cum") == 0;
        good = (is_prev && !prev && !cum) || (is_cum && !cum);
        prev = prev || is_prev;
        cum = cum || is_cum;
    }
    if (!good)
        return fail(r, TACO_ERR_FORMAT, key->name,
                    "must be [\"prev\"], [\"cum\"] or [\"prev\", \"cum\"]");
    r->hparams->attention.location_prev = prev;
    r->hparams->attention.location_cum = cum;
    return TACO_OK;
}

static enum taco_status read_key(const struct reader *r, const struct key *key,
                                 const json_t *value) {
    void *field = (char *)r->hparams + key->offset;
    if (!value && !key->optional)
        return fail(r, TACO_ERR_FORMAT, key->name, "is missing");
    switch (key->kind) {
    case KIND_INT:
    case KIND_ODD:
        *(int *)field = (int)key->fallback;
        return value ? read_integer(r, key, value, field) : TACO_OK;
    case KIND_REAL:
    case KIND_CLOSED:
        *(float *)field = (float)key->fallback;
        return value ? read_real(r, key, value, field) : TACO_OK;
    case KIND_BOOL:
        *(bool *)field = value ? json_is_true(value) : key->fallback != 0;
        if (value && !json_is_boolean(value))
            return fail(r, TACO_ERR_FORMAT, key->name, "must be true or false");
        return TACO_OK;
    case KIND_ENUM:
    case KIND_TYPE:
        memcpy(field, &(int){(int)key->fallback}, sizeof(int));
        return value ? read_enum(r, key, value, field) : TACO_OK;
    case KIND_DIMS:
        return read_dims(r, key, value);
    case KIND_CHANNELS:
        return read_channels(r, key, value);
    case KIND_OBJECT:
        return read_object(&(struct reader){r->hparams, "attention.", r->err},
                           attention_keys, value);
    }
    return TACO_OK;
}

/* Every row that applies, then every key of the object that no row has taken. */
static enum taco_status read_object(const struct reader *r, const struct key *keys,
                                    const json_t *object) {
    if (!json_is_object(object))
        return taco_error_set(
            r->err, TACO_ERR_FORMAT, r->prefix[0] ? "attention" : "model",
            "%s must be a JSON object", r->prefix[0] ? "model.attention" : "model");
    enum taco_status st = TACO_OK;
    for (const struct key *key = keys; st == TACO_OK && key->name; key++)
        if (!key->applies || key->applies(r->hparams))
            st = read_key(r, key, json_object_get(object, key->name));
    if (st != TACO_OK)
        return st;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        const struct key *key = keys;
        while (key->name && strcmp(key->name, name) != 0)
            key++;
        if (!key->name)
            return fail(r, TACO_ERR_FORMAT, name, "is not a key that this version knows");
        if (key->applies && !key->applies(r->hparams))
            return fail(r, TACO_ERR_FORMAT, name,
                        "means nothing beside the other settings: leave it out");
    }
    return TACO_OK;
}

static enum taco_status check_sizes(const struct reader *r) {
    struct taco_hparams *h = r->hparams;
    bool same = h->encoder_conv_dim == h->symbols_embedding_dim;
    if (!same && h->encoder_n_convolutions == 0)
        return fail(r, TACO_ERR_FORMAT, "encoder_conv_dim",
                    "must equal symbols_embedding_dim where there is no convolution");
    if (!same && h->encoder_residual)
        return fail(r, TACO_ERR_FORMAT, "encoder_conv_dim",
                    "must equal symbols_embedding_dim with encoder_residual");
    if (h->speaker_mode == TACO_SPEAKER_ADD &&
        h->speaker_embedding_dim != 2 * h->encoder_lstm_dim)
        return fail(r, TACO_ERR_FORMAT, "speaker_embedding_dim",
                    "must be twice encoder_lstm_dim with speaker_mode \"add\"");
    if (h->gate_dim != 1 && h->gate_dim != h->n_frames_per_step)
        return fail(r, TACO_ERR_FORMAT, "gate_dim", "must be 1 or n_frames_per_step");
    return TACO_OK;
}

enum taco_status taco_hparams_parse(struct taco_hparams *hparams, const json_t *model,
                                    struct taco_error *err) {
    memset(hparams, 0, sizeof *hparams);
    struct reader r = {hparams, "", err};
    enum taco_status st = read_object(&r, model_keys, model);
    if (st == TACO_OK)
        st = check_sizes(&r);
    if (st != TACO_OK)
        return st;
    bool concat = hparams->speaker_mode == TACO_SPEAKER_CONCAT;
    hparams->n_speakers = hparams->speaker_mode == TACO_SPEAKER_NONE ? 1 : 0;
    hparams->memory_dim =
        2 * hparams->encoder_lstm_dim + (concat ? hparams->speaker_embedding_dim : 0);
    hparams->attention.cum_plain = is_forward_coqui(hparams);
    return TACO_OK;
}
