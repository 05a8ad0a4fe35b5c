#include "voices/shared_voice.h"

#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"

struct taco_file_stamp taco_file_stamp_of(const char *path) {
    struct stat info;
    if (!path || stat(path, &info) < 0)
        return (struct taco_file_stamp){0};
    return (struct taco_file_stamp){info.st_dev, info.st_ino, info.st_size, info.st_mtim,
                                    info.st_ctim};
}

static bool same_time(const struct timespec *a, const struct timespec *b) {
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

static bool same_stamp(const struct taco_file_stamp *a, const struct taco_file_stamp *b) {
    return a->device == b->device && a->number == b->number && a->size == b->size &&
           same_time(&a->written, &b->written) && same_time(&a->changed, &b->changed);
}

struct taco_shared_voice *
taco_shared_voice_create(struct taco_voice *voice, struct taco_engine *engine,
                         const char *path, const struct taco_voice_stamps *stamps) {
    static atomic_uint_fast64_t n_made;
    struct taco_shared_voice *shared = taco_calloc(1, sizeof *shared);
    char *copy = path ? taco_strdup(path) : NULL;
    if (!shared || (path && !copy)) {
        taco_free(shared);
        taco_free(copy);
        taco_voice_close(voice);
        return NULL;
    }
    atomic_init(&shared->refs, 1);
    shared->voice = voice;
    shared->engine = engine;
    shared->serial = atomic_fetch_add(&n_made, 1) + 1;
    shared->path = copy;
    shared->stamps = *stamps;
    return shared;
}

bool taco_shared_voice_is_fresh(const struct taco_shared_voice *shared, const char *path,
                                const struct taco_voice_stamps *stamps) {
    bool same_path =
        path && shared->path ? strcmp(path, shared->path) == 0 : path == shared->path;
    return same_path && same_stamp(&shared->stamps.voice, &stamps->voice) &&
           same_stamp(&shared->stamps.lexicon, &stamps->lexicon) &&
           same_stamp(&shared->stamps.inverter, &stamps->inverter);
}

struct taco_shared_voice *taco_shared_voice_ref(struct taco_shared_voice *shared) {
    if (shared)
        atomic_fetch_add_explicit(&shared->refs, 1, memory_order_relaxed);
    return shared;
}

void taco_shared_voice_unref(struct taco_shared_voice *shared) {
    if (!shared || atomic_fetch_sub_explicit(&shared->refs, 1, memory_order_acq_rel) > 1)
        return;
    if (shared->engine)
        taco_engine_forget(shared->engine, shared->voice);
    taco_voice_close(shared->voice);
    taco_free(shared->path);
    taco_free(shared);
}
