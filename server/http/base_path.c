#include "http/base_path.h"

#include <string.h>

#include "base/error.h"
#include "config/options.h"
#include "http/routes.h"

#define UNRESERVED /* RFC 3986, 2.3 */                                                   \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~"
#define MAX_BASE_PATH 128

/* Pieces of unreserved characters, each behind a /, none of them empty, "." or "..". */
static bool is_well_formed(const char *path) {
    if (!*path || strlen(path) > MAX_BASE_PATH)
        return false;
    while (*path == '/') {
        size_t n = strspn(path + 1, UNRESERVED);
        if (n == 0 || (path[1] == '.' && (n == 1 || (n == 2 && path[2] == '.'))))
            return false;
        path += 1 + n;
    }
    return !*path;
}

/* The route that begins with the same piece, or NULL. */
static const char *find_rival(const char *path) {
    size_t n = strcspn(path + 1, "/") + 1;
    for (size_t i = 0; i < taco_n_routes; i++) {
        const char *pattern = taco_routes[i].pattern;
        if (strncmp(pattern, path, n) == 0 && (!pattern[n] || pattern[n] == '/'))
            return pattern;
    }
    return NULL;
}

enum taco_status taco_base_path_check(const struct taco_options *options,
                                      struct taco_error *err) {
    const char *path = options->base_path;
    if (!path)
        return TACO_OK;
    if (!is_well_formed(path))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "base_path",
                              "--base-path '%.100s' is not like /tts or /house/tts: / at "
                              "the beginning, none at the end, letters, digits and -._~",
                              path);
    const char *rival = find_rival(path);
    if (rival)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "base_path",
                              "--base-path '%.80s' begins as the server's own %.80s does",
                              path, rival);
    return TACO_OK;
}

const char *taco_base_path(const struct taco_options *options) {
    return options->base_path ? options->base_path : "";
}

void taco_base_path_strip(const struct taco_options *options, char *path) {
    size_t n = strlen(taco_base_path(options));
    if (n && strncmp(path, options->base_path, n) == 0 && path[n] == '/')
        memmove(path, path + n, strlen(path + n) + 1);
}

bool taco_base_path_is(const struct taco_options *options, const char *path) {
    return options->base_path && path && strcmp(path, options->base_path) == 0;
}
