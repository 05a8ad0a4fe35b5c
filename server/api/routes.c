/* The table of routes. */
#include "http/routes.h"

#include "api/handlers.h"
#include "compat/handlers.h"

#define GET MHD_HTTP_METHOD_GET
#define POST MHD_HTTP_METHOD_POST
#define JSON TACO_ERRORS_JSON
#define TEXT TACO_ERRORS_TEXT
#define DETAIL TACO_ERRORS_DETAIL
#define OPEN TACO_ROUTE_OPEN
#define PROBE TACO_ROUTE_PROBE

/* clang-format off */
const struct taco_route taco_routes[] = {
    {GET, "/healthz", taco_handle_healthz, NULL, JSON, OPEN | PROBE},
    {GET, "/readyz", taco_handle_readyz, NULL, JSON, OPEN | PROBE},
    {GET, "/metrics", taco_handle_metrics, NULL, JSON, PROBE},
    {GET, "/v1/status", taco_handle_status, NULL, JSON, 0},
    {POST, "/v1/speech", taco_handle_speech, NULL, JSON, 0},
    {GET, "/v1/speech", taco_handle_speech, NULL, JSON, 0},
    {GET, "/v1/speech/{id}", taco_handle_result_audio, NULL, JSON, 0},
    {GET, "/v1/speech/{id}/{form}", taco_handle_result_form, taco_result_form_exists, JSON, 0},
    {POST, "/v1/text", taco_handle_text, NULL, JSON, 0},
    {GET, "/v1/text", taco_handle_text, NULL, JSON, 0},
    {GET, "/v1/voices", taco_handle_voices, NULL, JSON, 0},
    {GET, "/v1/voices/{name}", taco_handle_voice, NULL, JSON, 0},
    {POST, "/v1/audio/speech", taco_handle_openai_speech, NULL, JSON, 0},
    {GET, "/v1/audio/voices", taco_handle_openai_voices, NULL, JSON, 0},
    {GET, "/v1/audio/models", taco_handle_openai_audio_models, NULL, JSON, 0},
    {GET, "/v1/models", taco_handle_openai_models, NULL, JSON, 0},
    {GET, "/v1/models/{id}", taco_handle_openai_model, NULL, JSON, 0},
    {POST, "/v1/text-to-speech/{voice}", taco_handle_elevenlabs, NULL, DETAIL, 0},
    {POST, "/v1/text-to-speech/{voice}/stream", taco_handle_elevenlabs_stream, NULL,
     DETAIL, 0},
    {POST, "/v1/text-to-speech/{voice}/with-timestamps", taco_handle_elevenlabs_times,
     NULL, DETAIL, 0},
    {POST, "/v1/text-to-speech/{voice}/stream/with-timestamps",
     taco_handle_elevenlabs_stream_times, NULL, DETAIL, 0},
    {GET, "/v1/user", taco_handle_elevenlabs_user, NULL, DETAIL, 0},
    {GET, "/v1/user/subscription", taco_handle_elevenlabs_subscription, NULL, DETAIL, 0},
    {GET, "/v1/voices/settings/default", taco_handle_elevenlabs_settings, NULL, DETAIL, 0},
    {GET, "/v1/voices/{voice}/settings", taco_handle_elevenlabs_settings, NULL, DETAIL, 0},
    {GET, "/v2/voices", taco_handle_elevenlabs_voices, NULL, DETAIL, 0},
    {GET, "/api/tts", taco_handle_coqui, NULL, JSON, 0},
    {POST, "/api/tts", taco_handle_coqui, NULL, JSON, 0},
    {GET, "/process", taco_handle_mary_process, NULL, TEXT, 0},
    {POST, "/process", taco_handle_mary_process, NULL, TEXT, 0},
    {GET, "/voices", taco_handle_mary_voices, NULL, TEXT, 0},
    {GET, "/locales", taco_handle_mary_locales, NULL, TEXT, 0},
    {GET, "/version", taco_handle_mary_version, NULL, TEXT, 0},
    {GET, "/audioformats", taco_handle_mary_audioformats, NULL, TEXT, 0},
    {GET, "/datatypes", taco_handle_mary_datatypes, NULL, TEXT, 0},
    {GET, "/openapi.json", taco_handle_openapi, NULL, JSON, 0},
    {GET, "/", taco_handle_page, NULL, JSON, OPEN},
    {GET, "/{file}", taco_handle_page, taco_page_exists, JSON, OPEN},
};
/* clang-format on */

const size_t taco_n_routes = sizeof taco_routes / sizeof *taco_routes;

const struct taco_route_hint taco_route_hints[] = {
    {"/synthesize", "/v1/speech"},
    {"/synthesise", "/v1/speech"},
    {"/v1/synthesize", "/v1/speech"},
    {"/api/synthesize", "/v1/speech"},
    {"/tts", "/v1/speech"},
    {"/v1/tts", "/v1/speech"},
    {"/api/v1/tts", "/v1/speech"},
    {"/speak", "/v1/speech"},
    {"/say", "/v1/speech"},
    {"/api/speech", "/v1/speech"},
    {"/api/text-to-speech", "/v1/speech"},
    {"/inference", "/v1/speech"},
    {"/v1/audio", "/v1/audio/speech"},
    {"/api/audio/speech", "/v1/audio/speech"},
    {"/v1/text-to-speech", "/v1/text-to-speech/{voice}"},
    {"/api/voices", "/v1/voices"},
    {"/api/speakers", "/v1/voices"},
    {"/speakers", "/v1/voices"},
    {"/api/models", "/v1/models"},
    {"/health", "/healthz"},
    {"/api/healthcheck", "/healthz"},
    {"/ping", "/healthz"},
    {"/ready", "/readyz"},
    {"/v1/metrics", "/metrics"},
    {"/status", "/v1/status"},
    {"/docs", "/openapi.json"},
    {"/openapi", "/openapi.json"},
    {"/swagger.json", "/openapi.json"},
};
const size_t taco_n_route_hints = sizeof taco_route_hints / sizeof *taco_route_hints;
