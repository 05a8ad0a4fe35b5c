/* Cross-origin requests (https://fetch.spec.whatwg.org/#http-cors-protocol): which pages of
 * other sites may read our answers. No page may unless --cors-origin names its origin. */
#ifndef TACO_SERVER_CORS_H
#define TACO_SERVER_CORS_H

#include <microhttpd.h>
#include <stdbool.h>
#include <taco/status.h>

struct taco_exchange;
struct taco_options;

/* Whether every --cors-origin is * or an origin as browsers write it. */
TACO_MUST_CHECK enum taco_status taco_cors_check(const struct taco_options *options,
                                                 struct taco_error *err);

/* Whether --cors-origin names the origin that the request comes from. */
bool taco_cors_allows(const struct taco_exchange *x);

/* Adds to any answer what lets the page read it, if it may. */
void taco_cors_headers(const struct taco_exchange *x, struct MHD_Response *response);

/* Adds to the answer of OPTIONS what x->methods and headers the page may use, if it asks. */
void taco_cors_preflight(const struct taco_exchange *x, struct MHD_Response *response);

#endif
