/* The forward direction: samples to a project's mel values, for tests and measures. */
#include "vocoder/pipeline.h"

#include <string.h>

int taco_vocoder_analysis_frames(const struct taco_vocoder *vocoder, size_t n) {
    return taco_stft_frames(&vocoder->stft, n);
}

enum taco_status taco_vocoder_analyse(const struct taco_vocoder *vocoder,
                                      const float *samples, size_t n,
                                      struct taco_arena *scratch, float *mel) {
    const struct taco_stft *stft = &vocoder->stft;
    const struct taco_mel_inversion *inversion = &vocoder->inversion;
    size_t bins = (size_t)inversion->n_bins, all = (size_t)stft->n_bins;
    int t = taco_stft_frames(stft, n);
    float *x = taco_arena_alloc(scratch, n, sizeof *x);
    float *magnitudes = taco_arena_alloc(scratch, (size_t)t, all * sizeof *magnitudes);
    if (!x || !magnitudes)
        return TACO_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++)
        x[i] = samples[i] - (i > 0 ? vocoder->params.preemphasis * samples[i - 1] : 0);
    enum taco_status status = taco_stft_magnitudes(stft, x, n, scratch, magnitudes);
    if (status != TACO_OK)
        return status;
    /* The bins of the basis, moved together in place. */
    for (size_t i = 0; i < (size_t)t; i++)
        for (size_t k = 0; k < bins; k++) {
            float m = magnitudes[i * all + (size_t)inversion->first_bin + k];
            magnitudes[i * bins + k] = vocoder->params.mel_power == 2 ? m * m : m;
        }
    taco_mel_inversion_project(inversion, magnitudes, t, mel);
    taco_mel_scale_apply(&vocoder->scale, mel, t, mel);
    return TACO_OK;
}
