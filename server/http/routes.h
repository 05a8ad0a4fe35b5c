/* The table of routes. */
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
};

/* The rows of the table; i < taco_routes_count(). */
size_t taco_routes_count(void);
const struct taco_route *taco_routes_at(size_t i);
size_t taco_route_index(const struct taco_route *route);

/* Finds the route of x->method and x->path, sets x->route and x->arguments. Without one,
 * x->route is NULL and x->methods what the path would allow, "GET, HEAD, OPTIONS", or ""
 * if there is no such path. */
void taco_routes_find(struct taco_exchange *x);

#endif
