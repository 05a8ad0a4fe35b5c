/* Content-Type and Accept. */
#ifndef TACO_SERVER_MEDIA_TYPE_H
#define TACO_SERVER_MEDIA_TYPE_H

#include <stdbool.h>

struct taco_media_type {
    char name[64];    /* "text/plain", lower case; "" if the header is none */
    char charset[24]; /* lower case; "" if absent */
};

/* Reads a Content-Type (RFC 9110, 8.3). What is no media type gives an empty name. */
struct taco_media_type taco_media_type_read(const char *header);

/* How much the Accept header (RFC 9110, 12.5.1) wants the type "audio/wav", in
 * thousandths: the q of the most specific range that matches, 0 if none does. A NULL or
 * empty header wants everything, 1000. Parameters other than q are ignored, and so are
 * ranges that are malformed. */
int taco_accept_quality(const char *header, const char *type);

/* The same for a range that names the type itself; 0 if none does. */
int taco_accept_names(const char *header, const char *type);

#endif
