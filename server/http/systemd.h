/* The service manager: sockets that it hands over, and what it is told.
 *
 * Without a service manager (no NOTIFY_SOCKET, LISTEN_FDS or WATCHDOG_USEC in the
 * environment) nothing is handed over and telling it has no effect. */
#ifndef TACO_SERVER_SYSTEMD_H
#define TACO_SERVER_SYSTEMD_H

#include <taco/status.h>

#include "http/listener.h"

/* How many sockets were handed over. They are taken instead of --host and --port. */
int taco_systemd_n_sockets(void);

/* Takes socket i. scheme as for taco_listener_open. TACO_ERR_INVALID_ARGUMENT: it is no
 * stream socket that listens. */
TACO_MUST_CHECK enum taco_status taco_systemd_take_socket(struct taco_listener *listener,
                                                          int i, const char *scheme,
                                                          struct taco_error *err);

/* The states of a service, sd_notify(3). By any thread. */
void taco_systemd_ready(void);
void taco_systemd_reloading(void);
void taco_systemd_stopping(void);
/* The daemon's main loop is alive. */
void taco_systemd_alive(void);

/* How often taco_systemd_alive is to be called, milliseconds; -1: never. */
int taco_systemd_watchdog_interval(void);

#endif
