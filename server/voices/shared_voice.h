/* An open voice that several hold: sets of voices, requests, kept results. It is closed when
 * the last of them lets go, so that a reload never pulls it away from under anybody. */
#ifndef TACO_SERVER_SHARED_VOICE_H
#define TACO_SERVER_SHARED_VOICE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <taco/engine.h>
#include <taco/voice.h>
#include <time.h>

/* What tells one state of a file from another. */
struct taco_file_stamp {
    dev_t device;
    ino_t number;
    off_t size;
    struct timespec written, changed;
};

/* Of all files that a voice is made of, taken before they are read. */
struct taco_voice_stamps {
    struct taco_file_stamp voice, lexicon, inverter;
};

struct taco_shared_voice {
    atomic_int refs;
    struct taco_voice *voice; /* owned */
    struct taco_engine
        *engine;     /* borrowed; told to forget the voice. NULL: none used it */
    uint64_t serial; /* no other voice of this process has it, open or closed */
    char *path;      /* NULL: the built-in voice */
    struct taco_voice_stamps stamps;
};

/* The file's stamp now; all zeros for NULL and for a file that is not there. */
struct taco_file_stamp taco_file_stamp_of(const char *path);

/* With one reference; takes ownership of voice, even on failure. NULL: no memory. */
struct taco_shared_voice *
taco_shared_voice_create(struct taco_voice *voice, struct taco_engine *engine,
                         const char *path, const struct taco_voice_stamps *stamps);

/* Whether opening path, whose files have these stamps now, would give the same voice again. */
bool taco_shared_voice_is_fresh(const struct taco_shared_voice *shared, const char *path,
                                const struct taco_voice_stamps *stamps);

/* Thread-safe. NULL is allowed. A reference is given back only when no job of its holder is
 * left: created and not released, or started and its done callback not called. */
struct taco_shared_voice *taco_shared_voice_ref(struct taco_shared_voice *shared);
void taco_shared_voice_unref(struct taco_shared_voice *shared);

#endif
