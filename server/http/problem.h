/* What can be wrong with a request: one table of HTTP status and name for every cause.
 *
 * A problem is an int: 0 none, negative an enum taco_status of the engine, positive an
 * enum taco_problem, which is HTTP's own. Param and message travel in struct taco_error.
 */
#ifndef TACO_SERVER_PROBLEM_H
#define TACO_SERVER_PROBLEM_H

#include <stddef.h>
#include <taco/status.h>

enum taco_problem {
    TACO_PROBLEM_BAD_JSON = 1,        /* the body is no JSON object */
    TACO_PROBLEM_BAD_ENCODING,        /* % without two hexadecimal digits */
    TACO_PROBLEM_WRONG_TYPE,          /* a string where a number belongs, ... */
    TACO_PROBLEM_UNKNOWN_PARAMETER,   /* no such field */
    TACO_PROBLEM_DUPLICATE_PARAMETER, /* a field twice */
    TACO_PROBLEM_UNKNOWN_VOICE,       /* in a request for speech */
    TACO_PROBLEM_UNKNOWN_SPEAKER,     /* the voice has no such speaker */
    TACO_PROBLEM_UNKNOWN_ATTENTION,   /* the voice has no such attention */
    TACO_PROBLEM_UNKNOWN_MODEL,       /* OpenAI's field "model" */
    TACO_PROBLEM_UNAUTHORIZED,        /* no key, or one that is none of --keys */
    TACO_PROBLEM_HOST_NOT_ALLOWED,    /* Host is not in --allow-host */
    TACO_PROBLEM_CROSS_SITE,          /* a page whose origin is not in --cors-origin */
    TACO_PROBLEM_NOT_FOUND,           /* no such path, voice or id */
    TACO_PROBLEM_METHOD_NOT_ALLOWED,  /* the path has other methods */
    TACO_PROBLEM_NOT_ACCEPTABLE,      /* nothing that Accept names can be made */
    TACO_PROBLEM_NOT_READY,           /* the id's speech is still being made */
    TACO_PROBLEM_GONE,                /* the id's result has been forgotten */
    TACO_PROBLEM_BODY_TOO_LARGE,
    TACO_PROBLEM_URI_TOO_LONG,
    TACO_PROBLEM_HEADERS_TOO_LARGE,
    TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE,
    TACO_PROBLEM_CLIENT_CLOSED, /* the connection, or its sending side for too long */
    TACO_PROBLEM_RANGE,         /* no byte of the answer is in the range */
    TACO_PROBLEM_SHUTTING_DOWN
};

struct taco_problem_info {
    int problem;
    unsigned http_status;
    const char *code;    /* stable, in the JSON of an error */
    const char *message; /* where the place that found it has no better one */
};

/* Never NULL: a number that is no problem is an internal error. Static storage. */
const struct taco_problem_info *taco_problem_info(int problem);

/* The rows of the table, i < taco_problem_count(); an index is that of the row of
 * taco_problem_info. */
size_t taco_problem_count(void);
const struct taco_problem_info *taco_problem_at(size_t i);
size_t taco_problem_index(int problem);

/* What OpenAI's clients call the kind of a problem: "invalid_request_error",
 * "authentication_error", "rate_limit_error", "server_error". Static storage. */
const char *taco_problem_type(int problem);

/* Fills err as taco_error_set does, with the status TACO_ERR_INVALID_ARGUMENT, and
 * returns problem. */
int taco_problem_set(struct taco_error *err, enum taco_problem problem, const char *param,
                     const char *format, ...) TACO_PRINTF(4, 5);

#endif
