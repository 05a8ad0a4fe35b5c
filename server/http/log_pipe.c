#include "http/log_pipe.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

/* Whether PIPE_BUF bytes can be written without waiting. The descriptor stays blocking: other
 * processes may share it. */
static bool has_room(int fd) {
    struct pollfd ready = {.fd = fd, .events = POLLOUT};
    return poll(&ready, 1, 0) == 1 && (ready.revents & POLLOUT);
}

bool taco_log_pipe_write(int fd, const char *line, size_t size) {
    while (size > 0) {
        size_t n = size < PIPE_BUF ? size : PIPE_BUF;
        ssize_t written = send(fd, line, n, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (written < 0 && errno == ENOTSOCK)
            written = has_room(fd) ? write(fd, line, n) : -1;
        if (written < 0)
            return false;
        line += written;
        size -= (size_t)written;
    }
    return true;
}
