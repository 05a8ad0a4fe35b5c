#include "bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

/* Room for size more bytes and a NUL. */
static bool reserve(struct taco_bytes *b, size_t size) {
    if (size > SIZE_MAX / 4 || b->size > SIZE_MAX / 4)
        return false;
    size_t need = b->size + size + 1;
    if (need <= b->capacity)
        return true;
    size_t capacity = b->capacity ? b->capacity : 256;
    while (capacity < need)
        capacity += capacity / 2;
    char *bytes = taco_realloc(b->bytes, capacity);
    if (!bytes)
        return false;
    b->bytes = bytes;
    b->capacity = capacity;
    return true;
}

bool taco_bytes_add(struct taco_bytes *b, const void *bytes, size_t size) {
    if (!reserve(b, size))
        return false;
    if (size)
        memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->bytes[b->size] = '\0';
    return true;
}

bool taco_bytes_printf(struct taco_bytes *b, const char *format, ...) {
    va_list args;
    va_start(args, format);
    int size = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (size < 0 || !reserve(b, (size_t)size))
        return false;
    va_start(args, format);
    vsnprintf(b->bytes + b->size, (size_t)size + 1, format, args);
    va_end(args);
    b->size += (size_t)size;
    return true;
}

bool taco_bytes_base64(struct taco_bytes *b, const void *bytes, size_t size) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                 "0123456789+/";
    if (size > SIZE_MAX / 8 || !reserve(b, (size + 2) / 3 * 4))
        return false;
    const unsigned char *in = bytes;
    char *out = b->bytes + b->size;
    for (; size >= 3; size -= 3, in += 3) {
        *out++ = digits[in[0] >> 2];
        *out++ = digits[(in[0] & 3) << 4 | in[1] >> 4];
        *out++ = digits[(in[1] & 15) << 2 | in[2] >> 6];
        *out++ = digits[in[2] & 63];
    }
    if (size) {
        unsigned second = size == 2 ? in[1] : 0;
        *out++ = digits[in[0] >> 2];
        *out++ = digits[(in[0] & 3) << 4 | second >> 4];
        *out++ = size == 2 ? digits[(second & 15) << 2] : '=';
        *out++ = '=';
    }
    *out = '\0';
    b->size = (size_t)(out - b->bytes);
    return true;
}

void taco_bytes_free(struct taco_bytes *b) {
    taco_free(b->bytes);
    *b = (struct taco_bytes){NULL, 0, 0};
}
