/* GET /v1/voices and /v1/voices/{name}. */
#include "api/handlers.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/speech_state.h"
#include "voices/voice_json.h"
#include "voices/voices.h"

enum MHD_Result taco_handle_voices(struct taco_exchange *x) {
    const struct taco_voices *voices = x->voices;
    json_t *array = json_array();
    const struct taco_named_voice *named;
    for (size_t i = 0; (named = taco_voices_at(voices, i)) != NULL; i++)
        if (!array || json_array_append_new(
                          array, taco_served_voice_json(voices, named, false)) < 0) {
            json_decref(array);
            return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
        }
    return taco_reply_json(x, MHD_HTTP_OK,
                           json_pack("{s:s, s:o}", "default",
                                     taco_voices_find(voices, NULL)->name, "voices",
                                     array));
}

enum MHD_Result taco_handle_voice(struct taco_exchange *x) {
    const struct taco_named_voice *named = taco_voices_find(x->voices, x->arguments[0]);
    if (named)
        return taco_reply_json(x, MHD_HTTP_OK,
                               taco_served_voice_json(x->voices, named, true));
    struct taco_error err = TACO_ERROR_INIT;
    int code =
        taco_speech_unknown_voice(x, TACO_CODE_NOT_FOUND, "name", x->arguments[0], &err);
    return taco_reply_error(x, code, &err);
}
