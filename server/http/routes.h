/* Routes: which handler answers which path. The table itself is api/routes.c. */
#ifndef TACO_SERVER_ROUTES_H
#define TACO_SERVER_ROUTES_H

#include "http/exchange.h"

/* How a route tells what is wrong. */
enum taco_error_form {
    TACO_ERRORS_JSON,  /* {"error": {"code", "message", "param", "type"}} */
    TACO_ERRORS_TEXT,  /* the message, a line of plain text */
    TACO_ERRORS_DETAIL /* {"detail": {"status", "message"}} */
};

struct taco_route {
    const char *method;
    const char *pattern; /* "/v1/speech/{id}": {...} is one piece of the path */
    taco_handler handle;
    /* Whether there is such a path at all; NULL: always. Called with x->arguments set. */
    bool (*exists)(const struct taco_exchange *x);
    enum taco_error_form errors;
    unsigned flags; /* TACO_ROUTE_..., or-ed */
};

#define TACO_ROUTE_OPEN 1u  /* needs no key */
#define TACO_ROUTE_PROBE 2u /* logged at the level debug only */

/* A path that clients of other servers try, and what to use here. */
struct taco_route_hint {
    const char *path, *suggestion;
};

/* api/routes.c. If a path has several patterns the first counts. */
extern const struct taco_route taco_routes[];
extern const size_t taco_n_routes;
extern const struct taco_route_hint taco_route_hints[];
extern const size_t taco_n_route_hints;

size_t taco_route_index(const struct taco_route *route);

/* Finds the route of x->method and x->path, sets x->route and x->arguments. Without one,
 * x->route is NULL and x->methods what the path would allow, "GET, HEAD, OPTIONS", or ""
 * if there is no such path. */
void taco_routes_find(struct taco_exchange *x);

/* For a path without a route: what the client may have meant, to out [size]. False: there is
 * no idea. */
bool taco_routes_suggest(struct taco_exchange *x, char *out, size_t size);

#endif
