/* What something has taken of late. */
#ifndef TACO_ENGINE_RUNNING_MEAN_H
#define TACO_ENGINE_RUNNING_MEAN_H

#include <math.h>

/* The mean, 0 if there is none yet, with one more value: it follows the last n, and a single
 * one that was interrupted counts for little. */
static inline double taco_running_mean(double mean, double value, int n) {
    return mean > 0 ? mean + (fmin(value, 4 * mean) - mean) / n : value;
}

#endif
