#include "http/listener.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

#define BACKLOG 511

static enum taco_status refuse(struct taco_listener *listener, const char *host, int port,
                               struct taco_error *err) {
    int reason = errno;
    taco_listener_close(listener);
    if (port < 0)
        return taco_error_set(err, TACO_ERR_IO, "host", "cannot listen on %.120s: %s",
                              host, strerror(reason));
    return taco_error_set(
        err, TACO_ERR_IO, "host", "cannot listen on %.120s port %d: %s%s", host, port,
        strerror(reason),
        reason == EADDRINUSE ? "; --port N or TACO_PORT=N takes another, 0 any free one"
                             : "");
}

/* A socket that nobody answers is left over from a process that was killed. */
static void remove_stale(const struct sockaddr_un *address) {
    struct stat info;
    if (lstat(address->sun_path, &info) < 0 || !S_ISSOCK(info.st_mode))
        return;
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return;
    if (connect(fd, (const struct sockaddr *)address, sizeof *address) < 0 &&
        errno == ECONNREFUSED)
        unlink(address->sun_path);
    close(fd);
}

static enum taco_status open_unix(struct taco_listener *listener, const char *path,
                                  struct taco_error *err) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    if (!*path || strlen(path) >= sizeof address.sun_path)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "host",
                              "unix:%.80s: the path must have 1 to %zu bytes", path,
                              sizeof address.sun_path - 1);
    memcpy(address.sun_path, path, strlen(path) + 1);
    listener->is_unix = true;
    listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (listener->fd < 0)
        return refuse(listener, path, -1, err);
    remove_stale(&address);
    if (bind(listener->fd, (struct sockaddr *)&address, sizeof address) < 0)
        return refuse(listener, path, -1, err);
    listener->unix_path = taco_strdup(path);
    if (!listener->unix_path) {
        unlink(path);
        taco_listener_close(listener);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "host", "no memory");
    }
    if (listen(listener->fd, BACKLOG) < 0)
        return refuse(listener, path, -1, err);
    snprintf(listener->address, sizeof listener->address, "unix:%s", path);
    return TACO_OK;
}

/* Writes the URL of what the socket is bound to, since port 0 was any port. */
static void name_address(struct taco_listener *listener, const char *scheme) {
    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char host[64] = "?", port[16] = "?";
    if (getsockname(listener->fd, (struct sockaddr *)&bound, &size) == 0)
        getnameinfo((struct sockaddr *)&bound, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(listener->address, sizeof listener->address,
             bound.ss_family == AF_INET6 ? "%s://[%s]:%s" : "%s://%s:%s", scheme, host,
             port);
}

/* Whether the error means that this machine has no addresses of that family. */
static bool is_missing_family(int family, int error) {
    return error == EAFNOSUPPORT || (family == AF_INET6 && error == EADDRNOTAVAIL);
}

/* Listens on one address. False: see errno. */
static bool listen_on(struct taco_listener *listener, const struct addrinfo *address,
                      bool v6_only) {
    const int on = 1, only = v6_only;
    int fd = listener->fd =
        socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
               address->ai_protocol);
    bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) == 0;
    if (ok && address->ai_family == AF_INET6)
        ok = setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &only, sizeof only) == 0;
    ok = ok && bind(fd, address->ai_addr, address->ai_addrlen) == 0 &&
         listen(fd, BACKLOG) == 0;
    if (!ok && fd >= 0) {
        int reason = errno;
        close(fd);
        listener->fd = -1;
        errno = reason;
    }
    return ok;
}

/* Tries the addresses of the host in their order. */
static enum taco_status open_tcp(struct taco_listener *listener, const char *host,
                                 int port, bool v6_only, const char *scheme,
                                 struct taco_error *err) {
    char service[16];
    snprintf(service, sizeof service, "%d", port);
    struct addrinfo hints = {.ai_flags = AI_PASSIVE | AI_NUMERICSERV,
                             .ai_family = AF_UNSPEC,
                             .ai_socktype = SOCK_STREAM};
    struct addrinfo *found;
    int failure = getaddrinfo(host, service, &hints, &found);
    if (failure)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "host",
                              "cannot listen on '%.120s': %s", host,
                              gai_strerror(failure));
    bool ok = false, missing = true;
    int reason = 0;
    for (struct addrinfo *a = found; a && !ok && missing; a = a->ai_next) {
        ok = listen_on(listener, a, v6_only);
        reason = errno;
        missing = !ok && is_missing_family(a->ai_family, reason);
    }
    freeaddrinfo(found);
    errno = reason;
    if (!ok && missing)
        return taco_error_set(err, TACO_ERR_UNSUPPORTED, "host",
                              "this machine has no address of the kind of '%.120s': %s",
                              host, strerror(reason));
    if (!ok)
        return refuse(listener, host, port, err);
    name_address(listener, scheme);
    return TACO_OK;
}

enum taco_status taco_listener_open(struct taco_listener *listener, const char *host,
                                    int port, bool v6_only, const char *scheme,
                                    struct taco_error *err) {
    *listener = (struct taco_listener){.fd = -1};
    return strncmp(host, "unix:", 5) == 0
               ? open_unix(listener, host + 5, err)
               : open_tcp(listener, host, port, v6_only, scheme, err);
}

enum taco_status taco_listener_adopt(struct taco_listener *listener, int fd,
                                     const char *scheme, struct taco_error *err) {
    *listener = (struct taco_listener){.fd = fd};
    struct sockaddr_storage bound = {0};
    socklen_t size = sizeof bound;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ||
        getsockname(fd, (struct sockaddr *)&bound, &size) < 0)
        return taco_error_set(err, TACO_ERR_IO, "host",
                              "cannot serve on descriptor %d: %s", fd, strerror(errno));
    listener->is_unix = bound.ss_family == AF_UNIX;
    if (listener->is_unix) {
        const struct sockaddr_un *address =
            (const struct sockaddr_un *)(const void *)&bound;
        snprintf(listener->address, sizeof listener->address, "unix:%.*s",
                 (int)sizeof address->sun_path, address->sun_path);
    } else {
        name_address(listener, scheme);
    }
    return TACO_OK;
}

void taco_listener_close(struct taco_listener *listener) {
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
    if (listener->unix_path)
        unlink(listener->unix_path);
    taco_free(listener->unix_path);
    listener->unix_path = NULL;
}
