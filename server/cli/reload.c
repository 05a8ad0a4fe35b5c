#include "cli/reload.h"

#include <string.h>

#include "base/error.h"
#include "base/log.h"
#include "config/options.h"
#include "http/access.h"
#include "http/tls.h"
#include "voices/aliases.h"
#include "voices/voices.h"

struct taco_voices *taco_server_voices(struct taco_server *server) {
    pthread_mutex_lock(&server->lock);
    struct taco_voices *voices = taco_voices_ref(server->voices);
    pthread_mutex_unlock(&server->lock);
    return voices;
}

static bool holds(const struct taco_voices *voices,
                  const struct taco_shared_voice *shared) {
    const struct taco_named_voice *named;
    for (size_t i = 0; voices && (named = taco_voices_at(voices, i)) != NULL; i++)
        if (named->shared == shared)
            return true;
    return false;
}

static void warm_up_one(struct taco_server *server,
                        const struct taco_named_voice *named) {
    struct taco_request request = taco_request_default();
    request.text = "Ready.";
    request.text_length = strlen(request.text);
    request.timeout = server->options->timeout;
    struct taco_error err = TACO_ERROR_INIT;
    const struct taco_result *result;
    if (taco_engine_speak(server->engine, named->voice, &request, &result, &err)) {
        taco_log(TACO_LOG_WARNING, "voice %s did not speak its warm-up sentence: %s",
                 named->name, err.message);
        return;
    }
    taco_log(TACO_LOG_DEBUG, "voice %s is warm: %.0f ms", named->name,
             result->times.total * 1e3);
    taco_result_unref(result);
}

void taco_warm_up(struct taco_server *server, const struct taco_voices *voices,
                  const struct taco_voices *previous) {
    const struct taco_named_voice *named;
    for (size_t i = 0; (named = taco_voices_at(voices, i)) != NULL; i++)
        if (!holds(previous, named->shared))
            warm_up_one(server, named);
}

static void reload_voices(struct taco_server *server) {
    struct taco_voices *old = server->voices; /* only this thread changes it */
    struct taco_voices *new;
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status =
        taco_voices_open(&new, server->options, server->engine, old, &err);
    if (!status) {
        status = taco_aliases_check(server->options, new, &err);
        if (status)
            taco_voices_unref(new);
    }
    if (status) {
        taco_log(TACO_LOG_ERROR, "reload: the voices stay as they are: %s", err.message);
        return;
    }
    taco_warm_up(server, new, old);
    size_t n = 0, n_changed = 0;
    const struct taco_named_voice *named;
    for (; (named = taco_voices_at(new, n)) != NULL; n++)
        n_changed += !holds(old, named->shared);
    pthread_mutex_lock(&server->lock);
    server->voices = new;
    pthread_mutex_unlock(&server->lock);
    taco_voices_unref(old);
    taco_log(TACO_LOG_INFO, "reload: %zu voices, %zu of them new or changed", n,
             n_changed);
}

static void reload_keys(struct taco_server *server) {
    if (!server->options->keys)
        return;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_access_reload(server->access, &err))
        taco_log(TACO_LOG_ERROR, "reload: the keys stay as they are: %s", err.message);
    else
        taco_log(TACO_LOG_INFO, "reload: the keys are read");
}

static void reload_certificate(struct taco_server *server) {
    if (!server->tls)
        return;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_tls_reload(server->tls, &err))
        taco_log(TACO_LOG_ERROR, "reload: the certificate stays as it is: %s",
                 err.message);
    else
        taco_log(TACO_LOG_INFO, "reload: the certificate is read");
}

void taco_reload(struct taco_server *server) {
    reload_certificate(server);
    reload_keys(server);
    reload_voices(server);
}
