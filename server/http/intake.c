#include "http/intake.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "config/options.h"
#include "http/access.h"
#include "http/base_path.h"
#include "http/exchange.h"
#include "http/problem.h"
#include "http/reply.h"
#include "http/routes.h"

/* A body that is too long is read and dropped so far, so that the client sees the answer
 * rather than a broken connection; beyond that the connection is closed. */
#define MAX_DISCARDED (16u << 20)
/* The same for those who have no key: most texts, and no more. */
#define MAX_STRANGERS (64u << 10)

/* What all headers together tell. */
struct headers {
    size_t size;        /* bytes */
    const char *length; /* Content-Length */
    bool encoded;       /* Transfer-Encoding is there */
    bool unknown;       /* and is another than chunked, which is all that MHD reads */
    bool two_lengths;
    bool blank; /* in a name: "Content-Length : 5" is a length to some */
};

static enum MHD_Result read_header(void *user, enum MHD_ValueKind kind, const char *key,
                                   const char *value) {
    (void)kind;
    struct headers *h = user;
    h->size += strlen(key) + (value ? strlen(value) : 0) + 4;
    h->blank = h->blank || strpbrk(key, " \t");
    if (value && strcasecmp(key, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        h->two_lengths = h->two_lengths || (h->length && strcmp(h->length, value) != 0);
        h->length = value;
    }
    if (strcasecmp(key, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        h->unknown =
            h->unknown || h->encoded || !value || strcasecmp(value, "chunked") != 0;
        h->encoded = true;
    }
    return MHD_YES;
}

/* The length that the client announces, 0 if none. */
static unsigned long long announced_length(const struct taco_exchange *x) {
    const char *length = taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length ? strtoull(length, NULL, 10) : 0;
}

static void refuse_body(struct taco_exchange *x) {
    if (!x->problem)
        x->problem = taco_problem_set(&x->err, TACO_PROBLEM_BODY_TOO_LARGE, NULL,
                                      "the body is too long: at most %llu bytes are read",
                                      (unsigned long long)x->server->options->max_body);
    taco_bytes_free(&x->body);
}

/* How much of a body is read, be it to drop it. */
static unsigned long long most_read(const struct taco_exchange *x) {
    return x->problem == TACO_PROBLEM_UNAUTHORIZED
               ? MAX_STRANGERS
               : x->server->options->max_body + MAX_DISCARDED;
}

/* The headers are here. */
static enum MHD_Result on_headers(struct taco_exchange *x, const char *method) {
    x->stage = TACO_EXCHANGE_BODY;
    taco_request_log_begin(x, method);
    method = x->facts.method; /* MHD's own does not outlive the connection */
    x->head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    x->method = x->head ? MHD_HTTP_METHOD_GET : method;
    taco_routes_find(x);
    struct taco_error err = TACO_ERROR_INIT;
    int refused = taco_access_check(x, &err);
    if (refused) { /* a stranger hears of nothing else */
        x->problem = refused;
        x->err = err;
    }
    struct headers headers = {0};
    MHD_get_connection_values(x->connection, MHD_HEADER_KIND, read_header, &headers);
    size_t max_headers = (size_t)x->server->options->max_headers;
    if (headers.size > max_headers && !x->problem)
        x->problem = taco_problem_set(&x->err, TACO_PROBLEM_HEADERS_TOO_LARGE, NULL,
                                      "the headers have %zu bytes, at most %zu are read",
                                      headers.size, max_headers);
    /* A proxy may read another of the lengths than we do, and take for a request of its own
     * what we take for the body (RFC 9112, section 6.3); so the connection ends here. */
    if (headers.two_lengths || (headers.encoded && headers.length)) {
        if (!x->problem)
            x->problem = taco_error_set(&x->err, TACO_ERR_INVALID_ARGUMENT,
                                        MHD_HTTP_HEADER_CONTENT_LENGTH,
                                        "the length of the body is told in two ways");
        return taco_reply_problem(x, x->problem, &x->err);
    }
    if (headers.blank) {
        if (!x->problem)
            x->problem = taco_error_set(&x->err, TACO_ERR_INVALID_ARGUMENT, NULL,
                                        "the name of a header has a blank in it");
        return taco_reply_problem(x, x->problem, &x->err);
    }
    if (headers.unknown) { /* MHD would wait for the end of the connection */
        if (!x->problem)
            x->problem = taco_error_set(&x->err, TACO_ERR_INVALID_ARGUMENT,
                                        MHD_HTTP_HEADER_TRANSFER_ENCODING,
                                        "the only Transfer-Encoding is chunked");
        return taco_reply_problem(x, x->problem, &x->err);
    }
    unsigned long long length = announced_length(x);
    if (length > x->server->options->max_body)
        refuse_body(x);
    /* Not worth reading, or the client waits for our word before it sends. */
    if (x->problem &&
        (length > most_read(x) || taco_exchange_header(x, MHD_HTTP_HEADER_EXPECT)))
        return taco_reply_problem(x, x->problem, &x->err);
    return MHD_YES;
}

static enum MHD_Result on_body(struct taco_exchange *x, const char *bytes, size_t size) {
    x->n_received += size;
    if (x->n_received > x->server->options->max_body)
        refuse_body(x);
    if (x->n_received > most_read(x))
        return MHD_NO;
    /* MHD takes no answer in the middle of a body: a client that trickles is cut off. */
    if (taco_exchange_age(x) > x->server->options->timeout * 1e3)
        return MHD_NO;
    if (!x->problem && !taco_bytes_add(&x->body, bytes, size))
        x->problem = taco_error_set(&x->err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    return MHD_YES;
}

static enum MHD_Result refuse_path(struct taco_exchange *x) {
    char right[128];
    if (!taco_routes_suggest(x, right, sizeof right))
        return taco_reply_problem(x, TACO_PROBLEM_NOT_FOUND, NULL);
    return taco_reply_problem(x,
                              taco_problem_set(&x->err, TACO_PROBLEM_NOT_FOUND, "path",
                                               "there is nothing at this path: use %s",
                                               right),
                              &x->err);
}

/* The request is here: it goes to its handler. */
static enum MHD_Result on_complete(struct taco_exchange *x) {
    x->stage = TACO_EXCHANGE_HANDLED;
    if (x->problem)
        return taco_reply_problem(x, x->problem, &x->err);
    if (x->route)
        return x->route->handle(x);
    if (taco_base_path_is(x->server->options, x->path))
        return taco_reply_base_path(x);
    if (!*x->methods)
        return refuse_path(x);
    if (strcmp(x->method, MHD_HTTP_METHOD_OPTIONS) == 0)
        return taco_reply_options(x);
    return taco_reply_not_allowed(x);
}

enum MHD_Result taco_intake(struct taco_exchange *x, const char *method,
                            const char *bytes, size_t *size) {
    switch (x->stage) {
    case TACO_EXCHANGE_HEADERS:
        return on_headers(x, method);
    case TACO_EXCHANGE_BODY:
        if (*size == 0) {
            /* MHD asks again. A connection that is suspended in the very call in which its
             * last byte was read is read once more when it is resumed, and closed unanswered
             * if the client has shut down its sending side by then. */
            x->stage = TACO_EXCHANGE_COMPLETE;
            return MHD_YES;
        }
        if (on_body(x, bytes, *size) == MHD_NO)
            return MHD_NO;
        *size = 0;
        return MHD_YES;
    case TACO_EXCHANGE_COMPLETE:
        return on_complete(x);
    case TACO_EXCHANGE_HANDLED:
        break;
    }
    return x->resumed(x);
}
