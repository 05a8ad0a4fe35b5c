#include "speech/compat.h"

#include <string.h>

#include "http/error_code.h"
#include "speech/speech_state.h"

int taco_compat_set(struct taco_speech_state *s, const char *name,
                    const struct taco_value *value) {
    const struct taco_field *field =
        taco_field_find(name, strlen(name), TACO_FIELD_SPEECH);
    if (taco_value_is_null(value))
        return 0;
    if (!field)
        taco_speech_ignore(s, name);
    if (!field || taco_speech_has(&s->speech, field))
        return 0;
    return taco_speech_set(&s->speech, field, value, &s->err);
}

int taco_compat_set_ssml(struct taco_speech_state *s, const struct taco_value *value) {
    bool on;
    if (!taco_value_boolean(value, &on))
        return taco_error_code_set(&s->err, TACO_CODE_WRONG_TYPE, "ssml",
                                   "ssml must be true or false");
    s->speech.request.text_options.input = on ? TACO_INPUT_SSML : TACO_INPUT_TEXT;
    return 0;
}

void taco_compat_choose_audio(struct taco_speech_state *s,
                              enum taco_audio_format format) {
    if (!s->speech.has_format)
        s->speech.audio.format = format;
    if (s->speech.events)
        s->form = TACO_RESPONSE_EVENTS;
}
