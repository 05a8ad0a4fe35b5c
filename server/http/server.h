/* What the handlers share. Const while the daemon serves, but for what is
 * atomic and the voices. */
#ifndef TACO_SERVER_SERVER_H
#define TACO_SERVER_SERVER_H

#include <stdatomic.h>

#include "voices/served_voices.h"

struct taco_options;
struct taco_engine;
struct taco_results;
struct taco_workers;
struct taco_http;
struct taco_access;
struct taco_tls;
struct taco_metrics;
struct taco_monitor;

struct taco_server {
    const struct taco_options *options;
    struct taco_served_voices voices; /* of requests to come */
    struct taco_engine *engine;
    struct taco_results *results;
    /* They encode and write, so that HTTP threads never do: in slices, the clients taking
     * turns; and what cannot be cut into slices. */
    struct taco_workers *workers, *long_workers;
    struct taco_turns *turns;
    struct taco_http *http;
    struct taco_monitor *monitor; /* deadlines and disconnects of connections */
    struct taco_metrics *metrics;
    struct taco_access *access; /* who may ask */
    struct taco_tls *tls;       /* NULL: plain HTTP */
    atomic_ullong budget;       /* bytes that answers take: speech/budget.h */
    atomic_bool ready;          /* the warm-up sentence has been spoken */
    atomic_bool draining;       /* no new speech: the daemon is about to end */
};

#endif
