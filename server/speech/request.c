#include "speech/request.h"

#include <string.h>

#include "base/error.h"
#include "http/media_type.h"
#include "http/problem.h"
#include "http/urlencoded.h"

static int unknown_parameter(const char *name, struct taco_error *err) {
    return taco_problem_set(err, TACO_PROBLEM_UNKNOWN_PARAMETER, name,
                            "there is no parameter '%.64s' here", name);
}

struct target {
    struct taco_speech *speech;
    unsigned use;
};

static int set_pair(void *user, const char *name, size_t name_length, const char *value,
                    size_t value_length, struct taco_error *err) {
    struct target *target = user;
    const struct taco_field *field = taco_field_find(name, name_length, target->use);
    if (!field)
        return unknown_parameter(name, err);
    return taco_speech_set(target->speech, field, value, value_length, err);
}

int taco_request_read_query(struct taco_speech *speech, unsigned use, const char *query,
                            struct taco_error *err) {
    struct target target = {speech, use};
    return query ? taco_urlencoded_read(query, strlen(query), set_pair, &target, err) : 0;
}

static int read_text(struct taco_speech *speech, const char *body, size_t size,
                     struct taco_error *err) {
    if (size == 0 && speech->text)
        return 0; /* the query has it */
    return taco_speech_set(speech, &taco_fields[0], body, size, err);
}

static int bad_json(const json_error_t *error, struct taco_error *err) {
    switch (json_error_code(error)) {
    case json_error_invalid_utf8:
        return taco_error_set_at(err, TACO_ERR_INVALID_UTF8, NULL, error->position,
                                 "the JSON is not UTF-8: %s", error->text);
    case json_error_duplicate_key:
        return taco_problem_set(err, TACO_PROBLEM_DUPLICATE_PARAMETER, NULL, "%s",
                                error->text);
    case json_error_out_of_memory:
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the JSON");
    default:
        return taco_problem_set(err, TACO_PROBLEM_BAD_JSON, NULL,
                                "the body is not JSON: line %d, column %d: %s",
                                error->line, error->column, error->text);
    }
}

int taco_request_read_object(const char *body, size_t size, json_t **root,
                             struct taco_error *err) {
    json_error_t error;
    /* A NUL in the text is the engine's to refuse, with its place. */
    *root = json_loadb(body, size,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    if (!*root)
        return bad_json(&error, err);
    if (json_is_object(*root))
        return 0;
    json_decref(*root);
    *root = NULL;
    return taco_problem_set(err, TACO_PROBLEM_BAD_JSON, NULL,
                            "the body must be a JSON object, {\"text\": ...}");
}

static int read_json(struct taco_speech *speech, unsigned use, const char *body,
                     size_t size, struct taco_error *err) {
    json_t *root, *value;
    const char *key;
    int problem = taco_request_read_object(body, size, &root, err);
    if (problem)
        return problem;
    json_object_foreach(root, key, value) {
        const struct taco_field *field = taco_field_find(key, strlen(key), use);
        problem = field ? taco_speech_set_json(speech, field, value, err)
                        : unknown_parameter(key, err);
        if (problem)
            break;
    }
    json_decref(root);
    return problem;
}

int taco_request_content_type(const char *header, char *name, struct taco_error *err) {
    struct taco_media_type type = taco_media_type_read(header ? header : "");
    memcpy(name, type.name, sizeof type.name);
    if (type.charset[0] && strcmp(type.charset, "utf-8") != 0 &&
        strcmp(type.charset, "utf8") != 0 && strcmp(type.charset, "us-ascii") != 0)
        return taco_problem_set(err, TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                                "charset %s is not read here: text is UTF-8",
                                type.charset);
    return 0;
}

int taco_request_read_body(struct taco_speech *speech, unsigned use,
                           const char *content_type, const char *body, size_t size,
                           struct taco_error *err) {
    char type[64];
    int problem =
        taco_request_content_type(content_type ? content_type : "text/plain", type, err);
    if (problem)
        return problem;
    if (strcmp(type, "text/plain") == 0)
        return read_text(speech, body, size, err);
    if (strcmp(type, "application/json") == 0)
        return size || !speech->text ? read_json(speech, use, body, size, err) : 0;
    if (strcmp(type, "application/x-www-form-urlencoded") == 0) {
        if (!taco_urlencoded_looks_like(body, size))
            return read_text(speech, body, size, err);
        struct target target = {speech, use};
        return taco_urlencoded_read(body, size, set_pair, &target, err);
    }
    return taco_problem_set(err, TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                            "'%.64s' is not read here: text/plain, application/json and "
                            "application/x-www-form-urlencoded are",
                            content_type ? content_type : "");
}
