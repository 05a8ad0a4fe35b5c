#include "http/conditional.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "http/error_code.h"
#include "http/etag.h"
#include "http/reply.h"

static const char *skip(const char *c, const char *signs) {
    return c + strspn(c, signs);
}

/* Reads digits; *number is cut at SIZE_MAX. False: there are none. */
static bool read_number(const char **c, size_t *number) {
    if (!isdigit((unsigned char)**c))
        return false;
    *number = 0;
    for (; isdigit((unsigned char)**c); (*c)++) {
        size_t digit = (size_t)(**c - '0');
        *number = *number > (SIZE_MAX - digit) / 10 ? SIZE_MAX : *number * 10 + digit;
    }
    return true;
}

struct taco_part taco_range_apply(const char *range, size_t total) {
    const struct taco_part all = {MHD_HTTP_OK, 0, total, total};
    const struct taco_part none = {MHD_HTTP_RANGE_NOT_SATISFIABLE, 0, 0, total};
    if (!range || strncasecmp(range, "bytes=", 6) != 0)
        return all;
    const char *c = skip(range + 6, " \t");
    size_t first = 0, last = SIZE_MAX;
    bool has_first = read_number(&c, &first);
    if (*c++ != '-')
        return all;
    bool has_last = read_number(&c, &last);
    if (*skip(c, " \t") || (!has_first && !has_last) || last < first)
        return all;
    if (!has_first) { /* the last bytes */
        size_t size = last < total ? last : total;
        return size == 0 ? none
                         : (struct taco_part){MHD_HTTP_PARTIAL_CONTENT, total - size,
                                              size, total};
    }
    if (first >= total)
        return none;
    last = last < total ? last : total - 1;
    return (struct taco_part){MHD_HTTP_PARTIAL_CONTENT, first, last - first + 1, total};
}

struct taco_part taco_part_select(const struct taco_exchange *x, const char *etag,
                                  size_t total, bool ranges) {
    const struct taco_part all = {MHD_HTTP_OK, 0, total, total};
    if (strcmp(x->method, MHD_HTTP_METHOD_GET) != 0)
        return all;
    const char *known = taco_exchange_header(x, MHD_HTTP_HEADER_IF_NONE_MATCH);
    if (known && taco_etag_is_in(known, etag))
        return (struct taco_part){MHD_HTTP_NOT_MODIFIED, 0, 0, total};
    /* A tag only: we give no dates that a client could have from us. */
    const char *unchanged = taco_exchange_header(x, MHD_HTTP_HEADER_IF_RANGE);
    if (!ranges || x->head || (unchanged && strcmp(unchanged, etag) != 0))
        return all;
    return taco_range_apply(taco_exchange_header(x, MHD_HTTP_HEADER_RANGE), total);
}

struct MHD_Response *taco_part_response(struct taco_exchange *x,
                                        const struct taco_part *part, const char *etag,
                                        bool ranges, void *bytes,
                                        void (*free_bytes)(void *user), void *user) {
    struct MHD_Response *response;
    if (part->size == 0) {
        free_bytes(user);
        response = taco_response_static("", 0);
    } else {
        response = MHD_create_response_from_buffer_with_free_callback_cls(
            part->size, (char *)bytes + part->first, free_bytes, user);
        if (!response)
            free_bytes(user);
    }
    if (!response)
        return NULL;
    atomic_store(&x->n_sent, part->size);
    taco_response_header(response, MHD_HTTP_HEADER_ETAG, "%s", etag);
    if (ranges) {
        taco_response_header(response, MHD_HTTP_HEADER_ACCEPT_RANGES, "bytes");
        taco_response_header(response, MHD_HTTP_HEADER_VARY, "Accept");
        /* It may be kept, and we are asked each time whether it is still there. */
        taco_response_header(response, MHD_HTTP_HEADER_CACHE_CONTROL,
                             "private, no-cache");
    }
    if (part->status == MHD_HTTP_PARTIAL_CONTENT)
        taco_response_header(response, MHD_HTTP_HEADER_CONTENT_RANGE, "bytes %zu-%zu/%zu",
                             part->first, part->first + part->size - 1, part->total);
    return response;
}

enum MHD_Result taco_part_refuse(struct taco_exchange *x, const struct taco_part *part) {
    char range[40];
    snprintf(range, sizeof range, "bytes */%zu", part->total);
    struct taco_error err = TACO_ERROR_INIT;
    int code = taco_error_code_set(
        &err, TACO_CODE_RANGE, MHD_HTTP_HEADER_RANGE,
        "there are %zu bytes, and none of them is in the range", part->total);
    return taco_reply_error_with(x, code, &err, MHD_HTTP_HEADER_CONTENT_RANGE, range);
}
