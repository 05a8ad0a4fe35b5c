/* Numbers as people write them in queries, forms, flags and the environment. */
#ifndef TACO_SERVER_NUMBER_H
#define TACO_SERVER_NUMBER_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

/* JSON's grammar of numbers: no NaN, no infinity, no hexadecimal, no white space, no sign
 * +. False: the string is none, or the value does not fit. */
TACO_MUST_CHECK bool taco_parse_integer(const char *string, int64_t *value);
TACO_MUST_CHECK bool taco_parse_number(const char *string, double *value);

/* "true", "1", "yes", "on" and "false", "0", "no", "off". */
TACO_MUST_CHECK bool taco_parse_boolean(const char *string, bool *value);

/* A number of bytes: digits, then perhaps K, M or G (powers of 1024; "KiB", "MiB" and
 * "GiB" are the same). */
TACO_MUST_CHECK bool taco_parse_bytes(const char *string, uint64_t *value);

#endif
