#include "base/clock.h"

#include <time.h>

double taco_clock_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void taco_clock_condition(pthread_cond_t *condition) {
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

int taco_clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double until) {
    struct timespec t = {.tv_sec = (time_t)until};
    t.tv_nsec = (long)(1e9 * (until - (double)t.tv_sec));
    return pthread_cond_timedwait(condition, lock, &t);
}
