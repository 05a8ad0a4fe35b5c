/* A request on its way in: its headers and body are read within the limits, and when all of it
 * is there it goes to its handler. What is refused is answered here. */
#ifndef TACO_SERVER_INTAKE_H
#define TACO_SERVER_INTAKE_H

#include <microhttpd.h>
#include <stddef.h>

struct taco_exchange;

/* MHD's access handler for the exchange, on MHD's thread: called with the headers, with each
 * piece bytes [*size] of the body, which is read or dropped whole, with *size 0 at the end, and
 * again when a suspended connection has been resumed. MHD_NO: the connection is closed. */
enum MHD_Result taco_intake(struct taco_exchange *x, const char *method,
                            const char *bytes, size_t *size);

#endif
