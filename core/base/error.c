#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Removes a UTF-8 sequence that the buffer's end cut in two, so that a truncated message
 * can still be put into JSON. */
static void trim_cut_sequence(char *s, size_t size) {
    size_t n = strlen(s);
    if (n + 1 < size)
        return; /* not cut */
    size_t lead = n;
    while (lead > 0 && n - lead < 3 && ((unsigned char)s[lead - 1] & 0xC0) == 0x80)
        lead--;
    if (lead == 0)
        return;
    unsigned char c = (unsigned char)s[lead - 1];
    size_t want = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : c >= 0xC0 ? 2 : 1;
    if (n - (lead - 1) < want)
        s[lead - 1] = '\0';
}

static void set(struct taco_error *err, enum taco_status status, const char *param,
                long offset, const char *format, va_list args) {
    if (!err || err->status != TACO_OK)
        return;
    err->status = status;
    err->offset = offset;
    snprintf(err->param, sizeof err->param, "%s", param ? param : "");
    trim_cut_sequence(err->param, sizeof err->param);
    vsnprintf(err->message, sizeof err->message, format, args);
    trim_cut_sequence(err->message, sizeof err->message);
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
