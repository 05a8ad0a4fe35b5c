/* Who may ask for what: the keys in force, which can be exchanged while the daemon serves,
 * and their check. Thread-safe. */
#ifndef TACO_SERVER_ACCESS_H
#define TACO_SERVER_ACCESS_H

#include <taco/status.h>

struct taco_access;
struct taco_exchange;
struct taco_options;

/* Reads the file of --keys; without one everybody may do everything. Statuses are those of
 * taco_keys_load. */
TACO_MUST_CHECK enum taco_status taco_access_open(struct taco_access **access,
                                                  const struct taco_options *options,
                                                  struct taco_error *err);
void taco_access_close(struct taco_access *access); /* NULL is allowed */

/* Reads the file again. On failure the keys of before stay in force. */
TACO_MUST_CHECK enum taco_status taco_access_reload(struct taco_access *access,
                                                    struct taco_error *err);

/* Whether the request may go on: the result is an error code, described in err. Called when the
 * headers and the route are known, before anything of the body is. Sets x->client and
 * x->key of whoever has a key. Open to all are health, the page's files, and OPTIONS, since
 * browsers send no key with it. */
TACO_MUST_CHECK int taco_access_check(struct taco_exchange *x, struct taco_error *err);

#endif
