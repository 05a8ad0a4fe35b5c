/* What can be wrong with a request: one table of HTTP status and name for every cause.
 *
 * An error code is an int: 0 none, negative an enum taco_status of the engine, positive an
 * enum taco_error_code, which is HTTP's own. Param and message travel in struct taco_error.
 */
#ifndef TACO_SERVER_ERROR_CODE_H
#define TACO_SERVER_ERROR_CODE_H

#include <stddef.h>
#include <taco/status.h>

enum taco_error_code {
    TACO_CODE_BAD_JSON = 1,        /* the body is no JSON object */
    TACO_CODE_BAD_ENCODING,        /* % without two hexadecimal digits */
    TACO_CODE_WRONG_TYPE,          /* a string where a number belongs, ... */
    TACO_CODE_UNKNOWN_PARAMETER,   /* no such field */
    TACO_CODE_DUPLICATE_PARAMETER, /* a field twice */
    TACO_CODE_UNKNOWN_VOICE,       /* in a request for speech */
    TACO_CODE_UNKNOWN_SPEAKER,     /* the voice has no such speaker */
    TACO_CODE_UNKNOWN_ATTENTION,   /* the voice has no such attention */
    TACO_CODE_UNKNOWN_MODEL,       /* OpenAI's field "model" */
    TACO_CODE_UNAUTHORIZED,        /* no key, or one that is none of --keys */
    TACO_CODE_HOST_NOT_ALLOWED,    /* Host is not in --allow-host */
    TACO_CODE_CROSS_SITE,          /* a page whose origin is not in --cors-origin */
    TACO_CODE_NOT_FOUND,           /* no such path, voice or id */
    TACO_CODE_METHOD_NOT_ALLOWED,  /* the path has other methods */
    TACO_CODE_NOT_ACCEPTABLE,      /* nothing that Accept names can be made */
    TACO_CODE_NOT_READY,           /* the id's speech is still being made */
    TACO_CODE_GONE,                /* the id's result has been forgotten */
    TACO_CODE_BODY_TOO_LARGE,
    TACO_CODE_URI_TOO_LONG,
    TACO_CODE_HEADERS_TOO_LARGE,
    TACO_CODE_UNSUPPORTED_MEDIA_TYPE,
    TACO_CODE_CLIENT_CLOSED, /* the connection, or its sending side for too long */
    TACO_CODE_RANGE,         /* no byte of the answer is in the range */
    TACO_CODE_SHUTTING_DOWN
};

struct taco_error_code_info {
    int code;
    unsigned http_status;
    const char *name;    /* stable, in the JSON of an error */
    const char *message; /* where the place that found it has no better one */
};

/* Never NULL: an unknown number is an internal error. Static storage. */
const struct taco_error_code_info *taco_error_code_info(int code);

/* The rows of the table, i < taco_error_code_count(); an index is that of the row of
 * taco_error_code_info. */
size_t taco_error_code_count(void);
const struct taco_error_code_info *taco_error_code_at(size_t i);
size_t taco_error_code_index(int code);

/* The "type" of an error in OpenAI's API: "invalid_request_error",
 * "authentication_error", "rate_limit_error", "server_error". Static storage. */
const char *taco_error_code_type(int code);

/* Fills err as taco_error_set does, with the status TACO_ERR_INVALID_ARGUMENT, and
 * returns code. */
int taco_error_code_set(struct taco_error *err, enum taco_error_code code,
                        const char *param, const char *format, ...) TACO_PRINTF(4, 5);

#endif
