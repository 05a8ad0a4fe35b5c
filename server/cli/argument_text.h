/* The text of a command: its arguments, a file, or standard input. */
#ifndef TACO_SERVER_ARGUMENT_TEXT_H
#define TACO_SERVER_ARGUMENT_TEXT_H

#include <taco/status.h>

#include "base/bytes.h"
#include "config/options.h"

/* Reads it into text, which starts empty and is ended by the caller. "TEXT...", "-", or
 * -f FILE. command names it in errors: TACO_ERR_INVALID_ARGUMENT (no text, or two),
 * _TEXT_TOO_LONG (64 MiB), _NOT_FOUND, _IO, _NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_argument_text(struct taco_bytes *text,
                                                    const struct taco_options *options,
                                                    const char *command,
                                                    struct taco_error *err);

#endif
