/* POST and GET /v1/text: how a text is read, without speech. */
#include "api/handlers.h"
#include "base/error.h"
#include "http/reply.h"
#include "speech/reading_json.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* Longer texts take longer than an answer on the connection's own thread may. */
enum { MAX_BYTES = 20000 };

enum MHD_Result taco_handle_text(struct taco_exchange *x) {
    static const struct taco_compat native = {.events = &taco_native_events};
    struct taco_speech_state *s = taco_speech_state_create(x, &native);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    int code = taco_request_read_native(x, &s->speech, TACO_FIELD_READING, &s->err);
    if (!code)
        code = taco_speech_find_voice(s, s->speech.voice);
    if (code)
        return taco_reply_error(x, code, &s->err);
    struct taco_text_options options = s->speech.request.text_options;
    options.max_bytes = MAX_BYTES;
    struct taco_text *text;
    enum taco_status status =
        taco_text_analyse(s->voice->voice, s->speech.text, s->speech.request.text_length,
                          &options, &text, &s->err);
    if (status)
        return taco_reply_error(x, (int)status, &s->err);
    json_t *root = taco_reading_json(s->voice->name, s->voice->voice, text);
    taco_text_destroy(text);
    return taco_reply_json(x, MHD_HTTP_OK, root);
}
