#include "http/systemd.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <systemd/sd-daemon.h>
#include <time.h>

#include "base/error.h"

int taco_systemd_n_sockets(void) {
    int n = sd_listen_fds(0);
    return n > 0 ? n : 0;
}

enum taco_status taco_systemd_take_socket(struct taco_listener *listener, int i,
                                          const char *scheme, struct taco_error *err) {
    int fd = SD_LISTEN_FDS_START + i;
    if (sd_is_socket(fd, AF_UNSPEC, SOCK_STREAM, 1) <= 0)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "host",
            "descriptor %d of the service manager is no listening stream "
            "socket: the socket unit needs ListenStream=",
            fd);
    return taco_listener_adopt(listener, fd, scheme, err);
}

void taco_systemd_ready(void) {
    (void)sd_notify(0, "READY=1");
}

void taco_systemd_reloading(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    (void)sd_notifyf(0, "RELOADING=1\nMONOTONIC_USEC=%lld",
                     (long long)now.tv_sec * 1000000 + now.tv_nsec / 1000);
}

void taco_systemd_stopping(void) {
    (void)sd_notify(0, "STOPPING=1");
}

void taco_systemd_alive(void) {
    (void)sd_notify(0, "WATCHDOG=1");
}

int taco_systemd_watchdog_interval(void) {
    uint64_t microseconds;
    if (sd_watchdog_enabled(0, &microseconds) <= 0)
        return -1;
    uint64_t half = microseconds / 2000; /* as sd_watchdog_enabled(3) recommends */
    return half < 1 ? 1 : half > INT_MAX ? INT_MAX : (int)half;
}
