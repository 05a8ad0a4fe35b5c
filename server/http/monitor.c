#include "http/monitor.h"

#include <errno.h>
#include <math.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "http/exchange.h"

struct taco_connection {
    struct taco_connection *next, **link;
    int fd;
    double deadline; /* seconds of taco_clock_now; 0: none */
    struct taco_exchange *expected;
};

struct taco_monitor {
    struct taco_monitor_options options;
    int epoll, wake; /* wake: an eventfd, one of those that epoll waits for */
    pthread_t thread;
    bool has_thread;
    pthread_mutex_t lock; /* of all below, of the connections and of what is watched */
    struct taco_connection *connections;
    struct taco_exchange *watched;
    size_t n_half_closed; /* of watched */
    double next;          /* the time until which the thread sleeps; INFINITY: no end */
    bool ending;
};

/* -- the thread; the lock is held ---------------------------------------------------- */

static void unlink_watched(struct taco_monitor *m, struct taco_exchange *x) {
    struct taco_watched *w = &x->watched;
    epoll_ctl(m->epoll, EPOLL_CTL_DEL, w->fd, NULL);
    m->n_half_closed -= w->half_closed;
    *w->link = w->next;
    if (w->next)
        w->next->watched.link = w->link;
    *w = (struct taco_watched){0};
}

static void report_gone(struct taco_monitor *m, struct taco_exchange *x) {
    unlink_watched(m, x);
    m->options.gone(x);
}

static void restart_half_close(struct taco_monitor *m, struct taco_exchange *x) {
    x->watched.deadline = taco_clock_now() + m->options.half_close_seconds;
    x->watched.n_sent = atomic_load(&x->n_sent);
}

static void take_event(struct taco_monitor *m, struct taco_exchange *x, unsigned events) {
    if ((events & (EPOLLHUP | EPOLLERR)) || m->options.half_close_seconds <= 0) {
        report_gone(m, x);
        return;
    }
    /* From now on only a reset is reported, not again that there is nothing to read. */
    struct epoll_event rest = {.data.ptr = x};
    epoll_ctl(m->epoll, EPOLL_CTL_MOD, x->watched.fd, &rest);
    x->watched.half_closed = true;
    m->n_half_closed++;
    restart_half_close(m, x);
}

/* Under the lock nothing is removed meanwhile, and what was removed before is not reported. */
static void take_events(struct taco_monitor *m) {
    struct epoll_event events[16];
    eventfd_t count;
    int n = epoll_wait(m->epoll, events, 16, 0);
    for (int i = 0; i < n; i++) {
        if (events[i].data.ptr)
            take_event(m, events[i].data.ptr, events[i].events);
        else
            (void)eventfd_read(m->wake, &count);
    }
}

/* Shuts down the connections whose deadline has passed. The next deadline. */
static double check_connections(struct taco_monitor *m, double t) {
    double next = INFINITY;
    for (struct taco_connection *c = m->connections; c; c = c->next) {
        if (c->deadline > 0 && c->deadline <= t) {
            shutdown(c->fd, SHUT_RDWR); /* MHD's thread sees the end, and closes it */
            c->deadline = 0;
        }
        if (c->deadline > 0)
            next = fmin(next, c->deadline);
    }
    return next;
}

/* Reports the half-closed clients whose time is over. The next deadline. */
static double check_half_closed(struct taco_monitor *m, double t) {
    double next = INFINITY;
    if (m->n_half_closed == 0)
        return next;
    for (struct taco_exchange *x = m->watched, *following; x; x = following) {
        following = x->watched.next;
        if (!x->watched.half_closed)
            continue;
        /* What has been sent since has not been answered by a reset. */
        if (t >= x->watched.deadline && atomic_load(&x->n_sent) != x->watched.n_sent)
            restart_half_close(m, x);
        if (x->watched.deadline <= t)
            report_gone(m, x);
        else
            next = fmin(next, x->watched.deadline);
    }
    return next;
}

static void *run(void *user) {
    struct taco_monitor *m = user;
    struct pollfd events = {.fd = m->epoll, .events = POLLIN};
    pthread_mutex_lock(&m->lock);
    while (!m->ending) {
        double t = taco_clock_now();
        m->next = fmin(check_connections(m, t), check_half_closed(m, t));
        double left = fmin(m->next - t, 3600);
        pthread_mutex_unlock(&m->lock);
        poll(&events, 1, (int)(left * 1e3) + 1);
        pthread_mutex_lock(&m->lock);
        take_events(m);
    }
    pthread_mutex_unlock(&m->lock);
    return NULL;
}

/* -- start and end ------------------------------------------------------------------- */

enum taco_status taco_monitor_create(struct taco_monitor **out,
                                     const struct taco_monitor_options *options,
                                     struct taco_error *err) {
    struct taco_monitor *m = *out = taco_calloc(1, sizeof *m);
    if (!m)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    m->options = *options;
    m->next = INFINITY;
    pthread_mutex_init(&m->lock, NULL);
    m->epoll = epoll_create1(EPOLL_CLOEXEC);
    m->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    int failure = 0;
    if (m->epoll < 0 || m->wake < 0 ||
        epoll_ctl(m->epoll, EPOLL_CTL_ADD, m->wake, &event) < 0)
        failure = errno;
    else
        failure = pthread_create(&m->thread, NULL, run, m);
    m->has_thread = !failure;
    if (!failure)
        return TACO_OK;
    taco_monitor_destroy(m);
    *out = NULL;
    return taco_error_set(err, TACO_ERR_IO, NULL, "cannot monitor connections: %s",
                          strerror(failure));
}

void taco_monitor_destroy(struct taco_monitor *m) {
    if (!m)
        return;
    if (m->has_thread) {
        pthread_mutex_lock(&m->lock);
        m->ending = true;
        pthread_mutex_unlock(&m->lock);
        eventfd_write(m->wake, 1);
        pthread_join(m->thread, NULL);
    }
    if (m->wake >= 0)
        close(m->wake);
    if (m->epoll >= 0)
        close(m->epoll);
    pthread_mutex_destroy(&m->lock);
    taco_free(m);
}

/* -- connections --------------------------------------------------------------------- */

/* With the lock held. */
static void set_deadline(struct taco_monitor *m, struct taco_connection *c,
                         double deadline) {
    c->deadline = deadline;
    if (deadline > 0 && deadline < m->next) {
        m->next = deadline;
        eventfd_write(m->wake, 1);
    }
}

struct taco_connection *taco_monitor_add(struct taco_monitor *m, int fd) {
    struct taco_connection *c = taco_calloc(1, sizeof *c);
    if (!c)
        return NULL;
    c->fd = fd;
    pthread_mutex_lock(&m->lock);
    c->link = &m->connections;
    c->next = m->connections;
    if (c->next)
        c->next->link = &c->next;
    m->connections = c;
    set_deadline(m, c, taco_clock_now() + m->options.header_seconds);
    pthread_mutex_unlock(&m->lock);
    return c;
}

void taco_monitor_remove(struct taco_monitor *m, struct taco_connection *c) {
    if (!c)
        return;
    pthread_mutex_lock(&m->lock);
    *c->link = c->next;
    if (c->next)
        c->next->link = c->link;
    pthread_mutex_unlock(&m->lock);
    taco_free(c);
}

void taco_monitor_set_deadline(struct taco_monitor *m, struct taco_connection *c,
                               double deadline) {
    if (!c)
        return;
    pthread_mutex_lock(&m->lock);
    set_deadline(m, c, deadline);
    pthread_mutex_unlock(&m->lock);
}

void taco_monitor_expect_headers(struct taco_monitor *m, struct taco_connection *c) {
    taco_monitor_set_deadline(m, c, taco_clock_now() + m->options.header_seconds);
}

struct taco_exchange *taco_connection_expect(struct taco_connection *c,
                                             struct taco_exchange *x) {
    if (!c)
        return NULL;
    struct taco_exchange *before = c->expected;
    c->expected = x;
    return before;
}

/* -- exchanges ----------------------------------------------------------------------- */

void taco_monitor_watch(struct taco_monitor *m, struct taco_exchange *x, int fd) {
    pthread_mutex_lock(&m->lock);
    struct taco_watched *w = &x->watched;
    struct epoll_event event = {.events = EPOLLRDHUP, .data.ptr = x};
    if (epoll_ctl(m->epoll, EPOLL_CTL_ADD, fd, &event) == 0) {
        *w = (struct taco_watched){
            .is_watched = true, .fd = fd, .next = m->watched, .link = &m->watched};
        if (w->next)
            w->next->watched.link = &w->next;
        m->watched = x;
    }
    pthread_mutex_unlock(&m->lock);
}

void taco_monitor_unwatch(struct taco_monitor *m, struct taco_exchange *x) {
    pthread_mutex_lock(&m->lock);
    if (x->watched.is_watched)
        unlink_watched(m, x);
    pthread_mutex_unlock(&m->lock);
}
