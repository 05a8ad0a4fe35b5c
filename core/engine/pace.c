#include "engine/pace.h"

/* Frames. Blocks of LEAST are made even when the stream is late: smaller ones would only
 * make everybody later. */
enum { LEAST = 4, USUAL = 8, MOST = 32, FEWEST_FIRST = 3 };

/* The reserve at which the next block is handed on: latency varies, and the next chance to
 * look comes a period later. */
static double safety(const struct taco_pace *pace) {
    return 3 * (pace->latency + pace->period);
}

int taco_pace_first(const struct taco_pace *pace) {
    double needed = (safety(pace) + USUAL * pace->period) / pace->frame;
    return needed <= FEWEST_FIRST ? FEWEST_FIRST
           : needed >= MOST       ? MOST
                                  : (int)needed + 1;
}

bool taco_pace_due(const struct taco_pace *pace, int n_pending, double reserve) {
    return n_pending >= MOST || (n_pending >= LEAST && reserve <= safety(pace));
}
