#include "vocoder/vocoder.h"

#include <assert.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "vocoder/pipeline.h"

/* Frames that get their phases together: enough that more would change nothing, few
 * enough that their rows stay in the cache. */
enum { BLOCK = 64 };

/* Those that have magnitudes; the others are silent. */
static enum taco_status use_bins(struct taco_vocoder *v, int first_bin, int n_bins,
                                 struct taco_error *err) {
    v->first_bin = first_bin;
    v->n_bins = n_bins;
    return taco_pghi_init(&v->pghi, &v->stft, first_bin, n_bins, &v->arena, err);
}

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
        status = use_bins(v, v->inversion.first_bin, v->inversion.n_bins, err);
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

enum taco_status taco_vocoder_use_inverter(struct taco_vocoder *v,
                                           const struct taco_inverter_params *params,
                                           const struct taco_inverter_weights *weights,
                                           const struct taco_kernels *kernels,
                                           enum taco_precision precision,
                                           struct taco_error *err) {
    struct taco_inverter *inverter = taco_arena_alloc(&v->arena, 1, sizeof *inverter);
    if (!inverter ||
        taco_inverter_init(inverter, params, weights, v->params.n_mels,
                           v->params.n_fft / 2 + 1, logf(v->params.log_floor), kernels,
                           precision, &v->arena) != TACO_OK)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the inverter");
    v->inverter = inverter;
    return use_bins(v, 0, inverter->n_bins, err);
}

bool taco_vocoder_has_inverter(const struct taco_vocoder *vocoder) {
    return vocoder->inverter;
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

enum taco_status taco_vocoder_synthesize(const struct taco_vocoder *vocoder,
                                         const float *mel, int t,
                                         const struct taco_vocoder_options *options,
                                         const struct taco_rng_key *key,
                                         const struct taco_cancel *cancel,
                                         struct taco_arena *scratch, float *out) {
    struct taco_pipeline *pipeline;
    size_t n;
    enum taco_status status =
        taco_pipeline_init(&pipeline, vocoder, options, BLOCK, key, cancel, scratch);
    if (status == TACO_OK)
        status = taco_pipeline_feed(pipeline, mel, t, true, out, &n);
    assert(status != TACO_OK || n == taco_vocoder_samples(vocoder, t));
    return status;
}
