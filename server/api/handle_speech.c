/* POST and GET /v1/speech: text in, speech out. */
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* Events stand for a stream; a stream is plain audio or events. */
static int choose_form(struct taco_speech_state *s) {
    int code = taco_negotiate(taco_exchange_header(s->x, MHD_HTTP_HEADER_ACCEPT),
                              &s->speech, &s->form, &s->err);
    if (code)
        return code;
    if (s->speech.events)
        s->form = TACO_RESPONSE_EVENTS;
    if (s->form == TACO_RESPONSE_EVENTS)
        s->speech.request.streaming = true;
    else if (s->speech.request.streaming && s->form != TACO_RESPONSE_AUDIO)
        return taco_error_set(
            &s->err, TACO_ERR_INVALID_ARGUMENT, "stream",
            "only plain audio and events (stream=sse) are streamed, not "
            "JSON or multipart");
    return 0;
}

enum MHD_Result taco_handle_speech(struct taco_exchange *x) {
    static const struct taco_compat native = {.events = &taco_native_events};
    struct taco_speech_state *s = taco_speech_state_create(x, &native);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    int code = taco_request_read_native(x, &s->speech, TACO_FIELD_SPEECH, &s->err);
    if (!code)
        code = taco_speech_find_voice(s, s->speech.voice);
    if (!code)
        code = choose_form(s);
    if (!code)
        code = taco_speech_check_all(s);
    return taco_speech_start(s, code);
}
