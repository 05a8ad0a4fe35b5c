/* A request that a command waits for. */
#ifndef TACO_SERVER_FOREGROUND_H
#define TACO_SERVER_FOREGROUND_H

#include <taco/engine.h>

struct taco_foreground {
    struct taco_engine *engine;
    const struct taco_voice *voice;
    /* As in struct taco_callbacks; NULL: none. */
    int (*audio)(void *user, const float *samples, size_t n);
    /* Called by the waiting thread five times a second; NULL: never. */
    void (*tick)(void *user, const struct taco_job *job);
    void *user;
};

/* Speaks the request and waits for its result, which the caller ends with
 * taco_result_unref. The statuses of taco_job_create and of the job; *result is NULL then. */
TACO_MUST_CHECK enum taco_status
taco_foreground_speak(const struct taco_foreground *foreground,
                      const struct taco_request *request,
                      const struct taco_result **result, struct taco_error *err);

#endif
