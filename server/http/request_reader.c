#include "http/request_reader.h"

#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "config/options.h"
#include "http/access.h"
#include "http/base_path.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "http/framing.h"
#include "http/limits.h"
#include "http/origin.h"
#include "http/reply.h"
#include "http/routes.h"

/* A body that is too long is read and dropped so far, so that the client sees the answer
 * rather than a broken connection; beyond that the connection is closed. */
#define MAX_DISCARDED (16u << 20)
/* The same for those who have no key: most texts, and no more. */
#define MAX_STRANGERS (64u << 10)

/* The length that the client announces, 0 if none. */
static unsigned long long announced_length(const struct taco_exchange *x) {
    const char *length = taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_LENGTH);
    return length ? strtoull(length, NULL, 10) : 0;
}

static void refuse_body(struct taco_exchange *x) {
    if (!x->code)
        x->code = taco_error_code_set(&x->err, TACO_CODE_BODY_TOO_LARGE, NULL,
                                      "the body is too long: at most %llu bytes are read",
                                      (unsigned long long)x->server->options->max_body);
    taco_bytes_free(&x->body);
}

/* How much of a body is read, be it to drop it. */
static unsigned long long most_read(const struct taco_exchange *x) {
    return x->code == TACO_CODE_UNAUTHORIZED
               ? MAX_STRANGERS
               : x->server->options->max_body + MAX_DISCARDED;
}

/* The headers are here. */
static enum MHD_Result on_headers(struct taco_exchange *x, const char *method,
                                  const char *version) {
    x->stage = TACO_EXCHANGE_BODY;
    taco_request_log_begin(x, method);
    method = x->record.method; /* MHD's own does not outlive the connection */
    x->head = strcmp(method, MHD_HTTP_METHOD_HEAD) == 0;
    x->method = x->head ? MHD_HTTP_METHOD_GET : method;
    taco_routes_find(x);
    struct taco_error err = TACO_ERROR_INIT;
    int refused = taco_access_check(x, &err);
    if (!refused)
        refused = taco_origin_check(x, &err);
    if (refused) { /* a stranger hears of nothing else */
        x->code = refused;
        x->err = err;
    }
    const struct taco_framing framing = taco_framing_read(x->connection);
    if (framing.header_bytes > TACO_MAX_HEADERS && !x->code)
        x->code = taco_error_code_set(&x->err, TACO_CODE_HEADERS_TOO_LARGE, NULL,
                                      "the headers have %zu bytes; the limit is %zu",
                                      framing.header_bytes, TACO_MAX_HEADERS);
    if (taco_framing_check(&framing, version, &err)) {
        if (!x->code) {
            x->code = err.status;
            x->err = err;
        }
        return taco_reply_error(x, x->code, &x->err);
    }
    /* MHD takes a bare LF for the end of a chunk's line, other servers do not: so nothing
     * may follow a chunked body on this connection. */
    x->is_last = framing.is_chunked;
    if (framing.coding && !x->code)
        x->code = taco_error_code_set(
            &x->err, TACO_CODE_UNSUPPORTED_MEDIA_TYPE, MHD_HTTP_HEADER_CONTENT_ENCODING,
            "the body is encoded as '%.40s': send it without Content-Encoding",
            framing.coding);
    unsigned long long length = announced_length(x);
    if (length > x->server->options->max_body)
        refuse_body(x);
    /* Not worth reading, or the client waits for our word before it sends. */
    if (x->code &&
        (length > most_read(x) || taco_exchange_header(x, MHD_HTTP_HEADER_EXPECT)))
        return taco_reply_error(x, x->code, &x->err);
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
    if (!x->code && !taco_bytes_add(&x->body, bytes, size))
        x->code = taco_error_set(&x->err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    return MHD_YES;
}

static enum MHD_Result refuse_path(struct taco_exchange *x) {
    char right[128];
    if (!taco_routes_suggest(x, right, sizeof right))
        return taco_reply_error(x, TACO_CODE_NOT_FOUND, NULL);
    return taco_reply_error(x,
                            taco_error_code_set(&x->err, TACO_CODE_NOT_FOUND, "path",
                                                "there is nothing at this path: use %s",
                                                right),
                            &x->err);
}

/* The request is here: it goes to its handler. */
static enum MHD_Result on_complete(struct taco_exchange *x) {
    x->stage = TACO_EXCHANGE_HANDLED;
    if (x->code)
        return taco_reply_error(x, x->code, &x->err);
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

enum MHD_Result taco_exchange_read(struct taco_exchange *x, const char *method,
                                   const char *version, const char *bytes, size_t *size) {
    switch (x->stage) {
    case TACO_EXCHANGE_HEADERS:
        return on_headers(x, method, version);
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
