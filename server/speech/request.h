/* Reads a request over HTTP, bytes to struct taco_speech; JSON and forms stop here. */
#ifndef TACO_SERVER_REQUEST_H
#define TACO_SERVER_REQUEST_H

#include <jansson.h>
#include <stddef.h>
#include <taco/status.h>

#include "speech/speech.h"

/* Reads the query of a URI ("text=Hello&seed=7", NULL: none) into the fields that may
 * stand in that use. The result is a problem; err->param names the field. */
TACO_MUST_CHECK int taco_request_read_query(struct taco_speech *speech, unsigned use,
                                            const char *query, struct taco_error *err);

/* Reads a body [size] of the type that the Content-Type header (NULL: text/plain) names:
 * text/plain is the text; application/json an object of fields; and
 * application/x-www-form-urlencoded a form, or plain text if it does not look like one.
 * Fields that the query has set must not come again. */
TACO_MUST_CHECK int taco_request_read_body(struct taco_speech *speech, unsigned use,
                                           const char *content_type, const char *body,
                                           size_t size, struct taco_error *err);

/* Reads a body that must be one JSON object; *root is the caller's to give back. */
TACO_MUST_CHECK int taco_request_read_object(const char *body, size_t size, json_t **root,
                                             struct taco_error *err);

/* Whether the header (NULL: none, which is yes) says UTF-8 or nothing else:
 * TACO_PROBLEM_UNSUPPORTED_MEDIA_TYPE. The type's name [64] goes to name, "" without a
 * header. */
TACO_MUST_CHECK int taco_request_content_type(const char *header, char *name,
                                              struct taco_error *err);

#endif
