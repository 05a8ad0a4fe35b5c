/* A chunk's stages: encoder, then the decoder's row, then judgement, postnet and vocoder.
 */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/diagnostics.h"
#include "engine/engine.h"
#include "engine/times.h"
#include <math.h>
#include <string.h>

struct taco_piece *taco_piece_of_task(struct taco_task *task) {
    return (struct taco_piece *)((char *)task - offsetof(struct taco_piece, task));
}

/* -- before the decoder -----------------------------------------------------------------
 */

/* Arrays for the next attempt at the row, which starts with the next seed. */
static enum taco_status prepare_row(struct taco_piece *piece, struct taco_error *err) {
    const struct taco_job *job = piece->job;
    const struct taco_hparams *h = &job->voice->hparams;
    uint32_t n_symbols = piece->chunk->n_symbols;
    int max_steps = taco_chunk_max_steps(job->voice, &job->request, n_symbols);
    size_t n = (size_t)max_steps;
    size_t n_heads = taco_chunk_n_heads(job->voice, &job->request);
    struct taco_row *row = &piece->row;
    *row = (struct taco_row){
        .memory = &piece->memory,
        .seed = (job->seed + (uint64_t)piece->attempts) & TACO_SEED_MAX,
        .chunk = piece->index,
        .max_steps = max_steps,
        .gate_threshold = job->request.gate_threshold,
        .watch_end = true,
        .temperature = job->request.temperature,
        .window_back = job->request.window_back,
        .window_forward = job->request.window_forward,
        .mel =
            taco_malloc(n * (size_t)(h->n_frames_per_step * h->n_mels) * sizeof(float)),
        .gate = taco_malloc(n * (size_t)h->gate_dim * sizeof(float)),
        .alignment = taco_malloc(n * n_symbols * sizeof(float)),
        .heads = n_heads ? taco_malloc(n * n_heads * n_symbols * sizeof(float)) : NULL,
    };
    piece->attempts++;
    if (row->mel && row->gate && row->alignment && (row->heads || !n_heads))
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                          "no memory for a chunk of %u symbols", n_symbols);
}

static enum taco_status encode(struct taco_piece *piece, struct taco_arena *scratch,
                               struct taco_error *err) {
    const struct taco_job *job = piece->job;
    const struct taco_symbol *symbols = job->text->symbols + piece->chunk->first_symbol;
    uint32_t n = piece->chunk->n_symbols;
    int32_t *ids = taco_arena_alloc(scratch, n, sizeof *ids);
    if (!ids)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the encoder");
    for (uint32_t i = 0; i < n; i++)
        ids[i] = symbols[i].id;
    enum taco_status status = taco_encoder_forward(
        job->voice->model, ids, (int)n, job->request.speaker, job->request.attention,
        &piece->keep, scratch, &piece->memory);
    if (status != TACO_OK)
        return taco_error_set(err, status, NULL, "no memory for the encoder");
    return TACO_OK;
}

void taco_piece_encode(struct taco_task *task, int worker) {
    struct taco_piece *piece = taco_piece_of_task(task);
    struct taco_job *job = piece->job;
    struct taco_engine *engine = job->engine;
    struct taco_error err = TACO_ERROR_INIT;
    atomic_fetch_add(&engine->n_busy, 1);
    if (taco_job_must_stop(job)) {
        taco_piece_leave(piece, false);
        goto done;
    }
    double begin = taco_clock_now();
    enum taco_status status = encode(piece, &engine->scratch[worker], &err);
    if (status == TACO_OK)
        status = prepare_row(piece, &err);
    if (status == TACO_OK && piece->streaming)
        status = taco_stream_create(piece, &err);
    taco_arena_reset(&engine->scratch[worker]);
    taco_job_add_time(job, &job->times.encoder, taco_clock_now() - begin);
    if (status != TACO_OK) {
        taco_job_fail(job, &err);
        taco_piece_leave(piece, false);
        goto done;
    }
    pthread_mutex_lock(&engine->lock);
    taco_scheduler_mail(engine, piece);
    pthread_mutex_unlock(&engine->lock);
done:
    atomic_fetch_sub(&engine->n_busy, 1);
}

/* -- after the decoder --------------------------------------------------------------- */

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

static void free_attempt(struct taco_attempt *attempt) {
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
    struct taco_attempt attempt = {.seed = row->seed, .n_steps = row->n_steps};
    taco_row_frames(voice->model, row, &attempt.n_frames, &attempt.n_postnet_frames);
    attempt.stop_reason = stop_reason(row);
    gate_probabilities(row->gate, row->n_steps, h->gate_dim);
    taco_diagnose(row->alignment, (uint32_t)n_steps, n_symbols,
                  piece->job->text->symbols + piece->chunk->first_symbol,
                  h->n_frames_per_step, (uint32_t)attempt.n_frames, attempt.stop_reason,
                  &attempt.diagnostics);
    count_attempt(piece, attempt.diagnostics.flaws);
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
        free_attempt(&attempt);
        return;
    }
    free_attempt(&piece->best);
    piece->best = attempt;
}

void taco_piece_level(struct taco_piece *piece, size_t first, size_t n) {
    float volume = piece->job->request.volume;
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
    return taco_vocoder_samples(
        job->voice->vocoder,
        taco_mel_stretched(piece->best.n_frames, job->request.speed));
}

enum taco_status taco_piece_find_edges(struct taco_piece *piece) {
    const struct taco_attempt *best = &piece->best;
    uint32_t n_symbols = piece->chunk->n_symbols;
    piece->edges = taco_malloc(((size_t)n_symbols + 1) * sizeof *piece->edges);
    if (!piece->edges)
        return TACO_ERR_NO_MEMORY;
    return taco_symbol_edges(best->alignment, (uint32_t)best->n_steps, n_symbols,
                             &piece->job->cancel, piece->edges);
}

/* Postnet over the attempt that is kept, a block at a time: where the cuts are makes no
 * difference to any bit. */
static enum taco_status run_postnet(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    const struct taco_voice *voice = piece->job->voice;
    struct taco_attempt *best = &piece->best;
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
    taco_job_add_time(piece->job, &piece->job->times.postnet, taco_clock_now() - begin);
    return TACO_OK;
}

static enum taco_status run_vocoder(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    struct taco_job *job = piece->job;
    const struct taco_voice *voice = job->voice;
    int t = piece->best.n_frames, n_mels = voice->hparams.n_mels;
    const float *mel = piece->mel;
    double begin = taco_clock_now();
    if (job->request.speed < 1.0f || job->request.speed > 1.0f) {
        int t_out = taco_mel_stretched(t, job->request.speed);
        float *stretched =
            taco_arena_alloc(scratch, (size_t)t_out * (size_t)n_mels, sizeof *stretched);
        if (!stretched)
            return TACO_ERR_NO_MEMORY;
        taco_mel_stretch(mel, t, n_mels, job->request.speed, stretched);
        mel = stretched;
        t = t_out;
    }
    size_t n = t > 0 ? taco_vocoder_samples(voice->vocoder, t) : 0;
    piece->samples = taco_malloc(n * sizeof(float));
    if (!piece->samples)
        return TACO_ERR_NO_MEMORY;
    struct taco_rng_key key = {piece->best.seed, piece->index, TACO_RNG_PHASE};
    enum taco_status status = TACO_OK;
    if (t > 0)
        status = taco_vocoder_synthesize(voice->vocoder, mel, t, &job->request.vocoder,
                                         &key, &job->cancel, scratch, piece->samples);
    piece->n_samples = piece->max_samples = n;
    taco_piece_level(piece, 0, n);
    taco_job_add_time(job, &job->times.vocoder, taco_clock_now() - begin);
    return status;
}

/* The chunk is to be decoded again with the next seed. */
static enum taco_status try_again(struct taco_piece *piece, struct taco_error *err) {
    struct taco_engine *engine = piece->job->engine;
    enum taco_status status = prepare_row(piece, err);
    if (status != TACO_OK)
        return status;
    pthread_mutex_lock(&engine->lock);
    taco_scheduler_mail(engine, piece);
    pthread_mutex_unlock(&engine->lock);
    return TACO_OK;
}

static bool may_try_again(const struct taco_piece *piece) {
    return piece->attempts < piece->job->request.max_attempts;
}

static void release_place(struct taco_piece *piece) {
    struct taco_engine *engine = piece->job->engine;
    pthread_mutex_lock(&engine->lock);
    if (piece->has_place) {
        taco_piece_release_place(piece);
        taco_engine_admit(engine);
    }
    pthread_mutex_unlock(&engine->lock);
}

/* True if the piece is on its way again or its job failed; false: postnet and vocoder. */
static enum taco_status settle_attempt(struct taco_piece *piece, bool *again,
                                       struct taco_error *err) {
    const struct taco_job *job = piece->job;
    const struct taco_diagnostics *d = &piece->best.diagnostics;
    *again = !d->ok && may_try_again(piece);
    if (*again)
        return try_again(piece, err);
    release_place(piece);
    taco_job_count_audio(piece->job, taco_piece_samples(piece));
    if (d->ok || !job->request.strict)
        return TACO_OK;
    return taco_error_set(
        err, TACO_ERR_ALIGNMENT, NULL,
        "chunk %u: the attention failed on %d attempt%s (coverage %.2f, %u "
        "backward jumps, stopped by %s)",
        piece->index, piece->attempts, piece->attempts == 1 ? "" : "s",
        (double)d->coverage, d->backward_jumps,
        taco_stop_reason_name(piece->best.stop_reason));
}

static void finish(struct taco_task *task, int worker) {
    struct taco_piece *piece = taco_piece_of_task(task);
    struct taco_job *job = piece->job;
    struct taco_engine *engine = job->engine;
    struct taco_arena *scratch = &engine->scratch[worker];
    struct taco_error err = TACO_ERROR_INIT;
    bool again = false;
    atomic_fetch_add(&engine->n_busy, 1);
    taco_job_add_time(job, &job->times.decoder, piece->decoder_seconds);
    piece->decoder_seconds = 0;
    if (taco_job_must_stop(job)) {
        taco_piece_leave(piece, false);
        goto done;
    }
    taco_piece_judge(piece);
    enum taco_status status = settle_attempt(piece, &again, &err);
    if (status == TACO_OK && again)
        goto done;
    if (status == TACO_OK) {
        taco_arena_free(&piece->keep);
        status = run_postnet(piece, scratch);
    }
    if (status == TACO_OK)
        status = taco_piece_find_edges(piece);
    if (status == TACO_OK)
        status = run_vocoder(piece, scratch);
    taco_arena_reset(scratch);
    if (status != TACO_OK) { /* of no effect when the job has been stopped */
        (void)taco_error_set(&err, status, NULL, "no memory for postnet and vocoder");
        taco_job_fail(job, &err);
    }
    if (atomic_load(&job->stopping)) {
        taco_piece_leave(piece, false);
        goto done;
    }
    taco_piece_deliver(piece, piece->n_samples, true);
    taco_piece_leave(piece, true);
done:
    atomic_fetch_sub(&engine->n_busy, 1);
}

void taco_piece_row_ended(struct taco_piece *piece) {
    if (!may_try_again(piece))
        release_place(piece);
    if (piece->streaming) {
        taco_stream_advance(piece, piece->row.n_steps, true, taco_clock_now(), 0);
        return;
    }
    piece->task.run = finish;
    uint64_t n_before = piece->index < 15 ? piece->index : 15;
    taco_engine_queue(piece->job->engine, &piece->task,
                      TACO_PATIENCE_FINISH + TACO_PATIENCE_CHUNK * n_before);
}

/* -- the end ------------------------------------------------------------------------- */

/* What the piece's arrays take now. */
static size_t bytes_held(const struct taco_piece *piece) {
    const struct taco_hparams *h = &piece->job->voice->hparams;
    size_t steps = (size_t)piece->best.n_steps;
    size_t frames = (size_t)piece->best.n_frames;
    size_t n_heads = taco_chunk_n_heads(piece->job->voice, &piece->job->request);
    return sizeof(float) * (steps * (piece->chunk->n_symbols * (1 + n_heads) + 1) +
                            frames * (size_t)h->n_mels + piece->n_samples) +
           (piece->chunk->n_symbols + 1) * sizeof *piece->edges;
}

void taco_piece_leave(struct taco_piece *piece, bool complete) {
    struct taco_job *job = piece->job;
    struct taco_engine *engine = job->engine;
    size_t held = complete ? bytes_held(piece) : 0;
    pthread_mutex_lock(&engine->lock);
    taco_piece_release_place(piece);
    if (complete) {
        job->n_done++;
        atomic_fetch_add(&job->progress_done, 1);
        if (held < piece->reserved) {
            taco_engine_unreserve(engine, job->pool, piece->reserved - held);
            piece->reserved = held;
        }
    }
    taco_job_leave(job);
    taco_engine_admit(engine);
    pthread_mutex_unlock(&engine->lock);
}

void taco_piece_free(struct taco_piece *piece) {
    taco_arena_free(&piece->keep);
    taco_free(piece->row.mel);
    taco_free(piece->row.gate);
    taco_free(piece->row.alignment);
    taco_free(piece->row.heads);
    free_attempt(&piece->best);
    taco_free(piece->mel);
    taco_free(piece->samples);
    taco_free(piece->edges);
    taco_stream_destroy(piece->stream);
}
