#include "http/routes.h"

#include <stdio.h>
#include <string.h>

#include "api/handlers.h"

#define GET MHD_HTTP_METHOD_GET
#define POST MHD_HTTP_METHOD_POST
#define JSON TACO_ERRORS_JSON
#define TEXT TACO_ERRORS_TEXT
#define DETAIL TACO_ERRORS_DETAIL

/* A path that fits several patterns is that of the first. */
static const struct taco_route table[] = {
    {GET, "/healthz", taco_handle_healthz, NULL, JSON},
    {GET, "/readyz", taco_handle_readyz, NULL, JSON},
    {GET, "/metrics", taco_handle_metrics, NULL, JSON},
    {GET, "/v1/status", taco_handle_status, NULL, JSON},
    {POST, "/v1/speech", taco_handle_speech, NULL, JSON},
    {GET, "/v1/speech", taco_handle_speech, NULL, JSON},
    {GET, "/v1/speech/{id}", taco_handle_kept_audio, NULL, JSON},
    {GET, "/v1/speech/{id}/{form}", taco_handle_kept_form, taco_kept_form_exists, JSON},
    {GET, "/v1/voices", taco_handle_voices, NULL, JSON},
    {GET, "/v1/voices/{name}", taco_handle_voice, NULL, JSON},
    {POST, "/v1/audio/speech", taco_handle_openai_speech, NULL, JSON},
    {GET, "/v1/audio/voices", taco_handle_openai_voices, NULL, JSON},
    {GET, "/v1/audio/models", taco_handle_openai_audio_models, NULL, JSON},
    {GET, "/v1/models", taco_handle_openai_models, NULL, JSON},
    {GET, "/v1/models/{id}", taco_handle_openai_model, NULL, JSON},
    {POST, "/v1/text-to-speech/{voice}", taco_handle_elevenlabs, NULL, DETAIL},
    {POST, "/v1/text-to-speech/{voice}/stream", taco_handle_elevenlabs_stream, NULL,
     DETAIL},
    {POST, "/v1/text-to-speech/{voice}/with-timestamps", taco_handle_elevenlabs_times,
     NULL, DETAIL},
    {POST, "/v1/text-to-speech/{voice}/stream/with-timestamps",
     taco_handle_elevenlabs_stream_times, NULL, DETAIL},
    {GET, "/v2/voices", taco_handle_elevenlabs_voices, NULL, DETAIL},
    {GET, "/api/tts", taco_handle_coqui, NULL, JSON},
    {POST, "/api/tts", taco_handle_coqui, NULL, JSON},
    {GET, "/process", taco_handle_mary_process, NULL, TEXT},
    {POST, "/process", taco_handle_mary_process, NULL, TEXT},
    {GET, "/voices", taco_handle_mary_voices, NULL, TEXT},
    {GET, "/locales", taco_handle_mary_locales, NULL, TEXT},
    {GET, "/version", taco_handle_mary_version, NULL, TEXT},
    {GET, "/audioformats", taco_handle_mary_audioformats, NULL, TEXT},
    {GET, "/datatypes", taco_handle_mary_datatypes, NULL, TEXT},
    {GET, "/openapi.json", taco_handle_openapi, NULL, JSON},
    {GET, "/", taco_handle_page, NULL, JSON},
    {GET, "/{file}", taco_handle_page, taco_page_exists, JSON},
};

size_t taco_routes_count(void) {
    return sizeof table / sizeof *table;
}

const struct taco_route *taco_routes_at(size_t i) {
    return &table[i];
}

size_t taco_route_index(const struct taco_route *route) {
    return (size_t)(route - table);
}

/* Whether the path is of the pattern; copies what stands for {...}. */
static bool match(struct taco_exchange *x, const char *pattern) {
    const char *path = x->path;
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
    if (strcmp(method, GET) == 0)
        add_method(x, MHD_HTTP_METHOD_HEAD);
}

void taco_routes_find(struct taco_exchange *x) {
    *x->methods = '\0';
    x->route = NULL;
    for (size_t i = 0; x->path && i < sizeof table / sizeof *table; i++) {
        const struct taco_route *route = &table[i];
        if (!match(x, route->pattern) || (route->exists && !route->exists(x)))
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
