/* The Coqui API: /api/tts, which Larynx, Mimic 3 and OpenTTS share.
 *
 * Text and options come from a query, a form, JSON, a plain body or, with Coqui, headers,
 * which win. Native fields may be sent as well; unknown ones are ignored. */
#include <string.h>

#include "base/error.h"
#include "compat/handlers.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"

static const struct taco_compat coqui = {
    .speaker = "speaker_id", .allows_silence = true, .events = &taco_native_events};

/* Mimic 3's and Larynx's: 0.5 is twice as fast. */
static int set_length_scale(struct taco_speech_state *s, const struct taco_value *value) {
    double scale;
    if (!taco_value_number(value, &scale))
        return taco_error_code_set(&s->err, TACO_CODE_WRONG_TYPE, "lengthScale",
                                   "lengthScale must be a number");
    if (!(scale >= 0.25 && scale <= 4))
        return taco_error_set(&s->err, TACO_ERR_INVALID_ARGUMENT, "lengthScale",
                              "lengthScale must be from 0.25 to 4, not %g", scale);
    s->speech.request.speed = (float)(1 / scale);
    return 0;
}

static int set_field(void *user, const char *name, const struct taco_value *value,
                     struct taco_error *err) {
    (void)err; /* &s->err */
    struct taco_speech_state *s = user;
    /* Coqui's page sends what was not chosen as empty. */
    bool empty = value->text && value->length == 0;
    if (taco_value_is_null(value) || (empty && strcmp(name, "text") != 0))
        return 0;
    if (strcmp(name, "speaker_id") == 0)
        name = "speaker";
    if (strcmp(name, "lengthScale") == 0)
        return set_length_scale(s, value);
    if (strcmp(name, "ssml") == 0)
        return taco_compat_set_ssml(s, value);
    return taco_compat_set(s, name, value);
}

static int read_headers(struct taco_speech_state *s) {
    static const char *const headers[][2] = {{"text", "text"},
                                             {"speaker-id", "speaker_id"},
                                             {"language-id", "language_id"},
                                             {"style-wav", "style_wav"},
                                             {"speaker-wav", "speaker_wav"}};
    int code = 0;
    for (size_t i = 0; i < sizeof headers / sizeof *headers && !code; i++) {
        const char *value = taco_exchange_header(s->x, headers[i][0]);
        if (value) {
            const struct taco_value written = taco_value_written(value, strlen(value));
            code = set_field(s, headers[i][1], &written, &s->err);
        }
    }
    return code;
}

enum MHD_Result taco_handle_coqui(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &coqui);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    const struct taco_request_reader reader = {"text", "text/plain", set_field, s};
    int code = read_headers(s);
    if (!code)
        code = taco_request_read(&reader, x, &s->err);
    if (!code && !s->speech.text)
        code = taco_request_no_text(x, "text", &s->err);
    bool any = false;
    if (!code)
        code = taco_speech_find_voice(
            s, s->speech.voice ? taco_alias_resolve(x->server->options, x->voices,
                                                    s->speech.voice, &any)
                               : NULL);
    taco_compat_choose_audio(s, TACO_AUDIO_WAV);
    return taco_speech_start(s, code ? code : taco_speech_check_all(s));
}
