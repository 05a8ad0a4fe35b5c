/* Base64 (RFC 4648, section 4), padded. */
#ifndef TACO_BASE_BASE64_H
#define TACO_BASE_BASE64_H

#include <stddef.h>

/* Characters for n bytes. */
#define TACO_BASE64_LENGTH(n) (((n) + 2) / 3 * 4)

/* Writes bytes [n] to out [TACO_BASE64_LENGTH(n)], without a NUL, and returns its end. */
char *taco_base64(char *out, const void *bytes, size_t n);

#endif
