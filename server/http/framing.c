#include "http/framing.h"

#include <stdint.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"

/* libmicrohttpd 0.9 appends the second line of a folded header to the header's name, which it
 * copies for that, and says nothing. But it splits every other header in place, so a value
 * that does not follow its name in memory belongs to a folded header. */
static bool is_folded(const char *name, const char *value) {
    return value && (uintptr_t)value < (uintptr_t)name + strlen(name) + 1;
}

static enum MHD_Result read_header(void *user, enum MHD_ValueKind kind, const char *name,
                                   const char *value) {
    (void)kind;
    struct taco_framing *f = user;
    f->header_bytes += strlen(name) + (value ? strlen(value) : 0) + 4;
    f->has_blank = f->has_blank || strpbrk(name, " \t");
    f->has_folded = f->has_folded || is_folded(name, value);
    f->n_hosts += strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0;
    if (value && strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0) {
        f->has_two_lengths =
            f->has_two_lengths || (f->length && strcmp(f->length, value) != 0);
        f->length = value;
    }
    if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0) {
        f->is_unknown_coding = f->is_unknown_coding || f->is_chunked || !value ||
                               strcasecmp(value, "chunked") != 0;
        f->is_chunked = true;
    }
    if (strcasecmp(name, MHD_HTTP_HEADER_CONTENT_ENCODING) == 0 && value && *value &&
        strcasecmp(value, "identity") != 0)
        f->coding = value;
    return MHD_YES;
}

struct taco_framing taco_framing_read(struct MHD_Connection *connection) {
    struct taco_framing framing = {0};
    MHD_get_connection_values(connection, MHD_HEADER_KIND, read_header, &framing);
    return framing;
}

enum taco_status taco_framing_check(const struct taco_framing *f, const char *version,
                                    struct taco_error *err) {
    const char *header = NULL, *fault = NULL;
    if (f->has_folded)
        fault = "a header is continued on a second line";
    else if (f->has_blank)
        fault = "the name of a header contains white space";
    else if (f->has_two_lengths || (f->is_chunked && f->length)) {
        header = MHD_HTTP_HEADER_CONTENT_LENGTH;
        fault = "the length of the body is given in two ways";
    } else if (f->is_unknown_coding) { /* MHD would wait for the end of the connection */
        header = MHD_HTTP_HEADER_TRANSFER_ENCODING;
        fault = "the only Transfer-Encoding supported is chunked";
    } else if (f->n_hosts > 1 || (f->n_hosts == 0 && strcmp(version, "HTTP/1.0") != 0)) {
        header = MHD_HTTP_HEADER_HOST;
        fault = "expected exactly one Host header";
    }
    return fault ? taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, header, "%s", fault)
                 : TACO_OK;
}
