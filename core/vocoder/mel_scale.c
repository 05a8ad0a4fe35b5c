#include "vocoder/mel_scale.h"

#include <float.h>
#include <math.h>

#include "base/error.h"

/* value = log_gain * log_b(mel), then one of
 *   range:    u = (value - ref - min) / -min;  2 max_norm u - max_norm, or max_norm u
 *   mean_std: (value - mean) / std
 * solved for ln mel = ln b / log_gain * value. */
enum taco_status taco_mel_scale_init(struct taco_mel_scale *scale,
                                     const struct taco_audio_params *params,
                                     const float *mean, const float *std,
                                     struct taco_arena *arena, struct taco_error *err) {
    int n_mels = params->n_mels;
    float *gain = taco_arena_alloc(arena, (size_t)n_mels, sizeof *gain);
    float *offset = taco_arena_alloc(arena, (size_t)n_mels, sizeof *offset);
    if (!gain || !offset)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the mel scale");
    float ln_unit = (params->log10 ? logf(10) : 1) / params->log_gain;
    for (int d = 0; d < n_mels; d++) {
        float a = 1, b = 0; /* the logarithm is a * value + b */
        if (params->range) {
            float unit =
                params->range_symmetric ? 2 * params->max_norm : params->max_norm;
            a = -params->min_level_db / unit;
            b = params->min_level_db + params->ref_level_db +
                (params->range_symmetric ? a * params->max_norm : 0);
        } else if (params->has_mean_std) {
            if (!isfinite(mean[d]) || !isfinite(std[d]) || !(std[d] > 0))
                return taco_error_set(
                    err, TACO_ERR_FORMAT, "audio.std",
                    "audio: mean %g and std %g of band %d cannot be undone",
                    (double)mean[d], (double)std[d], d);
            a = std[d];
            b = mean[d];
        }
        gain[d] = a * ln_unit;
        offset[d] = b * ln_unit;
    }
    scale->n_mels = n_mels;
    scale->gain = gain;
    scale->offset = offset;
    scale->clip = params->range && params->range_clip;
    scale->highest = params->max_norm;
    scale->lowest = params->range_symmetric ? -params->max_norm : 0;
    scale->floor = params->log_floor;
    scale->ln_least = logf(FLT_MIN);
    scale->ln_largest = logf(TACO_MEL_LARGEST) * params->mel_power;
    return TACO_OK;
}

void taco_mel_scale_undo(const struct taco_mel_scale *scale, const float *mel, int t,
                         float *out) {
    for (int i = 0; i < t; i++)
        for (int d = 0; d < scale->n_mels; d++) {
            float x = mel[(ptrdiff_t)i * scale->n_mels + d];
            if (scale->clip)
                x = fminf(fmaxf(x, scale->lowest), scale->highest);
            float ln_mel = scale->gain[d] * x + scale->offset[d];
            float y = expf(fminf(fmaxf(ln_mel, scale->ln_least), scale->ln_largest));
            out[(ptrdiff_t)i * scale->n_mels + d] =
                isnan(mel[(ptrdiff_t)i * scale->n_mels + d]) ? scale->floor : y;
        }
}

void taco_mel_scale_apply(const struct taco_mel_scale *scale, const float *linear, int t,
                          float *out) {
    for (int i = 0; i < t; i++)
        for (int d = 0; d < scale->n_mels; d++) {
            float x = linear[(ptrdiff_t)i * scale->n_mels + d];
            float y = (logf(fmaxf(x, scale->floor)) - scale->offset[d]) / scale->gain[d];
            if (scale->clip)
                y = fminf(fmaxf(y, scale->lowest), scale->highest);
            out[(ptrdiff_t)i * scale->n_mels + d] = y;
        }
}
