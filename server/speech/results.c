#include "speech/results.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "base/memory.h"

#define N_BUCKETS 4096
/* Ids that are remembered after their results are gone, so that a late caller is told so.
 */
#define MAX_GONE 16384

struct entry {
    char id[TACO_ID_LENGTH + 1];
    enum taco_results_state state; /* never TACO_RESULTS_UNKNOWN */
    struct taco_cached *cached;    /* TACO_RESULTS_CACHED only */
    size_t bytes;
    struct entry *next_in_bucket, *next_of_key;
    struct entry *older, *newer; /* in the list of its state */
};

struct list {
    struct entry *oldest, *newest;
    size_t n;
};

struct taco_results {
    pthread_mutex_t lock;
    uint64_t max_bytes, bytes;
    struct list lists[TACO_RESULTS_GONE + 1]; /* by state; cached ones in order of use */
    struct entry *buckets[N_BUCKETS];
    struct entry *keys[N_BUCKETS]; /* of cached ones with a key */
    uint64_t n_hits, n_misses;
};

/* -- cached results -------------------------------------------------------------------- */

struct taco_cached *taco_cached_create(const char *id, const struct taco_result *result,
                                       struct taco_shared_voice *voice,
                                       const struct taco_audio_options *options,
                                       void *audio, size_t audio_size) {
    struct taco_cached *cached = taco_calloc(1, sizeof *cached);
    if (!cached) {
        taco_free(audio);
        return NULL;
    }
    atomic_init(&cached->refs, 1);
    memcpy(cached->id, id, sizeof cached->id);
    cached->result = taco_result_ref(result);
    cached->voice = taco_shared_voice_ref(voice);
    cached->options = *options;
    cached->audio = audio;
    cached->audio_size = audio_size;
    if (audio)
        taco_etag_of(audio, audio_size, cached->etag);
    return cached;
}

struct taco_cached *taco_cached_ref(struct taco_cached *cached) {
    atomic_fetch_add_explicit(&cached->refs, 1, memory_order_relaxed);
    return cached;
}

void taco_result_key_free(struct taco_result_key *key) {
    taco_free(key->bytes);
    *key = (struct taco_result_key){NULL, 0};
}

void taco_cached_release(struct taco_cached *cached) {
    if (!cached || atomic_fetch_sub_explicit(&cached->refs, 1, memory_order_acq_rel) > 1)
        return;
    taco_result_unref(cached->result);
    taco_shared_voice_unref(cached->voice);
    taco_result_key_free(&cached->key);
    taco_free(cached->audio);
    taco_free(cached);
}

void taco_cached_release_any(void *cached) {
    taco_cached_release(cached);
}

/* -- the table, under the lock ------------------------------------------------------- */

/* FNV-1a, 32 bits. Who aims at a bucket slows down what is bounded by --cache-bytes. */
static uint32_t hash_of(const void *bytes, size_t size) {
    uint32_t hash = 2166136261u;
    for (const unsigned char *c = bytes; size > 0; c++, size--)
        hash = (hash ^ *c) * 16777619u;
    return hash;
}

static struct entry **find_slot(struct taco_results *r, const char *id) {
    struct entry **slot = &r->buckets[hash_of(id, strlen(id)) % N_BUCKETS];
    while (*slot && strcmp((*slot)->id, id) != 0)
        slot = &(*slot)->next_in_bucket;
    return slot;
}

static struct entry **find_key(struct taco_results *r,
                               const struct taco_result_key *key) {
    struct entry **slot = &r->keys[hash_of(key->bytes, key->size) % N_BUCKETS];
    while (*slot && ((*slot)->cached->key.size != key->size ||
                     memcmp((*slot)->cached->key.bytes, key->bytes, key->size) != 0))
        slot = &(*slot)->next_of_key;
    return slot;
}

/* The newest result of a key is found by it. */
static void add_key(struct taco_results *r, struct entry *e) {
    if (!e->cached->key.bytes)
        return;
    struct entry **slot = find_key(r, &e->cached->key);
    e->next_of_key = *slot ? (*slot)->next_of_key : NULL;
    *slot = e;
}

static void remove_key(struct taco_results *r, struct entry *e) {
    struct entry **slot = e->cached->key.bytes ? find_key(r, &e->cached->key) : NULL;
    if (slot && *slot == e)
        *slot = e->next_of_key;
}

static void list_remove(struct list *list, struct entry *e) {
    if (e->older)
        e->older->newer = e->newer;
    else
        list->oldest = e->newer;
    if (e->newer)
        e->newer->older = e->older;
    else
        list->newest = e->older;
    e->older = e->newer = NULL;
    list->n--;
}

static void list_append(struct list *list, struct entry *e) {
    e->older = list->newest;
    e->newer = NULL;
    if (list->newest)
        list->newest->newer = e;
    else
        list->oldest = e;
    list->newest = e;
    list->n++;
}

static void remove_entry(struct taco_results *r, struct entry *e) {
    *find_slot(r, e->id) = e->next_in_bucket;
    list_remove(&r->lists[e->state], e);
    taco_free(e);
}

static void move(struct taco_results *r, struct entry *e, enum taco_results_state state) {
    list_remove(&r->lists[e->state], e);
    e->state = state;
    list_append(&r->lists[state], e);
}

/* The reference goes into *gone, to be released when the lock is: it may be the last of the
 * result's voice, which then is closed. */
static void evict(struct taco_results *r, struct entry *e, struct taco_cached **gone) {
    remove_key(r, e);
    e->cached->next_evicted = *gone;
    *gone = e->cached;
    e->cached = NULL;
    r->bytes -= e->bytes;
    e->bytes = 0;
    move(r, e, TACO_RESULTS_GONE);
    if (r->lists[TACO_RESULTS_GONE].n > MAX_GONE)
        remove_entry(r, r->lists[TACO_RESULTS_GONE].oldest);
}

/* The entry of the id, made if there is none; NULL: no memory. */
static struct entry *get_or_make(struct taco_results *r, const char *id) {
    struct entry **slot = find_slot(r, id);
    if (*slot)
        return *slot;
    struct entry *e = taco_calloc(1, sizeof *e);
    if (!e)
        return NULL;
    memcpy(e->id, id, sizeof e->id);
    e->state = TACO_RESULTS_PENDING;
    e->next_in_bucket = *slot;
    *slot = e;
    list_append(&r->lists[TACO_RESULTS_PENDING], e);
    return e;
}

/* -- the store ----------------------------------------------------------------------- */

enum taco_status taco_results_create(struct taco_results **results, uint64_t max_bytes,
                                     struct taco_error *err) {
    struct taco_results *r = *results = taco_calloc(1, sizeof *r);
    if (!r)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for cached results");
    pthread_mutex_init(&r->lock, NULL);
    r->max_bytes = max_bytes;
    return TACO_OK;
}

void taco_results_destroy(struct taco_results *r) {
    if (!r)
        return;
    for (size_t i = 0; i < sizeof r->lists / sizeof *r->lists; i++)
        while (r->lists[i].oldest) {
            struct entry *e = r->lists[i].oldest;
            list_remove(&r->lists[i], e);
            taco_cached_release(e->cached);
            taco_free(e);
        }
    pthread_mutex_destroy(&r->lock);
    taco_free(r);
}

void taco_results_usage(struct taco_results *r, struct taco_results_usage *usage) {
    pthread_mutex_lock(&r->lock);
    *usage = (struct taco_results_usage){r->lists[TACO_RESULTS_CACHED].n, r->bytes,
                                         r->n_hits, r->n_misses};
    pthread_mutex_unlock(&r->lock);
}

bool taco_results_announce(struct taco_results *r, const char *id) {
    pthread_mutex_lock(&r->lock);
    bool ok = get_or_make(r, id) != NULL;
    pthread_mutex_unlock(&r->lock);
    return ok;
}

void taco_results_withdraw(struct taco_results *r, const char *id) {
    pthread_mutex_lock(&r->lock);
    struct entry *e = *find_slot(r, id);
    if (e && e->state == TACO_RESULTS_PENDING)
        remove_entry(r, e);
    pthread_mutex_unlock(&r->lock);
}

bool taco_results_put(struct taco_results *r, struct taco_cached *cached) {
    size_t bytes = sizeof *cached + sizeof(struct entry) + cached->audio_size +
                   cached->key.size + taco_result_bytes(cached->result);
    bool fits = bytes <= r->max_bytes;
    struct taco_cached *gone = NULL;
    pthread_mutex_lock(&r->lock);
    struct entry *e = get_or_make(r, cached->id);
    if (e) {
        assert(!e->cached); /* an id is drawn for one result */
        e->cached = taco_cached_ref(cached);
        e->bytes = bytes;
        r->bytes += bytes;
        move(r, e, TACO_RESULTS_CACHED);
        add_key(r, e);
        if (!fits)
            evict(r, e, &gone);
        while (r->bytes > r->max_bytes)
            evict(r, r->lists[TACO_RESULTS_CACHED].oldest, &gone);
    }
    pthread_mutex_unlock(&r->lock);
    while (gone) {
        struct taco_cached *next = gone->next_evicted;
        taco_cached_release(gone);
        gone = next;
    }
    return e && fits;
}

enum taco_results_state taco_results_get(struct taco_results *r, const char *id,
                                         struct taco_cached **cached) {
    *cached = NULL;
    pthread_mutex_lock(&r->lock);
    struct entry *e = *find_slot(r, id);
    enum taco_results_state state = e ? e->state : TACO_RESULTS_UNKNOWN;
    if (state == TACO_RESULTS_CACHED) {
        *cached = taco_cached_ref(e->cached);
        move(r, e, TACO_RESULTS_CACHED);
    }
    pthread_mutex_unlock(&r->lock);
    return state;
}

struct taco_cached *taco_results_find(struct taco_results *r,
                                      const struct taco_result_key *key) {
    pthread_mutex_lock(&r->lock);
    struct entry *e = *find_key(r, key);
    struct taco_cached *cached = e ? taco_cached_ref(e->cached) : NULL;
    if (e)
        move(r, e, TACO_RESULTS_CACHED);
    r->n_hits += e != NULL;
    r->n_misses += e == NULL;
    pthread_mutex_unlock(&r->lock);
    return cached;
}
