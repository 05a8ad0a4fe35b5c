#include "speech/value.h"

#include <string.h>

#include "config/number.h"

struct taco_value taco_value_written(const char *text, size_t length) {
    return (struct taco_value){.text = text, .length = length};
}

struct taco_value taco_value_json(const json_t *json) {
    return (struct taco_value){.json = json};
}

bool taco_value_is_null(const struct taco_value *value) {
    return value->json && json_is_null(value->json);
}

static bool is_written_word(const struct taco_value *value) {
    return value->text && strlen(value->text) == value->length;
}

bool taco_value_integer(const struct taco_value *value, int64_t *out) {
    if (!value->json)
        return is_written_word(value) && taco_parse_integer(value->text, out);
    *out = json_integer_value(value->json);
    return json_is_integer(value->json);
}

bool taco_value_number(const struct taco_value *value, double *out) {
    if (!value->json)
        return is_written_word(value) && taco_parse_number(value->text, out);
    *out = json_number_value(value->json);
    return json_is_number(value->json);
}

bool taco_value_boolean(const struct taco_value *value, bool *out) {
    if (!value->json)
        return is_written_word(value) && taco_parse_boolean(value->text, out);
    *out = json_is_true(value->json);
    return json_is_boolean(value->json);
}

bool taco_value_string(const struct taco_value *value, const char **text,
                       size_t *length) {
    *text = value->json ? json_string_value(value->json) : value->text;
    *length = value->json ? json_string_length(value->json) : value->length;
    return *text != NULL;
}

bool taco_value_word(const struct taco_value *value, const char **word) {
    size_t length;
    return taco_value_string(value, word, &length) && strlen(*word) == length;
}
