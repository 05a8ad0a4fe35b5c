#include "http/watch.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "http/exchange.h"

struct taco_watch {
    double seconds;
    void (*gone)(struct taco_exchange *x);
    int epoll, end;
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all below, and of what is watched */
    struct taco_exchange *watched;
    size_t n_half_closed; /* of them */
};

/* -- the thread; the lock is held ---------------------------------------------------- */

static void unlink_watched(struct taco_watch *watch, struct taco_exchange *x) {
    struct taco_watched *w = &x->watched;
    epoll_ctl(watch->epoll, EPOLL_CTL_DEL, w->fd, NULL);
    watch->n_half_closed -= w->half_closed;
    *w->link = w->next;
    if (w->next)
        w->next->watched.link = w->link;
    *w = (struct taco_watched){0};
}

static void let_go(struct taco_watch *watch, struct taco_exchange *x) {
    unlink_watched(watch, x);
    watch->gone(x);
}

static void set_deadline(struct taco_watch *watch, struct taco_exchange *x) {
    x->watched.deadline = taco_clock_now() + watch->seconds;
    x->watched.n_sent = atomic_load(&x->n_sent);
}

static void look(struct taco_watch *watch, struct taco_exchange *x, unsigned events) {
    if ((events & (EPOLLHUP | EPOLLERR)) || watch->seconds <= 0) {
        let_go(watch, x);
        return;
    }
    /* A reset is told of from now on, too, but not once more that there is nothing to read. */
    struct epoll_event rest = {.data.ptr = x};
    epoll_ctl(watch->epoll, EPOLL_CTL_MOD, x->watched.fd, &rest);
    x->watched.half_closed = true;
    watch->n_half_closed++;
    set_deadline(watch, x);
}

/* Lets those go whose time is over. The milliseconds until the next one's is, -1: none. */
static int look_at_deadlines(struct taco_watch *watch) {
    double t = taco_clock_now(), next = -1;
    if (watch->n_half_closed == 0)
        return -1;
    for (struct taco_exchange *x = watch->watched, *following; x; x = following) {
        following = x->watched.next;
        if (!x->watched.half_closed)
            continue;
        /* What has been sent since has not been answered by a reset. */
        if (t >= x->watched.deadline && atomic_load(&x->n_sent) != x->watched.n_sent)
            set_deadline(watch, x);
        double left = x->watched.deadline - t;
        if (left <= 0)
            let_go(watch, x);
        else if (next < 0 || left < next)
            next = left;
    }
    return next < 0 ? -1 : next > 3600 ? 3600000 : (int)(next * 1e3) + 1;
}

/* Takes what has been reported. With the lock held nobody is removed meanwhile, and who was
 * removed before is not reported any more. False: the end. */
static bool take_events(struct taco_watch *watch) {
    struct epoll_event events[16];
    int n = epoll_wait(watch->epoll, events, 16, 0);
    for (int i = 0; i < n; i++) {
        if (!events[i].data.ptr)
            return false;
        look(watch, events[i].data.ptr, events[i].events);
    }
    return true;
}

static void *run(void *user) {
    struct taco_watch *watch = user;
    int milliseconds = -1;
    for (bool goes_on = true; goes_on;) {
        struct pollfd reported = {.fd = watch->epoll, .events = POLLIN};
        poll(&reported, 1, milliseconds);
        pthread_mutex_lock(&watch->lock);
        goes_on = take_events(watch);
        milliseconds = look_at_deadlines(watch);
        pthread_mutex_unlock(&watch->lock);
    }
    return NULL;
}

/* -- for others ---------------------------------------------------------------------- */

enum taco_status taco_watch_create(struct taco_watch **out, double seconds,
                                   void (*gone)(struct taco_exchange *x),
                                   struct taco_error *err) {
    struct taco_watch *watch = *out = taco_calloc(1, sizeof *watch);
    if (!watch)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    watch->seconds = seconds;
    watch->gone = gone;
    pthread_mutex_init(&watch->lock, NULL);
    watch->epoll = epoll_create1(EPOLL_CLOEXEC);
    watch->end = eventfd(0, EFD_CLOEXEC);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    int failure = 0;
    if (watch->epoll < 0 || watch->end < 0 ||
        epoll_ctl(watch->epoll, EPOLL_CTL_ADD, watch->end, &event) < 0)
        failure = errno;
    else
        failure = pthread_create(&watch->thread, NULL, run, watch);
    watch->has_thread = !failure;
    if (!failure)
        return TACO_OK;
    taco_watch_destroy(watch);
    *out = NULL;
    return taco_error_set(err, TACO_ERR_IO, NULL, "cannot watch connections: %s",
                          strerror(failure));
}

void taco_watch_destroy(struct taco_watch *watch) {
    if (!watch)
        return;
    if (watch->has_thread) {
        eventfd_write(watch->end, 1);
        pthread_join(watch->thread, NULL);
    }
    if (watch->end >= 0)
        close(watch->end);
    if (watch->epoll >= 0)
        close(watch->epoll);
    pthread_mutex_destroy(&watch->lock);
    taco_free(watch);
}

void taco_watch_add(struct taco_watch *watch, struct taco_exchange *x, int fd) {
    pthread_mutex_lock(&watch->lock);
    struct taco_watched *w = &x->watched;
    *w = (struct taco_watched){
        .is_watched = true, .fd = fd, .next = watch->watched, .link = &watch->watched};
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = x};
    if (epoll_ctl(watch->epoll, EPOLL_CTL_ADD, w->fd, &event) == 0) {
        if (w->next)
            w->next->watched.link = &w->next;
        watch->watched = x;
    } else {
        *w = (struct taco_watched){0};
    }
    pthread_mutex_unlock(&watch->lock);
}

void taco_watch_remove(struct taco_watch *watch, struct taco_exchange *x) {
    pthread_mutex_lock(&watch->lock);
    if (x->watched.is_watched)
        unlink_watched(watch, x);
    pthread_mutex_unlock(&watch->lock);
}
