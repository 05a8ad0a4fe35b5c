/* The watcher: one thread that notices when a client goes away while its answer is made. MHD
 * does not look at a connection that is suspended.
 *
 * A client that has reset its connection is gone, and so is one that has closed it on a UNIX
 * socket. Over TCP a client that has closed its connection and one that only has closed its
 * sending side, as nc -N does, look alike: both have sent FIN. What is written to the first
 * is answered by a reset, so while a stream is being written it will show; otherwise the
 * client is given some time (--half-close), and is then taken to be gone. */
#ifndef TACO_SERVER_WATCH_H
#define TACO_SERVER_WATCH_H

#include <stdbool.h>
#include <taco/status.h>

struct taco_exchange;
struct taco_watch;

/* What the watcher knows of an exchange; a member of it. All zeros: not watched. */
struct taco_watched {
    bool is_watched;
    int fd;
    struct taco_exchange *next, **link; /* in the watcher's list */
    bool half_closed;
    double deadline;           /* where half_closed */
    unsigned long long n_sent; /* when that was set */
};

/* seconds: how long a client that has closed its sending side is taken to be there, as long
 * as nothing is sent to it. gone is called for each exchange whose client is gone, once, on
 * the watcher's thread and under its lock: gone calls nothing of this header, and nothing of
 * it is called with a lock held that gone takes. On failure *watch is NULL. TACO_ERR_IO: the
 * system refused; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_watch_create(struct taco_watch **watch,
                                                   double seconds,
                                                   void (*gone)(struct taco_exchange *x),
                                                   struct taco_error *err);

/* Nothing is watched any more. NULL is allowed. */
void taco_watch_destroy(struct taco_watch *watch);

/* Watches the connection of x, the descriptor of which stays open until taco_watch_remove. If
 * the system refuses, nothing is watched. */
void taco_watch_add(struct taco_watch *watch, struct taco_exchange *x, int fd);

/* When this has returned the exchange is not touched any more. No effect if x is not
 * watched, or not any more. */
void taco_watch_remove(struct taco_watch *watch, struct taco_exchange *x);

#endif
