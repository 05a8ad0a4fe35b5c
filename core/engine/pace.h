/* When a stream's new frames are worth a task.
 *
 * Postnet and vocoder cost less for many frames at once, and their work delays others'. So
 * frames are left to gather until the listener's reserve comes to its end; and the first
 * samples, which begin the listening, wait until they last for as long as the next ones
 * will take: a few frames on a machine at rest, more beside many streams. One thread's. */
#ifndef TACO_ENGINE_PACE_H
#define TACO_ENGINE_PACE_H

#include <stdbool.h>

/* As measured of late; all in seconds. */
struct taco_pace {
    double frame;   /* of audio in a frame */
    double period;  /* from one decoded frame to the next */
    double latency; /* from the task's queueing to the delivery of its samples */
};

/* Frames of audio that the first task is to make, 3 to 32. */
int taco_pace_first(const struct taco_pace *pace);

/* Whether n_pending frames, >= 0, are to be handed on now. reserve: seconds of audio that
 * were delivered and not yet played; < 0: the stream is late. */
bool taco_pace_due(const struct taco_pace *pace, int n_pending, double reserve);

#endif
