#include "voices/served_voices.h"

void taco_served_voices_init(struct taco_served_voices *served) {
    pthread_mutex_init(&served->lock, NULL);
    served->voices = NULL;
}

void taco_served_voices_destroy(struct taco_served_voices *served) {
    taco_voices_unref(served->voices);
    pthread_mutex_destroy(&served->lock);
}

struct taco_voices *taco_served_voices_get(struct taco_served_voices *served) {
    pthread_mutex_lock(&served->lock);
    struct taco_voices *voices = taco_voices_ref(served->voices);
    pthread_mutex_unlock(&served->lock);
    return voices;
}

void taco_served_voices_set(struct taco_served_voices *served,
                            struct taco_voices *voices) {
    pthread_mutex_lock(&served->lock);
    struct taco_voices *before = served->voices;
    served->voices = voices;
    pthread_mutex_unlock(&served->lock);
    taco_voices_unref(before);
}
