#include "http/exchange.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/base_path.h"
#include "http/client.h"
#include "http/error_code.h"
#include "http/http.h"
#include "http/limits.h"
#include "http/metrics.h"
#include "http/urlencoded.h"
#include "voices/voices.h"

/* Cuts the URI into a decoded path and a raw query. */
static void read_uri(struct taco_exchange *x, const char *uri) {
    size_t length = strlen(uri);
    if (length > TACO_MAX_URI) {
        x->code =
            taco_error_code_set(&x->err, TACO_CODE_URI_TOO_LONG, NULL,
                                "the URI has %zu bytes; the limit is %zu: send longer "
                                "texts in the body of a POST",
                                length, TACO_MAX_URI);
        return;
    }
    const char *path = uri;
    if (strncmp(uri, "http://", 7) == 0 || strncmp(uri, "https://", 8) == 0) {
        path = strstr(uri, "//") + 2; /* RFC 9112, 3.2.2: absolute-form */
        path += strcspn(path, "/?");
    }
    size_t path_size = strcspn(path, "?#");
    const char *query = path[path_size] == '?' ? path + path_size + 1 : NULL;
    size_t query_size = query ? strcspn(query, "#") : 0;

    x->path = taco_calloc(1, path_size + 2); /* a string even where decoding stops */
    if (query)
        x->query = taco_malloc(query_size + 1);
    if (!x->path || (query && !x->query)) {
        x->code = TACO_ERR_NO_MEMORY;
        return;
    }
    if (query) {
        memcpy(x->query, query, query_size);
        x->query[query_size] = '\0';
    }
    size_t decoded = 0;
    if (path_size == 0)
        memcpy(x->path, "/", 2);
    else
        x->code = taco_percent_decode(path, path_size, false, "path", x->path, &decoded,
                                      &x->err);
    if (!x->code && strlen(x->path) != (decoded ? decoded : 1))
        x->code = taco_error_code_set(&x->err, TACO_CODE_BAD_ENCODING, "path",
                                      "the path holds a NUL");
}

struct taco_exchange *taco_exchange_create(struct taco_server *server,
                                           struct MHD_Connection *connection,
                                           const char *uri) {
    struct taco_exchange *x = taco_calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->server = server;
    x->voices = taco_served_voices_get(&server->voices);
    x->connection = connection;
    x->err = (struct taco_error)TACO_ERROR_INIT;
    atomic_init(&x->refs, 1);
    x->start = taco_clock_now();
    const union MHD_ConnectionInfo *peer =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    x->client = taco_client_of_address(peer ? peer->client_addr : NULL);
    read_uri(x, uri);
    if (x->path)
        taco_base_path_strip(server->options, x->path);
    atomic_fetch_add(&server->metrics->requests, 1);
    taco_http_enter(server->http, x);
    return x;
}

void taco_exchange_release(struct taco_exchange *x) {
    if (atomic_fetch_sub_explicit(&x->refs, 1, memory_order_acq_rel) > 1)
        return;
    taco_request_log_write(x);
    atomic_fetch_sub(&x->server->metrics->requests, 1);
    taco_metrics_request(x->server->metrics, x->route, x->status,
                         x->record.milliseconds / 1e3);
    if (x->state_free)
        x->state_free(x->state);
    taco_free(x->record.text);
    taco_bytes_free(&x->body);
    taco_free(x->path);
    taco_free(x->query);
    taco_voices_unref(x->voices);
    /* At the very end: the daemon is not gone as long as the list has somebody. */
    taco_http_leave(x->server->http, x);
    taco_free(x);
}

bool taco_exchange_begin(struct taco_exchange *x,
                         void (*cancel)(struct taco_exchange *x)) {
    if (!taco_http_begin(x->server->http, x, cancel))
        return false;
    atomic_fetch_add_explicit(&x->refs, 1, memory_order_relaxed);
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    if (info)
        taco_monitor_watch(x->server->monitor, x, info->connect_fd);
    return true;
}

void taco_exchange_suspend(struct taco_exchange *x) {
    taco_http_count_suspended(x->server->http, 1);
    MHD_suspend_connection(x->connection);
}

void taco_exchange_resume(struct taco_exchange *x) {
    MHD_resume_connection(x->connection);
    /* Only now: a daemon whose count is 0 may be stopped. */
    taco_http_count_suspended(x->server->http, -1);
}

void taco_exchange_end(struct taco_exchange *x) {
    taco_http_end(x->server->http, x);
    taco_exchange_release(x);
}

const char *taco_exchange_header(const struct taco_exchange *x, const char *name) {
    return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

double taco_exchange_age(const struct taco_exchange *x) {
    return (taco_clock_now() - x->start) * 1e3;
}
