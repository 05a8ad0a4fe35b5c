#include "http/cors.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "config/number.h"
#include "config/options.h"
#include "http/exchange.h"
#include "http/reply.h"

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"
#define TOKEN LOWER "ABCDEFGHIJKLMNOPQRSTUVWXYZ" DIGITS "!#$%&'*+-.^_`|~"

/* What a page may send, whether or not its browser asks; what its browser asks for is added,
 * since clients have headers of their own that mean nothing here (X-Stainless-...). */
#define REQUEST_HEADERS                                                                  \
    "Accept, Authorization, Content-Type, If-None-Match, If-Range, Range, X-Api-Key, "   \
    "X-Request-Id, xi-api-key"

/* What it may read beside what every page may. */
#define ANSWER_HEADERS                                                                   \
    "Accept-Ranges, Allow, Content-Disposition, Content-Length, Content-Range, Date, "   \
    "ETag, Link, Retry-After, Server-Timing, WWW-Authenticate, X-Cache, X-Request-Id, "  \
    "X-Taco-Attempts, X-Taco-Dropped, X-Taco-Flaws, X-Taco-Id, X-Taco-Ignored, "         \
    "X-Taco-Seed"

#define MAX_ASKED 768  /* bytes of the headers that a browser asks for */
#define MAX_AGE "7200" /* seconds; no browser remembers for longer than it likes anyway */

/* -- the option ---------------------------------------------------------------------- */

/* The ports that browsers leave out. */
static bool is_default_port(const char *origin, long long port) {
    return (strncmp(origin, "http:", 5) == 0 && port == 80) ||
           (strncmp(origin, "https:", 6) == 0 && port == 443);
}

/* What is wrong with it, or NULL. */
static const char *find_fault(const char *origin) {
    size_t scheme = strspn(origin, LOWER DIGITS "+-.");
    if (strcmp(origin, "null") == 0)
        return "any page can have that origin; * says so";
    if (scheme == 0 || strncmp(origin + scheme, "://", 3) != 0)
        return "an origin is SCHEME://HOST or SCHEME://HOST:PORT, in small letters";
    const char *host = origin + scheme + 3;
    size_t n = *host == '[' ? strspn(host + 1, DIGITS "abcdef:.") + 2
                            : strspn(host, LOWER DIGITS "-._");
    if (n == 0 || (*host == '[' && host[n - 1] != ']'))
        return "the host is missing, or is not in small letters";
    const char *rest = host + n;
    if (*rest == '/')
        return "an origin has no path, and no / at its end";
    if (!*rest)
        return NULL;
    int64_t port;
    if (*rest != ':' || !taco_parse_integer(rest + 1, &port) || port < 1 || port > 65535)
        return "behind the host comes nothing but :PORT";
    return is_default_port(origin, port) ? "browsers leave this port out" : NULL;
}

enum taco_status taco_cors_check(const struct taco_options *options,
                                 struct taco_error *err) {
    for (size_t i = 0; i < options->cors_origin.n; i++) {
        const char *origin = options->cors_origin.items[i];
        const char *fault = strcmp(origin, "*") == 0 ? NULL : find_fault(origin);
        if (fault)
            return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "cors_origin",
                                  "--cors-origin '%.100s': %s", origin, fault);
    }
    return TACO_OK;
}

/* -- answers ------------------------------------------------------------------------- */

/* The value of Access-Control-Allow-Origin, or NULL. */
static const char *allowed_origin(const struct taco_exchange *x) {
    const struct taco_strings *allowed = &x->server->options->cors_origin;
    const char *origin = taco_exchange_header(x, "Origin");
    const char *found = NULL;
    for (size_t i = 0; i < allowed->n; i++) {
        if (strcmp(allowed->items[i], "*") == 0)
            return "*";
        if (origin && strcmp(allowed->items[i], origin) == 0)
            found = allowed->items[i];
    }
    return found;
}

bool taco_cors_allows(const struct taco_exchange *x) {
    return allowed_origin(x) != NULL;
}

void taco_cors_headers(const struct taco_exchange *x, struct MHD_Response *response) {
    if (!x->server->options->cors_origin.n)
        return;
    const char *origin = allowed_origin(x);
    /* A cache must not give the answer for one origin to another. */
    if (!origin || strcmp(origin, "*") != 0)
        taco_response_header(response, MHD_HTTP_HEADER_VARY, "Origin");
    if (!origin)
        return;
    taco_response_header(response, "Access-Control-Allow-Origin", "%s", origin);
    taco_response_header(response, "Access-Control-Expose-Headers", ANSWER_HEADERS);
}

/* Whether it is a list of names of headers, so that it can be sent back. */
static bool is_list_of_names(const char *list) {
    size_t n = strspn(list, TOKEN ", ");
    return n > 0 && n <= MAX_ASKED && !list[n];
}

void taco_cors_preflight(const struct taco_exchange *x, struct MHD_Response *response) {
    if (!taco_exchange_header(x, "Access-Control-Request-Method") || !allowed_origin(x))
        return;
    const char *asked = taco_exchange_header(x, "Access-Control-Request-Headers");
    bool more = asked && is_list_of_names(asked);
    char headers[sizeof REQUEST_HEADERS + MAX_ASKED + 4];
    snprintf(headers, sizeof headers, "%s%s%s", REQUEST_HEADERS, more ? ", " : "",
             more ? asked : "");
    taco_response_header(response, "Access-Control-Allow-Methods", "%s", x->methods);
    (void)MHD_add_response_header(response, "Access-Control-Allow-Headers", headers);
    taco_response_header(response, "Access-Control-Max-Age", MAX_AGE);
    taco_response_header(response, MHD_HTTP_HEADER_VARY,
                         "Access-Control-Request-Headers");
}
