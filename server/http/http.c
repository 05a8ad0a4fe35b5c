#include "http/http.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/descriptors.h"
#include "http/limits.h"
#include "http/listener.h"
#include "http/metrics.h"
#include "http/monitor.h"
#include "http/request_reader.h"
#include "http/systemd.h"
#include "http/tls.h"

/* What MHD may use for a connection, in bytes of URI and headers that we would read: so much
 * room that it is we who refuse, since it says little. */
#define ROOM 4

struct daemon {
    struct MHD_Daemon *mhd;
    struct taco_listener listener;
    bool quiet; /* it accepts no more */
};

struct taco_http {
    struct taco_server *server;
    struct daemon *daemons; /* [n_daemons] */
    size_t n_daemons;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    struct taco_exchange *exchanges;
    size_t n_exchanges, n_working, n_suspended;
    bool cancelling;
};

/* -- the list of exchanges ----------------------------------------------------------- */

void taco_http_enter(struct taco_http *http, struct taco_exchange *x) {
    pthread_mutex_lock(&http->lock);
    x->link = &http->exchanges;
    x->next = http->exchanges;
    if (x->next)
        x->next->link = &x->next;
    http->exchanges = x;
    http->n_exchanges++;
    pthread_mutex_unlock(&http->lock);
}

void taco_http_leave(struct taco_http *http, struct taco_exchange *x) {
    pthread_mutex_lock(&http->lock);
    *x->link = x->next;
    if (x->next)
        x->next->link = x->link;
    http->n_exchanges--;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
}

bool taco_http_begin(struct taco_http *http, struct taco_exchange *x,
                     void (*cancel)(struct taco_exchange *x)) {
    pthread_mutex_lock(&http->lock);
    bool ok = !http->cancelling;
    if (ok) {
        x->cancel = cancel;
        http->n_working++;
    }
    pthread_mutex_unlock(&http->lock);
    return ok;
}

void taco_http_cancel(struct taco_exchange *x) {
    struct taco_http *http = x->server->http;
    pthread_mutex_lock(&http->lock);
    if (x->cancel) {
        atomic_store(&x->is_left, true);
        x->cancel(x);
    }
    pthread_mutex_unlock(&http->lock);
}

void taco_http_end(struct taco_http *http, struct taco_exchange *x) {
    pthread_mutex_lock(&http->lock);
    x->cancel = NULL;
    http->n_working--;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
}

void taco_http_count_suspended(struct taco_http *http, int change) {
    pthread_mutex_lock(&http->lock);
    http->n_suspended += (size_t)(ptrdiff_t)change;
    pthread_cond_broadcast(&http->changed);
    pthread_mutex_unlock(&http->lock);
}

bool taco_http_wait_idle(struct taco_http *http, double seconds) {
    double until = taco_clock_now() + seconds;
    pthread_mutex_lock(&http->lock);
    int timed_out = 0;
    while (http->n_exchanges > 0 && !timed_out)
        timed_out = taco_clock_wait(&http->changed, &http->lock, until);
    bool idle = http->n_exchanges == 0;
    pthread_mutex_unlock(&http->lock);
    return idle;
}

/* -- MHD's callbacks ----------------------------------------------------------------- */

static struct taco_connection *connection_of(struct MHD_Connection *connection) {
    return MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)
        ->socket_context;
}

/* MHD has forgotten a request whose first line it could not keep, and says so to nobody. */
static void drop(struct taco_exchange *x) {
    if (!x)
        return;
    taco_request_log_end(x, MHD_REQUEST_TERMINATED_WITH_ERROR);
    taco_exchange_release(x);
}

static void *on_uri(void *user, const char *uri, struct MHD_Connection *connection) {
    struct taco_http *http = user;
    struct taco_exchange *x = taco_exchange_create(http->server, connection, uri);
    drop(taco_connection_expect(connection_of(connection), x));
    return x;
}

static enum MHD_Result on_request(void *user, struct MHD_Connection *connection,
                                  const char *url, const char *method,
                                  const char *version, const char *upload,
                                  size_t *upload_size, void **closure) {
    (void)url;
    struct taco_http *http = user;
    struct taco_connection *c = connection_of(connection);
    struct taco_exchange *x = *closure;
    if (!x)
        return MHD_NO; /* no memory for it */
    if (x->stage == TACO_EXCHANGE_HEADERS) {
        taco_connection_expect(c, NULL);
        /* The body has to come within --timeout, however slowly its chunks trickle. */
        taco_monitor_set_deadline(http->server->monitor, c,
                                  x->start + http->server->options->timeout);
    } else if (x->stage == TACO_EXCHANGE_BODY && *upload_size == 0) {
        taco_monitor_set_deadline(http->server->monitor, c, 0);
    }
    return taco_exchange_read(x, method, version, upload, upload_size);
}

static void on_completed(void *user, struct MHD_Connection *connection, void **closure,
                         enum MHD_RequestTerminationCode code) {
    (void)user;
    struct taco_exchange *x = *closure;
    if (!x)
        return;
    *closure = NULL;
    taco_monitor_unwatch(x->server->monitor, x);
    struct taco_connection *c = connection_of(connection);
    struct taco_exchange *expected = taco_connection_expect(c, NULL);
    if (expected != x)
        drop(expected);
    taco_monitor_expect_headers(x->server->monitor, c);
    taco_request_log_end(x, code);
    if (x->completed)
        x->completed(x);
    taco_exchange_release(x);
}

static void on_connection(void *user, struct MHD_Connection *connection, void **closure,
                          enum MHD_ConnectionNotificationCode code) {
    struct taco_http *http = user;
    struct taco_metrics *metrics = http->server->metrics;
    bool started = code == MHD_CONNECTION_NOTIFY_STARTED;
    if (started) {
        *closure = taco_monitor_add(
            http->server->monitor,
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)
                ->connect_fd);
    } else { /* before MHD closes it */
        drop(taco_connection_expect(*closure, NULL));
        taco_monitor_remove(http->server->monitor, *closure);
    }
    atomic_fetch_add(&metrics->connections, started);
    atomic_fetch_add(&metrics->open_connections, started ? 1 : -1);
}

static void on_log(void *user, const char *format, va_list args) {
    (void)user;
    char line[512];
    vsnprintf(line, sizeof line, format, args);
    line[strcspn(line, "\n")] = '\0';
    taco_log(TACO_LOG_DEBUG, "http: %s", line);
}

/* -- start and stop ------------------------------------------------------------------ */

static bool is_listed(const struct taco_strings *hosts, const char *host) {
    for (size_t i = 0; i < hosts->n; i++)
        if (strcmp(hosts->items[i], host) == 0)
            return true;
    return false;
}

/* "::" takes IPv4 connections, too, unless 0.0.0.0 is listed; without IPv6 it is 0.0.0.0. */
static enum taco_status open_listener(const struct taco_http *http,
                                      struct taco_listener *listener, const char *host,
                                      struct taco_error *err) {
    const struct taco_options *o = http->server->options;
    const char *scheme = http->server->tls ? "https" : "http";
    bool has_any_ipv4 = is_listed(&o->host, "0.0.0.0");
    enum taco_status status =
        taco_listener_open(listener, host, o->port, has_any_ipv4, scheme, err);
    if (status != TACO_ERR_UNSUPPORTED || has_any_ipv4 || strcmp(host, "::") != 0)
        return status;
    *err = (struct taco_error)TACO_ERROR_INIT;
    taco_log(TACO_LOG_WARNING, "this machine has no IPv6: listening on 0.0.0.0 only");
    return taco_listener_open(listener, "0.0.0.0", o->port, false, scheme, err);
}

/* Serves on the listener that has been opened. */
static enum taco_status start_daemon(struct taco_http *http, struct daemon *d,
                                     unsigned connections, struct taco_error *err) {
    const struct taco_options *o = http->server->options;
    unsigned threads = (unsigned)o->http_threads;
    struct MHD_OptionItem options[] = {
        {MHD_OPTION_EXTERNAL_LOGGER, (intptr_t)on_log, NULL},
        {MHD_OPTION_LISTEN_SOCKET, d->listener.fd, NULL},
        {MHD_OPTION_CONNECTION_LIMIT, connections < threads ? threads : connections,
         NULL},
        {MHD_OPTION_CONNECTION_TIMEOUT, (intptr_t)(o->idle_timeout + 0.5), NULL},
        {MHD_OPTION_PER_IP_CONNECTION_LIMIT, o->max_connections_per_address, NULL},
        {MHD_OPTION_CONNECTION_MEMORY_LIMIT,
         (intptr_t)(ROOM * (TACO_MAX_URI + TACO_MAX_HEADERS)), NULL},
        {MHD_OPTION_URI_LOG_CALLBACK, (intptr_t)on_uri, http},
        {MHD_OPTION_NOTIFY_COMPLETED, (intptr_t)on_completed, NULL},
        {MHD_OPTION_NOTIFY_CONNECTION, (intptr_t)on_connection, http},
        /* A pool of one is refused: it is MHD's plain internal thread. */
        {threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, threads, NULL},
        {MHD_OPTION_END, 0, NULL}};
    /* Not epoll: with its edges, MHD misses the end of a connection that comes together with
     * the last bytes, and keeps the connection until --idle-timeout. */
    unsigned flags = MHD_USE_POLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME |
                     MHD_USE_ITC | MHD_USE_ERROR_LOG;
    /* Whoever may open a UNIX socket's file is on this machine and is who he is. */
    bool secure = http->server->tls && !d->listener.is_unix;
    d->mhd = MHD_start_daemon(secure ? flags | MHD_USE_TLS : flags, 0, NULL, NULL,
                              on_request, http, MHD_OPTION_ARRAY, options,
                              secure ? MHD_OPTION_HTTPS_PRIORITIES : MHD_OPTION_END,
                              TACO_TLS_PRIORITIES, MHD_OPTION_HTTPS_CERT_CALLBACK2,
                              taco_tls_retrieve, MHD_OPTION_END);
    if (!d->mhd)
        return taco_error_set(err, TACO_ERR_IO, "host", "cannot serve on %s: %s",
                              d->listener.address, strerror(errno));
    return TACO_OK;
}

/* So many connections may each address have. */
static unsigned connections_per_address(const struct taco_options *o,
                                        size_t n_addresses) {
    int descriptors = taco_descriptors_for_connections() / (int)n_addresses;
    if (descriptors < o->max_connections)
        taco_log(TACO_LOG_WARNING,
                 "%d connections at a time rather than %d: the limit of open files "
                 "(ulimit -n) is too low",
                 descriptors, o->max_connections);
    return (unsigned)(descriptors < o->max_connections ? descriptors
                                                       : o->max_connections);
}

/* Serves on the sockets that the service manager has handed over. */
static enum taco_status start_on_sockets(struct taco_http *http, int n,
                                         struct taco_error *err) {
    const char *scheme = http->server->tls ? "https" : "http";
    unsigned connections = connections_per_address(http->server->options, (size_t)n);
    enum taco_status status = TACO_OK;
    for (int i = 0; i < n && !status; i++) {
        struct daemon *d = &http->daemons[http->n_daemons++];
        status = taco_systemd_take_socket(&d->listener, i, scheme, err);
        if (!status)
            status = start_daemon(http, d, connections, err);
    }
    return status;
}

/* Listens on every --host. One whose family of addresses this machine lacks is passed over. */
static enum taco_status start_daemons(struct taco_http *http, struct taco_error *err) {
    const struct taco_strings *hosts = &http->server->options->host;
    unsigned connections = connections_per_address(http->server->options, hosts->n);
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < hosts->n && !status; i++) {
        struct daemon *d = &http->daemons[http->n_daemons++];
        struct taco_error why = TACO_ERROR_INIT;
        d->listener.fd = -1;
        status = open_listener(http, &d->listener, hosts->items[i], &why);
        if (!status)
            status = start_daemon(http, d, connections, &why);
        bool is_last = i + 1 == hosts->n && http->n_daemons == 1;
        if (status == TACO_ERR_UNSUPPORTED && !is_last) {
            taco_log(TACO_LOG_WARNING, "%s; it is passed over", why.message);
            http->n_daemons--;
            status = TACO_OK;
        } else if (status) {
            *err = why;
        }
    }
    return status;
}

enum taco_status taco_http_start(struct taco_http **http_out, struct taco_server *server,
                                 struct taco_error *err) {
    const struct taco_strings *hosts = &server->options->host;
    struct taco_http *http = *http_out = taco_calloc(1, sizeof *http);
    if (!http)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    server->http = http; /* requests come before this returns */
    http->server = server;
    pthread_mutex_init(&http->lock, NULL);
    taco_clock_condition(&http->changed);
    int n_sockets = taco_systemd_n_sockets();
    http->daemons =
        taco_calloc(n_sockets ? (size_t)n_sockets : hosts->n, sizeof *http->daemons);
    enum taco_status status =
        !http->daemons ? taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory")
        : n_sockets    ? start_on_sockets(http, n_sockets, err)
                       : start_daemons(http, err);
    if (status) {
        taco_http_stop(http);
        *http_out = server->http = NULL;
    }
    return status;
}

const char *taco_http_address(const struct taco_http *http, int i) {
    return (size_t)i < http->n_daemons ? http->daemons[i].listener.address : NULL;
}

void taco_http_quiesce(struct taco_http *http) {
    for (size_t i = 0; i < http->n_daemons; i++) {
        struct daemon *d = &http->daemons[i];
        if (d->mhd && !d->quiet) {
            d->quiet = true;
            MHD_quiesce_daemon(d->mhd);
            /* MHD's threads still know the descriptor, so it is closed with them; until
             * then the kernel refuses whoever comes. */
            shutdown(d->listener.fd, SHUT_RDWR);
        }
    }
}

void taco_http_stop(struct taco_http *http) {
    if (!http)
        return;
    taco_http_quiesce(http);
    pthread_mutex_lock(&http->lock);
    http->cancelling = true;
    for (struct taco_exchange *x = http->exchanges; x; x = x->next)
        if (x->cancel)
            x->cancel(x);
    /* MHD must not be stopped while a connection is suspended, and none will be again. */
    while (http->n_working > 0 || http->n_suspended > 0)
        pthread_cond_wait(&http->changed, &http->lock);
    pthread_mutex_unlock(&http->lock);
    for (size_t i = 0; i < http->n_daemons; i++) {
        if (http->daemons[i].mhd)
            MHD_stop_daemon(http->daemons[i].mhd);
        taco_listener_close(&http->daemons[i].listener);
    }
    /* Whoever ended the last work may still be giving its exchange back. */
    pthread_mutex_lock(&http->lock);
    while (http->n_exchanges > 0)
        pthread_cond_wait(&http->changed, &http->lock);
    pthread_mutex_unlock(&http->lock);
    pthread_cond_destroy(&http->changed);
    pthread_mutex_destroy(&http->lock);
    taco_free(http->daemons);
    taco_free(http);
}
