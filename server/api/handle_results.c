/* GET /v1/speech/{id} and the paths below it: results that are cached. */
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "config/options.h"
#include "http/error_code.h"
#include "http/media_type.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* The last piece of the path, "alignment.svg", and what it is. */
static const struct form {
    const char *name;
    enum taco_result_format format;
} forms[] = {
    {"alignment", TACO_FORMAT_ALIGNMENT_JSON},
    {"alignment.json", TACO_FORMAT_ALIGNMENT_JSON},
    {"alignment.svg", TACO_FORMAT_ALIGNMENT_SVG},
    {"alignment.png", TACO_FORMAT_ALIGNMENT_PNG},
    {"alignment.npy", TACO_FORMAT_ALIGNMENT_NPY},
    {"alignment.srt", TACO_FORMAT_SRT},
    {"alignment.vtt", TACO_FORMAT_VTT},
    {"alignment.TextGrid", TACO_FORMAT_TEXTGRID},
    {"mel", TACO_FORMAT_MEL_NPY},
    {"mel.npy", TACO_FORMAT_MEL_NPY},
    {"mel.png", TACO_FORMAT_MEL_PNG},
};

static const struct taco_compat native = {.events = &taco_native_events};

static int find_cached(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    const char *id = x->arguments[0];
    switch (taco_results_get(x->server->results, id, &s->hit)) {
    case TACO_RESULTS_CACHED:
        memcpy(x->id, s->hit->id, sizeof x->id);
        return 0;
    case TACO_RESULTS_PENDING:
        return taco_error_code_set(&s->err, TACO_CODE_NOT_READY, "id",
                                   "the speech of '%s' is still being made", id);
    case TACO_RESULTS_GONE:
        return taco_error_code_set(
            &s->err, TACO_CODE_GONE, "id",
            "the result '%s' was evicted (--cache-bytes %llu): request the speech again "
            "with the same seed",
            id, (unsigned long long)x->server->options->cache_bytes);
    default:
        return taco_error_code_set(&s->err, TACO_CODE_NOT_FOUND, "id",
                                   "there is no result '%s'", id);
    }
}

/* Finds the result and reads the query, with the fields that have the use. */
static int prepare(struct taco_speech_state *s, unsigned use) {
    struct taco_native_fields fields = {&s->speech, use};
    const struct taco_request_reader reader = {NULL, "", taco_request_set_native,
                                               &fields};
    int code = find_cached(s);
    return code ? code : taco_request_read_query(&reader, s->x->query, &s->err);
}

/* Without a word to the contrary the audio comes as it was asked for at first. */
static int choose_audio(struct taco_speech_state *s) {
    struct taco_audio_options *wanted = &s->speech.audio;
    const struct taco_audio_options *there = &s->hit->options;
    const char *accept = taco_exchange_header(s->x, MHD_HTTP_HEADER_ACCEPT);
    char type[96];
    taco_audio_type_of(s->hit->result, there, type, sizeof type);
    if (!s->speech.has_format && taco_accept_quality(accept, type) > 0) {
        s->speech.has_format = true;
        wanted->format = there->format;
        if (!wanted->sample_rate)
            wanted->sample_rate = there->sample_rate;
        if (!wanted->bit_rate)
            wanted->bit_rate = there->bit_rate;
    }
    int code = taco_negotiate(accept, &s->speech, &s->form, &s->err);
    if (!code && s->form == TACO_RESPONSE_EVENTS)
        code = taco_error_code_set(&s->err, TACO_CODE_NOT_ACCEPTABLE, "Accept",
                                   "there are no events of a finished result");
    return code ? code
                : taco_speech_check_audio(&s->speech, s->hit->result->voice, &s->err);
}

enum MHD_Result taco_handle_result_audio(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &native);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    int code = prepare(s, TACO_FIELD_AUDIO);
    if (!code)
        code = choose_audio(s);
    return code ? taco_reply_error(x, code, &s->err) : taco_speech_reply_cached(s);
}

static const struct form *find_form(const char *name) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

bool taco_result_form_exists(const struct taco_exchange *x) {
    return find_form(x->arguments[1]) != NULL;
}

enum MHD_Result taco_handle_result_form(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &native);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    s->form = TACO_RESPONSE_WRITTEN;
    s->written = find_form(x->arguments[1])->format;
    int code =
        prepare(s, s->written == TACO_FORMAT_ALIGNMENT_JSON ? TACO_FIELD_ALIGNMENT : 0);
    return code ? taco_reply_error(x, code, &s->err) : taco_speech_reply_cached(s);
}
