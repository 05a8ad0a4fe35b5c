#include "http/reply.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/base_path.h"
#include "http/cors.h"
#include "http/error_code.h"
#include "http/routes.h"

enum MHD_Result taco_reply(struct taco_exchange *x, unsigned status,
                           struct MHD_Response *response, const char *media_type) {
    if (!response)
        return MHD_NO;
    if (media_type && status != MHD_HTTP_NOT_MODIFIED)
        taco_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, "%s", media_type);
    taco_response_header(response, MHD_HTTP_HEADER_SERVER, "tacod/%s", taco_version());
    taco_response_header(response, "X-Request-Id", "%s", x->record.request_id);
    taco_response_header(response, "X-Content-Type-Options", "nosniff");
    if (!MHD_get_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL))
        taco_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, "no-store");
    taco_cors_headers(x, response);
    if (x->is_last || atomic_load(&x->server->draining))
        taco_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
    if (x->head)
        atomic_store(&x->n_sent, 0); /* MHD leaves the body out */
    enum MHD_Result queued = MHD_queue_response(x->connection, status, response);
    if (queued == MHD_YES)
        x->status = status;
    MHD_destroy_response(response);
    return queued;
}

struct MHD_Response *taco_response_own(void *bytes, size_t size) {
    struct MHD_Response *response =
        MHD_create_response_from_buffer_with_free_callback(size, bytes, taco_free);
    if (!response)
        taco_free(bytes);
    return response;
}

struct MHD_Response *taco_response_static(const void *bytes, size_t size) {
    /* MHD only reads it. */
    return MHD_create_response_from_buffer(size, (void *)(uintptr_t)bytes,
                                           MHD_RESPMEM_PERSISTENT);
}

void taco_response_header(struct MHD_Response *response, const char *name,
                          const char *format, ...) {
    char value[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(value, sizeof value, format, args);
    va_end(args);
    if (n >= 0 && (size_t)n < sizeof value)
        (void)MHD_add_response_header(response, name, value);
}

static enum MHD_Result reply_json(struct taco_exchange *x, unsigned status, json_t *root,
                                  const char *header, const char *value) {
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    struct MHD_Response *response = text ? taco_response_own(text, strlen(text)) : NULL;
    if (response && header)
        taco_response_header(response, header, "%s", value);
    if (response)
        atomic_store(&x->n_sent, strlen(text));
    return taco_reply(x, status, response, "application/json");
}

enum MHD_Result taco_reply_json(struct taco_exchange *x, unsigned status, json_t *root) {
    return reply_json(x, status, root, NULL, NULL);
}

json_t *taco_error_json(int code, const struct taco_error *err) {
    const struct taco_error_code_info *info = taco_error_code_info(code);
    bool told = err && err->status != TACO_OK;
    const char *message = told ? err->message : info->message;
    json_t *error = json_pack("{s:s, s:s, s:s, s:s?}", "code", info->name, "type",
                              taco_error_code_type(code), "message", message, "param",
                              told && *err->param ? err->param : NULL);
    if (error && told && err->offset >= 0)
        json_object_set_new(error, "offset", json_integer(err->offset));
    return error;
}

static json_t *error_body(const struct taco_exchange *x, int code,
                          const struct taco_error *err) {
    json_t *error = taco_error_json(code, err);
    if (!error || !x->route || x->route->errors != TACO_ERRORS_DETAIL)
        return error ? json_pack("{s:o}", "error", error) : NULL;
    json_t *detail =
        json_pack("{s:{s:O, s:O}}", "detail", "status", json_object_get(error, "code"),
                  "message", json_object_get(error, "message"));
    json_decref(error);
    return detail;
}

static enum MHD_Result reply_text(struct taco_exchange *x, unsigned status,
                                  struct taco_bytes *text, const char *header,
                                  const char *value) {
    atomic_store(&x->n_sent, text->size);
    struct MHD_Response *response = taco_response_own(text->bytes, text->size);
    *text = (struct taco_bytes){NULL, 0, 0};
    if (response && header)
        taco_response_header(response, header, "%s", value);
    return taco_reply(x, status, response, "text/plain; charset=utf-8");
}

enum MHD_Result taco_reply_text(struct taco_exchange *x, unsigned status,
                                struct taco_bytes *text) {
    return reply_text(x, status, text, NULL, NULL);
}

/* One line. */
static enum MHD_Result reply_error_text(struct taco_exchange *x, int code,
                                        const struct taco_error *err, const char *header,
                                        const char *value) {
    const struct taco_error_code_info *info = taco_error_code_info(code);
    struct taco_bytes line = {NULL, 0, 0};
    if (!taco_bytes_printf(&line, "%s\n",
                           err && err->status ? err->message : info->message))
        return MHD_NO;
    return reply_text(x, info->http_status, &line, header, value);
}

enum MHD_Result taco_reply_error_with(struct taco_exchange *x, int code,
                                      const struct taco_error *err, const char *header,
                                      const char *value) {
    const struct taco_error_code_info *info = taco_error_code_info(code);
    taco_request_log_error(x, code);
    if (info->http_status >= 500 && info->http_status != 503)
        taco_log(TACO_LOG_ERROR, "%s %s request_id=%s%s%s", x->path ? x->path : "-",
                 info->name, x->record.request_id, err && err->status ? ": " : "",
                 err && err->status ? err->message : "");
    if (x->route && x->route->errors == TACO_ERRORS_TEXT)
        return reply_error_text(x, code, err, header, value);
    return reply_json(x, info->http_status, error_body(x, code, err), header, value);
}

enum MHD_Result taco_reply_error(struct taco_exchange *x, int code,
                                 const struct taco_error *err) {
    const char *header = NULL, *value = NULL;
    if (taco_error_code_info(code)->http_status == 503 || code == TACO_CODE_NOT_READY) {
        header = MHD_HTTP_HEADER_RETRY_AFTER;
        value = "1";
    } else if (code == TACO_CODE_UNAUTHORIZED) {
        header = MHD_HTTP_HEADER_WWW_AUTHENTICATE;
        value = "Bearer realm=\"tacod\"";
    }
    return taco_reply_error_with(x, code, err, header, value);
}

enum MHD_Result taco_reply_not_allowed(struct taco_exchange *x) {
    struct taco_error err = TACO_ERROR_INIT;
    int code =
        taco_error_code_set(&err, TACO_CODE_METHOD_NOT_ALLOWED, NULL,
                            "%.32s is not allowed here: %s are", x->method, x->methods);
    taco_request_log_error(x, code);
    return reply_json(x, taco_error_code_info(code)->http_status,
                      error_body(x, code, &err), MHD_HTTP_HEADER_ALLOW, x->methods);
}

enum MHD_Result taco_reply_base_path(struct taco_exchange *x) {
    struct MHD_Response *response = taco_response_static("", 0);
    if (response)
        taco_response_header(response, MHD_HTTP_HEADER_LOCATION, "%s/",
                             taco_base_path(x->server->options));
    return taco_reply(x, MHD_HTTP_PERMANENT_REDIRECT, response, NULL);
}

enum MHD_Result taco_reply_options(struct taco_exchange *x) {
    struct MHD_Response *response = taco_response_static("", 0);
    if (response) {
        taco_response_header(response, MHD_HTTP_HEADER_ALLOW, "%s", x->methods);
        taco_cors_preflight(x, response);
    }
    return taco_reply(x, MHD_HTTP_NO_CONTENT, response, NULL);
}
