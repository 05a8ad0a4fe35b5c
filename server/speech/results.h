/* Finished results, cached for a while: bounded by bytes, the least recently used go first.
 */
#ifndef TACO_SERVER_RESULTS_H
#define TACO_SERVER_RESULTS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/audio.h>
#include <taco/result.h>

#include "http/etag.h"
#include "http/id.h"
#include "voices/shared_voice.h"

/* What a result is the result of: equal requests have equal bytes. */
struct taco_result_key {
    void *bytes; /* [size], owned; NULL: none */
    size_t size;
};

/* A result with the audio as it was asked for. Counted; const once it has been shared. */
struct taco_cached {
    atomic_int refs;
    char id[TACO_ID_LENGTH + 1];
    const struct taco_result *result; /* a reference */
    struct taco_shared_voice *voice;  /* a reference: the result's */
    struct taco_audio_options options;
    void *audio; /* [audio_size] encoded as options say; NULL: not yet */
    size_t audio_size;
    char etag[TACO_ETAG_SIZE]; /* of the audio, if it is there */
    struct taco_result_key
        key; /* set before it is shared; none: it is found by id only */
    struct taco_cached *next_evicted; /* the store's own, when it lets it go */
};

struct taco_results;

enum taco_results_state {
    TACO_RESULTS_CACHED,
    TACO_RESULTS_PENDING, /* its speech is being made */
    TACO_RESULTS_GONE,    /* it was there, and had to make room */
    TACO_RESULTS_UNKNOWN
};

void taco_result_key_free(struct taco_result_key *key);

/* With one reference, and references on the result and its voice (may be NULL: it stays
 * open) of its own; takes ownership of audio (may be NULL), even on failure. NULL: no memory. */
struct taco_cached *taco_cached_create(const char *id, const struct taco_result *result,
                                       struct taco_shared_voice *voice,
                                       const struct taco_audio_options *options,
                                       void *audio, size_t audio_size);
struct taco_cached *taco_cached_ref(struct taco_cached *cached);
void taco_cached_release(struct taco_cached *cached); /* NULL is allowed */
void taco_cached_release_any(void *cached);           /* the same, as a callback */

/* Keeps at most max_bytes of results. TACO_ERR_NO_MEMORY. All functions are thread-safe.
 */
TACO_MUST_CHECK enum taco_status taco_results_create(struct taco_results **results,
                                                     uint64_t max_bytes,
                                                     struct taco_error *err);
void taco_results_destroy(struct taco_results *results); /* NULL is allowed */

struct taco_results_usage {
    size_t n;                  /* results that are cached */
    uint64_t bytes;            /* of them */
    uint64_t n_hits, n_misses; /* of taco_results_find, ever */
};

void taco_results_usage(struct taco_results *results, struct taco_results_usage *usage);

/* Announces an id whose result is to come. False: no memory. */
TACO_MUST_CHECK bool taco_results_announce(struct taco_results *results, const char *id);

/* Takes back an announced id whose result will not come. */
void taco_results_withdraw(struct taco_results *results, const char *id);

/* Keeps the result under its id, with a reference of its own, and lets others go to make
 * room. False: it is larger than all the room there is, or there is no memory; its id is
 * then gone. */
bool taco_results_put(struct taco_results *results, struct taco_cached *cached);

/* The last result that was put with an equal key, a reference for the caller to release, and
 * it counts as just used; NULL: there is none. */
struct taco_cached *taco_results_find(struct taco_results *results,
                                      const struct taco_result_key *key);

/* On TACO_RESULTS_CACHED *cached is a reference for the caller to release, and the result
 * counts as just used. */
enum taco_results_state taco_results_get(struct taco_results *results, const char *id,
                                         struct taco_cached **cached);

#endif
