#include "http/urlencoded.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "http/error_code.h"

static int hex(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int taco_percent_decode(const char *bytes, size_t size, bool plus, const char *param,
                        char *out, size_t *length, struct taco_error *err) {
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        char c = bytes[i];
        if (c == '%') {
            int high = i + 2 < size ? hex(bytes[i + 1]) : -1;
            int low = i + 2 < size ? hex(bytes[i + 2]) : -1;
            if (high < 0 || low < 0)
                return taco_error_code_set(
                    err, TACO_CODE_BAD_ENCODING, param,
                    "'%.*s' is no percent-encoding: a %% itself is "
                    "written %%25",
                    (int)(size - i < 3 ? size - i : 3), bytes + i);
            c = (char)(high << 4 | low);
            i += 2;
        } else if (c == '+' && plus) {
            c = ' ';
        }
        out[n++] = c;
    }
    out[n] = '\0';
    *length = n;
    return 0;
}

int taco_urlencoded_read(const char *bytes, size_t size, taco_urlencoded_pair pair,
                         void *user, struct taco_error *err) {
    char *copy =
        taco_malloc(size + 2); /* decoded pieces are never longer than encoded ones */
    if (!copy)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a form");
    int code = 0;
    const char *end = bytes + size;
    while (bytes < end && !code) {
        const char *stop = memchr(bytes, '&', (size_t)(end - bytes));
        if (!stop)
            stop = end;
        if (stop > bytes) {
            const char *equals = memchr(bytes, '=', (size_t)(stop - bytes));
            size_t name_size = (size_t)((equals ? equals : stop) - bytes);
            const char *value_bytes = equals ? equals + 1 : stop;
            size_t name_length = 0, value_length = 0;
            code = taco_percent_decode(bytes, name_size, true, NULL, copy, &name_length,
                                       err);
            char *value = copy + name_length + 1;
            if (!code)
                code = taco_percent_decode(value_bytes, (size_t)(stop - value_bytes),
                                           true, copy, value, &value_length, err);
            if (!code)
                code = pair(user, copy, name_length, value, value_length, err);
        }
        bytes = stop < end ? stop + 1 : end;
    }
    taco_free(copy);
    return code;
}

bool taco_urlencoded_looks_like(const char *bytes, size_t size) {
    const char *equals = size ? memchr(bytes, '=', size) : NULL;
    if (!equals || equals == bytes)
        return false;
    for (const char *c = bytes; c < equals; c++) {
        bool letter = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || *c == '_';
        bool digit = *c >= '0' && *c <= '9';
        if (!letter && !(digit && c > bytes))
            return false;
    }
    return true;
}
