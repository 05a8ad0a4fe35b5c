/* Between a project's mel values and linear mel magnitudes. Every scale of
 * models/FORMAT.md is affine in ln mel, so both directions are one multiplication and one
 * addition a value. */
#ifndef TACO_MEL_SCALE_H
#define TACO_MEL_SCALE_H

#include "vocoder/vocoder.h"

/* Linear mels of a power 1 basis are kept below this, so that no later sum overflows:
 * full scale is some hundreds. A power 2 basis: its square. */
#define TACO_MEL_LARGEST 1e6f

struct taco_mel_scale {
    int n_mels;
    const float *gain, *offset; /* [n_mels]: ln mel = gain * value + offset */
    bool clip;                  /* values are limited to lowest..highest first */
    float lowest, highest;
    float floor;                /* the analysis' smallest linear mel, > 0 */
    float ln_least, ln_largest; /* limits of ln mel */
};

/* mean, std [n_mels] with params->has_mean_std. Arrays come from the arena.
 * TACO_ERR_NO_MEMORY; TACO_ERR_FORMAT: mean or std not finite, std not above 0. */
enum taco_status taco_mel_scale_init(struct taco_mel_scale *scale,
                                     const struct taco_audio_params *params,
                                     const float *mean, const float *std,
                                     struct taco_arena *arena, struct taco_error *err);

/* out [t, n_mels] linear from mel [t, n_mels]; may be the same array. NaN becomes the
 * floor, what is out of reach the nearest limit, so every output is finite and above 0.
 */
void taco_mel_scale_undo(const struct taco_mel_scale *scale, const float *mel, int t,
                         float *out);

/* The forward direction: out [t, n_mels] from linear mels [t, n_mels]; may be the same.
 */
void taco_mel_scale_apply(const struct taco_mel_scale *scale, const float *linear, int t,
                          float *out);

#endif
