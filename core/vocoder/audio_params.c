/* Reads the config's "audio" object (models/FORMAT.md) into struct taco_audio_params.
 *
 * Two tables say which keys there are, of which type and range; a key that no row takes
 * is refused. What a row cannot say - words, and sizes that must fit one another - stands
 * behind them. */
#include "vocoder/vocoder.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"

enum kind { KIND_INT, KIND_FLOAT, KIND_BOOL, KIND_OTHER };

struct key {
    const char *name;
    enum kind kind;
    size_t offset;   /* of the field in struct taco_audio_params */
    double min, max; /* numbers: min <= x <= max */
    bool optional;   /* then fallback is the value */
    double fallback;
};

#define ROW(key, type, field, ...)                                                       \
    {                                                                                    \
        .name = key, .kind = type, .offset = offsetof(struct taco_audio_params, field),  \
        __VA_ARGS__                                                                      \
    }
#define RANGE(lo, hi) .min = lo, .max = hi
#define DEFAULT(x) .optional = true, .fallback = x
#define OTHER(key)                                                                       \
    { .name = key, .kind = KIND_OTHER }

/* The bounds of gain and floor keep every magnitude inside float's range. */
static const struct key audio_keys[] = {
    ROW("sample_rate", KIND_INT, sample_rate, RANGE(4000, 96000)),
    ROW("n_fft", KIND_INT, n_fft, RANGE(32, 16384)),
    ROW("win_length", KIND_INT, win_length, RANGE(16, 16384)),
    ROW("hop_length", KIND_INT, hop_length, RANGE(1, 8192)),
    ROW("n_mels", KIND_INT, n_mels, RANGE(1, 512)),
    ROW("fmin", KIND_FLOAT, fmin, RANGE(0, 48000)),
    ROW("fmax", KIND_FLOAT, fmax, RANGE(0, 48000)),
    ROW("window_periodic", KIND_BOOL, window_periodic, DEFAULT(true)),
    ROW("center", KIND_BOOL, center, DEFAULT(true)),
    OTHER("pad_mode"),
    ROW("mel_power", KIND_FLOAT, mel_power, RANGE(1, 2), DEFAULT(1)),
    OTHER("log"),
    ROW("log_gain", KIND_FLOAT, log_gain, RANGE(1e-6, 1e6), DEFAULT(1)),
    ROW("log_floor", KIND_FLOAT, log_floor, RANGE(1e-30, 1)),
    OTHER("range"),
    ROW("mean_std", KIND_BOOL, has_mean_std, DEFAULT(false)),
    ROW("preemphasis", KIND_FLOAT, preemphasis, RANGE(0, 1), DEFAULT(0)),
    {.name = NULL},
};

static const struct key range_keys[] = {
    ROW("ref_level_db", KIND_FLOAT, ref_level_db, RANGE(-1000, 1000)),
    ROW("min_level_db", KIND_FLOAT, min_level_db, RANGE(-1000, -1e-3)),
    ROW("max_norm", KIND_FLOAT, max_norm, RANGE(1e-6, 1e6)),
    ROW("symmetric", KIND_BOOL, range_symmetric),
    ROW("clip", KIND_BOOL, range_clip),
    {.name = NULL},
};

static enum taco_status wrong(struct taco_error *err, const char *name,
                              const char *what) {
    return taco_error_set(err, TACO_ERR_FORMAT, name, "config: audio.%s %s", name, what);
}

static enum taco_status read_number(const struct key *key, const json_t *value,
                                    void *field, struct taco_error *err) {
    bool whole = key->kind == KIND_INT;
    double x = json_number_value(value);
    if (!(whole ? json_is_integer(value) : json_is_number(value)) ||
        !(x >= key->min && x <= key->max))
        return taco_error_set(err, TACO_ERR_FORMAT, key->name,
                              "config: audio.%s must be %s, %g to %g", key->name,
                              whole ? "an integer" : "a number", key->min, key->max);
    if (whole)
        *(int *)field = (int)x;
    else
        *(float *)field = (float)x;
    return TACO_OK;
}

static enum taco_status read_key(const struct key *key, const json_t *object,
                                 struct taco_audio_params *params,
                                 struct taco_error *err) {
    const json_t *value = json_object_get(object, key->name);
    void *field = (char *)params + key->offset;
    if (key->kind == KIND_OTHER)
        return TACO_OK;
    if (!value && !key->optional)
        return wrong(err, key->name, "is missing");
    if (key->kind == KIND_BOOL) {
        if (value && !json_is_boolean(value))
            return wrong(err, key->name, "must be true or false");
        *(bool *)field = value ? json_is_true(value) : key->fallback != 0;
        return TACO_OK;
    }
    if (value)
        return read_number(key, value, field, err);
    *(float *)field = (float)key->fallback; /* every optional number is a float */
    return TACO_OK;
}

static enum taco_status read_keys(const struct key *keys, const json_t *object,
                                  struct taco_audio_params *params,
                                  struct taco_error *err) {
    enum taco_status status = TACO_OK;
    for (const struct key *key = keys; key->name && status == TACO_OK; key++)
        status = read_key(key, object, params, err);
    if (status != TACO_OK)
        return status;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        const struct key *key = keys;
        while (key->name && strcmp(key->name, name) != 0)
            key++;
        if (!key->name)
            return taco_error_set(
                err, TACO_ERR_FORMAT, name,
                "config: audio has an unknown key \"%.60s\": made for a "
                "later version?",
                name);
    }
    return TACO_OK;
}

/* *is_first tells which of the two words stands at key; absent: the first, if optional.
 */
static enum taco_status read_word(const json_t *audio, const char *key, bool optional,
                                  const char *first, const char *second, bool *is_first,
                                  struct taco_error *err) {
    const json_t *value = json_object_get(audio, key);
    const char *word = json_string_value(value);
    if (!value && optional)
        word = first;
    *is_first = word && strcmp(word, first) == 0;
    if (*is_first || (word && strcmp(word, second) == 0))
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_FORMAT, key,
                          "config: audio.%s must be \"%s\" or \"%s\"", key, first,
                          second);
}

static enum taco_status check_sizes(const struct taco_audio_params *p,
                                    struct taco_error *err) {
    if (p->n_fft % 2)
        return wrong(err, "n_fft", "must be even");
    if (p->win_length > p->n_fft)
        return taco_error_set(err, TACO_ERR_FORMAT, "win_length",
                              "config: audio.win_length is %d, over n_fft %d",
                              p->win_length, p->n_fft);
    /* Fewer than two frames over every sample lose what the window hides; more than 32
       make the work of Griffin-Lim grow without any use. */
    if (p->hop_length > p->win_length / 2 || p->hop_length * 32 < p->win_length)
        return taco_error_set(
            err, TACO_ERR_FORMAT, "hop_length",
            "config: audio.hop_length is %d, must be %d to %d (win_length "
            "/ 32 to win_length / 2)",
            p->hop_length, (p->win_length + 31) / 32, p->win_length / 2);
    if (!(p->fmin < p->fmax))
        return wrong(err, "fmin", "must be below fmax");
    if (2 * p->fmax > (float)p->sample_rate)
        return wrong(err, "fmax", "must not be above half the sample rate");
    if (p->mel_power != 1 && p->mel_power != 2)
        return wrong(err, "mel_power", "must be 1 or 2");
    if (p->preemphasis >= 1)
        return wrong(err, "preemphasis", "must be below 1");
    if (p->range && p->has_mean_std)
        return wrong(err, "range", "and audio.mean_std exclude one another");
    return TACO_OK;
}

enum taco_status taco_audio_params_parse(struct taco_audio_params *params,
                                         const json_t *audio, struct taco_error *err) {
    bool natural = true;
    memset(params, 0, sizeof *params);
    if (!json_is_object(audio))
        return taco_error_set(err, TACO_ERR_FORMAT, "audio",
                              "config: \"audio\" must be an object");
    enum taco_status status = read_keys(audio_keys, audio, params, err);
    if (status == TACO_OK)
        status = read_word(audio, "pad_mode", true, "reflect", "constant",
                           &params->pad_reflect, err);
    if (status == TACO_OK)
        status = read_word(audio, "log", false, "ln", "log10", &natural, err);
    params->log10 = !natural;
    const json_t *range = json_object_get(audio, "range");
    params->range = range != NULL;
    if (status == TACO_OK && range)
        status = json_is_object(range) ? read_keys(range_keys, range, params, err)
                                       : wrong(err, "range", "must be an object");
    if (status == TACO_OK)
        status = check_sizes(params, err);
    return status;
}
