#include "cli/reload.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>
#include <taco/engine.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/access.h"
#include "http/systemd.h"
#include "http/tls.h"
#include "voices/aliases.h"
#include "voices/voices.h"

struct taco_reloader {
    struct taco_server *server;
    pthread_t thread;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    bool wanted, ending;
    struct taco_job *warm_up; /* running, or NULL */
    bool warm_up_done;
    const struct taco_result *spoken; /* by it; NULL: it failed, see err */
    struct taco_error err;
};

/* -- warming up ---------------------------------------------------------------------- */

static bool holds(const struct taco_voices *voices,
                  const struct taco_shared_voice *shared) {
    const struct taco_named_voice *named;
    for (size_t i = 0; voices && (named = taco_voices_at(voices, i)) != NULL; i++)
        if (named->shared == shared)
            return true;
    return false;
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct taco_reloader *r = user;
    pthread_mutex_lock(&r->lock);
    if (status)
        r->err = *err;
    else
        r->spoken = taco_result_ref(result);
    r->warm_up_done = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

/* Speaks with the voice, unless the daemon is ending; which cancels the job. */
static void warm_up_one(struct taco_reloader *r, const struct taco_named_voice *named) {
    struct taco_request request = taco_request_default();
    request.text = "Ready.";
    request.text_length = strlen(request.text);
    request.timeout = r->server->options->timeout;
    const struct taco_callbacks callbacks = {.user = r, .done = on_done};
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_job *job;
    enum taco_status status = taco_job_create(&job, r->server->engine, named->voice,
                                              &request, &callbacks, &err);
    if (!status) {
        pthread_mutex_lock(&r->lock);
        r->warm_up_done = false;
        r->spoken = NULL;
        r->warm_up = job;
        bool ending = r->ending;
        pthread_mutex_unlock(&r->lock);
        if (ending)
            taco_job_cancel(job);
        taco_job_start(job);
        pthread_mutex_lock(&r->lock);
        while (!r->warm_up_done)
            pthread_cond_wait(&r->changed, &r->lock);
        r->warm_up = NULL;
        pthread_mutex_unlock(&r->lock);
        taco_job_release(job);
        if (!r->spoken)
            err = r->err;
    }
    if (status || !r->spoken) {
        if (err.status != TACO_ERR_CANCELLED)
            taco_log(TACO_LOG_WARNING, "voice %s did not speak its warm-up sentence: %s",
                     named->name, err.message);
        return;
    }
    taco_log(TACO_LOG_DEBUG, "voice %s is warm: %.0f ms", named->name,
             r->spoken->times.total * 1e3);
    taco_result_unref(r->spoken);
}

/* Every voice that is not one of previous (or NULL). */
static void warm_up(struct taco_reloader *r, const struct taco_voices *voices,
                    const struct taco_voices *previous) {
    const struct taco_named_voice *named;
    for (size_t i = 0; (named = taco_voices_at(voices, i)) != NULL; i++)
        if (!holds(previous, named->shared))
            warm_up_one(r, named);
}

/* -- reading again ------------------------------------------------------------------- */

static void reload_voices(struct taco_reloader *r) {
    struct taco_server *server = r->server;
    struct taco_voices *old = taco_served_voices_get(&server->voices);
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
        taco_voices_unref(old);
        return;
    }
    warm_up(r, new, old);
    size_t n = 0, n_changed = 0;
    const struct taco_named_voice *named;
    for (; (named = taco_voices_at(new, n)) != NULL; n++)
        n_changed += !holds(old, named->shared);
    taco_served_voices_set(&server->voices, new);
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

/* -- the thread ---------------------------------------------------------------------- */

/* Waits for a request to reload. False: the daemon is ending. */
static bool wait_for_request(struct taco_reloader *r) {
    pthread_mutex_lock(&r->lock);
    while (!r->wanted && !r->ending)
        pthread_cond_wait(&r->changed, &r->lock);
    bool ending = r->ending;
    r->wanted = false;
    pthread_mutex_unlock(&r->lock);
    return !ending;
}

static void *run(void *user) {
    struct taco_reloader *r = user;
    struct taco_voices *voices = taco_served_voices_get(&r->server->voices);
    warm_up(r, voices, NULL);
    taco_voices_unref(voices);
    atomic_store(&r->server->ready, true);
    taco_systemd_ready();
    while (wait_for_request(r)) {
        taco_systemd_reloading();
        reload_certificate(r->server);
        reload_keys(r->server);
        reload_voices(r);
        taco_systemd_ready();
    }
    return NULL;
}

enum taco_status taco_reloader_start(struct taco_reloader **out,
                                     struct taco_server *server, struct taco_error *err) {
    struct taco_reloader *r = *out = taco_calloc(1, sizeof *r);
    if (!r)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    r->server = server;
    pthread_mutex_init(&r->lock, NULL);
    pthread_cond_init(&r->changed, NULL);
    int failure = pthread_create(&r->thread, NULL, run, r);
    if (!failure)
        return TACO_OK;
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    taco_free(r);
    *out = NULL;
    return taco_error_set(err, TACO_ERR_IO, NULL, "no thread for reloading: %s",
                          strerror(failure));
}

void taco_reloader_request(struct taco_reloader *r) {
    pthread_mutex_lock(&r->lock);
    r->wanted = true;
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
}

void taco_reloader_stop(struct taco_reloader *r) {
    if (!r)
        return;
    pthread_mutex_lock(&r->lock);
    r->ending = true;
    if (r->warm_up)
        taco_job_cancel(r->warm_up);
    pthread_cond_broadcast(&r->changed);
    pthread_mutex_unlock(&r->lock);
    pthread_join(r->thread, NULL);
    pthread_cond_destroy(&r->changed);
    pthread_mutex_destroy(&r->lock);
    taco_free(r);
}
