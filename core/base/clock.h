/* The monotonic clock in seconds, and waiting by it. */
#ifndef TACO_BASE_CLOCK_H
#define TACO_BASE_CLOCK_H

#include <pthread.h>

double taco_clock_now(void);

/* Initialises a condition for taco_clock_wait. */
void taco_clock_condition(pthread_cond_t *condition);

/* pthread_cond_timedwait until the clock shows so much, >= 0; its result. */
int taco_clock_wait(pthread_cond_t *condition, pthread_mutex_t *lock, double until);

#endif
