/* Coqui's dialect: /api/tts, which Larynx, Mimic 3 and OpenTTS speak, too.
 *
 * Text and options come as a query, a form, JSON, a plain body, or (Coqui alone) headers,
 * which win. Fields of our own may stand beside them. What has no effect here is told in
 * X-Taco-Ignored. */
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "config/number.h"
#include "http/problem.h"
#include "http/reply.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"

static const struct taco_dialect dialect = {.speaker = "speaker_id",
                                            .events = &taco_native_events};

/* Mimic 3's and Larynx's: 0.5 is twice as fast. */
static int set_length_scale(struct taco_speech_state *s, const char *value) {
    double scale;
    if (!taco_parse_number(value, &scale))
        return taco_problem_set(&s->err, TACO_PROBLEM_WRONG_TYPE, "lengthScale",
                                "lengthScale must be a number");
    if (!(scale >= 0.25 && scale <= 4))
        return taco_error_set(&s->err, TACO_ERR_INVALID_ARGUMENT, "lengthScale",
                              "lengthScale is %g, must be 0.25 to 4", scale);
    s->speech.request.speed = (float)(1 / scale);
    return 0;
}

static int refuse_ssml(struct taco_speech_state *s, const char *value) {
    bool on;
    if (!taco_parse_boolean(value, &on))
        return taco_problem_set(&s->err, TACO_PROBLEM_WRONG_TYPE, "ssml",
                                "ssml must be true or false");
    return on ? taco_error_set(&s->err, TACO_ERR_UNSUPPORTED, "ssml",
                               "SSML is not read here: send plain text")
              : 0;
}

static int set_pair(void *user, const char *name, size_t name_length, const char *value,
                    size_t length, struct taco_error *err) {
    (void)name_length, (void)err; /* &s->err */
    struct taco_speech_state *s = user;
    int problem;
    /* Coqui's page sends what was not chosen as empty. */
    if (length == 0 && strcmp(name, "text") != 0)
        return 0;
    if (strcmp(name, "speaker_id") == 0)
        name = "speaker";
    if (strcmp(name, "lengthScale") == 0)
        return set_length_scale(s, value);
    if (strcmp(name, "ssml") == 0)
        return refuse_ssml(s, value);
    if (!taco_dialect_set(s, name, value, length, &problem))
        taco_speech_ignore(s, name);
    return problem;
}

static int read_headers(struct taco_speech_state *s) {
    static const char *const headers[][2] = {{"text", "text"},
                                             {"speaker-id", "speaker_id"},
                                             {"language-id", "language_id"},
                                             {"style-wav", "style_wav"},
                                             {"speaker-wav", "speaker_wav"}};
    int problem = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !problem; i++) {
        const char *value = taco_exchange_header(s->x, headers[i][0]);
        if (value && *value)
            problem = set_pair(s, headers[i][1], strlen(headers[i][1]), value,
                               strlen(value), &s->err);
    }
    return problem;
}

enum MHD_Result taco_handle_coqui(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &dialect);
    if (!s)
        return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
    int problem = read_headers(s);
    if (!problem)
        problem = taco_dialect_read(x, "text", "text/plain", set_pair, s, &s->err);
    if (!problem && !s->speech.text)
        problem = taco_error_set(&s->err, TACO_ERR_EMPTY_TEXT, "text",
                                 "there is no text: give it as 'text', or as the body");
    bool any = false;
    if (!problem)
        problem = taco_speech_find_voice(
            s, s->speech.voice ? taco_alias_resolve(x->server->options, x->voices,
                                                    s->speech.voice, &any)
                               : NULL);
    taco_dialect_choose_audio(s, TACO_AUDIO_WAV);
    return taco_speech_start(s, problem ? problem : taco_speech_check_all(s));
}
