/* Opening files that the daemon reads, at its start and again while it serves. */
#ifndef TACO_BASE_REGULAR_FILE_H
#define TACO_BASE_REGULAR_FILE_H

#include <stddef.h>
#include <stdio.h>
#include <taco/status.h>

/* Opens a file for reading, without ever waiting: opening a FIFO would block until somebody
 * writes to it. option names the option in errors and may be NULL.
 * TACO_ERR_NOT_FOUND; TACO_ERR_FORMAT: not a regular file; TACO_ERR_IO. On failure *file is
 * NULL. */
TACO_MUST_CHECK enum taco_status taco_regular_file_open(FILE **file, const char *option,
                                                        const char *path,
                                                        struct taco_error *err);

/* Reads a whole file of at most max bytes: *bytes [*size] and a NUL, freed with taco_free.
 * The statuses above; TACO_ERR_FORMAT: more than max bytes; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_regular_file_read(char **bytes, size_t *size,
                                                        size_t max, const char *option,
                                                        const char *path,
                                                        struct taco_error *err);

#endif
