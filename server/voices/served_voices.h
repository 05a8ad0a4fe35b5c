/* The set of voices in force, which a reload replaces while requests go on. Thread-safe. */
#ifndef TACO_SERVER_SERVED_VOICES_H
#define TACO_SERVER_SERVED_VOICES_H

#include <pthread.h>

#include "voices/voices.h"

struct taco_served_voices {
    pthread_mutex_t lock;
    struct taco_voices *voices; /* a reference, or NULL */
};

void taco_served_voices_init(struct taco_served_voices *served);
void taco_served_voices_destroy(struct taco_served_voices *served);

/* A reference on the set for requests that begin now. It does not change. */
struct taco_voices *taco_served_voices_get(struct taco_served_voices *served);

/* Takes the reference on voices and gives back the one before. */
void taco_served_voices_set(struct taco_served_voices *served,
                            struct taco_voices *voices);

#endif
