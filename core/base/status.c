/* Names of the status codes, and the library's version. */
#include <taco/status.h>

const char *taco_status_name(enum taco_status status) {
    switch (status) {
    case TACO_OK:
        return "ok";
    case TACO_ERR_INVALID_ARGUMENT:
        return "invalid_argument";
    case TACO_ERR_EMPTY_TEXT:
        return "empty_text";
    case TACO_ERR_NOTHING_TO_SPEAK:
        return "nothing_to_speak";
    case TACO_ERR_INVALID_UTF8:
        return "invalid_utf8";
    case TACO_ERR_TEXT_TOO_LONG:
        return "text_too_long";
    case TACO_ERR_UNKNOWN_PHONE:
        return "unknown_phone";
    case TACO_ERR_NOT_FOUND:
        return "not_found";
    case TACO_ERR_IO:
        return "io";
    case TACO_ERR_FORMAT:
        return "format";
    case TACO_ERR_VERSION:
        return "version";
    case TACO_ERR_SHAPE:
        return "shape";
    case TACO_ERR_UNSUPPORTED:
        return "unsupported";
    case TACO_ERR_NO_MEMORY:
        return "no_memory";
    case TACO_ERR_BUSY:
        return "busy";
    case TACO_ERR_CANCELLED:
        return "cancelled";
    case TACO_ERR_TIMEOUT:
        return "timeout";
    case TACO_ERR_ALIGNMENT:
        return "alignment";
    case TACO_ERR_INTERNAL:
        return "internal";
    }
    return "unknown";
}

const char *taco_version(void) {
    return TACO_VERSION_STRING;
}
