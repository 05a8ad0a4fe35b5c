#include "http/access.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/base_path.h"
#include "http/client.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "http/keys.h"
#include "http/routes.h"

struct taco_access {
    const char *path;     /* of the file, of the options; NULL: no keys */
    pthread_mutex_t lock; /* of keys, the pointer */
    struct taco_keys *keys;
};

enum taco_status taco_access_open(struct taco_access **access_out,
                                  const struct taco_options *options,
                                  struct taco_error *err) {
    struct taco_access *access = *access_out = taco_calloc(1, sizeof *access);
    if (!access)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    access->path = options->keys;
    pthread_mutex_init(&access->lock, NULL);
    enum taco_status status = taco_access_reload(access, err);
    if (status) {
        taco_access_close(access);
        *access_out = NULL;
    }
    return status;
}

void taco_access_close(struct taco_access *access) {
    if (!access)
        return;
    taco_keys_release(access->keys);
    pthread_mutex_destroy(&access->lock);
    taco_free(access);
}

enum taco_status taco_access_reload(struct taco_access *access, struct taco_error *err) {
    if (!access->path)
        return TACO_OK;
    struct taco_keys *keys;
    enum taco_status status = taco_keys_load(&keys, access->path, err);
    if (status)
        return status;
    pthread_mutex_lock(&access->lock);
    struct taco_keys *old = access->keys;
    access->keys = keys;
    pthread_mutex_unlock(&access->lock);
    taco_keys_release(old);
    return TACO_OK;
}

static struct taco_keys *keys_in_force(struct taco_access *access) {
    pthread_mutex_lock(&access->lock);
    struct taco_keys *keys = taco_keys_ref(access->keys);
    pthread_mutex_unlock(&access->lock);
    return keys;
}

static bool is_open(const struct taco_exchange *x) {
    if (strcmp(x->method, MHD_HTTP_METHOD_OPTIONS) == 0)
        return true;
    if (taco_base_path_is(x->server->options, x->path))
        return true;
    return x->route && (x->route->flags & TACO_ROUTE_OPEN);
}

/* The key of "Bearer KEY", or NULL. */
static const char *bearer(const char *authorization) {
    static const char scheme[] = "Bearer ";
    if (!authorization || strncasecmp(authorization, scheme, strlen(scheme)) != 0)
        return NULL;
    return authorization + strlen(scheme) + strspn(authorization + strlen(scheme), " ");
}

/* Blanks behind a value are none of it (RFC 9110, section 5.5), but MHD leaves them there. */
static const char *find_key(const struct taco_keys *keys, const char *value) {
    char key[TACO_MAX_KEY + 1];
    size_t size = strlen(value);
    while (size > 0 && (value[size - 1] == ' ' || value[size - 1] == '\t'))
        size--;
    if (size > TACO_MAX_KEY)
        return NULL;
    memcpy(key, value, size);
    key[size] = '\0';
    return taco_keys_find(keys, key);
}

int taco_access_check(struct taco_exchange *x, struct taco_error *err) {
    struct taco_access *access = x->server->access;
    if (!access->path)
        return 0;
    const char *const given[] = {
        bearer(taco_exchange_header(x, MHD_HTTP_HEADER_AUTHORIZATION)),
        taco_exchange_header(x, "X-Api-Key"), taco_exchange_header(x, "xi-api-key")};
    struct taco_keys *keys = keys_in_force(access);
    bool any = false;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        const char *name = given[i] ? find_key(keys, given[i]) : NULL;
        any = any || given[i];
        if (name) {
            snprintf(x->key, sizeof x->key, "%s", name);
            x->client = taco_client_of_key(name);
        }
    }
    taco_keys_release(keys);
    if (*x->key || is_open(x))
        return 0;
    return taco_error_code_set(
        err, TACO_CODE_UNAUTHORIZED, NULL,
        any ? "there is no such API key"
            : "an API key is needed, as Authorization: Bearer KEY, "
              "X-Api-Key: KEY or xi-api-key: KEY");
}
