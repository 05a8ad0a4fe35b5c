/* What the whole-clip and the streaming vocoder share. */
#ifndef TACO_VOCODER_PRIVATE_H
#define TACO_VOCODER_PRIVATE_H

#include "vocoder/griffin_lim.h"
#include "vocoder/mel_inversion.h"
#include "vocoder/mel_scale.h"
#include "vocoder/pghi.h"
#include "vocoder/stft.h"

struct taco_vocoder {
    struct taco_audio_params params;
    struct taco_arena arena; /* everything below */
    struct taco_mel_scale scale;
    struct taco_mel_inversion inversion;
    struct taco_stft stft;
    struct taco_pghi pghi;
    float reference; /* magnitude that the option power leaves as it is */
};

/* Magnitudes out [t, n_bins], raised to power, from scaled mels [t, n_mels]. linear [t,
 * n_mels] and scratch [taco_mel_inversion_scratch()] are work space. */
void taco_vocoder_magnitudes(const struct taco_vocoder *vocoder, const float *mel, int t,
                             float power, float *linear, float *scratch, float *out);

/* Random phases of rows first_row.. for frames first..first + t - 1. */
void taco_vocoder_random_phase(const struct taco_vocoder *vocoder,
                               const struct taco_rng_key *key, int first, int t,
                               float *phase);

/* In place y[i] = x[i] + k y[i - 1]; *state is y[-1] and becomes y[n - 1]. */
void taco_vocoder_deemphasize(const struct taco_vocoder *vocoder, float *samples,
                              size_t n, float *state);

#endif
