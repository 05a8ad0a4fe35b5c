/* One request and its answer, from the first line to the last byte.
 *
 * MHD calls the handler when the request is complete. The handler either queues a reply,
 * or suspends the connection and hands work to other threads, which resume it; MHD's
 * thread then calls x->resumed, which queues the reply. HTTP threads never wait.
 *
 * References: the connection has one until MHD has done with the request, and work that
 * has begun has one until it ends. */
#ifndef TACO_SERVER_EXCHANGE_H
#define TACO_SERVER_EXCHANGE_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

#include "base/bytes.h"
#include "http/id.h"
#include "http/keys.h"
#include "http/monitor.h"
#include "http/request_log.h"
#include "http/server.h"

struct taco_exchange;

typedef enum MHD_Result (*taco_handler)(struct taco_exchange *x);

enum taco_exchange_stage {
    TACO_EXCHANGE_HEADERS,  /* the headers are not complete */
    TACO_EXCHANGE_BODY,     /* the body is coming */
    TACO_EXCHANGE_COMPLETE, /* all of it is here */
    TACO_EXCHANGE_HANDLED   /* the handler has been called */
};

#define TACO_MAX_PATH_ARGUMENTS 2
#define TACO_MAX_PATH_ARGUMENT 79 /* bytes; a longer piece names nothing */

struct taco_exchange {
    struct taco_server *server;
    struct taco_voices *voices; /* a reference: those of when the request began */
    struct MHD_Connection *connection;
    atomic_int refs;
    struct taco_exchange *next, **link; /* in the list of struct taco_http */
    enum taco_exchange_stage stage;
    double start;                /* seconds of taco_clock_now */
    struct taco_watched watched; /* by the monitor; under its lock */
    atomic_bool is_left;         /* the client was gone before its work had ended */
    uint64_t client; /* who asks (client.h), by key, else by address; 0: unknown */
    char key[TACO_MAX_KEY_NAME + 1]; /* the name of its key, or "" */

    /* What came. */
    const char *method; /* HEAD is GET here */
    bool head;          /* it is HEAD */
    char *path;         /* decoded, without --base-path; NULL: it cannot be */
    char *query;        /* raw, or NULL */
    const struct taco_route *route;
    char methods[64]; /* where route is NULL: those of the path, "GET, HEAD", or "" */
    /* What stands for {...} in the route's pattern. */
    char arguments[TACO_MAX_PATH_ARGUMENTS][TACO_MAX_PATH_ARGUMENT + 1];
    struct taco_bytes body;
    size_t n_received; /* of the body, the discarded part included */
    int code;          /* found before the handler is called: answered instead */
    struct taco_error err;
    bool is_last; /* the connection is closed after the answer */

    /* What goes. */
    unsigned status;             /* 0: nothing queued yet */
    atomic_ullong n_sent;        /* bytes of the body; 0 of HEAD */
    char id[TACO_ID_LENGTH + 1]; /* of the speech, or "" */

    struct taco_access_record record;

    /* The handler's own. */
    void *state;
    void (*state_free)(void *state);
    enum MHD_Result (*resumed)(struct taco_exchange *x);
    /* MHD has done with the request, sent or not. NULL: nobody wants to know. */
    void (*completed)(struct taco_exchange *x);
    /* Asks the work to end soon; set while work goes on. */
    void (*cancel)(struct taco_exchange *x);
};

/* A new exchange with one reference; NULL: no memory. uri is what the client sent. */
struct taco_exchange *taco_exchange_create(struct taco_server *server,
                                           struct MHD_Connection *connection,
                                           const char *uri);
void taco_exchange_release(struct taco_exchange *x);

/* Begins work for the exchange on other threads, before the connection is suspended, and
 * watches whether the client stays. cancel may be called from any thread until the work
 * ends, with locks of the daemon held: it only asks. False: the daemon is being stopped, no
 * work may begin. */
TACO_MUST_CHECK bool taco_exchange_begin(struct taco_exchange *x,
                                         void (*cancel)(struct taco_exchange *x));

/* Suspends the connection. Only while work goes on, on MHD's thread (in a handler or in a
 * reader of content), and so that the work's threads cannot resume it before. */
void taco_exchange_suspend(struct taco_exchange *x);

/* Ends a suspension. From any thread. */
void taco_exchange_resume(struct taco_exchange *x);

/* Ends the work; the caller must not touch x after it. */
void taco_exchange_end(struct taco_exchange *x);

/* A header of the request, or NULL. */
const char *taco_exchange_header(const struct taco_exchange *x, const char *name);

/* Milliseconds since the request's first line. */
double taco_exchange_age(const struct taco_exchange *x);

#endif
