/* Reads the config's "audio" object (models/FORMAT.md) into struct taco_audio_params, by
 * two tables. What no row can say - sizes that must fit one another - is in check_sizes. */
#include "vocoder/vocoder.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"

static const char *const pad_modes[] = {"constant", "reflect", NULL};
static const char *const logarithms[] = {"ln", "log10", NULL};

static enum taco_status read_range(const struct taco_config_reader *reader,
                                   const struct taco_config_key *key,
                                   const json_t *value);

#define ROW(key, type, field, ...)                                                       \
    {                                                                                    \
        .name = key, .kind = TACO_KEY_##type,                                            \
        .offset = offsetof(struct taco_audio_params, field), __VA_ARGS__                 \
    }
#define RANGE(lo, hi) .min = lo, .max = hi
#define DEFAULT(x) .optional = true, .fallback = x

/* The bounds of gain and floor keep every magnitude inside float's range. */
static const struct taco_config_key audio_keys[] = {
    ROW("sample_rate", INT, sample_rate, RANGE(4000, 96000)),
    ROW("n_fft", INT, n_fft, RANGE(32, 16384)),
    ROW("win_length", INT, win_length, RANGE(16, 16384)),
    ROW("hop_length", INT, hop_length, RANGE(1, 8192)),
    ROW("n_mels", INT, n_mels, RANGE(1, 512)),
    ROW("fmin", REAL, fmin, RANGE(0, 48000)),
    ROW("fmax", REAL, fmax, RANGE(0, 48000)),
    ROW("window_periodic", BOOL, window_periodic, DEFAULT(true)),
    ROW("center", BOOL, center, DEFAULT(true)),
    ROW("pad_mode", EITHER, pad_reflect, .names = pad_modes, DEFAULT(true)),
    ROW("mel_power", REAL, mel_power, RANGE(1, 2), DEFAULT(1)),
    ROW("log", EITHER, log10, .names = logarithms),
    ROW("log_gain", REAL, log_gain, RANGE(1e-6, 1e6), DEFAULT(1)),
    ROW("log_floor", REAL, log_floor, RANGE(1e-30, 1)),
    {.name = "range", .optional = true, .read = read_range},
    ROW("mean_std", BOOL, has_mean_std, DEFAULT(false)),
    ROW("preemphasis", REAL, preemphasis, RANGE(0, 1), .open_max = true, DEFAULT(0)),
    {.name = NULL},
};

static const struct taco_config_key range_keys[] = {
    ROW("ref_level_db", REAL, ref_level_db, RANGE(-1000, 1000)),
    ROW("min_level_db", REAL, min_level_db, RANGE(-1000, -1e-3)),
    ROW("max_norm", REAL, max_norm, RANGE(1e-6, 1e6)),
    ROW("symmetric", BOOL, range_symmetric),
    ROW("clip", BOOL, range_clip),
    {.name = NULL},
};

static enum taco_status read_range(const struct taco_config_reader *reader,
                                   const struct taco_config_key *key,
                                   const json_t *value) {
    (void)key;
    struct taco_config_reader inner = *reader;
    inner.prefix = "range.";
    ((struct taco_audio_params *)reader->target)->range = value != NULL;
    return value ? taco_config_read(&inner, range_keys, value) : TACO_OK;
}

static enum taco_status check_sizes(const struct taco_config_reader *r) {
    const struct taco_audio_params *p = r->target;
    char what[80];
    if (p->n_fft % 2)
        return taco_config_fail(r, TACO_ERR_FORMAT, "n_fft", "must be even");
    if (p->win_length > p->n_fft) {
        snprintf(what, sizeof what, "is %d, over n_fft %d", p->win_length, p->n_fft);
        return taco_config_fail(r, TACO_ERR_FORMAT, "win_length", what);
    }
    /* Fewer than two frames over every sample lose what the window hides; more than 32
       make the work of Griffin-Lim grow without any use. */
    if (p->hop_length > p->win_length / 2 || p->hop_length * 32 < p->win_length) {
        snprintf(what, sizeof what,
                 "is %d, must be %d to %d (win_length / 32 to win_length / 2)",
                 p->hop_length, (p->win_length + 31) / 32, p->win_length / 2);
        return taco_config_fail(r, TACO_ERR_FORMAT, "hop_length", what);
    }
    if (!(p->fmin < p->fmax))
        return taco_config_fail(r, TACO_ERR_FORMAT, "fmin", "must be below fmax");
    if (2 * p->fmax > (float)p->sample_rate)
        return taco_config_fail(r, TACO_ERR_FORMAT, "fmax",
                                "must not be above half the sample rate");
    if (p->mel_power != 1 && p->mel_power != 2)
        return taco_config_fail(r, TACO_ERR_FORMAT, "mel_power", "must be 1 or 2");
    if (p->range && p->has_mean_std)
        return taco_config_fail(r, TACO_ERR_FORMAT, "range",
                                "and audio.mean_std exclude one another");
    return TACO_OK;
}

enum taco_status taco_audio_params_parse(struct taco_audio_params *params,
                                         const json_t *audio, struct taco_error *err) {
    memset(params, 0, sizeof *params);
    const struct taco_config_reader r = {params, "audio", "", err};
    enum taco_status status = taco_config_read(&r, audio_keys, audio);
    return status == TACO_OK ? check_sizes(&r) : status;
}
