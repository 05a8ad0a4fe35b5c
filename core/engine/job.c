/* A job as its caller has it: created, started, cancelled, released; and its first stage, the
 * text. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "text/front_end.h"
#include <assert.h>
#include <math.h>
#include <string.h>

/* -- creation ---------------------------------------------------------------------------
 */

/* A short job is one of which the part of the memory for short jobs holds so many. */
enum { SHORT_JOBS = 8 };

static enum taco_status check_text(const struct taco_request *request,
                                   struct taco_error *err) {
    if (!request->text)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "text", "text is missing");
    return taco_text_check(request->text, request->text_length, &request->text_options,
                           err);
}

static enum taco_status check_attention(const struct taco_voice *voice,
                                        const struct taco_request *request,
                                        struct taco_error *err) {
    const struct taco_voice_info *info = taco_voice_info(voice);
    if (request->attention >= info->n_attentions)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "attention",
                              "attention must be from 0 to %d for the voice %s, not %d",
                              info->n_attentions - 1, info->name, request->attention);
    if (request->window_back > 0 && request->window_forward == 0)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "window_forward",
                              "window_forward must be given with window_back, 1 to 1000");
    const struct taco_attention_info *attention = &info->attentions[request->attention];
    if (!attention->has_energies &&
        (request->temperature < 1.0f || request->temperature > 1.0f))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "temperature",
                              "temperature must be 1 for %s, whose weights come from no "
                              "energies",
                              attention->name);
    return TACO_OK;
}

static enum taco_status check_job(const struct taco_voice *voice,
                                  const struct taco_request *request,
                                  const struct taco_callbacks *callbacks,
                                  struct taco_error *err) {
    if (!callbacks || !callbacks->done)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "callbacks",
                              "a job needs a done callback");
    enum taco_status status = taco_request_check(request, err);
    if (status != TACO_OK)
        return status;
    int n_speakers = taco_voice_info(voice)->n_speakers;
    if (request->speaker >= n_speakers)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "speaker",
                              "speaker must be from 0 to %d for the voice %s, not %d",
                              n_speakers - 1, taco_voice_info(voice)->name,
                              request->speaker);
    status = check_attention(voice, request, err);
    return status == TACO_OK ? check_text(request, err) : status;
}

/* struct taco_cancel's check. */
static int is_unwanted(void *job) {
    return taco_job_must_stop(job);
}

/* The same inside the text task, which may be long. */
static int yield_or_stop(void *user) {
    struct taco_job *job = user;
    taco_turn_yield(&job->turn, job->engine);
    return taco_job_must_stop(job);
}

/* Takes a place in the queue, memory for the text and a flow for the job. */
static enum taco_status enqueue(struct taco_job *job, struct taco_error *err) {
    struct taco_engine *engine = job->engine;
    size_t bytes = taco_text_bound(job->request.text_length);
    enum taco_status status = TACO_OK;
    pthread_mutex_lock(&engine->lock);
    if (engine->ending) {
        status = taco_error_set(err, TACO_ERR_BUSY, NULL, "the engine is ending");
    } else if (engine->n_jobs >= engine->options.max_jobs) {
        status = taco_error_set(err, TACO_ERR_BUSY, NULL,
                                "all %d places of the queue are taken: try again later",
                                engine->options.max_jobs);
    } else if (bytes > taco_pool_limit(engine, TACO_POOL_TEXTS)) {
        status = taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                                "the text of %zu bytes needs more memory than the "
                                "engine's max_memory of %zu bytes allows",
                                job->request.text_length, engine->options.max_memory);
    } else if (!taco_engine_reserve(engine, TACO_POOL_TEXTS, bytes)) {
        status = taco_error_set(err, TACO_ERR_BUSY, NULL,
                                "the memory for texts is taken by those that wait: try "
                                "again later");
    } else if (!(job->flow = taco_flow_join(engine, job->voice, job->request.client))) {
        taco_engine_unreserve(engine, TACO_POOL_TEXTS, bytes);
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a job");
    } else {
        job->reserved = bytes;
        engine->n_jobs++;
        atomic_fetch_add(&engine->refs, 1);
        job->has_engine = true;
    }
    engine->stats.jobs_refused += status == TACO_ERR_BUSY;
    pthread_mutex_unlock(&engine->lock);
    return status;
}

enum taco_status taco_job_create(struct taco_job **out, struct taco_engine *engine,
                                 const struct taco_voice *voice,
                                 const struct taco_request *request,
                                 const struct taco_callbacks *callbacks,
                                 struct taco_error *err) {
    *out = NULL;
    enum taco_status status = check_job(voice, request, callbacks, err);
    if (status != TACO_OK)
        return status;
    struct taco_job *job = taco_calloc(1, sizeof *job);
    const char *lexicon = request->text_options.lexicon;
    size_t lexicon_size = lexicon ? strlen(lexicon) + 1 : 0;
    if (!job || !(job->source = taco_malloc(request->text_length + 1 + lexicon_size))) {
        taco_free(job);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a job");
    }
    memcpy(job->source, request->text, request->text_length);
    job->source[request->text_length] = '\0';
    job->engine = engine;
    job->voice = voice;
    job->request = *request;
    job->request.text = job->source;
    if (lexicon)
        job->request.text_options.lexicon =
            memcpy(job->source + request->text_length + 1, lexicon, lexicon_size);
    job->callbacks = *callbacks;
    job->seed = request->has_seed ? request->seed : taco_rng_draw_seed();
    job->error = (struct taco_error)TACO_ERROR_INIT;
    job->cancel = (struct taco_cancel){is_unwanted, job};
    job->text_cancel = (struct taco_cancel){yield_or_stop, job};
    job->request.text_options.cancel = &job->text_cancel;
    job->request.text_options.strict |= request->strict;
    atomic_init(&job->refs, 1);
    pthread_mutex_init(&job->lock, NULL);
    status = enqueue(job, err);
    if (status != TACO_OK) {
        taco_job_unref(job);
        return status;
    }
    *out = job;
    return TACO_OK;
}

/* -- text ---------------------------------------------------------------------------- */

/* From here on the job owns the text, and is complete once all its pieces are. (L) held. */
static void take_text(struct taco_job *job, struct taco_text *text) {
    job->text = text;
    job->lead = taco_silence_samples(text->lead, job->voice->audio.sample_rate);
}

/* A text without a word, where that is allowed: the result is all that is left to make. What
 * was reserved for the text covers it, since silence takes no memory (assembly.c). */
static void lay_out_silence(struct taco_job *job, struct taco_text *text) {
    pthread_mutex_lock(&job->engine->lock);
    take_text(job, text);
    pthread_mutex_unlock(&job->engine->lock);
}

/* Lays the job's chunks out as pieces. From here on the job waits for the memory that they
 * may need. */
static enum taco_status lay_out(struct taco_job *job, struct taco_text *text,
                                struct taco_error *err) {
    struct taco_engine *engine = job->engine;
    enum taco_status status = taco_job_limit_audio(job, text, err);
    if (status != TACO_OK)
        return status;
    if (text->n_chunks == 0) {
        lay_out_silence(job, text);
        return TACO_OK;
    }
    struct taco_piece *pieces = taco_calloc(text->n_chunks, sizeof *pieces);
    if (!pieces)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for %u chunks",
                              text->n_chunks);
    bool held = job->request.max_attempts > 1 || job->request.strict;
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        pieces[i].job = job;
        pieces[i].index = i;
        pieces[i].chunk = &text->chunks[i];
        pieces[i].speed =
            fminf(fmaxf(job->request.speed * text->chunks[i].speed, 0.25F), 4.0F);
        job->fastest = fmaxf(job->fastest, pieces[i].speed);
        pieces[i].volume = job->request.volume * text->chunks[i].volume;
        pieces[i].keep = (struct taco_arena)TACO_ARENA_INIT;
        /* What may still be refused or decoded again is not to be heard. */
        pieces[i].streaming = job->request.streaming && job->callbacks.audio && !held;
    }
    size_t total = taco_job_bound(job, pieces, text);
    for (uint32_t i = 0; i < text->n_chunks; i++)
        total += pieces[i].reserved;
    size_t most = taco_pool_limit(engine, TACO_POOL_LONG);
    if (total > most) {
        taco_free(pieces);
        return taco_error_set(
            err, TACO_ERR_TEXT_TOO_LONG, "text",
            "this request may need %zu MB of memory, at most %zu MB can "
            "be had: send the text in parts, or lower max_frames",
            (total >> 20) + 1, most >> 20);
    }
    pthread_mutex_lock(&engine->lock);
    take_text(job, text);
    job->pieces = pieces;
    job->n_pieces = text->n_chunks;
    atomic_store(&job->progress_all, text->n_chunks);
    taco_engine_unreserve(engine, TACO_POOL_TEXTS, job->reserved);
    job->reserved = 0;
    job->needed = total;
    bool is_short = total <= taco_pool_limit(engine, TACO_POOL_SHORT) / SHORT_JOBS;
    job->pool = is_short ? TACO_POOL_SHORT : TACO_POOL_LONG;
    pthread_mutex_unlock(&engine->lock);
    return TACO_OK;
}

void taco_job_read_text(struct taco_job *job) {
    struct taco_engine *engine = job->engine;
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text *text = NULL;
    double begin = taco_clock_now();
    pthread_mutex_lock(&engine->lock);
    job->entered = true;
    job->times.queued = begin - job->start;
    engine->stats.jobs_running++;
    pthread_mutex_unlock(&engine->lock);

    if (!taco_job_must_stop(job)) {
        enum taco_status status =
            taco_text_analyse(job->voice, job->source, job->request.text_length,
                              &job->request.text_options, &text, &err);
        if (status == TACO_OK)
            status = lay_out(job, text, &err);
        if (status != TACO_OK) {
            taco_text_destroy(text);
            taco_job_fail(job, &err);
        }
        taco_free(job->source);
        job->source = NULL;
        job->request.text = NULL;
    }
    pthread_mutex_lock(&engine->lock);
    job->times.text = taco_clock_now() - begin - job->turn.lent;
    taco_job_leave(job);
    taco_engine_admit(engine);
    pthread_mutex_unlock(&engine->lock);
}

/* -- what the caller does with it ---------------------------------------------------- */

void taco_job_start(struct taco_job *job) {
    struct taco_engine *engine = job->engine;
    atomic_fetch_add(&job->refs, 1);
    job->start = taco_clock_now();
    if (job->request.timeout > 0)
        job->deadline = job->start + job->request.timeout;
    job->n_pending = 1;
    pthread_mutex_lock(&job->lock);
    assert(!job->started);
    job->started = true;
    pthread_mutex_lock(&engine->lock);
    job->next = engine->jobs;
    if (job->next)
        job->next->previous = job;
    engine->jobs = job;
    engine->n_started++;
    if (engine->ending)
        atomic_store(&job->cancelled, true);
    if (job->deadline > 0)
        taco_scheduler_wake(engine); /* it keeps the time */
    taco_job_queue_text(job);
    pthread_mutex_unlock(&engine->lock);
    pthread_mutex_unlock(&job->lock);
}

void taco_job_cancel(struct taco_job *job) {
    atomic_store(&job->cancelled, true);
    pthread_mutex_lock(&job->lock);
    if (job->started && !job->ended) {
        pthread_mutex_lock(&job->engine->lock);
        taco_scheduler_wake(job->engine);
        pthread_mutex_unlock(&job->engine->lock);
    }
    pthread_mutex_unlock(&job->lock);
}

void taco_job_unref(struct taco_job *job) {
    if (atomic_fetch_sub(&job->refs, 1) > 1)
        return;
    struct taco_engine *engine = job->has_engine ? job->engine : NULL;
    if (engine) {
        pthread_mutex_lock(&engine->lock);
        taco_engine_unreserve(engine, job->pool, job->reserved);
        if (!engine->ending)
            taco_engine_admit(engine);
        pthread_mutex_unlock(&engine->lock);
        taco_engine_unref(engine);
    }
    pthread_mutex_destroy(&job->lock);
    taco_free(job->source);
    taco_free(job);
}

void taco_job_release(struct taco_job *job) {
    if (!job)
        return;
    pthread_mutex_lock(&job->lock);
    bool started = job->started;
    pthread_mutex_unlock(&job->lock);
    if (!started) {
        pthread_mutex_lock(&job->engine->lock);
        taco_job_give_back(job);
        pthread_mutex_unlock(&job->engine->lock);
    }
    taco_job_unref(job);
}

uint64_t taco_job_seed(const struct taco_job *job) {
    return job->seed;
}

void taco_job_progress(const struct taco_job *job, uint32_t *n_done, uint32_t *n_all,
                       uint64_t *n_frames) {
    *n_done = (uint32_t)atomic_load(&job->progress_done);
    *n_all = (uint32_t)atomic_load(&job->progress_all);
    *n_frames = atomic_load(&job->progress_frames);
}
