/* One value of a request, as the client wrote it.
 *
 * JSON values carry a type; a value from a query, a form or the command line is written
 * text and may stand for any type. The functions below hide the difference, so each field
 * is read in one place. */
#ifndef TACO_SERVER_VALUE_H
#define TACO_SERVER_VALUE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/status.h>

struct taco_value {
    const json_t *json; /* borrowed; NULL: written text */
    const char *text;   /* [length] and a NUL, borrowed; NULL unless written text */
    size_t length;
};

struct taco_value taco_value_written(const char *text, size_t length);
struct taco_value taco_value_json(const json_t *json);

/* A JSON null, which most other services take for an absent field. */
bool taco_value_is_null(const struct taco_value *value);

/* Each returns false if the value is of another type. */
TACO_MUST_CHECK bool taco_value_integer(const struct taco_value *value, int64_t *out);
TACO_MUST_CHECK bool taco_value_number(const struct taco_value *value, double *out);
TACO_MUST_CHECK bool taco_value_boolean(const struct taco_value *value, bool *out);
/* Written text or a JSON string, which may hold NULs; *text is the value's. */
TACO_MUST_CHECK bool taco_value_string(const struct taco_value *value, const char **text,
                                       size_t *length);
/* The same, but without NULs. */
TACO_MUST_CHECK bool taco_value_word(const struct taco_value *value, const char **word);

#endif
