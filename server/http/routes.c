#include "http/routes.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

size_t taco_route_index(const struct taco_route *route) {
    return (size_t)(route - taco_routes);
}

/* Whether the path has the pattern; copies what stands for {...} to x->arguments. */
static bool match(struct taco_exchange *x, const char *path, const char *pattern) {
    int n = 0;
    while (*pattern && *path) {
        if (*pattern == '{') {
            size_t length = strcspn(path, "/");
            if (length == 0 || length > TACO_MAX_PATH_ARGUMENT)
                return false;
            memcpy(x->arguments[n], path, length);
            x->arguments[n++][length] = '\0';
            path += length;
            pattern += strcspn(pattern, "}") + 1;
        } else if (*pattern++ != *path++) {
            return false;
        }
    }
    return !*pattern && !*path;
}

static void add_method(struct taco_exchange *x, const char *method) {
    size_t n = strlen(x->methods);
    snprintf(x->methods + n, sizeof x->methods - n, "%s%s", n ? ", " : "", method);
    if (strcmp(method, MHD_HTTP_METHOD_GET) == 0)
        add_method(x, MHD_HTTP_METHOD_HEAD);
}

void taco_routes_find(struct taco_exchange *x) {
    *x->methods = '\0';
    x->route = NULL;
    for (size_t i = 0; x->path && i < taco_n_routes; i++) {
        const struct taco_route *route = &taco_routes[i];
        if (!match(x, x->path, route->pattern) || (route->exists && !route->exists(x)))
            continue;
        if (strcmp(route->method, x->method) == 0) {
            x->route = route;
            return;
        }
        add_method(x, route->method);
    }
    if (*x->methods)
        add_method(x, MHD_HTTP_METHOD_OPTIONS);
}

static bool has_route(struct taco_exchange *x, const char *path) {
    for (size_t i = 0; i < taco_n_routes; i++)
        if (match(x, path, taco_routes[i].pattern) &&
            (!taco_routes[i].exists || taco_routes[i].exists(x)))
            return true;
    return false;
}

bool taco_routes_suggest(struct taco_exchange *x, char *out, size_t size) {
    if (!x->path || strlen(x->path) >= size)
        return false;
    snprintf(out, size, "%s", x->path);
    /* A / too many, as in /v1/voices/. */
    size_t n = strlen(out);
    while (n > 1 && out[n - 1] == '/')
        out[--n] = '\0';
    /* A base address with /v1 whose client adds it once more. */
    while (strncmp(out, "/v1/v1/", 7) == 0)
        memmove(out, out + 3, strlen(out + 3) + 1);
    if (strcmp(out, x->path) != 0 && has_route(x, out))
        return true;
    for (size_t i = 0; i < taco_n_route_hints; i++)
        if (strcasecmp(out, taco_route_hints[i].path) == 0) {
            snprintf(out, size, "%s", taco_route_hints[i].suggestion);
            return true;
        }
    /* The other way round: the base address lacks /v1. */
    if (strlen(x->path) + 4 > size)
        return false;
    snprintf(out, size, "/v1%s", x->path);
    return has_route(x, out);
}
