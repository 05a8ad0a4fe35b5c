/* Filling struct taco_error, once, at the place that knows. */
#ifndef TACO_BASE_ERROR_H
#define TACO_BASE_ERROR_H

#include <taco/status.h>

/* Sets status, param (may be NULL) and message unless err is NULL or already set, and
 * returns status, so that a caller can write return taco_error_set(...). offset is -1. What
 * is too long is cut. Both become printable UTF-8, whatever they quote: bytes that are not
 * become question marks. */
enum taco_status taco_error_set(struct taco_error *err, enum taco_status status,
                                const char *param, const char *format, ...)
    TACO_PRINTF(4, 5);

/* The same with an offset into the caller's text or file. */
enum taco_status taco_error_set_at(struct taco_error *err, enum taco_status status,
                                   const char *param, long offset, const char *format,
                                   ...) TACO_PRINTF(5, 6);

/* Reserved members of options must be zeros: TACO_ERR_INVALID_ARGUMENT. */
enum taco_status taco_reserved_check(const uint64_t reserved[TACO_RESERVED],
                                     struct taco_error *err);

#endif
