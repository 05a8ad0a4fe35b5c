/* application/x-www-form-urlencoded, of queries and of form bodies. */
#ifndef TACO_SERVER_URLENCODED_H
#define TACO_SERVER_URLENCODED_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

/* Decodes %XX, and + as a space if plus. out [size + 1] takes the bytes and a NUL;
 * *length is their number, which may include NULs. Returns an error code:
 * TACO_CODE_BAD_ENCODING, with err->param as given. */
TACO_MUST_CHECK int taco_percent_decode(const char *bytes, size_t size, bool plus,
                                        const char *param, char *out, size_t *length,
                                        struct taco_error *err);

/* Takes one pair; a result other than 0 is an error code and ends the reading. The name is
 * NUL-terminated; the value has a length and a NUL behind it. */
typedef int (*taco_urlencoded_pair)(void *user, const char *name, size_t name_length,
                                    const char *value, size_t value_length,
                                    struct taco_error *err);

/* Reads name=value&name=value... A name without = has an empty value; empty pieces are
 * skipped. The error codes of decoding and of pair; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK int taco_urlencoded_read(const char *bytes, size_t size,
                                         taco_urlencoded_pair pair, void *user,
                                         struct taco_error *err);

/* Whether a body that is called a form is one: it has a = and what stands before the
 * first is a name. curl -d 'Hello, world.' calls plain text a form. */
bool taco_urlencoded_looks_like(const char *bytes, size_t size);

#endif
