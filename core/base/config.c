#include "base/config.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

enum taco_status taco_config_fail(const struct taco_config_reader *reader,
                                  enum taco_status status, const char *name,
                                  const char *what) {
    char param[sizeof reader->err->param];
    snprintf(param, sizeof param, "%s%.30s", reader->prefix, name);
    return taco_error_set(reader->err, status, param, "%s.%s %s", reader->section, param,
                          what);
}

static enum taco_status read_integer(const struct taco_config_reader *r,
                                     const struct taco_config_key *key,
                                     const json_t *value, int *out) {
    bool odd = key->kind == TACO_KEY_ODD;
    json_int_t x = value ? json_integer_value(value) : (json_int_t)key->fallback;
    if ((!value || json_is_integer(value)) && x >= (json_int_t)key->min &&
        x <= (json_int_t)key->max && (!odd || x % 2 == 1)) {
        *out = (int)x;
        return TACO_OK;
    }
    char what[80];
    snprintf(what, sizeof what, "must be an %s, %.0f to %.0f",
             odd ? "odd integer" : "integer", key->min, key->max);
    return taco_config_fail(r, TACO_ERR_FORMAT, key->name, what);
}

static enum taco_status read_real(const struct taco_config_reader *r,
                                  const struct taco_config_key *key, const json_t *value,
                                  float *out) {
    double x = value ? json_number_value(value) : key->fallback;
    if ((!value || json_is_number(value)) && x >= key->min && x <= key->max) {
        *out = (float)x;
        if (!(key->open_min && *out <= (float)key->min) &&
            !(key->open_max && *out >= (float)key->max))
            return TACO_OK;
    }
    char what[80];
    if (key->open_min || key->open_max)
        snprintf(what, sizeof what, "must be a number x, %g %s x %s %g", key->min,
                 key->open_min ? "<" : "<=", key->open_max ? "<" : "<=", key->max);
    else
        snprintf(what, sizeof what, "must be a number, %g to %g", key->min, key->max);
    return taco_config_fail(r, TACO_ERR_FORMAT, key->name, what);
}

static enum taco_status read_name(const struct taco_config_reader *r,
                                  const struct taco_config_key *key, const json_t *value,
                                  int *out) {
    const char *name = json_string_value(value);
    char list[80] = "";
    *out = (int)key->fallback;
    for (int i = 0; value && key->names[i]; i++) {
        if (name && strcmp(name, key->names[i]) == 0) {
            *out = i;
            return TACO_OK;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s\"%s\"", i ? ", " : "",
                 key->names[i]);
    }
    if (!value)
        return TACO_OK;
    char what[180];
    if (key->unknown_name && name) {
        snprintf(what, sizeof what, "\"%.40s\" is none that this build runs: %s", name,
                 list);
        return taco_config_fail(r, key->unknown_name, key->name, what);
    }
    snprintf(what, sizeof what, "must be one of %s", list);
    return taco_config_fail(r, TACO_ERR_FORMAT, key->name, what);
}

static enum taco_status read_key(const struct taco_config_reader *r,
                                 const struct taco_config_key *key, const json_t *value) {
    void *field = (char *)r->target + key->offset;
    enum taco_status status;
    int index;
    if (!value && !key->optional)
        return taco_config_fail(r, TACO_ERR_FORMAT, key->name, "is missing");
    if (key->read)
        return key->read(r, key, value);
    switch (key->kind) {
    case TACO_KEY_INT:
    case TACO_KEY_ODD:
        return read_integer(r, key, value, field);
    case TACO_KEY_REAL:
        return read_real(r, key, value, field);
    case TACO_KEY_BOOL:
        *(bool *)field = value ? json_is_true(value) : key->fallback != 0;
        return !value || json_is_boolean(value)
                   ? TACO_OK
                   : taco_config_fail(r, TACO_ERR_FORMAT, key->name,
                                      "must be true or false");
    case TACO_KEY_NAME:
        status = read_name(r, key, value, &index);
        memcpy(field, &index, sizeof index);
        return status;
    case TACO_KEY_EITHER:
        status = read_name(r, key, value, &index);
        *(bool *)field = index == 1;
        return status;
    }
    return TACO_OK;
}

static enum taco_status refuse_others(const struct taco_config_reader *r,
                                      const struct taco_config_key *keys,
                                      const json_t *object) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        const struct taco_config_key *key = keys;
        while (key->name && strcmp(key->name, name) != 0)
            key++;
        if (!key->name)
            return taco_config_fail(r, TACO_ERR_FORMAT, name,
                                    "is not a key that this version knows");
        if (key->applies && !key->applies(r->target))
            return taco_config_fail(
                r, TACO_ERR_FORMAT, name,
                "means nothing beside the other settings: leave it out");
    }
    return TACO_OK;
}

enum taco_status taco_config_read(const struct taco_config_reader *reader,
                                  const struct taco_config_key *keys,
                                  const json_t *object) {
    if (!json_is_object(object)) {
        size_t n = strlen(reader->prefix); /* "attention." names "attention" */
        char param[sizeof reader->err->param];
        snprintf(param, sizeof param, "%.*s", n ? (int)n - 1 : 40,
                 n ? reader->prefix : reader->section);
        return taco_error_set(reader->err, TACO_ERR_FORMAT, param,
                              "%s%s%s must be a JSON object", n ? reader->section : "",
                              n ? "." : "", param);
    }
    enum taco_status status = TACO_OK;
    for (const struct taco_config_key *key = keys; status == TACO_OK && key->name; key++)
        if (!key->applies || key->applies(reader->target))
            status = read_key(reader, key, json_object_get(object, key->name));
    return status == TACO_OK ? refuse_others(reader, keys, object) : status;
}

const char *taco_config_unknown_key(const json_t *object, const char *const *known) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, name, value) {
        const char *const *k = known;
        while (*k && strcmp(*k, name) != 0)
            k++;
        if (!*k)
            return name;
    }
    return NULL;
}
