/* How far a long command is, in one line of the terminal. */
#ifndef TACO_SERVER_PROGRESS_H
#define TACO_SERVER_PROGRESS_H

#include <stdbool.h>

struct taco_progress {
    bool shown;   /* false: standard error is no terminal, or --quiet */
    double begun; /* taco_clock_now */
};

struct taco_progress taco_progress_begin(bool quiet);

/* Writes the line over the one before: a bar for done of all, what, "4.2x real time" for
 * so many seconds of speech made by this run, and the time left, for which done - before is
 * the work of this run. Units of done, before and all: any, the same. */
void taco_progress_show(const struct taco_progress *progress, double before, double done,
                        double all, double speech, const char *what);

/* Removes the line. */
void taco_progress_clear(const struct taco_progress *progress);

#endif
