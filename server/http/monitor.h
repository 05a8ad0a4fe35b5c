/* The connection monitor: one thread that closes connections whose deadline has passed, and
 * notices clients that disconnect while their response is being made.
 *
 * Deadlines. MHD closes a connection without traffic, but not one that sends a byte now and
 * then. So the headers of a request must be complete within the idle time, counted from the
 * start of the connection or from the end of the previous request; later deadlines are set by
 * the caller.
 *
 * Disconnects. MHD does not look at a connection that is suspended. A client that has reset
 * its connection is gone, and so is one that has closed a UNIX socket. Over TCP a client that
 * has closed its connection and one that has only closed its sending side, as nc -N does, look
 * alike: both have sent FIN. A closed one answers what is sent to it with a reset, so while a
 * stream is being sent it shows; otherwise the client is given some time, and then taken to be
 * gone.
 *
 * All functions are thread-safe. */
#ifndef TACO_SERVER_MONITOR_H
#define TACO_SERVER_MONITOR_H

#include <stdbool.h>
#include <taco/status.h>

struct taco_connection;
struct taco_exchange;
struct taco_monitor;

/* The monitor's state of an exchange; a member of it. All zeros: not watched. */
struct taco_watched {
    bool is_watched;
    int fd;
    struct taco_exchange *next, **link; /* in the monitor's list */
    bool half_closed;
    double deadline;           /* where half_closed */
    unsigned long long n_sent; /* when that was set */
};

struct taco_monitor_options {
    double header_seconds;     /* for the headers of a request */
    double half_close_seconds; /* for a half-closed client while nothing is sent to it */
    /* Called once for each watched exchange whose client is gone, on the monitor's thread and
     * under its lock: it must not call the monitor, nor may the monitor be called with a lock
     * held that it takes. */
    void (*gone)(struct taco_exchange *x);
};

/* Starts the thread. On failure *monitor is NULL: TACO_ERR_IO, TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status
taco_monitor_create(struct taco_monitor **monitor,
                    const struct taco_monitor_options *options, struct taco_error *err);

/* All connections must have been removed. NULL is allowed. */
void taco_monitor_destroy(struct taco_monitor *monitor);

/* A connection was accepted; its headers are due. NULL: no memory, it has no deadline. */
struct taco_connection *taco_monitor_add(struct taco_monitor *monitor, int fd);

/* Before the connection is closed: fd is not used any more. connection may be NULL here and
 * below. */
void taco_monitor_remove(struct taco_monitor *monitor,
                         struct taco_connection *connection);

/* Shuts the connection down at deadline, in seconds of taco_clock_now; 0: never. Replaces the
 * previous deadline. */
void taco_monitor_set_deadline(struct taco_monitor *monitor,
                               struct taco_connection *connection, double deadline);

/* Sets the deadline for the headers of the next request. */
void taco_monitor_expect_headers(struct taco_monitor *monitor,
                                 struct taco_connection *connection);

/* Sets the exchange whose headers have not come yet, NULL: none; returns the previous one.
 * Only on the connection's own thread. */
struct taco_exchange *taco_connection_expect(struct taco_connection *connection,
                                             struct taco_exchange *x);

/* Watches whether the client of x disconnects. fd must stay open until taco_monitor_unwatch.
 * If the system refuses, x is not watched. */
void taco_monitor_watch(struct taco_monitor *monitor, struct taco_exchange *x, int fd);

/* Once this has returned the monitor does not touch x. No effect if x is not watched. */
void taco_monitor_unwatch(struct taco_monitor *monitor, struct taco_exchange *x);

#endif
