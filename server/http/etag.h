/* Entity tags: names of bytes. RFC 9110, section 8.8.3. */
#ifndef TACO_SERVER_ETAG_H
#define TACO_SERVER_ETAG_H

#include <stdbool.h>
#include <stddef.h>

#define TACO_ETAG_SIZE 48 /* bytes, with quotes and NUL */

/* A strong tag, in quotes: equal bytes have equal tags, whenever and however they were made. */
void taco_etag_of(const void *bytes, size_t size, char etag[TACO_ETAG_SIZE]);

/* Whether the tag is among those of If-None-Match (weak comparison), or the list is "*". */
bool taco_etag_is_in(const char *list, const char *etag);

#endif
