/* The table behind options.h: name, letter, kind, range, default and help of every
 * option. */
#ifndef TACO_SERVER_OPTION_TABLE_H
#define TACO_SERVER_OPTION_TABLE_H

#include <stddef.h>

#include "config/options.h"

enum taco_option_kind {
    TACO_OPTION_STRING,
    TACO_OPTION_STRINGS, /* a list: the flag several times, commas in the environment */
    TACO_OPTION_INTEGER,
    TACO_OPTION_BYTES,
    TACO_OPTION_SECONDS,
    TACO_OPTION_SWITCH
};

/* Not in the environment and not in the configuration file. */
#define TACO_OPTION_FLAG_ONLY 1u

struct taco_option {
    const char *name;  /* "cache_bytes" */
    char letter;       /* short flag, or 0 */
    unsigned commands; /* enum taco_command, or-ed */
    enum taco_option_kind kind;
    size_t offset;        /* in struct taco_options */
    const char *fallback; /* the default in written form, or NULL */
    double min, max;      /* of numbers */
    const char *metavar;  /* NULL for a switch */
    const char *choices;  /* "a|b", or NULL */
    unsigned flags;
    const char *help; /* sentences, without range and default */
};

/* Ended by an option whose name is NULL. */
extern const struct taco_option taco_option_table[];

/* NULL: the command has no option of that name. */
const struct taco_option *taco_option_find(const char *name, enum taco_command command);

/* "--cache-bytes", "TACO_CACHE_BYTES". */
void taco_option_flag(const char *name, char *out, size_t size);
void taco_option_environment(const struct taco_option *option, char *out, size_t size);

/* The help with range and default, to out [size]. */
void taco_option_describe(const struct taco_option *option, char *out, size_t size);

#endif
