/* The HTTP daemon: libmicrohttpd's threads, its callbacks, and the list of what is going
 * on. */
#ifndef TACO_SERVER_HTTP_H
#define TACO_SERVER_HTTP_H

#include <stdbool.h>
#include <taco/status.h>

#include "http/exchange.h"

struct taco_http;

/* Listens on every --host and serves. TACO_ERR_IO: the system refused an address;
 * TACO_ERR_INVALID_ARGUMENT: an address that is none; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_http_start(struct taco_http **http,
                                                 struct taco_server *server,
                                                 struct taco_error *err);

/* "http://127.0.0.1:8020" of the i-th listener, or NULL. */
const char *taco_http_address(const struct taco_http *http, int i);

/* Accepts no more connections; those that there are go on. */
void taco_http_quiesce(struct taco_http *http);

/* Waits until no request is going on, for at most so many seconds. True: none is. */
bool taco_http_wait_idle(struct taco_http *http, double seconds);

/* Asks all work to end soon and lets none begin; then waits for its end, closes all
 * connections and joins the threads. NULL is allowed. */
void taco_http_stop(struct taco_http *http);

/* Asks the work of x, if it has begun and not ended, to end soon: its client is gone. The
 * monitor calls it with its own lock held; the list's is taken after that one. */
void taco_http_cancel(struct taco_exchange *x);

/* -- for exchange.c ---------------------------------------------------------------------
 */

void taco_http_enter(struct taco_http *http, struct taco_exchange *x); /* into the list */
void taco_http_leave(struct taco_http *http, struct taco_exchange *x);
bool taco_http_begin(struct taco_http *http, struct taco_exchange *x,
                     void (*cancel)(struct taco_exchange *x));
void taco_http_end(struct taco_http *http, struct taco_exchange *x);
void taco_http_count_suspended(struct taco_http *http, int change);

#endif
