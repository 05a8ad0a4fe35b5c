/* Vocoder: mel in a project's own scale -> linear magnitudes -> phase -> samples.
 *
 * struct taco_vocoder is const after creation (FFTW plans, mel basis, window) and shared
 * by all threads; the work needs a scratch arena. */
#ifndef TACO_VOCODER_H
#define TACO_VOCODER_H

#include "base/arena.h"
#include "base/rng.h"
#include <jansson.h>
#include <stdbool.h>
#include <taco/request.h>
#include <taco/status.h>

#include "vocoder/inverter.h"

/* The config's "audio" object (models/FORMAT.md). */
struct taco_audio_params {
    int sample_rate, n_fft, win_length, hop_length, n_mels;
    bool window_periodic; /* Hann */
    bool center;          /* frames are centred at t * hop; otherwise they start at
                             t * hop - (n_fft - hop) / 2 (NeMo) */
    bool pad_reflect;     /* edges are mirrored; otherwise zero */
    float fmin, fmax;     /* Hz */
    float mel_power;      /* 1: magnitudes went into the mel basis, 2: powers */
    /* value = scale * log(max(mel, floor)) ..., undone from the last step to the first */
    bool log10;     /* otherwise natural */
    float log_gain; /* value = gain * log(...); 20 for decibels */
    float log_floor;
    bool has_mean_std; /* (value - mean) / std a band */
    bool range;        /* otherwise, after subtracting ref_level_db: */
    float ref_level_db, min_level_db, max_norm;
    bool range_symmetric; /* -max_norm..max_norm, otherwise 0..max_norm */
    bool range_clip;
    float preemphasis; /* y[n] = x[n] - k x[n-1] before the analysis; 0: none */
};

/* Unknown keys, wrong types, values out of range: TACO_ERR_FORMAT, err->param. */
enum taco_status taco_audio_params_parse(struct taco_audio_params *params,
                                         const json_t *audio, struct taco_error *err);

struct taco_vocoder;

/* mel_basis [n_mels, n_fft / 2 + 1] and, with has_mean_std, mean, std [n_mels] are
 * copied. TACO_ERR_NO_MEMORY; TACO_ERR_FORMAT: a basis with an empty or negative band. */
enum taco_status taco_vocoder_create(struct taco_vocoder **vocoder,
                                     const struct taco_audio_params *params,
                                     const float *mel_basis, const float *mean,
                                     const float *std, struct taco_error *err);
void taco_vocoder_destroy(struct taco_vocoder *vocoder);

/* From now on magnitudes come from a learnt inverter (vocoder/inverter.h); before the vocoder
 * is shared, once at most. Weights are copied. mel_power must be 1. TACO_ERR_NO_MEMORY. */
enum taco_status taco_vocoder_use_inverter(struct taco_vocoder *vocoder,
                                           const struct taco_inverter_params *params,
                                           const struct taco_inverter_weights *weights,
                                           const struct taco_kernels *kernels,
                                           enum taco_precision precision,
                                           struct taco_error *err);

bool taco_vocoder_has_inverter(const struct taco_vocoder *vocoder);

/* Samples that t frames give: t * hop_length. */
size_t taco_vocoder_samples(const struct taco_vocoder *vocoder, int t);

/* Undo the scale: out [t, n_mels] linear mel magnitudes (or powers) from mel [t, n_mels].
 */
void taco_vocoder_mel_linear(const struct taco_vocoder *vocoder, const float *mel, int t,
                             float *out);

/* The inverse, for tests and measures: scaled mel [t, n_mels] of samples [n]. t is 1 + n
 * / hop for centred frames, n / hop otherwise. */
int taco_vocoder_analysis_frames(const struct taco_vocoder *vocoder, size_t n);
enum taco_status taco_vocoder_analyse(const struct taco_vocoder *vocoder,
                                      const float *samples, size_t n,
                                      struct taco_arena *scratch, float *mel);

/* The whole: mel [t, n_mels] in the voice's scale -> out [taco_vocoder_samples(t)], not
 * clipped. key gives the random phase (TACO_PHASE_RANDOM). cancel may be NULL.
 * TACO_ERR_NO_MEMORY, _CANCELLED. */
enum taco_status taco_vocoder_synthesize(const struct taco_vocoder *vocoder,
                                         const float *mel, int t,
                                         const struct taco_vocoder_options *options,
                                         const struct taco_rng_key *key,
                                         const struct taco_cancel *cancel,
                                         struct taco_arena *scratch, float *out);

/* Time-stretch for speed: out [t_out, n_mels], t_out = taco_mel_stretched(t, speed).
 * Frame i of out lies at i * speed of mel [t, n_mels], between two frames by linear
 * interpolation, and the last frame is held. */
int taco_mel_stretched(int t, float speed);
void taco_mel_stretch(const float *mel, int t, int n_mels, float speed, float *out);

/* The same bits for frames [begin, end) of out alone. While more of mel is to come, only
 * frames before taco_mel_stretchable(t, speed) are what they will be. */
int taco_mel_stretchable(int t, float speed);
void taco_mel_stretch_window(const float *mel, int t, int n_mels, float speed, int begin,
                             int end, float *out);

/* -- streaming ----------------------------------------------------------------------- */

/* The same work in short blocks, with at most four iterations: PGHI that continues the
 * frames before (Prusa and Sondergaard 2016), fast Griffin-Lim that runs two frames
 * behind for every iteration (window / hop = 4). Repeatable: the same frames in any
 * portions give the same samples. One thread's. */
struct taco_vocoder_stream;
/* key gives the random phase (TACO_PHASE_RANDOM). vocoder and cancel (may be NULL) are
 * borrowed. TACO_ERR_NO_MEMORY. */
enum taco_status taco_vocoder_stream_create(struct taco_vocoder_stream **stream,
                                            const struct taco_vocoder *vocoder,
                                            const struct taco_vocoder_options *options,
                                            const struct taco_rng_key *key,
                                            const struct taco_cancel *cancel,
                                            struct taco_error *err);
void taco_vocoder_stream_destroy(struct taco_vocoder_stream *stream);
/* Frames that, once fed, have given the first samples; with more than three fewer there are
 * none. */
int taco_vocoder_stream_lag(const struct taco_vocoder_stream *stream);
/* Most samples that feeding t frames (and finishing) can give. */
size_t taco_vocoder_stream_bound(const struct taco_vocoder_stream *stream, int t);
/* mel [t, n_mels]; last: no more will come. Writes *n samples to out. All portions together
 * give taco_vocoder_samples(total). TACO_ERR_CANCELLED: the stream is of no further use. */
enum taco_status taco_vocoder_stream_feed(struct taco_vocoder_stream *stream,
                                          const float *mel, int t, bool last, float *out,
                                          size_t *n);

#endif
