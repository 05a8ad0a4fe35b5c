/* Bytes that grow at the end. */
#ifndef TACO_BASE_BYTES_H
#define TACO_BASE_BYTES_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

/* Zero-initialised they are none; a NUL stands behind the last byte once something was
 * added. */
struct taco_bytes {
    char *bytes; /* [size], room for capacity; NULL while empty */
    size_t size, capacity;
};

/* Each returns false when there is no memory; what there was stays. */
TACO_MUST_CHECK bool taco_bytes_add(struct taco_bytes *b, const void *bytes, size_t size);
TACO_MUST_CHECK bool taco_bytes_printf(struct taco_bytes *b, const char *format, ...)
    TACO_PRINTF(2, 3);
/* A capacity of at least so many bytes, the NUL included. */
TACO_MUST_CHECK bool taco_bytes_reserve(struct taco_bytes *b, size_t capacity);
/* The bytes in base64 (RFC 4648, section 4), padded. */
TACO_MUST_CHECK bool taco_bytes_base64(struct taco_bytes *b, const void *bytes,
                                       size_t size);

/* Gives the memory back and leaves them empty. */
void taco_bytes_free(struct taco_bytes *b);

#endif
