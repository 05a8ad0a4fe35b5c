#include "config/number.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *skip_digits(const char *s) {
    while (*s >= '0' && *s <= '9')
        s++;
    return s;
}

/* The end of JSON's "int", or NULL. */
static const char *skip_int(const char *s) {
    if (*s == '-')
        s++;
    if (*s == '0')
        return s + 1;
    const char *end = skip_digits(s);
    return end == s ? NULL : end;
}

bool taco_parse_integer(const char *string, int64_t *value) {
    const char *end = skip_int(string);
    if (!end || *end)
        return false;
    errno = 0;
    long long v = strtoll(string, NULL, 10);
    if (errno)
        return false;
    *value = v;
    return true;
}

bool taco_parse_number(const char *string, double *value) {
    const char *end = skip_int(string);
    if (end && *end == '.') {
        const char *fraction = end + 1;
        end = skip_digits(fraction);
        if (end == fraction)
            return false;
    }
    if (end && (*end == 'e' || *end == 'E')) {
        const char *exponent = end + 1;
        if (*exponent == '+' || *exponent == '-')
            exponent++;
        end = skip_digits(exponent);
        if (end == exponent)
            return false;
    }
    if (!end || *end)
        return false;
    double v = strtod(string, NULL); /* the program never leaves the C locale */
    if (!isfinite(v))
        return false;
    *value = v;
    return true;
}

bool taco_parse_boolean(const char *string, bool *value) {
    static const char *const words[2][4] = {{"false", "0", "no", "off"},
                                            {"true", "1", "yes", "on"}};
    for (int truth = 0; truth < 2; truth++)
        for (int i = 0; i < 4; i++)
            if (strcmp(string, words[truth][i]) == 0) {
                *value = truth == 1;
                return true;
            }
    return false;
}

bool taco_parse_bytes(const char *string, uint64_t *value) {
    static const struct {
        const char *suffix;
        int shift;
    } units[] = {{"", 0},     {"K", 10},   {"M", 20},  {"G", 30},
                 {"KiB", 10}, {"MiB", 20}, {"GiB", 30}};
    const char *end = skip_digits(string);
    if (end == string)
        return false;
    errno = 0;
    unsigned long long v = strtoull(string, NULL, 10);
    if (errno)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(end, units[i].suffix) == 0) {
            if (v > UINT64_MAX >> units[i].shift)
                return false;
            *value = (uint64_t)v << units[i].shift;
            return true;
        }
    return false;
}
