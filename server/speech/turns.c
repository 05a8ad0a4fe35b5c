#include "speech/turns.h"

#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"

struct taco_turns_client {
    uint64_t id;
    uint64_t charged; /* nanoseconds, from where it started */
    unsigned n_works;
    struct taco_turns_client *next;
};

struct taco_turns {
    pthread_mutex_t lock;
    uint64_t now;                      /* where the client stood whose slice began last */
    struct taco_turns_client *clients; /* those with work */
};

enum taco_status taco_turns_create(struct taco_turns **turns, struct taco_error *err) {
    *turns = taco_calloc(1, sizeof **turns);
    if (!*turns)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    pthread_mutex_init(&(*turns)->lock, NULL);
    return TACO_OK;
}

void taco_turns_destroy(struct taco_turns *turns) {
    if (!turns)
        return;
    pthread_mutex_destroy(&turns->lock);
    taco_free(turns);
}

enum taco_status taco_turns_enter(struct taco_turns *turns, uint64_t client,
                                  struct taco_turn *turn, struct taco_error *err) {
    pthread_mutex_lock(&turns->lock);
    struct taco_turns_client *c = turns->clients;
    while (c && c->id != client)
        c = c->next;
    if (!c && (c = taco_calloc(1, sizeof *c))) {
        c->id = client;
        c->charged = turns->now;
        c->next = turns->clients;
        turns->clients = c;
    }
    if (c)
        c->n_works++;
    pthread_mutex_unlock(&turns->lock);
    turn->client = c;
    return c ? TACO_OK : taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
}

void taco_turns_leave(struct taco_turns *turns, struct taco_turn *turn) {
    struct taco_turns_client *c = turn->client;
    if (!c)
        return;
    turn->client = NULL;
    pthread_mutex_lock(&turns->lock);
    if (--c->n_works == 0) {
        struct taco_turns_client **link = &turns->clients;
        while (*link != c)
            link = &(*link)->next;
        *link = c->next;
        taco_free(c);
    }
    pthread_mutex_unlock(&turns->lock);
}

uint64_t taco_turns_priority(struct taco_turns *turns, const struct taco_turn *turn) {
    pthread_mutex_lock(&turns->lock);
    uint64_t priority = turn->client->charged;
    pthread_mutex_unlock(&turns->lock);
    return priority;
}

void taco_turns_charge(struct taco_turns *turns, const struct taco_turn *turn,
                       double seconds) {
    struct taco_turns_client *c = turn->client;
    pthread_mutex_lock(&turns->lock);
    if (c->charged > turns->now)
        turns->now = c->charged;
    c->charged += seconds > 0 ? (uint64_t)(seconds * 1e9) : 0;
    pthread_mutex_unlock(&turns->lock);
}
