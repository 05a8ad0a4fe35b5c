#include "speech/dialect.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "http/problem.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* One member of an object in written form. */
static int read_member(const char *name, const json_t *value, taco_urlencoded_pair pair,
                       void *user, struct taco_error *err) {
    const size_t n = strlen(name);
    char number[40];
    int length;
    switch (json_typeof(value)) {
    case JSON_NULL:
        return 0;
    case JSON_STRING:
        return pair(user, name, n, json_string_value(value), json_string_length(value),
                    err);
    case JSON_TRUE:
        return pair(user, name, n, "true", 4, err);
    case JSON_FALSE:
        return pair(user, name, n, "false", 5, err);
    case JSON_INTEGER:
        length =
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
        return pair(user, name, n, number, (size_t)length, err);
    case JSON_REAL:
        length = snprintf(number, sizeof number, "%.17g", json_real_value(value));
        return pair(user, name, n, number, (size_t)length, err);
    default:
        return taco_problem_set(err, TACO_PROBLEM_WRONG_TYPE, name,
                                "%.64s must be a string, a number or a boolean", name);
    }
}

static int read_json(const struct taco_bytes *body, taco_urlencoded_pair pair, void *user,
                     struct taco_error *err) {
    json_t *root, *value;
    const char *name;
    int problem = taco_request_read_object(body->bytes, body->size, &root, err);
    if (problem)
        return problem;
    json_object_foreach(root, name, value) {
        problem = read_member(name, value, pair, user, err);
        if (problem)
            break;
    }
    json_decref(root);
    return problem;
}

int taco_dialect_read(struct taco_exchange *x, const char *text_name,
                      const char *default_type, taco_urlencoded_pair pair, void *user,
                      struct taco_error *err) {
    const struct taco_bytes *body = &x->body;
    const char *header = taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE);
    char type[64];
    int problem =
        x->query ? taco_urlencoded_read(x->query, strlen(x->query), pair, user, err) : 0;
    if (problem || body->size == 0 || strcmp(x->method, MHD_HTTP_METHOD_POST) != 0)
        return problem;
    problem = taco_request_content_type(header ? header : default_type, type, err);
    if (problem)
        return problem;
    bool form = strcmp(type, "application/x-www-form-urlencoded") == 0;
    if (form && taco_urlencoded_looks_like(body->bytes, body->size))
        return taco_urlencoded_read(body->bytes, body->size, pair, user, err);
    if (form || strcmp(type, "text/plain") == 0)
        return pair(user, text_name, strlen(text_name), body->bytes, body->size, err);
    if (strcmp(type, "application/json") == 0)
        return read_json(body, pair, user, err);
    return taco_problem_set(err, TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                            "'%.64s' is not read here: text/plain, application/json and "
                            "application/x-www-form-urlencoded are",
                            header);
}

int taco_dialect_read_object(struct taco_exchange *x, json_t **root,
                             struct taco_error *err) {
    char type[64];
    int problem = taco_request_content_type(
        taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE), type, err);
    if (problem)
        return problem;
    if (strcmp(type, "application/json") != 0)
        return taco_problem_set(err, TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                                "the body must be application/json, not '%s'", type);
    return taco_request_read_object(x->body.bytes ? x->body.bytes : "", x->body.size,
                                    root, err);
}

bool taco_dialect_set(struct taco_speech_state *s, const char *name, const char *value,
                      size_t length, int *problem) {
    const struct taco_field *field =
        taco_field_find(name, strlen(name), TACO_FIELD_SPEECH);
    *problem = 0;
    if (!field)
        return false;
    if (!(s->speech.given >> (field - taco_fields) & 1))
        *problem = taco_speech_set(&s->speech, field, value, length, &s->err);
    return true;
}

void taco_dialect_choose_audio(struct taco_speech_state *s,
                               enum taco_audio_format format) {
    if (!s->speech.has_format)
        s->speech.audio.format = format;
    if (s->speech.events)
        s->packaging = TACO_PACKAGING_EVENTS;
}
