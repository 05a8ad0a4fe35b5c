/* Life behind a prefix, --base-path /tts: a path below the prefix means what follows it, and
 * other paths mean what they are, so that it does not matter whether the proxy before us
 * takes the prefix off. Addresses in answers have the prefix. */
#ifndef TACO_SERVER_BASE_PATH_H
#define TACO_SERVER_BASE_PATH_H

#include <stdbool.h>
#include <taco/status.h>

struct taco_options;

/* Whether --base-path, if given, can be one: "/tts" or "/house/tts", and not the beginning of
 * one of our own routes. */
TACO_MUST_CHECK enum taco_status taco_base_path_check(const struct taco_options *options,
                                                      struct taco_error *err);

/* "/tts", or "". */
const char *taco_base_path(const struct taco_options *options);

/* Takes the prefix off a decoded path, in place. */
void taco_base_path_strip(const struct taco_options *options, char *path);

/* Whether the path is the prefix and nothing else: addresses of the page are relative, so the
 * browser has to be sent to the path with a / behind it. */
bool taco_base_path_is(const struct taco_options *options, const char *path);

#endif
