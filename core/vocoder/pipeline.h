/* The whole vocoder as a pipeline: scaled mel frames in, samples out, in any portions.
 *
 * Frames are inverted to magnitudes, given phases by PGHI a block at a time - a block
 * continues the one before it and sees one frame beyond its end - and go through
 * Griffin-Lim. The portions in which frames come have no influence on any bit; the size
 * of the blocks has. Whole clips and streams differ in that size and in the number of
 * iterations alone. */
#ifndef TACO_PIPELINE_H
#define TACO_PIPELINE_H

#include "vocoder/griffin_lim.h"
#include "vocoder/inverter.h"
#include "vocoder/mel_inversion.h"
#include "vocoder/mel_scale.h"
#include "vocoder/pghi.h"
#include "vocoder/stft.h"

struct taco_vocoder {
    struct taco_audio_params params;
    struct taco_arena arena; /* everything below */
    struct taco_mel_scale scale;
    struct taco_mel_inversion inversion;
    const struct taco_inverter *inverter; /* in place of it; NULL: there is none */
    int first_bin, n_bins;                /* those that the inversion gives */
    struct taco_stft stft;
    struct taco_pghi pghi;
    float reference; /* the magnitude that the option power leaves as it is */
};

struct taco_pipeline;

/* Lives in the arena; borrows the vocoder and cancel (may be NULL). block: frames that get
 * their phases together, even. key: of random phases. TACO_ERR_NO_MEMORY. */
enum taco_status taco_pipeline_init(struct taco_pipeline **pipeline,
                                    const struct taco_vocoder *vocoder,
                                    const struct taco_vocoder_options *options, int block,
                                    const struct taco_rng_key *key,
                                    const struct taco_cancel *cancel,
                                    struct taco_arena *arena);

/* mel [t, n_mels], t >= 0; last: no more will come, and what is left in the pipeline
 * comes out. Writes *n samples, at most taco_pipeline_bound(t), to out.
 * TACO_ERR_CANCELLED: the pipeline is of no further use. */
enum taco_status taco_pipeline_feed(struct taco_pipeline *pipeline, const float *mel,
                                    int t, bool last, float *out, size_t *n);

/* Frames that, once fed, have given the first samples; with more than three fewer there are
 * none. */
int taco_pipeline_lag(const struct taco_pipeline *pipeline);

/* Samples that are still to come when t more frames are fed, the last of all included. */
size_t taco_pipeline_bound(const struct taco_pipeline *pipeline, int t);

#endif
