#include "http/error_code.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"

static const struct taco_error_code_info table[] = {
    {TACO_ERR_INTERNAL, 500, "internal",
     "a defect of the server"}, /* the first is the answer to unknown numbers */
    {TACO_ERR_INVALID_ARGUMENT, 400, "invalid_argument",
     "a parameter has a value that it cannot have"},
    {TACO_ERR_EMPTY_TEXT, 400, "empty_text", "there is no text"},
    {TACO_ERR_NOTHING_TO_SPEAK, 400, "nothing_to_speak", "the text has no word"},
    {TACO_ERR_INVALID_UTF8, 400, "invalid_utf8", "the text is not UTF-8"},
    {TACO_ERR_TEXT_TOO_LONG, 413, "text_too_long", "the text is too long"},
    {TACO_ERR_UNKNOWN_PHONE, 400, "unknown_phone", "the voice has no such phone"},
    {TACO_ERR_UNSUPPORTED, 400, "unsupported", "this build cannot do that"},
    {TACO_ERR_ALIGNMENT, 422, "alignment_failed",
     "the attention failed on every attempt"},
    {TACO_ERR_BUSY, 503, "busy", "the queue is full: try again later"},
    {TACO_ERR_CANCELLED, 503, "cancelled", "the request was cancelled"},
    {TACO_ERR_NO_MEMORY, 503, "no_memory", "there is no memory for that"},
    {TACO_ERR_TIMEOUT, 504, "timeout", "the request took too long"},
    {TACO_CODE_BAD_JSON, 400, "bad_json", "the body is not a JSON object"},
    {TACO_CODE_BAD_ENCODING, 400, "bad_encoding", "a percent-encoding is broken"},
    {TACO_CODE_WRONG_TYPE, 400, "wrong_type", "a parameter has the wrong type"},
    {TACO_CODE_UNKNOWN_PARAMETER, 400, "unknown_parameter", "there is no such parameter"},
    {TACO_CODE_DUPLICATE_PARAMETER, 400, "duplicate_parameter",
     "a parameter is given more than once"},
    {TACO_CODE_UNKNOWN_VOICE, 400, "unknown_voice", "there is no such voice"},
    {TACO_CODE_UNKNOWN_SPEAKER, 400, "unknown_speaker", "the voice has no such speaker"},
    {TACO_CODE_UNKNOWN_ATTENTION, 400, "unknown_attention",
     "the voice has no such attention"},
    {TACO_CODE_UNAUTHORIZED, 401, "unauthorized", "an API key is needed"},
    {TACO_CODE_HOST_NOT_ALLOWED, 403, "host_not_allowed", "the host name is not allowed"},
    {TACO_CODE_CROSS_SITE, 403, "cross_site",
     "requests from web pages of other sites are refused"},
    {TACO_CODE_UNKNOWN_MODEL, 404, "model_not_found", "there is no such model"},
    {TACO_CODE_NOT_FOUND, 404, "not_found", "there is no such path"},
    {TACO_CODE_METHOD_NOT_ALLOWED, 405, "method_not_allowed",
     "the path has no such method"},
    {TACO_CODE_NOT_ACCEPTABLE, 406, "not_acceptable",
     "nothing that Accept names can be made"},
    {TACO_CODE_NOT_READY, 409, "not_ready", "the speech of this id is still being made"},
    {TACO_CODE_GONE, 410, "gone", "the result of this id has been forgotten"},
    {TACO_CODE_BODY_TOO_LARGE, 413, "body_too_large", "the body is too long"},
    {TACO_CODE_URI_TOO_LONG, 414, "uri_too_long", "the URI is too long"},
    {TACO_CODE_UNSUPPORTED_MEDIA_TYPE, 415, "unsupported_media_type",
     "the body has a type that is not read here"},
    {TACO_CODE_RANGE, 416, "range_not_satisfiable",
     "no byte of the answer is in the range"},
    {TACO_CODE_HEADERS_TOO_LARGE, 431, "headers_too_large", "the headers are too long"},
    {TACO_CODE_CLIENT_CLOSED, 499, "client_closed",
     "the client has closed the connection, or its sending side for too long"},
    {TACO_CODE_SHUTTING_DOWN, 503, "shutting_down", "the server is about to end"},
};

size_t taco_error_code_count(void) {
    return sizeof table / sizeof *table;
}

const struct taco_error_code_info *taco_error_code_at(size_t i) {
    return &table[i];
}

size_t taco_error_code_index(int code) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].code == code)
            return i;
    return 0;
}

const struct taco_error_code_info *taco_error_code_info(int code) {
    return &table[taco_error_code_index(code)];
}

const char *taco_error_code_type(int code) {
    unsigned status = taco_error_code_info(code)->http_status;
    return status >= 500   ? "server_error"
           : status == 401 ? "authentication_error"
           : status == 429 ? "rate_limit_error"
                           : "invalid_request_error";
}

int taco_error_code_set(struct taco_error *err, enum taco_error_code code,
                        const char *param, const char *format, ...) {
    char message[sizeof err->message];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    (void)taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, param, "%s", message);
    return code;
}
