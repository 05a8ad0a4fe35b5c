/* The ElevenLabs API: POST /v1/text-to-speech/{voice}, alone and with /stream,
 * /with-timestamps and /stream/with-timestamps.
 *
 * https://elevenlabs.io/docs/api-reference/text-to-speech. Unknown fields, among them the
 * settings of ElevenLabs's models, are ignored. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "compat/elevenlabs_times.h"
#include "compat/handlers.h"
#include "config/number.h"
#include "http/error_code.h"
#include "http/reply.h"
#include "speech/request.h"
#include "speech/speech_state.h"
#include "voices/aliases.h"

/* -- times --------------------------------------------------------------------------- */

/* {"audio_base64": ..., "alignment": ..., "normalized_alignment": ...} and a newline; the
 * alignments' references are taken; without them they are null. */
static bool write_object(struct taco_bytes *out, const void *audio, size_t size,
                         json_t *alignment, json_t *normalized) {
    char *text = NULL;
    json_t *times = alignment && normalized
                        ? json_pack("{s:O, s:O}", "alignment", alignment,
                                    "normalized_alignment", normalized)
                        : json_pack("{s:n, s:n}", "alignment", "normalized_alignment");
    json_decref(alignment);
    json_decref(normalized);
    if (times)
        text = json_dumps(times, JSON_COMPACT | JSON_REAL_PRECISION(9));
    json_decref(times);
    /* The times go on where the audio's member ends: ,"alignment":...} */
    bool ok = text && taco_bytes_printf(out, "{\"audio_base64\":\"") &&
              taco_bytes_base64(out, audio, size) && taco_bytes_add(out, "\",", 2) &&
              taco_bytes_add(out, text + 1, strlen(text) - 1) &&
              taco_bytes_add(out, "\n", 1);
    taco_free(text);
    return ok;
}

static int make_whole(struct taco_speech_state *s) {
    const struct taco_result *result = s->result;
    const struct taco_text *text = result->text;
    struct taco_bytes out = {NULL, 0, 0};
    struct taco_times *times =
        taco_malloc((size_t)taco_result_n_characters(result) * sizeof *times);
    json_t *alignment = NULL, *normalized = NULL;
    if (times) {
        taco_result_characters(result, times);
        alignment = taco_character_times(text->source, text->source_length, times);
        normalized = taco_spoken_times(text->spoken, result->spoken, text->n_spoken);
    }
    bool ok = alignment && normalized;
    if (ok) {
        ok = write_object(&out, s->cached->audio, s->cached->audio_size, alignment,
                          normalized);
    } else {
        json_decref(alignment);
        json_decref(normalized);
    }
    taco_free(times);
    if (!ok) {
        taco_bytes_free(&out);
        return taco_error_set(&s->err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    }
    s->payload.bytes = out.bytes;
    s->payload.size = out.size;
    snprintf(s->payload.media_type, sizeof s->payload.media_type, "application/json");
    return 0;
}

static bool write_audio(struct taco_speech_state *s, struct taco_bytes *out,
                        const void *bytes, size_t size) {
    (void)s;
    return write_object(out, bytes, size, NULL, NULL);
}

/* Times follow the sound: they are known when all of a sentence has been decoded. */
static bool write_chunk(struct taco_speech_state *s, struct taco_bytes *out,
                        const struct taco_spoken_chunk *told) {
    (void)s;
    const struct taco_span *region = &told->region;
    json_t *alignment =
        taco_character_times(told->text->source + region->begin,
                             region->end - region->begin, told->characters);
    json_t *normalized = taco_spoken_times(told->text->spoken + told->first_spoken,
                                           told->spoken, told->n_spoken);
    if (alignment && normalized)
        return write_object(out, "", 0, alignment, normalized);
    json_decref(alignment);
    json_decref(normalized);
    return false;
}

static bool write_failure(struct taco_speech_state *s, struct taco_bytes *out, int code,
                          const struct taco_error *err) {
    (void)s;
    json_t *error = taco_error_json(code, err);
    json_t *root = error ? json_pack("{s:{s:O, s:O}}", "detail", "status",
                                     json_object_get(error, "code"), "message",
                                     json_object_get(error, "message"))
                         : NULL;
    char *text = root ? json_dumps(root, JSON_COMPACT) : NULL;
    bool ok =
        text && taco_bytes_add(out, text, strlen(text)) && taco_bytes_add(out, "\n", 1);
    taco_free(text);
    json_decref(root);
    json_decref(error);
    return ok;
}

/* Objects, a line each. */
static const struct taco_events events = {.media_type = "application/x-ndjson",
                                          .audio = write_audio,
                                          .chunk = write_chunk,
                                          .failure = write_failure};

static const struct taco_compat elevenlabs = {.format = "output_format",
                                              .allows_silence = true,
                                              .make = make_whole,
                                              .events = &events};

/* -- reading ------------------------------------------------------------------------- */

/* "mp3_44100_128", "pcm_16000", "ulaw_8000": codec, Hz, and thousands of bits a second. */
static int set_output_format(struct taco_speech_state *s, const char *value) {
    struct taco_audio_options *audio = &s->speech.audio;
    char copy[64], *piece, *rest = copy;
    int64_t rate = 0, kilobits = 0;
    snprintf(copy, sizeof copy, "%s", value);
    const char *codec = strsep(&rest, "_");
    bool ok = strlen(value) < sizeof copy && (piece = strsep(&rest, "_")) != NULL &&
              taco_parse_integer(piece, &rate) && rate > 0 && rate <= 1000000;
    if (ok && (piece = strsep(&rest, "_")) != NULL)
        ok = taco_parse_integer(piece, &kilobits) && kilobits > 0 && kilobits <= 100000 &&
             !rest;
    if (!ok)
        return taco_error_set(
            &s->err, TACO_ERR_INVALID_ARGUMENT, "output_format",
            "output_format is codec_rate or codec_rate_bitrate, such as "
            "mp3_44100_128, pcm_16000 or ulaw_8000, not '%.40s'",
            value);
    audio->sample_rate = (int)rate;
    audio->bit_rate = (int)kilobits * 1000;
    s->speech.has_format = true;
    return taco_audio_format_parse(codec, &audio->format, &s->err);
}

/* "off" speaks numbers word by word; with "auto" ElevenLabs's models decide, and ours is to. */
static int set_normalisation(struct taco_speech_state *s,
                             const struct taco_value *value) {
    static const char name[] = "apply_text_normalization";
    const char *word;
    if (!taco_value_word(value, &word))
        return taco_error_code_set(&s->err, TACO_CODE_WRONG_TYPE, name,
                                   "%s must be a string", name);
    bool off = strcmp(word, "off") == 0;
    if (!off && strcmp(word, "on") != 0 && strcmp(word, "auto") != 0)
        return taco_error_set(&s->err, TACO_ERR_INVALID_ARGUMENT, name,
                              "%s must be one of auto, on, off, not '%.40s'", name, word);
    s->speech.request.text_options.normalise = !off;
    return 0;
}

static int set_field(void *user, const char *name, const struct taco_value *value,
                     struct taco_error *err);

static int set_settings(struct taco_speech_state *s, const struct taco_value *value) {
    const char *name;
    json_t *setting;
    int code = 0;
    if (!json_is_object(value->json))
        return taco_error_code_set(&s->err, TACO_CODE_WRONG_TYPE, "voice_settings",
                                   "voice_settings must be an object");
    json_object_foreach((json_t *)(uintptr_t)value->json, name, setting) {
        const struct taco_value v = taco_value_json(setting);
        if (strcmp(name, "voice_settings") == 0)
            taco_speech_ignore(s, name);
        else
            code = set_field(s, name, &v, &s->err);
        if (code)
            break;
    }
    return code;
}

/* A parameter of the query or a field of the body. The path names the voice, and the path
 * and output_format the form of the answer. */
static int set_field(void *user, const char *name, const struct taco_value *value,
                     struct taco_error *err) {
    struct taco_speech_state *s = user;
    const char *word;
    if (taco_value_is_null(value))
        return 0;
    if (strcmp(name, "voice_settings") == 0)
        return set_settings(s, value);
    if (strcmp(name, "apply_text_normalization") == 0)
        return set_normalisation(s, value);
    if (strcmp(name, "output_format") == 0)
        return taco_value_word(value, &word)
                   ? set_output_format(s, word)
                   : taco_error_code_set(err, TACO_CODE_WRONG_TYPE, name,
                                         "output_format must be a string");
    if (strcmp(name, "voice") == 0 || strcmp(name, "stream") == 0 ||
        strcmp(name, "format") == 0) {
        taco_speech_ignore(s, name);
        return 0;
    }
    return taco_compat_set(s, name, value);
}

static int find_voice(struct taco_speech_state *s) {
    const struct taco_server *server = s->x->server;
    const char *wanted = s->x->arguments[0];
    bool any;
    const char *name = taco_alias_resolve(server->options, s->x->voices, wanted, &any);
    if (any || taco_voices_find(s->x->voices, name))
        return taco_speech_find_voice(s, any ? NULL : name);
    return taco_speech_unknown_voice(s->x, TACO_CODE_NOT_FOUND, "voice", wanted, &s->err);
}

static enum MHD_Result handle(struct taco_exchange *x, bool streaming, bool times) {
    struct taco_speech_state *s = taco_speech_state_create(x, &elevenlabs);
    if (!s)
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    const struct taco_request_reader reader = {NULL, "", set_field, s};
    int code = find_voice(s);
    if (!code)
        code = taco_request_read(&reader, x, &s->err);
    if (!code && !s->speech.text)
        code = taco_request_no_text(x, "text", &s->err);
    if (!code && !s->speech.has_format)
        code = set_output_format(s, taco_audio_format_available(TACO_AUDIO_MP3)
                                        ? "mp3_44100_128"
                                        : "wav_44100");
    s->speech.request.streaming = streaming;
    if (times)
        s->form = streaming ? TACO_RESPONSE_EVENTS : TACO_RESPONSE_OWN;
    return taco_speech_start(s, code ? code : taco_speech_check_all(s));
}

enum MHD_Result taco_handle_elevenlabs(struct taco_exchange *x) {
    return handle(x, false, false);
}

enum MHD_Result taco_handle_elevenlabs_stream(struct taco_exchange *x) {
    return handle(x, true, false);
}

enum MHD_Result taco_handle_elevenlabs_times(struct taco_exchange *x) {
    return handle(x, false, true);
}

enum MHD_Result taco_handle_elevenlabs_stream_times(struct taco_exchange *x) {
    return handle(x, true, true);
}
