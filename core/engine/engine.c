/* The engine's beginning and end: threads, locks, statistics. */
#include "engine/engine.h"
#include "base/error.h"
#include "base/memory.h"
#include <string.h>
#include <unistd.h>

enum { MAX_THREADS = 256, MAX_ROWS = 64, MAX_JOBS = 65536 };

struct taco_engine_options taco_engine_options_default(void) {
    return (struct taco_engine_options){
        .max_rows = MAX_ROWS, .max_jobs = 256, .max_audio = 3600};
}

static enum taco_status check_option(const char *name, int value, int low, int high,
                                     struct taco_error *err) {
    if (value >= low && value <= high)
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, name,
                          "%s must be from %d to %d, not %d", name, low, high, value);
}

static enum taco_status check_options(const struct taco_engine_options *options,
                                      struct taco_error *err) {
    enum taco_status status = taco_reserved_check(options->reserved, err);
    if (status == TACO_OK)
        status = check_option("n_threads", options->n_threads, 0, MAX_THREADS, err);
    if (status == TACO_OK)
        status = check_option("max_rows", options->max_rows, 1, MAX_ROWS, err);
    if (status == TACO_OK)
        status = check_option("max_jobs", options->max_jobs, 1, MAX_JOBS, err);
    if (status == TACO_OK && !(options->max_audio >= 0 && options->max_audio <= 1e9))
        status = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "max_audio",
                                "max_audio must be from 0 to 1e9 seconds, not %g",
                                options->max_audio);
    return status;
}

static int processors_online(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : (int)n;
}

/* While there are rows, the decoder's thread is one of n_threads and the workers share the
 * others, and what they leave goes to the decoder's team; while there are none, all n_threads
 * are workers. With a single thread the decoder and the one worker share a processor. */
static enum taco_status start_threads(struct taco_engine *engine,
                                      struct taco_error *err) {
    int n_threads = engine->options.n_threads;
    engine->n_workers = n_threads;
    engine->scratch = taco_calloc(2 * (size_t)engine->n_workers, sizeof *engine->scratch);
    engine->inside = taco_calloc((size_t)engine->n_workers, sizeof *engine->inside);
    if (!engine->scratch || !engine->inside)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the engine");
    enum taco_status status =
        taco_workers_create(&engine->workers, engine->n_workers, err);
    if (status == TACO_OK)
        status = taco_team_create(&engine->team, n_threads, err);
    if (status != TACO_OK)
        return status;
    int failure =
        pthread_create(&engine->decoder_thread, NULL, taco_scheduler_main, engine);
    if (failure)
        return taco_error_set(err, TACO_ERR_IO, NULL, "the decoder's thread: %s",
                              strerror(failure));
    engine->has_decoder_thread = true;
    return TACO_OK;
}

enum taco_status taco_engine_create(struct taco_engine **out,
                                    const struct taco_engine_options *options,
                                    struct taco_error *err) {
    *out = NULL;
    struct taco_engine_options chosen =
        options ? *options : taco_engine_options_default();
    enum taco_status status = check_options(&chosen, err);
    if (status != TACO_OK)
        return status;
    if (chosen.n_threads == 0)
        chosen.n_threads = processors_online();
    if (chosen.max_memory == 0)
        chosen.max_memory = taco_default_max_memory();
    struct taco_engine *engine = taco_calloc(1, sizeof *engine);
    if (!engine)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for an engine");
    engine->options = chosen;
    atomic_init(&engine->refs, 1);
    engine->mail_end = &engine->mail;
    pthread_mutex_init(&engine->lock, NULL);
    taco_clock_condition(&engine->wake);
    pthread_cond_init(&engine->idle, NULL);
    status = start_threads(engine, err);
    if (status != TACO_OK) {
        taco_engine_destroy(engine);
        return status;
    }
    *out = engine;
    return TACO_OK;
}

void taco_engine_destroy(struct taco_engine *engine) {
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    engine->ending = true;
    for (struct taco_job *job = engine->jobs; job; job = job->next)
        atomic_store(&job->cancelled, true);
    taco_scheduler_wake(engine);
    while (engine->n_started > 0)
        pthread_cond_wait(&engine->idle, &engine->lock);
    pthread_mutex_unlock(&engine->lock);
    if (engine->has_decoder_thread)
        pthread_join(engine->decoder_thread, NULL);
    taco_workers_destroy(engine->workers);
    taco_team_destroy(engine->team);
    while (engine->batches)
        taco_batch_end(engine, engine->batches);
    for (int i = 0; engine->scratch && i < 2 * engine->n_workers; i++)
        taco_arena_free(&engine->scratch[i]);
    taco_free(engine->scratch);
    taco_free(engine->inside);
    pthread_cond_destroy(&engine->idle);
    pthread_cond_destroy(&engine->wake);
    taco_engine_unref(engine);
}

void taco_engine_unref(struct taco_engine *engine) {
    if (atomic_fetch_sub(&engine->refs, 1) > 1)
        return;
    pthread_mutex_destroy(&engine->lock);
    taco_free(engine);
}

int taco_engine_threads(const struct taco_engine *engine) {
    return engine->options.n_threads;
}

void taco_engine_stats(struct taco_engine *engine, struct taco_engine_stats *stats) {
    pthread_mutex_lock(&engine->lock);
    *stats = engine->stats;
    stats->jobs_queued = engine->n_jobs - engine->stats.jobs_running;
    pthread_mutex_unlock(&engine->lock);
    stats->rows_active = atomic_load(&engine->n_rows);
    stats->decoder_steps = atomic_load(&engine->n_steps);
    stats->frames = atomic_load(&engine->n_frames);
}
