#include "vocoder/pipeline.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/cancel.h"

enum {
    AHEAD = 1,                         /* frames that a block sees beyond its end */
    QUEUE = TACO_INVERTER_MOST_FRAMES, /* frames that are inverted at once */
    REFINEMENTS = 2
};

/* Full scale is some thousands at the most. */
static const float LARGEST_MAGNITUDE = 1e9f;

struct taco_pipeline {
    const struct taco_vocoder *vocoder;
    struct taco_vocoder_options options;
    struct taco_rng_key key;
    const struct taco_cancel *cancel;
    int block;
    float *linear;                         /* [QUEUE, n_mels] */
    float *scratch;                        /* [taco_mel_inversion_scratch()] */
    struct taco_inverter_stream *inverter; /* NULL: the vocoder has none */
    float *waiting; /* [reach + QUEUE, n_mels] linear mels that have no magnitudes yet */
    int n_waiting;
    float *magnitudes; /* [block + AHEAD + QUEUE, n_bins] of frames without phases */
    int n_pending;
    struct taco_pghi_rows
        rows;   /* [1 + block + AHEAD] the frame before, the pending ones */
    int n_rows; /* pending frames whose row is set */
    struct taco_griffin_lim *griffin_lim;
    int n_started; /* frames that have got phases */
    size_t n_fed, n_samples;
    float deemphasis; /* the last sample */
    bool ended;
};

enum taco_status taco_pipeline_init(struct taco_pipeline **out,
                                    const struct taco_vocoder *vocoder,
                                    const struct taco_vocoder_options *options, int block,
                                    const struct taco_rng_key *key,
                                    const struct taco_cancel *cancel,
                                    struct taco_arena *arena) {
    assert(block >= 2 && block % 2 == 0);
    const struct taco_mel_inversion *inversion = &vocoder->inversion;
    size_t bins = (size_t)vocoder->n_bins, n_mels = (size_t)inversion->n_mels;
    size_t cells = (size_t)(1 + block + AHEAD + 1) * (size_t)vocoder->pghi.stride;
    struct taco_pipeline *p = taco_arena_alloc(arena, 1, sizeof *p);
    if (!p)
        return TACO_ERR_NO_MEMORY;
    p->vocoder = vocoder;
    p->options = *options;
    p->block = block;
    p->key = *key;
    p->key.stream = TACO_RNG_PHASE;
    p->cancel = cancel;
    p->linear = taco_arena_alloc(arena, QUEUE * n_mels, sizeof(float));
    p->scratch =
        taco_arena_alloc(arena, taco_mel_inversion_scratch(inversion), sizeof(float));
    p->magnitudes =
        taco_arena_alloc(arena, (size_t)(block + AHEAD + QUEUE) * bins, sizeof(float));
    p->rows.log_magnitude = taco_arena_alloc(arena, cells, sizeof(float));
    p->rows.phase = taco_arena_alloc(arena, cells, sizeof(float));
    p->rows.link = taco_arena_alloc(arena, cells, sizeof(int32_t));
    if (!p->linear || !p->scratch || !p->magnitudes || !p->rows.log_magnitude ||
        !p->rows.phase || !p->rows.link)
        return TACO_ERR_NO_MEMORY;
    if (vocoder->inverter) {
        size_t most = (size_t)(vocoder->inverter->reach + QUEUE);
        p->waiting = taco_arena_alloc(arena, most * n_mels, sizeof(float));
        if (!p->waiting ||
            taco_inverter_stream_init(&p->inverter, vocoder->inverter, arena) != TACO_OK)
            return TACO_ERR_NO_MEMORY;
    }
    *out = p;
    return taco_griffin_lim_init(&p->griffin_lim, &vocoder->stft, vocoder->first_bin,
                                 vocoder->n_bins, options->n_iter, options->momentum,
                                 arena);
}

int taco_pipeline_lag(const struct taco_pipeline *p) {
    const struct taco_inverter *inverter = p->vocoder->inverter;
    int lag = taco_griffin_lim_lag(p->griffin_lim) + (inverter ? inverter->reach : 0);
    return (lag + p->block - 1) / p->block * p->block + AHEAD;
}

size_t taco_pipeline_bound(const struct taco_pipeline *p, int t) {
    return (p->n_fed + (size_t)t) * (size_t)p->vocoder->stft.hop_length - p->n_samples;
}

/* Magnitude, or its square with mel_power 2, to reference (magnitude / reference)^power,
 * and kept where sums and squares of all bins are finite. */
static void raise_to_power(const struct taco_pipeline *p, size_t n, float *x) {
    float power = p->options.power, exponent = power / p->vocoder->params.mel_power;
    float reference = p->vocoder->reference, scale = reference / powf(reference, power);
    bool root = exponent == 0.5f, same = exponent == 1 && power == 1;
    for (size_t i = 0; root && i < n; i++)
        x[i] = scale * sqrtf(x[i]);
    for (size_t i = 0; !root && !same && i < n; i++)
        x[i] = scale * powf(x[i], exponent);
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] < LARGEST_MAGNITUDE ? x[i] : LARGEST_MAGNITUDE;
}

/* The analysis lifts whatever is softer to its floor, so the floor stands for silence,
 * and what is near it was softer than it looks. A flat spectrum at the floor would be
 * heard as faint clicks. */
static void take_off_floor(float floor, size_t n, float *mel) {
    for (size_t i = 0; i < n; i++)
        mel[i] = fmaxf(mel[i] - floor * (floor / mel[i]), 0);
}

/* Linear mels [t, n_mels], t <= QUEUE, to the end of the pending magnitudes by the
 * equations; returns how many frames that are. */
static int solve(struct taco_pipeline *p, float *linear, int t, float *out) {
    const struct taco_mel_inversion *inversion = &p->vocoder->inversion;
    take_off_floor(p->vocoder->scale.floor, (size_t)t * (size_t)inversion->n_mels,
                   linear);
    taco_mel_inversion_solve(inversion, linear, t, TACO_MEL_INVERSION_UPDATES, p->scratch,
                             out);
    return t;
}

/* The same by the network, and then by the equations from what the network says; linear
 * NULL: silent frames. */
static int infer(struct taco_pipeline *p, float *linear, int t, float *out) {
    const struct taco_mel_inversion *inversion = &p->vocoder->inversion;
    const float floor = p->vocoder->scale.floor;
    const size_t row = (size_t)inversion->n_mels, all = (size_t)t * row;
    if (linear) {
        float *waiting = p->waiting + (size_t)p->n_waiting * row;
        memcpy(waiting, linear, all * sizeof *waiting);
        take_off_floor(floor, all, waiting);
        p->n_waiting += t;
        for (size_t i = 0; i < all; i++)
            linear[i] = logf(fmaxf(linear[i], floor));
    }
    int n = taco_inverter_stream_feed(p->inverter, linear, t, LARGEST_MAGNITUDE, out);
    taco_mel_inversion_refine(inversion, p->waiting, n, REFINEMENTS, p->scratch,
                              out + inversion->first_bin, (size_t)p->vocoder->n_bins);
    p->n_waiting -= n;
    memmove(p->waiting, p->waiting + (size_t)n * row,
            (size_t)p->n_waiting * row * sizeof *p->waiting);
    return n;
}

/* mel [t, n_mels], t <= QUEUE, to the end of the pending magnitudes; NULL, with an
 * inverter: silent frames. */
static void invert(struct taco_pipeline *p, const float *mel, int t) {
    size_t bins = (size_t)p->vocoder->n_bins;
    float *out = p->magnitudes + (size_t)p->n_pending * bins;
    if (mel)
        taco_mel_scale_undo(&p->vocoder->scale, mel, t, p->linear);
    int n = p->inverter ? infer(p, mel ? p->linear : NULL, t, out)
                        : solve(p, p->linear, t, out);
    raise_to_power(p, (size_t)n * bins, out);
    p->n_pending += n;
    p->n_fed += mel ? (size_t)t : 0;
}

static float *phase_of(const struct taco_pipeline *p, int i) {
    return p->rows.phase + (size_t)(1 + i) * (size_t)p->vocoder->pghi.stride + 1;
}

/* Phases of the first n pending frames. */
static void find_phases(struct taco_pipeline *p, int n) {
    const struct taco_pghi *pghi = &p->vocoder->pghi;
    size_t bins = (size_t)pghi->n_bins;
    if (p->options.phase == TACO_PHASE_RANDOM) {
        for (int i = 0; i < n; i++)
            taco_rng_uniform(&p->key, (uint32_t)(p->n_started + i), 0, bins,
                             phase_of(p, i));
        return;
    }
    int visible = p->n_pending < n + AHEAD ? p->n_pending : n + AHEAD;
    for (; p->n_rows < visible; p->n_rows++)
        taco_pghi_set_row(pghi, &p->rows, 1 + p->n_rows,
                          p->magnitudes + (size_t)p->n_rows * bins);
    if (p->n_started == 0)
        taco_pghi_copy_row(pghi, &p->rows, 0, 1);
    if (visible == n) /* nothing behind: the end */
        taco_pghi_copy_row(pghi, &p->rows, 1 + n, n);
    taco_pghi_integrate(pghi, &p->rows, n, p->n_started > 0);
}

/* The first n pending frames go on to Griffin-Lim. *done: samples written to out. */
static enum taco_status advance(struct taco_pipeline *p, int n, float *out,
                                size_t *done) {
    const struct taco_pghi *pghi = &p->vocoder->pghi;
    size_t bins = (size_t)pghi->n_bins, got;
    *done = 0;
    find_phases(p, n);
    for (int i = 0; i < n; i += 2) {
        if (taco_is_cancelled(p->cancel))
            return TACO_ERR_CANCELLED;
        const float *pair = p->magnitudes + (size_t)i * bins;
        const float *magnitudes[2] = {pair, pair + bins};
        const float *phase[2] = {phase_of(p, i), phase_of(p, i + 1)};
        taco_griffin_lim_push(p->griffin_lim, n - i < 2 ? 1 : 2, magnitudes, phase,
                              out + *done, &got);
        *done += got;
    }
    p->n_pending -= n;
    p->n_started += n;
    memmove(p->magnitudes, p->magnitudes + (size_t)n * bins,
            (size_t)p->n_pending * bins * sizeof(float));
    for (int row = 0; row <= p->n_rows - n; row++)
        taco_pghi_copy_row(pghi, &p->rows, row, row + n);
    p->n_rows = p->n_rows > n ? p->n_rows - n : 0;
    return TACO_OK;
}

static void deemphasize(struct taco_pipeline *p, size_t n, float *samples) {
    float k = p->vocoder->params.preemphasis, y = p->deemphasis;
    for (size_t i = 0; k > 0 && i < n; i++) {
        y = samples[i] + k * y;
        samples[i] = y;
    }
    p->deemphasis = y;
}

enum taco_status taco_pipeline_feed(struct taco_pipeline *p, const float *mel, int t,
                                    bool last, float *out, size_t *n) {
    assert(t >= 0 && !p->ended);
    size_t n_mels = (size_t)p->vocoder->inversion.n_mels, done = 0, got = 0;
    enum taco_status status = TACO_OK;
    *n = 0;
    int silent = last && p->vocoder->inverter ? p->vocoder->inverter->reach : 0;
    while (t + silent > 0) {
        if (taco_is_cancelled(p->cancel))
            return TACO_ERR_CANCELLED;
        int *left = t > 0 ? &t : &silent;
        int take = *left < QUEUE ? *left : QUEUE;
        invert(p, t > 0 ? mel : NULL, take);
        mel += t > 0 ? (size_t)take * n_mels : 0;
        *left -= take;
        while (status == TACO_OK && p->n_pending >= p->block + AHEAD) {
            status = advance(p, p->block, out + done, &got);
            done += got;
        }
        if (status != TACO_OK)
            return status;
    }
    if (last) {
        while (status == TACO_OK && p->n_pending > 0) {
            int take = p->n_pending < p->block ? p->n_pending : p->block;
            status = advance(p, take, out + done, &got);
            done += got;
        }
        if (status == TACO_OK)
            status = taco_griffin_lim_finish(p->griffin_lim, p->cancel, out + done, &got);
        if (status != TACO_OK)
            return status;
        done += got;
        p->ended = true;
    }
    *n = done;
    p->n_samples += done;
    deemphasize(p, done, out);
    return TACO_OK;
}
