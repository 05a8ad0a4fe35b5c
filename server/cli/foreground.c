#include "cli/foreground.h"

#include <pthread.h>
#include <stdbool.h>

#include "base/clock.h"
#include "base/error.h"

#define TICK_SECONDS 0.2

/* What the engine's threads tell the one that waits. */
struct outcome {
    const struct taco_foreground *foreground;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool done;
    enum taco_status status;
    struct taco_error err;
    const struct taco_result *result;
};

static int on_audio(void *user, const float *samples, size_t n) {
    const struct outcome *outcome = user;
    return outcome->foreground->audio(outcome->foreground->user, samples, n);
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct outcome *outcome = user;
    pthread_mutex_lock(&outcome->lock);
    outcome->status = status;
    if (status == TACO_OK)
        outcome->result = taco_result_ref(result);
    else
        outcome->err = *err;
    outcome->done = true;
    pthread_cond_signal(&outcome->changed);
    pthread_mutex_unlock(&outcome->lock);
}

static void wait_for(struct outcome *outcome, const struct taco_job *job) {
    double next = taco_clock_now();
    pthread_mutex_lock(&outcome->lock);
    while (!outcome->done) {
        next += TICK_SECONDS;
        int late = 0;
        while (!outcome->done && !late)
            late = taco_clock_wait(&outcome->changed, &outcome->lock, next);
        if (!outcome->done && outcome->foreground->tick)
            outcome->foreground->tick(outcome->foreground->user, job);
    }
    pthread_mutex_unlock(&outcome->lock);
}

enum taco_status taco_foreground_speak(const struct taco_foreground *foreground,
                                       const struct taco_request *request,
                                       const struct taco_result **result,
                                       struct taco_error *err) {
    struct outcome outcome = {.foreground = foreground, .err = TACO_ERROR_INIT};
    pthread_mutex_init(&outcome.lock, NULL);
    taco_clock_condition(&outcome.changed);
    const struct taco_callbacks callbacks = {
        .user = &outcome, .audio = foreground->audio ? on_audio : NULL, .done = on_done};
    struct taco_job *job = NULL;
    *result = NULL;
    enum taco_status status = taco_job_create(&job, foreground->engine, foreground->voice,
                                              request, &callbacks, err);
    if (!status) {
        taco_job_start(job);
        wait_for(&outcome, job);
        taco_job_release(job);
        *result = outcome.result;
        status = outcome.status;
        if (status)
            taco_error_set_at(err, status, outcome.err.param, outcome.err.offset, "%s",
                              outcome.err.message);
    }
    pthread_cond_destroy(&outcome.changed);
    pthread_mutex_destroy(&outcome.lock);
    return status;
}
