/* Reads a request for speech: the query and the body, whatever its type, become fields. */
#ifndef TACO_SERVER_REQUEST_H
#define TACO_SERVER_REQUEST_H

#include <stddef.h>
#include <taco/status.h>

#include "speech/fields.h"

struct taco_exchange;

/* Sets one field. The name is NUL-terminated; the value is valid during the call. The
 * result is an error code, which ends the reading. */
typedef int (*taco_request_set)(void *user, const char *name,
                                const struct taco_value *value, struct taco_error *err);

/* How one API reads its requests. */
struct taco_request_reader {
    const char *text_name;    /* the field that a plain-text body is; NULL: JSON only */
    const char *default_type; /* of a body without a Content-Type */
    taco_request_set set;
    void *user;
};

/* Reads the query of a URI ("text=Hello&seed=7", NULL: none). */
TACO_MUST_CHECK int taco_request_read_query(const struct taco_request_reader *reader,
                                            const char *query, struct taco_error *err);

/* Reads a body [size] of the type that the Content-Type header names (NULL: none was sent).
 * text/plain is the text; application/json an object of fields;
 * application/x-www-form-urlencoded a form, or the text if it does not look like a form,
 * since curl -d sends any text under that name. A body that was not declared as JSON but
 * looks like it is TACO_CODE_UNSUPPORTED_MEDIA_TYPE. */
TACO_MUST_CHECK int taco_request_read_body(const struct taco_request_reader *reader,
                                           const char *content_type, const char *body,
                                           size_t size, struct taco_error *err);

/* Reads the query and, of a POST, the body, which may be empty if there is a query. */
TACO_MUST_CHECK int taco_request_read(const struct taco_request_reader *reader,
                                      const struct taco_exchange *x,
                                      struct taco_error *err);

/* What the native API's reader sets: the fields that have the use. Unknown names are
 * TACO_CODE_UNKNOWN_PARAMETER. */
struct taco_native_fields {
    struct taco_speech *speech;
    unsigned use; /* enum taco_field_use */
};
int taco_request_set_native(void *user, const char *name, const struct taco_value *value,
                            struct taco_error *err);

/* Reads a request of the native API, which must have a text, into speech: the fields that
 * have the use. TACO_ERR_EMPTY_TEXT, and as above. */
TACO_MUST_CHECK int taco_request_read_native(const struct taco_exchange *x,
                                             struct taco_speech *speech, unsigned use,
                                             struct taco_error *err);

/* TACO_CODE_UNKNOWN_PARAMETER. */
int taco_request_unknown(const char *name, struct taco_error *err);

/* TACO_ERR_EMPTY_TEXT of a request without the field named name. */
int taco_request_no_text(const struct taco_exchange *x, const char *name,
                         struct taco_error *err);

#endif
