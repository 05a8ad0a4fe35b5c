/* Answers: each function builds a response, queues it and gives it back, so that a
 * handler ends with return taco_reply_...(...). */
#ifndef TACO_SERVER_REPLY_H
#define TACO_SERVER_REPLY_H

#include <jansson.h>
#include <microhttpd.h>
#include <stddef.h>
#include <taco/status.h>

#include "http/exchange.h"

/* Queues response (NULL: there was no memory for it; the connection is closed), adding
 * what every answer carries, and takes ownership of it. */
enum MHD_Result taco_reply(struct taco_exchange *x, unsigned status,
                           struct MHD_Response *response, const char *media_type);

/* A response of bytes [size] that taco_free ends when it has been sent; takes ownership
 * even on failure. NULL: no memory. */
struct MHD_Response *taco_response_own(void *bytes, size_t size);
/* The same of bytes that stay. */
struct MHD_Response *taco_response_static(const void *bytes, size_t size);

/* Adds a header; one that does not fit or for which there is no memory is left out. */
void taco_response_header(struct MHD_Response *response, const char *name,
                          const char *format, ...) TACO_PRINTF(3, 4);

/* Plain text in UTF-8; takes the bytes. */
enum MHD_Result taco_reply_text(struct taco_exchange *x, unsigned status,
                                struct taco_bytes *text);

/* Takes ownership of root. */
enum MHD_Result taco_reply_json(struct taco_exchange *x, unsigned status, json_t *root);

/* {"code", "type", "message", "param"[, "offset"]} of an error; err may be NULL. NULL: no
 * memory. */
json_t *taco_error_json(int code, const struct taco_error *err);

/* What is wrong, with the HTTP status of the code, in the form of the route's errors;
 * {"error": {...}} where there is no route. err may be NULL. */
enum MHD_Result taco_reply_error(struct taco_exchange *x, int code,
                                 const struct taco_error *err);

/* The same with a header, or NULL, of the caller's choice. */
enum MHD_Result taco_reply_error_with(struct taco_exchange *x, int code,
                                      const struct taco_error *err, const char *header,
                                      const char *value);

/* 405 with Allow: x->methods. */
enum MHD_Result taco_reply_not_allowed(struct taco_exchange *x);

/* 308 to the path of --base-path with a / behind it. */
enum MHD_Result taco_reply_base_path(struct taco_exchange *x);

/* 204 with Allow: x->methods, to OPTIONS. */
enum MHD_Result taco_reply_options(struct taco_exchange *x);

#endif
