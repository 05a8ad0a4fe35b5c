#include "base/error.h"
#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>

static void set(struct taco_error *err, enum taco_status status, const char *param,
                long offset, const char *format, va_list args) {
    if (!err || err->status != TACO_OK)
        return;
    err->status = status;
    err->offset = offset;
    snprintf(err->param, sizeof err->param, "%s", param ? param : "");
    taco_make_printable(err->param, sizeof err->param, '?');
    /* Messages quote what came from outside, up to some byte. */
    vsnprintf(err->message, sizeof err->message, format, args);
    taco_make_printable(err->message, sizeof err->message, '?');
}

enum taco_status taco_error_set(struct taco_error *err, enum taco_status status,
                                const char *param, const char *format, ...) {
    va_list args;
    va_start(args, format);
    set(err, status, param, -1, format, args);
    va_end(args);
    return status;
}

enum taco_status taco_error_set_at(struct taco_error *err, enum taco_status status,
                                   const char *param, long offset, const char *format,
                                   ...) {
    va_list args;
    va_start(args, format);
    set(err, status, param, offset, format, args);
    va_end(args);
    return status;
}

enum taco_status taco_reserved_check(const uint64_t reserved[TACO_RESERVED],
                                     struct taco_error *err) {
    for (int i = 0; i < TACO_RESERVED; i++)
        if (reserved[i] != 0)
            return taco_error_set(
                err, TACO_ERR_INVALID_ARGUMENT, "reserved",
                "an option is set that this version of the library does "
                "not have");
    return TACO_OK;
}
