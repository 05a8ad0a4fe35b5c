/* The stage after the decoder: the row is judged, and goes through postnet and vocoder, or
 * is decoded again. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/diagnostics.h"
#include "engine/engine.h"
#include <math.h>
#include <string.h>

/* Arrays that turned out shorter. A failure to shrink leaves them as they are. */
static float *shrink(float *array, size_t n) {
    float *smaller = taco_realloc(array, n * sizeof *array);
    return smaller ? smaller : array;
}

static enum taco_stop_reason stop_reason(const struct taco_row *row) {
    return row->end == TACO_ROW_GATE            ? TACO_STOP_GATE
           : row->end == TACO_ROW_ATTENTION_END ? TACO_STOP_ATTENTION_END
                                                : TACO_STOP_MAX_FRAMES;
}

/* gate [n, dim] logits -> [n] probabilities, each the step's largest, in place. */
static void gate_probabilities(float *gate, int n, int dim) {
    for (int t = 0; t < n; t++) {
        float logit = gate[(size_t)t * (size_t)dim];
        for (int i = 1; i < dim; i++)
            logit = fmaxf(logit, gate[(size_t)t * (size_t)dim + (size_t)i]);
        gate[t] = 1.0f / (1.0f + expf(-logit));
    }
}

void taco_decoded_free(struct taco_decoded *attempt) {
    taco_free(attempt->mel);
    taco_free(attempt->gate);
    taco_free(attempt->alignment);
    taco_free(attempt->heads);
    memset(attempt, 0, sizeof *attempt);
}

static void count_attempt(const struct taco_piece *piece, unsigned flaws) {
    struct taco_engine *engine = piece->job->engine;
    pthread_mutex_lock(&engine->lock);
    engine->stats.rows_judged++;
    engine->stats.rows_retried += piece->attempts > 1;
    for (int i = 0; i < TACO_N_FLAWS; i++)
        engine->stats.flaws[i] += flaws >> i & 1;
    pthread_mutex_unlock(&engine->lock);
}

void taco_piece_judge(struct taco_piece *piece) {
    const struct taco_voice *voice = piece->job->voice;
    const struct taco_hparams *h = &voice->hparams;
    struct taco_row *row = &piece->row;
    uint32_t n_symbols = piece->chunk->n_symbols;
    size_t n_steps = (size_t)row->n_steps;
    struct taco_decoded attempt = {.seed = row->seed, .n_steps = row->n_steps};
    taco_row_frames(voice->model, row, &attempt.n_frames, &attempt.n_postnet_frames);
    attempt.stop_reason = stop_reason(row);
    gate_probabilities(row->gate, row->n_steps, h->gate_dim);
    struct taco_reading reading =
        taco_reading_of(voice, piece->job->text->symbols + piece->chunk->first_symbol);
    reading.alignment = row->alignment;
    reading.n_steps = (uint32_t)n_steps;
    reading.n_symbols = n_symbols;
    reading.n_frames = (uint32_t)attempt.n_frames;
    reading.stop_reason = attempt.stop_reason;
    taco_diagnose(&reading, &attempt.diagnostics);
    count_attempt(piece, attempt.diagnostics.flaws);
    piece->tried[piece->attempts - 1].flaws = attempt.diagnostics.flaws;
    attempt.mel = shrink(row->mel, n_steps * (size_t)(h->n_frames_per_step * h->n_mels));
    attempt.gate = shrink(row->gate, n_steps);
    attempt.alignment = shrink(row->alignment, n_steps * n_symbols);
    if (row->heads)
        attempt.heads =
            shrink(row->heads,
                   n_steps * n_symbols * taco_chunk_n_heads(voice, &piece->job->request));
    row->mel = row->gate = row->alignment = row->heads = NULL;
    if (piece->best.mel &&
        !taco_diagnostics_better(&attempt.diagnostics, &piece->best.diagnostics)) {
        taco_decoded_free(&attempt);
        return;
    }
    taco_decoded_free(&piece->best);
    piece->best = attempt;
}

void taco_piece_level(struct taco_piece *piece, size_t first, size_t n) {
    float volume = piece->volume;
    for (size_t i = first; i < first + n; i++) {
        float x = piece->samples[i] * volume;
        if (x > 1.0f || x < -1.0f) {
            x = x > 0 ? 1.0f : -1.0f;
            piece->n_clipped++;
        }
        piece->samples[i] = x;
    }
}

size_t taco_piece_samples(const struct taco_piece *piece) {
    const struct taco_job *job = piece->job;
    return taco_vocoder_samples(job->voice->vocoder,
                                taco_mel_stretched(piece->best.n_frames, piece->speed));
}

enum taco_status taco_piece_find_times(struct taco_piece *piece) {
    const struct taco_decoded *best = &piece->best;
    taco_sound_bounds(piece->samples, piece->n_samples,
                      piece->job->voice->audio.sample_rate, &piece->sound_begin,
                      &piece->sound_end);
    uint32_t n_symbols = piece->chunk->n_symbols;
    piece->edges = taco_malloc(((size_t)n_symbols + 1) * sizeof *piece->edges);
    if (!piece->edges)
        return TACO_ERR_NO_MEMORY;
    return taco_symbol_edges(best->alignment, (uint32_t)best->n_steps, n_symbols,
                             &piece->job->cancel, piece->edges);
}

struct taco_time_base taco_piece_time_base(const struct taco_piece *piece,
                                           uint64_t first_sample) {
    const struct taco_voice *voice = piece->job->voice;
    return (struct taco_time_base){
        .sample_rate = voice->audio.sample_rate,
        .step_samples = (double)voice->hparams.n_frames_per_step *
                        voice->audio.hop_length / (double)piece->speed,
        .first_sample = first_sample,
        .n_samples = piece->n_samples,
        .sound_begin = piece->sound_begin,
        .sound_end = piece->sound_end,
    };
}

/* Postnet over the attempt that is kept, a block at a time: where the cuts are makes no
 * difference to any bit. */
static enum taco_status run_postnet(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    const struct taco_voice *voice = piece->job->voice;
    struct taco_decoded *best = &piece->best;
    struct taco_postnet_stream *postnet;
    size_t n_mels = (size_t)voice->hparams.n_mels;
    double begin = taco_clock_now();
    piece->mel = taco_malloc((size_t)best->n_postnet_frames * n_mels * sizeof(float));
    if (!piece->mel)
        return TACO_ERR_NO_MEMORY;
    enum taco_status status =
        taco_postnet_stream_create(&postnet, voice->model, &piece->keep);
    int n_fed = 0, n_done = 0, n;
    while (status == TACO_OK && n_fed < best->n_postnet_frames) {
        taco_turn_yield(&piece->turn, piece->job->engine);
        if (taco_job_must_stop(piece->job))
            return TACO_ERR_CANCELLED;
        n_fed += TACO_POSTNET_BLOCK;
        bool last = n_fed >= best->n_postnet_frames;
        n_fed = last ? best->n_postnet_frames : n_fed;
        status = taco_postnet_stream_feed(postnet, best->mel, n_fed, last, scratch,
                                          piece->mel + (size_t)n_done * n_mels, &n);
        n_done += n;
        taco_arena_reset(scratch);
    }
    if (status != TACO_OK)
        return status;
    taco_arena_free(&piece->keep);
    if (best->n_postnet_frames > 0)
        piece->mel = shrink(piece->mel, (size_t)best->n_frames * n_mels);
    taco_free(best->mel);
    best->mel = NULL;
    taco_arena_reset(scratch);
    taco_job_add_time(piece->job, &piece->job->times.postnet,
                      taco_clock_now() - begin - piece->turn.lent);
    piece->turn.lent = 0;
    return TACO_OK;
}

static enum taco_status run_vocoder(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    struct taco_job *job = piece->job;
    const struct taco_voice *voice = job->voice;
    int t = piece->best.n_frames, n_mels = voice->hparams.n_mels;
    const float *mel = piece->mel;
    double begin = taco_clock_now();
    if (piece->speed < 1.0f || piece->speed > 1.0f) {
        int t_out = taco_mel_stretched(t, piece->speed);
        float *stretched =
            taco_arena_alloc(scratch, (size_t)t_out * (size_t)n_mels, sizeof *stretched);
        if (!stretched)
            return TACO_ERR_NO_MEMORY;
        taco_mel_stretch(mel, t, n_mels, piece->speed, stretched);
        mel = stretched;
        t = t_out;
    }
    size_t n = t > 0 ? taco_vocoder_samples(voice->vocoder, t) : 0;
    piece->samples = taco_malloc(n * sizeof(float));
    if (!piece->samples)
        return TACO_ERR_NO_MEMORY;
    struct taco_rng_key key = {piece->best.seed, taco_piece_number(piece),
                               TACO_RNG_PHASE};
    const struct taco_cancel cancel = {taco_piece_yield_or_stop, piece};
    enum taco_status status = TACO_OK;
    if (t > 0)
        status = taco_vocoder_synthesize(voice->vocoder, mel, t, &job->request.vocoder,
                                         &key, &cancel, scratch, piece->samples);
    piece->n_samples = piece->max_samples = n;
    taco_piece_level(piece, 0, n);
    taco_job_add_time(job, &job->times.vocoder,
                      taco_clock_now() - begin - piece->turn.lent);
    piece->turn.lent = 0;
    return status;
}

/* Postnet, times and vocoder for the attempt that is kept. */
static enum taco_status make_samples(struct taco_piece *piece,
                                     struct taco_arena *scratch) {
    taco_arena_free(&piece->keep); /* the encoder's output */
    enum taco_status status = run_postnet(piece, scratch);
    if (status == TACO_OK)
        status = run_vocoder(piece, scratch);
    if (status == TACO_OK)
        status = taco_piece_find_times(piece);
    return status;
}

/* The row was the last one, and a request that is strict does not have it. */
static enum taco_status refuse(const struct taco_piece *piece, struct taco_error *err) {
    const struct taco_diagnostics *d = &piece->best.diagnostics;
    return taco_error_set(
        err, TACO_ERR_ALIGNMENT, NULL,
        "chunk %u: the attention failed on %d attempt%s (coverage %.2f, %u "
        "backward jumps, stopped by %s)",
        piece->index, piece->attempts, piece->attempts == 1 ? "" : "s",
        (double)d->coverage, d->backward_jumps,
        taco_stop_reason_name(piece->best.stop_reason));
}

enum taco_outcome taco_piece_finish(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    struct taco_job *job = piece->job;
    struct taco_error err = TACO_ERROR_INIT;
    taco_job_add_time(job, &job->times.decoder, piece->decoder_seconds);
    piece->decoder_seconds = 0;
    if (taco_job_must_stop(job))
        return TACO_OUTCOME_STOPPED;
    taco_piece_judge(piece);
    bool ok = piece->best.diagnostics.ok;
    enum taco_status status = TACO_OK;
    if (!ok && taco_piece_may_try_again(piece)) {
        status = taco_piece_prepare_row(piece, &err);
        if (status == TACO_OK)
            return TACO_OUTCOME_AGAIN;
    } else if (!ok && job->request.strict) {
        status = refuse(piece, &err);
    } else {
        taco_piece_leave_batch(piece);
        taco_job_count_audio(job, taco_piece_samples(piece));
        status = make_samples(piece, scratch);
        if (status != TACO_OK) /* of no effect when the job has been stopped */
            (void)taco_error_set(&err, status, NULL, "no memory for postnet and vocoder");
    }
    if (status != TACO_OK)
        taco_job_fail(job, &err);
    if (atomic_load(&job->stopping))
        return TACO_OUTCOME_STOPPED;
    taco_piece_deliver(piece, piece->n_samples, true);
    return TACO_OUTCOME_DONE;
}
