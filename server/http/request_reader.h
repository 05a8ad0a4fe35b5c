/* The request reader: reads a request's headers and body within the limits and passes the
 * complete request to its handler. Refused requests are answered here. */
#ifndef TACO_SERVER_REQUEST_READER_H
#define TACO_SERVER_REQUEST_READER_H

#include <microhttpd.h>
#include <stddef.h>

struct taco_exchange;

/* MHD's access handler for the exchange, on MHD's thread. It is called with the headers, with
 * each piece bytes [*size] of the body, with *size 0 at the end, and again when a suspended
 * connection has been resumed. version is "HTTP/1.1". MHD_NO closes the connection. */
enum MHD_Result taco_exchange_read(struct taco_exchange *x, const char *method,
                                   const char *version, const char *bytes, size_t *size);

#endif
