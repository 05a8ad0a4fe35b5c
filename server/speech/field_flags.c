#include "speech/field_flags.h"

#include <string.h>

static const struct taco_field *field_at(const struct taco_field_flags *fields,
                                         size_t i) {
    for (const struct taco_field *f = taco_fields; f->name; f++)
        if ((f->uses & fields->use) && i-- == 0)
            return f;
    return NULL;
}

static bool at(const void *user, size_t i, const char **name, const char **metavar) {
    const struct taco_field *field = field_at(user, i);
    if (!field)
        return false;
    *name = field->name;
    *metavar = field->metavar;
    return true;
}

static void describe(const void *user, size_t i, char *out, size_t size) {
    taco_field_describe(field_at(user, i), out, size);
}

static enum taco_status set(void *user, size_t i, const char *value,
                            struct taco_error *err) {
    struct taco_field_flags *fields = user;
    const struct taco_value written = taco_value_written(value, strlen(value));
    return taco_speech_set(fields->speech, field_at(fields, i), &written, err)
               ? TACO_ERR_INVALID_ARGUMENT
               : TACO_OK;
}

struct taco_more_flags taco_field_flags(struct taco_field_flags *fields) {
    return (struct taco_more_flags){
        .user = fields, .at = at, .describe = describe, .set = set};
}
