#include "speech/request.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "http/media_type.h"
#include "http/urlencoded.h"

#define PLAIN "text/plain"
#define JSON "application/json"
#define FORM "application/x-www-form-urlencoded"

int taco_request_unknown(const char *name, struct taco_error *err) {
    return taco_error_code_set(err, TACO_CODE_UNKNOWN_PARAMETER, name,
                               "there is no parameter '%.64s' here", name);
}

int taco_request_set_native(void *user, const char *name, const struct taco_value *value,
                            struct taco_error *err) {
    const struct taco_native_fields *target = user;
    const struct taco_field *field = taco_field_find(name, strlen(name), target->use);
    return field ? taco_speech_set(target->speech, field, value, err)
                 : taco_request_unknown(name, err);
}

/* -- forms --------------------------------------------------------------------------- */

static int set_pair(void *user, const char *name, size_t name_length, const char *text,
                    size_t length, struct taco_error *err) {
    const struct taco_request_reader *reader = user;
    const struct taco_value value = taco_value_written(text, length);
    if (strlen(name) != name_length)
        return taco_request_unknown(name, err);
    return reader->set(reader->user, name, &value, err);
}

static int read_pairs(const struct taco_request_reader *reader, const char *bytes,
                      size_t size, struct taco_error *err) {
    struct taco_request_reader copy = *reader;
    return taco_urlencoded_read(bytes, size, set_pair, &copy, err);
}

int taco_request_read_query(const struct taco_request_reader *reader, const char *query,
                            struct taco_error *err) {
    return query ? read_pairs(reader, query, strlen(query), err) : 0;
}

/* curl -d 'E=mc2' sends text under the name of a form, and it looks like one. */
static int read_form(const struct taco_request_reader *reader, const char *body,
                     size_t size, struct taco_error *err) {
    int code = read_pairs(reader, body, size, err);
    if (code != TACO_CODE_UNKNOWN_PARAMETER || !err)
        return code;
    const struct taco_error unknown = *err;
    *err = (struct taco_error)TACO_ERROR_INIT; /* the first error would stay */
    return taco_error_code_set(err, TACO_CODE_UNKNOWN_PARAMETER, unknown.param,
                               "%s. To have this body spoken as text, send it with "
                               "Content-Type: text/plain",
                               unknown.message);
}

int taco_request_no_text(const struct taco_exchange *x, const char *name,
                         struct taco_error *err) {
    const char *header = taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE);
    struct taco_media_type type = taco_media_type_read(header ? header : "");
    bool form = strcmp(type.name, FORM) == 0 &&
                taco_urlencoded_looks_like(x->body.bytes, x->body.size);
    return taco_error_set(err, TACO_ERR_EMPTY_TEXT, name, "%s is missing%s", name,
                          form ? ": the body was read as a form. To have it spoken as "
                                 "text, send it with Content-Type: text/plain"
                               : "");
}

/* -- JSON ---------------------------------------------------------------------------- */

static int bad_json(const json_error_t *error, struct taco_error *err) {
    switch (json_error_code(error)) {
    case json_error_invalid_utf8:
        return taco_error_set_at(err, TACO_ERR_INVALID_UTF8, NULL, error->position,
                                 "the JSON is not UTF-8: %s", error->text);
    case json_error_duplicate_key:
        return taco_error_code_set(err, TACO_CODE_DUPLICATE_PARAMETER, NULL, "%s",
                                   error->text);
    case json_error_out_of_memory:
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the JSON");
    default:
        return taco_error_code_set(err, TACO_CODE_BAD_JSON, NULL,
                                   "the body is not JSON: line %d, column %d: %s",
                                   error->line, error->column, error->text);
    }
}

static int read_json(const struct taco_request_reader *reader, const char *body,
                     size_t size, struct taco_error *err) {
    json_error_t error;
    /* A NUL in the text is the engine's to refuse: it tells the position. */
    json_t *value,
        *root =
            json_loadb(body, size,
                       JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    const char *name;
    if (!root)
        return bad_json(&error, err);
    int code = 0;
    if (!json_is_object(root))
        code = taco_error_code_set(err, TACO_CODE_BAD_JSON, NULL,
                                   "the body must be a JSON object, {\"%s\": ...}",
                                   reader->text_name ? reader->text_name : "text");
    json_object_foreach(root, name, value) {
        const struct taco_value v = taco_value_json(value);
        code = reader->set(reader->user, name, &v, err);
        if (code)
            break;
    }
    json_decref(root);
    return code;
}

/* {" with white space around: no text begins so, but every JSON object with a member does.
 * {HH AH0} is a phone's notation. */
static bool looks_like_json(const char *body, size_t size) {
    size_t i = 0;
    while (i < size && strchr(" \t\r\n", body[i]) && body[i])
        i++;
    if (i == size || body[i++] != '{')
        return false;
    while (i < size && strchr(" \t\r\n", body[i]) && body[i])
        i++;
    return i < size && body[i] == '"';
}

/* -- the body ------------------------------------------------------------------------ */

static int check_charset(const struct taco_media_type *type, struct taco_error *err) {
    const char *charset = type->charset;
    if (!*charset || strcmp(charset, "utf-8") == 0 || strcmp(charset, "utf8") == 0 ||
        strcmp(charset, "us-ascii") == 0)
        return 0;
    return taco_error_code_set(err, TACO_CODE_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                               "charset %s is not supported: text must be UTF-8",
                               charset);
}

static int unsupported_type(const struct taco_request_reader *reader, const char *header,
                            struct taco_error *err) {
    return taco_error_code_set(err, TACO_CODE_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                               "the body must be %s, not '%.64s'",
                               reader->text_name ? PLAIN ", " JSON " or " FORM : JSON,
                               header ? header : "");
}

int taco_request_read_body(const struct taco_request_reader *reader,
                           const char *content_type, const char *body, size_t size,
                           struct taco_error *err) {
    const char *text_name = reader->text_name;
    struct taco_media_type type =
        taco_media_type_read(content_type ? content_type : reader->default_type);
    int code = check_charset(&type, err);
    if (code)
        return code;
    if (strcmp(type.name, JSON) == 0)
        return read_json(reader, body, size, err);
    bool form = strcmp(type.name, FORM) == 0;
    if (!text_name || (!form && strcmp(type.name, PLAIN) != 0))
        return unsupported_type(reader, content_type, err);
    if ((form || !content_type) && looks_like_json(body, size))
        return taco_error_code_set(err, TACO_CODE_UNSUPPORTED_MEDIA_TYPE, "Content-Type",
                                   "the body looks like JSON: send it with "
                                   "Content-Type: application/json");
    if (form && taco_urlencoded_looks_like(body, size))
        return read_form(reader, body, size, err);
    const struct taco_value text = taco_value_written(body, size);
    return reader->set(reader->user, text_name, &text, err);
}

int taco_request_read(const struct taco_request_reader *reader,
                      const struct taco_exchange *x, struct taco_error *err) {
    int code = taco_request_read_query(reader, x->query, err);
    if (code || strcmp(x->method, MHD_HTTP_METHOD_POST) != 0 ||
        (x->query && x->body.size == 0))
        return code;
    return taco_request_read_body(reader,
                                  taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE),
                                  x->body.bytes ? x->body.bytes : "", x->body.size, err);
}

int taco_request_read_native(const struct taco_exchange *x, struct taco_speech *speech,
                             unsigned use, struct taco_error *err) {
    struct taco_native_fields fields = {speech, use};
    const struct taco_request_reader reader = {"text", "text/plain",
                                               taco_request_set_native, &fields};
    int code = taco_request_read(&reader, x, err);
    if (!code && !speech->text)
        code = taco_error_set(err, TACO_ERR_EMPTY_TEXT, "text",
                              "text is missing: send it as the body or in 'text'");
    return code;
}
