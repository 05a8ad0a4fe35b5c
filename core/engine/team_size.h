/* How many threads a decoder step is worth, learnt from what steps have taken.
 *
 * Two threads are faster than one when the step is large and both have a processor of
 * their own; they are much slower when the system gives one of them to somebody else,
 * since the others then wait at every barrier. Which of it holds depends on the model,
 * the number of rows and the machine's other work, and changes: so the step's time is
 * measured, and now and then the next smaller or larger team is tried. The bits of a
 * result do not depend on it. */
#ifndef TACO_ENGINE_TEAM_SIZE_H
#define TACO_ENGINE_TEAM_SIZE_H

#include <stdbool.h>
#include <stdint.h>

enum { TACO_TEAM_SIZES = 10, TACO_TEAM_CLASSES = 7 };

/* Zeroed, it knows nothing. One thread's. */
struct taco_team_size {
    struct taco_team_class { /* of batches of 1, 2, 3-4, ..., 33-64 rows */
        int current;         /* index of the size in use: 1, 2, 4, ... threads */
        uint32_t countdown;  /* steps until another size is tried */
        bool larger;         /* which one */
        float seconds[TACO_TEAM_SIZES]; /* a step, running mean; 0: never tried */
    } classes[TACO_TEAM_CLASSES];
};

/* Threads for the next step of n_rows rows, 1 to limit. */
int taco_team_size_choose(struct taco_team_size *size, int n_rows, int limit);

/* What the step took with n_threads, as chosen. */
void taco_team_size_learn(struct taco_team_size *size, int n_rows, int n_threads,
                          double seconds);

#endif
