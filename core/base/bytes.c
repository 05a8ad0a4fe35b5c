#include "base/bytes.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/base64.h"
#include "base/memory.h"

bool taco_bytes_reserve(struct taco_bytes *b, size_t capacity) {
    if (capacity <= b->capacity)
        return true;
    char *bytes = taco_realloc(b->bytes, capacity);
    if (!bytes)
        return false;
    b->bytes = bytes;
    b->capacity = capacity;
    return true;
}

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
    return taco_bytes_reserve(b, capacity);
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
    if (size > SIZE_MAX / 8 || !reserve(b, TACO_BASE64_LENGTH(size)))
        return false;
    char *end = taco_base64(b->bytes + b->size, bytes, size);
    *end = '\0';
    b->size = (size_t)(end - b->bytes);
    return true;
}

void taco_bytes_free(struct taco_bytes *b) {
    taco_free(b->bytes);
    *b = (struct taco_bytes){NULL, 0, 0};
}
