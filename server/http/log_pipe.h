/* Writing the log to standard error without ever waiting for its reader.
 *
 * A supervisor that has stopped reading the pipe must not stop the daemon, so a line for which
 * there is no room is dropped. */
#ifndef TACO_SERVER_LOG_PIPE_H
#define TACO_SERVER_LOG_PIPE_H

#include <stdbool.h>
#include <stddef.h>

/* Writes line [size], which ends with a newline, to the descriptor fd. False: there was no
 * room. Of a line longer than PIPE_BUF, the beginning may have been written then. Lines stay
 * whole if one thread at a time writes. */
bool taco_log_pipe_write(int fd, const char *line, size_t size);

#endif
