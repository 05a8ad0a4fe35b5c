/* Sockets that listen. */
#ifndef TACO_SERVER_LISTENER_H
#define TACO_SERVER_LISTENER_H

#include <stdbool.h>
#include <taco/status.h>

struct taco_listener {
    int fd;            /* -1: closed */
    char address[160]; /* "https://127.0.0.1:8020", "unix:/run/tacod.sock" */
    bool is_unix;      /* a UNIX socket, which never speaks TLS */
    char *unix_path;   /* removed when it is closed, or NULL */
};

/* Binds host (a numeric address, a name, or unix:PATH) and port (0: any) and listens. Of a
 * name's addresses the first is taken whose family this machine has. v6_only: an IPv6 socket
 * takes no IPv4 connections, so that "0.0.0.0" can be bound beside "::". scheme, "https", is
 * for the address of TCP. TACO_ERR_INVALID_ARGUMENT: no such host; TACO_ERR_UNSUPPORTED: this
 * machine has no such family of addresses; TACO_ERR_IO: the message has the system's reason;
 * TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_listener_open(struct taco_listener *listener,
                                                    const char *host, int port,
                                                    bool v6_only, const char *scheme,
                                                    struct taco_error *err);

/* Takes a socket that listens already, TCP or UNIX. A UNIX socket's file is its maker's and
 * stays. TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_listener_adopt(struct taco_listener *listener,
                                                     int fd, const char *scheme,
                                                     struct taco_error *err);

void taco_listener_close(struct taco_listener *listener);

#endif
