#include "http/connections.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"

struct taco_connection {
    struct taco_connection *next, **link;
    int fd;
    double deadline; /* seconds of taco_clock_now; 0: none */
    struct taco_exchange *expected;
};

struct taco_connections {
    double seconds;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all below and of the connections */
    pthread_cond_t changed;
    struct taco_connection *list;
    double next; /* the time until which the thread sleeps; 0: for ever */
    bool ending;
};

/* Ends those whose time is over. The next deadline; 0: none. (The lock is held: nobody closes
 * a descriptor meanwhile.) */
static double end_late_ones(struct taco_connections *c) {
    double t = taco_clock_now(), next = 0;
    for (struct taco_connection *i = c->list; i; i = i->next) {
        if (i->deadline > 0 && i->deadline <= t) {
            shutdown(i->fd, SHUT_RDWR); /* its thread sees the end, and closes it */
            i->deadline = 0;
        }
        if (i->deadline > 0 && (next <= 0 || i->deadline < next))
            next = i->deadline;
    }
    return next;
}

static void *run(void *user) {
    struct taco_connections *c = user;
    pthread_mutex_lock(&c->lock);
    while (!c->ending) {
        c->next = end_late_ones(c);
        if (c->next > 0)
            taco_clock_wait(&c->changed, &c->lock, c->next);
        else
            pthread_cond_wait(&c->changed, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
    return NULL;
}

enum taco_status taco_connections_create(struct taco_connections **out, double seconds,
                                         struct taco_error *err) {
    struct taco_connections *c = *out = taco_calloc(1, sizeof *c);
    if (!c)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    c->seconds = seconds;
    pthread_mutex_init(&c->lock, NULL);
    taco_clock_condition(&c->changed);
    int failure = pthread_create(&c->thread, NULL, run, c);
    c->has_thread = failure == 0;
    if (!failure)
        return TACO_OK;
    taco_connections_destroy(c);
    *out = NULL;
    return taco_error_set(err, TACO_ERR_IO, NULL, "no thread for the connections: %s",
                          strerror(failure));
}

void taco_connections_destroy(struct taco_connections *c) {
    if (!c)
        return;
    pthread_mutex_lock(&c->lock);
    c->ending = true;
    pthread_cond_signal(&c->changed);
    pthread_mutex_unlock(&c->lock);
    if (c->has_thread)
        pthread_join(c->thread, NULL);
    pthread_cond_destroy(&c->changed);
    pthread_mutex_destroy(&c->lock);
    taco_free(c);
}

/* With the lock held. */
static void set_deadline(struct taco_connections *c, struct taco_connection *i,
                         double deadline) {
    i->deadline = deadline;
    if (deadline > 0 && (c->next <= 0 || deadline < c->next))
        pthread_cond_signal(&c->changed);
}

struct taco_connection *taco_connections_add(struct taco_connections *c, int fd) {
    struct taco_connection *i = taco_calloc(1, sizeof *i);
    if (!i)
        return NULL;
    i->fd = fd;
    pthread_mutex_lock(&c->lock);
    i->link = &c->list;
    i->next = c->list;
    if (i->next)
        i->next->link = &i->next;
    c->list = i;
    set_deadline(c, i, taco_clock_now() + c->seconds);
    pthread_mutex_unlock(&c->lock);
    return i;
}

void taco_connections_remove(struct taco_connections *c, struct taco_connection *i) {
    if (!i)
        return;
    pthread_mutex_lock(&c->lock);
    *i->link = i->next;
    if (i->next)
        i->next->link = i->link;
    pthread_mutex_unlock(&c->lock);
    taco_free(i);
}

struct taco_exchange *taco_connections_expect(struct taco_connection *i,
                                              struct taco_exchange *x) {
    if (!i)
        return NULL;
    struct taco_exchange *before = i->expected;
    i->expected = x;
    return before;
}

void taco_connections_set_deadline(struct taco_connections *c, struct taco_connection *i,
                                   double deadline) {
    if (!i)
        return;
    pthread_mutex_lock(&c->lock);
    set_deadline(c, i, deadline);
    pthread_mutex_unlock(&c->lock);
}

void taco_connections_expect_headers(struct taco_connections *c,
                                     struct taco_connection *i) {
    taco_connections_set_deadline(c, i, taco_clock_now() + c->seconds);
}
