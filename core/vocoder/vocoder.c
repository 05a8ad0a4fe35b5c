#include "vocoder/vocoder_private.h"

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum taco_status taco_vocoder_create(struct taco_vocoder **out,
                                     const struct taco_audio_params *params,
                                     const float *mel_basis, const float *mean,
                                     const float *std, struct taco_error *err) {
    *out = NULL;
    struct taco_vocoder *v = taco_calloc(1, sizeof *v);
    if (!v)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the vocoder");
    v->params = *params;
    enum taco_status status =
        taco_mel_scale_init(&v->scale, params, mean, std, &v->arena, err);
    if (status == TACO_OK)
        status = taco_mel_inversion_init(&v->inversion, mel_basis, params->n_mels,
                                         params->n_fft / 2 + 1, &v->arena, err);
    if (status == TACO_OK)
        status = taco_stft_init(&v->stft, params, &v->arena, err);
    if (status == TACO_OK)
        status = taco_pghi_init(&v->pghi, &v->stft, v->inversion.first_bin,
                                v->inversion.n_bins, &v->arena, err);
    if (status != TACO_OK) {
        taco_vocoder_destroy(v);
        return status;
    }
    float sum = 0;
    for (int i = 0; i < params->win_length; i++)
        sum += v->stft.window[i];
    v->reference = sum / 8; /* a sine at a quarter of full scale */
    *out = v;
    return TACO_OK;
}

void taco_vocoder_destroy(struct taco_vocoder *vocoder) {
    if (!vocoder)
        return;
    taco_stft_end(&vocoder->stft);
    taco_arena_free(&vocoder->arena);
    taco_free(vocoder);
}

size_t taco_vocoder_samples(const struct taco_vocoder *vocoder, int t) {
    return (size_t)t * (size_t)vocoder->stft.hop_length;
}

void taco_vocoder_mel_linear(const struct taco_vocoder *vocoder, const float *mel, int t,
                             float *out) {
    taco_mel_scale_undo(&vocoder->scale, mel, t, out);
}

/* Magnitude, or its square with mel_power 2, to reference * (magnitude /
 * reference)^power. */
static void raise_to_power(const struct taco_vocoder *vocoder, float power, size_t n,
                           float *x) {
    float exponent = power / vocoder->params.mel_power;
    float scale = vocoder->reference / powf(vocoder->reference, power);
    if (exponent == 0.5f && power == 1)
        for (size_t i = 0; i < n; i++)
            x[i] = sqrtf(x[i]);
    else if (exponent != 1)
        for (size_t i = 0; i < n; i++)
            x[i] = scale * powf(x[i], exponent);
}

void taco_vocoder_magnitudes(const struct taco_vocoder *vocoder, const float *mel, int t,
                             float power, float *linear, float *scratch, float *out) {
    taco_mel_scale_undo(&vocoder->scale, mel, t, linear);
    taco_mel_inversion_solve(&vocoder->inversion, linear, t, TACO_MEL_INVERSION_UPDATES,
                             scratch, out);
    raise_to_power(vocoder, power, (size_t)t * (size_t)vocoder->inversion.n_bins, out);
}

void taco_vocoder_random_phase(const struct taco_vocoder *vocoder,
                               const struct taco_rng_key *key, int first, int t,
                               float *phase) {
    struct taco_rng_key phase_key = *key;
    phase_key.stream = TACO_RNG_PHASE;
    for (int i = 0; i < t; i++)
        taco_rng_uniform(&phase_key, (uint32_t)(first + i), 0,
                         (size_t)vocoder->inversion.n_bins,
                         phase + (size_t)i * vocoder->pghi.stride + 1);
}

void taco_vocoder_deemphasize(const struct taco_vocoder *vocoder, float *samples,
                              size_t n, float *state) {
    float k = vocoder->params.preemphasis, y = *state;
    if (k == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        y = samples[i] + k * y;
        samples[i] = y;
    }
    *state = y;
}

enum taco_status taco_vocoder_synthesize(const struct taco_vocoder *vocoder,
                                         const float *mel, int t,
                                         const struct taco_vocoder_options *options,
                                         const struct taco_rng_key *key,
                                         struct taco_arena *scratch, float *out) {
    const struct taco_mel_inversion *inversion = &vocoder->inversion;
    const struct taco_pghi *pghi = &vocoder->pghi;
    size_t bins = (size_t)inversion->n_bins,
           cells = ((size_t)t + 2) * (size_t)pghi->stride;
    float *linear = taco_arena_alloc(scratch, (size_t)t, (size_t)inversion->n_mels * 4);
    float *work = taco_arena_alloc(scratch, taco_mel_inversion_scratch(inversion), 4);
    float *magnitudes = taco_arena_alloc(scratch, (size_t)t, bins * 4);
    struct taco_pghi_rows rows = {
        .log_magnitude = taco_arena_alloc(scratch, cells, sizeof(float)),
        .phase = taco_arena_alloc(scratch, cells, sizeof(float)),
        .link = taco_arena_alloc(scratch, cells, sizeof(int32_t))};
    struct taco_griffin_lim *gl;
    if (!linear || !work || !magnitudes || !rows.log_magnitude || !rows.phase ||
        !rows.link)
        return TACO_ERR_NO_MEMORY;
    if (taco_griffin_lim_init(&gl, &vocoder->stft, inversion->first_bin,
                              inversion->n_bins, options->n_iter, options->momentum,
                              scratch) != TACO_OK)
        return TACO_ERR_NO_MEMORY;
    taco_vocoder_magnitudes(vocoder, mel, t, options->power, linear, work, magnitudes);
    if (options->phase == TACO_PHASE_RANDOM) {
        taco_vocoder_random_phase(vocoder, key, 0, t, rows.phase + pghi->stride);
    } else {
        for (int i = 0; i < t; i++)
            taco_pghi_set_row(pghi, &rows, i + 1, magnitudes + (size_t)i * bins);
        taco_pghi_copy_row(pghi, &rows, 0, 1);
        taco_pghi_copy_row(pghi, &rows, t + 1, t);
        taco_pghi_integrate(pghi, &rows, t, false);
    }
    size_t done = 0, n;
    for (int i = 0; i < t; i += 2) {
        int frames = t - i < 2 ? 1 : 2;
        const float *m[2] = {magnitudes + (size_t)i * bins,
                             magnitudes + ((size_t)i + 1) * bins};
        const float *p[2] = {rows.phase + ((size_t)i + 1) * (size_t)pghi->stride + 1,
                             rows.phase + ((size_t)i + 2) * (size_t)pghi->stride + 1};
        taco_griffin_lim_push(gl, frames, m, p, out + done, &n);
        done += n;
    }
    taco_griffin_lim_finish(gl, out + done, &n);
    assert(done + n == taco_vocoder_samples(vocoder, t));
    float state = 0;
    taco_vocoder_deemphasize(vocoder, out, done + n, &state);
    return TACO_OK;
}
