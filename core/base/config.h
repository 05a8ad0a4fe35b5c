/* Reading JSON objects of settings (models/FORMAT.md) into structs, by tables.
 *
 * A table says which keys an object has, of which type, in which range and beside which
 * other settings. Every fault is an error that names the key, what is wrong and what would
 * be right; a key that no row takes is refused, so that no setting is ignored in silence. */
#ifndef TACO_BASE_CONFIG_H
#define TACO_BASE_CONFIG_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

enum taco_key_kind {
    TACO_KEY_INT,   /* int */
    TACO_KEY_ODD,   /* int */
    TACO_KEY_REAL,  /* float */
    TACO_KEY_BOOL,  /* bool */
    TACO_KEY_NAME,  /* an enum: the index of the name among names */
    TACO_KEY_EITHER /* bool: one of two names, true is the second */
};

/* Where an object stands, and whither it is read. */
struct taco_config_reader {
    void *target;        /* the struct */
    const char *section; /* "model": for messages alone */
    const char *prefix;  /* "attention.": before names; "" at the section's top */
    struct taco_error *err;
};

struct taco_config_key {
    const char *name;
    enum taco_key_kind kind;
    size_t offset;           /* of the field in the target */
    double min, max;         /* of numbers, both allowed ... */
    bool open_min, open_max; /* ... unless these are set */
    bool optional;           /* then fallback is the value */
    double fallback;
    const char *const *names;      /* NULL-ended */
    enum taco_status unknown_name; /* 0: TACO_ERR_FORMAT */
    /* What no kind says. value is NULL where an optional key is absent. */
    enum taco_status (*read)(const struct taco_config_reader *reader,
                             const struct taco_config_key *key, const json_t *value);
    /* Whether the key may stand beside what the rows above it have read; NULL: always. */
    bool (*applies)(const void *target);
};

/* Reads object by keys, which end with a row without name. What is no object, a key that
 * is missing, of a wrong type, out of range or none of the table's: TACO_ERR_FORMAT (an
 * unknown name: the row's own status), err->param is prefix and key. The range of a real is
 * that of the stored float: 0.99999999999 is not below 1. */
enum taco_status taco_config_read(const struct taco_config_reader *reader,
                                  const struct taco_config_key *keys,
                                  const json_t *object);

/* The error of one key: "model.attention.dim must be ...". */
enum taco_status taco_config_fail(const struct taco_config_reader *reader,
                                  enum taco_status status, const char *name,
                                  const char *what);

/* A key of object that is not among known (NULL-ended); NULL: there is none. */
const char *taco_config_unknown_key(const json_t *object, const char *const *known);

#endif
