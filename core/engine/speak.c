/* One request, spoken while the caller waits. */
#include "base/error.h"
#include <pthread.h>
#include <stdbool.h>
#include <taco/engine.h>

struct waiter {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    bool done;
    enum taco_status status;
    struct taco_error err;
    const struct taco_result *result;
};

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct waiter *waiter = user;
    pthread_mutex_lock(&waiter->lock);
    waiter->done = true;
    waiter->status = status;
    if (err)
        waiter->err = *err;
    if (result)
        waiter->result = taco_result_ref(result);
    /* Under the lock: the waiter may be gone as soon as it is let go. */
    pthread_cond_signal(&waiter->ended);
    pthread_mutex_unlock(&waiter->lock);
}

enum taco_status taco_engine_speak(struct taco_engine *engine,
                                   const struct taco_voice *voice,
                                   const struct taco_request *request,
                                   const struct taco_result **result,
                                   struct taco_error *err) {
    struct waiter waiter = {.lock = PTHREAD_MUTEX_INITIALIZER,
                            .ended = PTHREAD_COND_INITIALIZER};
    struct taco_callbacks callbacks = {.user = &waiter, .done = on_done};
    struct taco_job *job;
    *result = NULL;
    enum taco_status status =
        taco_job_create(&job, engine, voice, request, &callbacks, err);
    if (status != TACO_OK)
        return status;
    taco_job_start(job);
    taco_job_release(job);
    pthread_mutex_lock(&waiter.lock);
    while (!waiter.done)
        pthread_cond_wait(&waiter.ended, &waiter.lock);
    pthread_mutex_unlock(&waiter.lock);
    if (waiter.status != TACO_OK)
        return taco_error_set_at(err, waiter.status, waiter.err.param, waiter.err.offset,
                                 "%s", waiter.err.message);
    *result = waiter.result;
    return TACO_OK;
}
