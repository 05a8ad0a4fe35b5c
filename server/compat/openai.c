/* The OpenAI API: POST /v1/audio/speech.
 *
 * https://platform.openai.com/docs/api-reference/audio/createSpeech. Native fields may be
 * sent as well; a null counts as absent, and unknown fields are ignored. So is Accept:
 * OpenAI's clients send application/octet-stream whatever format they want. */
#include "compat/openai.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "compat/handlers.h"
#include "config/options.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"

#define MAX_INPUT 4096 /* characters, of input and of instructions */
/* OpenAI's pcm has this rate, and its clients take it for granted. */
#define PCM_RATE 24000

#define MAX_NAME 128

/* The request's fields that are not in struct taco_speech. */
struct request {
    struct taco_speech_state *s;
    char voice[MAX_NAME], model[MAX_NAME], stream_format[MAX_NAME];
    bool has_voice, has_model, has_stream_format;
};

/* -- events -------------------------------------------------------------------------- */

static bool write_delta(struct taco_speech_state *s, struct taco_bytes *out,
                        const void *bytes, size_t size) {
    (void)s;
    static const char begin[] = "data: {\"type\":\"speech.audio.delta\",\"audio\":\"";
    return taco_bytes_add(out, begin, sizeof begin - 1) &&
           taco_bytes_base64(out, bytes, size) && taco_bytes_add(out, "\"}\n\n", 4);
}

/* Usage is counted in what there is here: symbols of the text, and decoder steps. */
static bool write_done(struct taco_speech_state *s, struct taco_bytes *out,
                       const struct taco_result *result) {
    (void)s;
    json_int_t input = result->text->n_symbols, output = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        output += result->chunks[i].n_steps;
    return taco_event_json(out, NULL,
                           json_pack("{s:s, s:{s:I, s:I, s:I}}", "type",
                                     "speech.audio.done", "usage", "input_tokens", input,
                                     "output_tokens", output, "total_tokens",
                                     input + output));
}

static bool write_failure(struct taco_speech_state *s, struct taco_bytes *out, int code,
                          const struct taco_error *err) {
    (void)s;
    json_t *error = taco_error_json(code, err);
    return error &&
           taco_event_json(out, NULL,
                           json_pack("{s:s, s:o}", "type", "error", "error", error));
}

static const struct taco_events events = {.media_type = "text/event-stream",
                                          .audio = write_delta,
                                          .end = write_done,
                                          .failure = write_failure};

static const struct taco_compat openai = {.text = "input",
                                          .format = "response_format",
                                          .allows_silence = true,
                                          .input = TACO_INPUT_AUTO,
                                          .events = &events};

/* -- reading ------------------------------------------------------------------------- */

static int wrong_type(const char *name, const char *wanted, struct taco_error *err) {
    return taco_error_code_set(err, TACO_CODE_WRONG_TYPE, name, "%s must be %s", name,
                               wanted);
}

static size_t count_characters(const char *text, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)text[i] & 0xC0) != 0x80;
    return n;
}

static int check_length(const char *name, const struct taco_value *value,
                        struct taco_error *err) {
    const char *text;
    size_t length;
    if (!taco_value_string(value, &text, &length))
        return wrong_type(name, "a string", err);
    size_t n = count_characters(text, length);
    if (n <= MAX_INPUT)
        return 0;
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, name,
                          "%s has %zu characters: at most %d are allowed", name, n,
                          MAX_INPUT);
}

static int set_format(struct taco_speech_state *s, const struct taco_value *value) {
    const char *name;
    if (!taco_value_word(value, &name))
        return wrong_type("response_format", "a string", &s->err);
    if (strcmp(name, "aac") == 0)
        return taco_error_set(&s->err, TACO_ERR_UNSUPPORTED, "response_format",
                              "aac is not supported: use mp3, opus, flac, wav or pcm");
    return taco_compat_set(s, "format", value);
}

/* A longer name than any that there is stays one that there is not. */
static int set_string(char *out, bool *given, const char *name,
                      const struct taco_value *value, struct taco_error *err) {
    const char *word;
    if (!taco_value_word(value, &word))
        return wrong_type(name, "a string", err);
    snprintf(out, MAX_NAME, "%s", word);
    *given = true;
    return 0;
}

/* A name, or {"id": name}. */
static int set_voice(struct request *r, const struct taco_value *value,
                     struct taco_error *err) {
    const struct taco_value id = taco_value_json(json_object_get(value->json, "id"));
    if (!json_is_object(value->json))
        return set_string(r->voice, &r->has_voice, "voice", value, err);
    return id.json ? set_string(r->voice, &r->has_voice, "voice", &id, err)
                   : wrong_type("voice", "a string, or an object with an id", err);
}

static int set_field(void *user, const char *name, const struct taco_value *value,
                     struct taco_error *err) {
    struct request *r = user;
    int code;
    if (taco_value_is_null(value))
        return 0;
    if (strcmp(name, "input") == 0) {
        code = check_length(name, value, err);
        return code ? code : taco_compat_set(r->s, "text", value);
    }
    if (strcmp(name, "model") == 0)
        return set_string(r->model, &r->has_model, name, value, err);
    if (strcmp(name, "voice") == 0)
        return set_voice(r, value, err);
    if (strcmp(name, "response_format") == 0)
        return set_format(r->s, value);
    if (strcmp(name, "stream_format") == 0)
        return set_string(r->stream_format, &r->has_stream_format, name, value, err);
    if (strcmp(name, "ssml") == 0)
        return taco_compat_set_ssml(r->s, value);
    if (strcmp(name, "markup") == 0) /* the native field, whose name is the text's here */
        return taco_compat_set(r->s, "input", value);
    code = strcmp(name, "instructions") == 0 ? check_length(name, value, err) : 0;
    return code ? code : taco_compat_set(r->s, name, value);
}

static int missing(const char *name, struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, name, "%s is missing", name);
}

/* A model that is one of our voices speaks unless another one of ours is named. */
static int find_voice(struct taco_speech_state *s, const struct request *r) {
    const struct taco_options *options = s->x->server->options;
    const struct taco_voices *voices = s->x->voices;
    const char *of_model;
    bool any;
    if (!taco_openai_model_exists(voices, r->model, &of_model))
        return taco_error_code_set(&s->err, TACO_CODE_UNKNOWN_MODEL, "model",
                                   "there is no model '%.64s': /v1/models lists them",
                                   r->model);
    const char *name = taco_alias_resolve(options, voices, r->voice, &any);
    return taco_speech_find_voice(s, any ? of_model : name);
}

/* mp3 if nothing is named. What needs no sizes in its header is sent while it is made, as
 * OpenAI does; WAV and FLAC, whose readers want to know, only when that is asked for. */
static int choose_form(struct taco_speech_state *s, const struct request *r) {
    struct taco_speech *speech = &s->speech;
    const char *how = r->has_stream_format ? r->stream_format : NULL;
    if (how && strcmp(how, "audio") != 0 && strcmp(how, "sse") != 0)
        return taco_error_set(&s->err, TACO_ERR_INVALID_ARGUMENT, "stream_format",
                              "stream_format is 'audio' or 'sse', not '%.64s'", how);
    if (!speech->has_format)
        speech->audio.format =
            taco_audio_format_available(TACO_AUDIO_MP3) ? TACO_AUDIO_MP3 : TACO_AUDIO_WAV;
    enum taco_audio_format format = speech->audio.format;
    if (format == TACO_AUDIO_PCM && speech->audio.sample_rate == 0)
        speech->audio.sample_rate = PCM_RATE;
    const struct taco_field *stream = taco_field_find("stream", 6, TACO_FIELD_SPEECH);
    if (how || (!taco_speech_has(speech, stream) && format != TACO_AUDIO_WAV &&
                format != TACO_AUDIO_FLAC && !speech->request.strict))
        speech->request.streaming = true;
    if (speech->events || (how && strcmp(how, "sse") == 0))
        s->form = TACO_RESPONSE_EVENTS;
    return 0;
}

static int read_request(struct taco_speech_state *s) {
    struct request r = {.s = s};
    const struct taco_request_reader reader = {NULL, "", set_field, &r};
    int code = taco_request_read(&reader, s->x, &s->err);
    if (code)
        return code;
    if (!s->speech.text)
        return missing("input", &s->err);
    if (!r.has_model)
        return missing("model", &s->err);
    if (!r.has_voice)
        return missing("voice", &s->err);
    code = find_voice(s, &r);
    if (!code)
        code = choose_form(s, &r);
    return code ? code : taco_speech_check_all(s);
}

enum MHD_Result taco_handle_openai_speech(struct taco_exchange *x) {
    struct taco_speech_state *s = taco_speech_state_create(x, &openai);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    return taco_speech_start(s, read_request(s));
}
