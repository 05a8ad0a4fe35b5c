#include "http/origin.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>

#include "base/error.h"
#include "config/options.h"
#include "http/cors.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "http/routes.h"

#define MAPPED "::ffff:" /* an IPv4 address on a dual-stack socket */
#define MAX_HOST 255     /* bytes of a host name (RFC 1035) */

/* -- Host ---------------------------------------------------------------------------- */

/* Copies the host of HOST or HOST:PORT without port and brackets, in lower case. False: it is
 * neither. */
static bool read_host(const char *value, char host[MAX_HOST + 1]) {
    size_t n;
    const char *rest;
    if (*value == '[') {
        value++;
        n = strcspn(value, "]");
        if (!value[n])
            return false;
        rest = value + n + 1;
    } else {
        n = strcspn(value, ":");
        rest = value + n;
    }
    if (n == 0 || n > MAX_HOST)
        return false;
    if (*rest == ':')
        rest += 1 + strspn(rest + 1, "0123456789");
    rest += strspn(rest, " \t"); /* MHD does not strip trailing white space */
    if (*rest)
        return false;
    for (size_t i = 0; i < n; i++)
        host[i] = value[i] >= 'A' && value[i] <= 'Z' ? (char)(value[i] + 32) : value[i];
    host[n] = '\0';
    return true;
}

static bool is_ip_address(const char *host) {
    unsigned char address[16];
    return inet_pton(AF_INET, host, address) == 1 ||
           inet_pton(AF_INET6, host, address) == 1;
}

static bool is_wildcard(const char *host) {
    return strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0 || !*host;
}

/* Whether host is the address that the client has connected to. */
static bool is_own_address(const struct taco_exchange *x, const char *host) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    struct sockaddr_storage own;
    socklen_t size = sizeof own;
    char name[NI_MAXHOST];
    return info && getsockname(info->connect_fd, (struct sockaddr *)&own, &size) == 0 &&
           getnameinfo((struct sockaddr *)&own, size, name, sizeof name, NULL, 0,
                       NI_NUMERICHOST) == 0 &&
           strcmp(strncmp(name, MAPPED, strlen(MAPPED)) == 0 ? name + strlen(MAPPED)
                                                             : name,
                  host) == 0;
}

static bool is_allowed_host(const struct taco_exchange *x, const char *host) {
    static const char *const local[] = {"localhost", "127.0.0.1", "::1"};
    const struct taco_options *options = x->server->options;
    for (size_t i = 0; i < sizeof local / sizeof *local; i++)
        if (strcmp(host, local[i]) == 0)
            return true;
    for (size_t i = 0; i < options->allow_host.n; i++)
        if (strcmp(options->allow_host.items[i], "*") == 0 ||
            strcasecmp(options->allow_host.items[i], host) == 0)
            return true;
    for (size_t i = 0; i < options->host.n; i++) {
        /* On every address of this machine any IP address may be its own, perhaps behind
         * address translation. DNS rebinding needs a name. */
        if (is_wildcard(options->host.items[i]) && is_ip_address(host))
            return true;
        if (strcasecmp(options->host.items[i], host) == 0)
            return true;
    }
    return is_own_address(x, host);
}

enum taco_status taco_origin_check_options(const struct taco_options *options,
                                           struct taco_error *err) {
    for (size_t i = 0; i < options->allow_host.n; i++) {
        const char *host = options->allow_host.items[i];
        size_t n = strspn(host, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789._-");
        bool ok = strcmp(host, "*") == 0 || is_ip_address(host) ||
                  (n > 0 && n <= MAX_HOST && !host[n]);
        if (!ok)
            return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "allow_host",
                                  "--allow-host '%.100s': expected a host name or an IP "
                                  "address without port, or *",
                                  host);
    }
    return TACO_OK;
}

/* -- the page that asks -------------------------------------------------------------- */

/* Whether the origin SCHEME://HOST[:PORT] is that of this server, whose Host header is host. A
 * reverse proxy may speak https where we speak http, so the scheme does not count. */
static bool is_same_origin(const char *origin, const char *host) {
    const char *authority = strstr(origin, "://");
    return authority && strcasecmp(authority + 3, host) == 0;
}

/* A link from another site to our page: the browser goes there and leaves the site. */
static bool is_navigation(const struct taco_exchange *x) {
    const char *mode = taco_exchange_header(x, "Sec-Fetch-Mode");
    return mode && strcmp(mode, "navigate") == 0 &&
           strcmp(x->method, MHD_HTTP_METHOD_GET) == 0 && x->route &&
           (x->route->flags & TACO_ROUTE_OPEN);
}

static bool is_from_another_site(const struct taco_exchange *x, const char *host) {
    const char *origin = taco_exchange_header(x, "Origin");
    const char *site = taco_exchange_header(x, "Sec-Fetch-Site");
    if (taco_cors_allows(x))
        return false;
    /* The browser knows best: a reverse proxy may have changed Host. */
    if (site)
        return strcmp(site, "same-origin") != 0 && strcmp(site, "none") != 0 &&
               !is_navigation(x);
    return origin && !is_same_origin(origin, host);
}

static bool is_over_unix_socket(const struct taco_exchange *x) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(x->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *address = info ? info->client_addr : NULL;
    return address && address->sa_family != AF_INET && address->sa_family != AF_INET6;
}

static bool is_public(const struct taco_exchange *x) {
    const unsigned health = TACO_ROUTE_OPEN | TACO_ROUTE_PROBE;
    return x->route && (x->route->flags & health) == health;
}

int taco_origin_check(const struct taco_exchange *x, struct taco_error *err) {
    if (x->server->options->keys || is_over_unix_socket(x) || is_public(x))
        return 0;
    const char *value = taco_exchange_header(x, MHD_HTTP_HEADER_HOST);
    char host[MAX_HOST + 1];
    if (value && (!read_host(value, host) || !is_allowed_host(x, host)))
        return taco_error_code_set(
            err, TACO_CODE_HOST_NOT_ALLOWED, MHD_HTTP_HEADER_HOST,
            "the host name '%.100s' is not allowed: allow it with --allow-host, or "
            "require API keys with --keys",
            value);
    /* A browser asks with OPTIONS first; the response tells it what is allowed. */
    if (strcmp(x->method, MHD_HTTP_METHOD_OPTIONS) == 0)
        return 0;
    if (is_from_another_site(x, value ? value : ""))
        return taco_error_code_set(
            err, TACO_CODE_CROSS_SITE, "Origin",
            "requests from web pages of other sites are refused: allow the page's "
            "origin with --cors-origin, or require API keys with --keys");
    return 0;
}
