/* If-None-Match, If-Range and Range: which bytes of a finished answer a request gets.
 * RFC 9110, sections 13 and 14. */
#ifndef TACO_SERVER_CONDITIONAL_H
#define TACO_SERVER_CONDITIONAL_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>

#include "http/exchange.h"

/* What a request gets of bytes [total]. */
struct taco_part {
    unsigned status;    /* 200, 206, 304 or 416 */
    size_t first, size; /* bytes of the body */
    size_t total;
};

/* Applies a Range header: status 206 and the range; 416 if it lies outside; 200 and all if
 * it is no range of bytes, or more than one. range NULL: all. */
struct taco_part taco_range_apply(const char *range, size_t total);

/* The same with all headers of the request. Only GET has conditions and ranges, HEAD has
 * conditions; ranges false: the same request would not get the same bytes again, so that
 * parts of them are of no use. */
struct taco_part taco_part_select(const struct taco_exchange *x, const char *etag,
                                  size_t total, bool ranges);

/* The response for a part (not of 416), with its headers, of bytes, which free_bytes(user)
 * gives back when it has been sent; that is done even on failure. NULL: no memory. */
struct MHD_Response *taco_part_response(struct taco_exchange *x,
                                        const struct taco_part *part, const char *etag,
                                        bool ranges, void *bytes,
                                        void (*free_bytes)(void *user), void *user);

/* 416 with Content-Range: bytes * / total. */
enum MHD_Result taco_part_refuse(struct taco_exchange *x, const struct taco_part *part);

#endif
