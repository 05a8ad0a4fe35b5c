/* A job's end: what stops it, when nothing is left to wait for, and the final task. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/engine.h"
#include <assert.h>

/* Queues the final task when nothing is left to wait for. (L) held. */
static void settle(struct taco_job *job) {
    bool complete = job->text && job->n_done == job->n_pieces;
    if (job->finishing || job->n_pending > 0 || !(complete || job->stopping))
        return;
    job->finishing = true;
    taco_job_queue_result(job);
}

/* (L) held. */
static void stop(struct taco_job *job, const struct taco_error *err) {
    if (job->finishing || job->error.status != TACO_OK)
        return;
    job->error = *err;
    atomic_store(&job->stopping, true);
    taco_scheduler_wake(job->engine); /* rows of the job have to leave the batch */
    settle(job);
}

void taco_job_fail(struct taco_job *job, const struct taco_error *err) {
    pthread_mutex_lock(&job->engine->lock);
    stop(job, err);
    pthread_mutex_unlock(&job->engine->lock);
}

void taco_job_leave(struct taco_job *job) {
    assert(job->n_pending > 0);
    job->n_pending--;
    settle(job);
}

static bool is_unwanted_at(const struct taco_job *job, double now) {
    return atomic_load(&job->cancelled) || (job->deadline > 0 && now >= job->deadline);
}

bool taco_job_is_unwanted(const struct taco_job *job) {
    return is_unwanted_at(job, taco_clock_now());
}

enum taco_status taco_job_say_why(const struct taco_job *job, struct taco_error *err) {
    if (atomic_load(&job->cancelled))
        return taco_error_set(err, TACO_ERR_CANCELLED, NULL, "the job was cancelled");
    return taco_error_set(err, TACO_ERR_TIMEOUT, "timeout",
                          "the job took longer than its %g seconds",
                          job->request.timeout);
}

void taco_job_look(struct taco_job *job, double now) {
    struct taco_error err = TACO_ERROR_INIT;
    if (!is_unwanted_at(job, now))
        return;
    (void)taco_job_say_why(job, &err);
    stop(job, &err);
}

bool taco_job_must_stop(struct taco_job *job) {
    if (atomic_load(&job->stopping))
        return true;
    double now = taco_clock_now();
    if (!is_unwanted_at(job, now))
        return false;
    pthread_mutex_lock(&job->engine->lock);
    taco_job_look(job, now);
    pthread_mutex_unlock(&job->engine->lock);
    return true;
}

void taco_job_add_time(struct taco_job *job, double *stage, double seconds) {
    pthread_mutex_lock(&job->engine->lock);
    *stage += seconds;
    pthread_mutex_unlock(&job->engine->lock);
}

static void free_pieces(struct taco_job *job) {
    for (uint32_t i = 0; job->pieces && i < job->n_pieces; i++)
        taco_piece_free(&job->pieces[i]);
    taco_free(job->pieces);
    job->pieces = NULL;
    taco_text_destroy(job->text);
    job->text = NULL;
}

static void add_times(struct taco_stage_times *sum,
                      const struct taco_stage_times *times) {
    sum->text += times->text;
    sum->encoder += times->encoder;
    sum->decoder += times->decoder;
    sum->postnet += times->postnet;
    sum->vocoder += times->vocoder;
    sum->queued += times->queued;
    sum->total += times->total;
}

void taco_job_give_back(struct taco_job *job) {
    struct taco_engine *engine = job->engine;
    if (job->needed == 0 && job->n_pieces > 0)
        job->flow->n_granted--;
    taco_flow_leave(engine, job->flow);
    job->flow = NULL;
    engine->n_jobs--;
}

/* Takes the job from the engine's books. (L) held. */
static void unregister(struct taco_job *job, const struct taco_error *err,
                       const struct taco_result *result) {
    struct taco_engine *engine = job->engine;
    struct taco_engine_stats *stats = &engine->stats;
    if (job->previous)
        job->previous->next = job->next;
    else
        engine->jobs = job->next;
    if (job->next)
        job->next->previous = job->previous;
    /* From here on the job holds what its result, and what the caller makes of it, take. */
    for (uint32_t i = 0; job->needed == 0 && i < job->n_pieces; i++)
        job->reserved += job->pieces[i].reserved;
    size_t kept = result ? taco_result_bound(job, result) : 0;
    if (kept < job->reserved) {
        taco_engine_unreserve(engine, job->pool, job->reserved - kept);
        job->reserved = kept;
    }
    taco_job_give_back(job);
    taco_engine_admit(engine);
    if (job->entered)
        stats->jobs_running--;
    if (result) {
        stats->jobs_done++;
        stats->audio_seconds += (double)result->n_samples / result->sample_rate;
    } else if (err->status == TACO_ERR_CANCELLED) {
        stats->jobs_cancelled++;
    } else {
        stats->jobs_failed++;
    }
    add_times(&stats->times, &job->times);
}

void taco_job_finish(struct taco_job *job) {
    struct taco_engine *engine = job->engine;
    const struct taco_result *result = NULL;
    pthread_mutex_lock(&engine->lock);
    job->times.total = taco_clock_now() - job->start;
    struct taco_error err = job->error;
    pthread_mutex_unlock(&engine->lock);
    if (err.status == TACO_OK)
        (void)taco_job_deliver_silence(job, &err);
    if (err.status == TACO_OK)
        (void)taco_job_assemble(job, &result, &err);

    pthread_mutex_lock(&engine->lock);
    unregister(job, &err, result);
    pthread_mutex_unlock(&engine->lock);
    free_pieces(job);

    job->callbacks.done(job->callbacks.user, err.status, result ? NULL : &err, result);
    taco_result_unref(result);

    pthread_mutex_lock(&job->lock);
    job->ended = true;
    pthread_mutex_unlock(&job->lock);
    pthread_mutex_lock(&engine->lock);
    engine->n_started--;
    pthread_cond_broadcast(&engine->idle);
    taco_scheduler_wake(engine); /* it waits for the last one, too */
    pthread_mutex_unlock(&engine->lock);
    taco_job_unref(job);
}
