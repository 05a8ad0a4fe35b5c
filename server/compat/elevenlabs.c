/* ElevenLabs's dialect: POST /v1/text-to-speech/{voice}, alone and with /stream,
 * /with-timestamps and /stream/with-timestamps.
 *
 * https://elevenlabs.io/docs/api-reference/text-to-speech. The key in xi-api-key is one
 * like others. Settings of ElevenLabs's models have no effect; X-Taco-Ignored names them.
 */
#include <stdio.h>
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "base/memory.h"
#include "compat/elevenlabs_times.h"
#include "config/number.h"
#include "http/problem.h"
#include "http/reply.h"
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
        ok = write_object(&out, s->kept->audio, s->kept->audio_size, alignment,
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
    s->package.bytes = out.bytes;
    s->package.size = out.size;
    snprintf(s->package.media_type, sizeof s->package.media_type, "application/json");
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

static bool write_failure(struct taco_speech_state *s, struct taco_bytes *out,
                          int problem, const struct taco_error *err) {
    (void)s;
    json_t *error = taco_problem_json(problem, err);
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

static const struct taco_dialect dialect = {
    .format = "output_format", .make = make_whole, .events = &events};

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

static int set_query(void *user, const char *name, size_t name_length, const char *value,
                     size_t length, struct taco_error *err) {
    (void)name_length, (void)length;
    struct taco_speech_state *s = user;
    if (strcmp(name, "output_format") == 0)
        return set_output_format(s, value);
    if (strcmp(name, "enable_logging") == 0 ||
        strcmp(name, "optimize_streaming_latency") == 0) {
        taco_speech_ignore(s, name);
        return 0;
    }
    return taco_problem_set(err, TACO_PROBLEM_UNKNOWN_PARAMETER, name,
                            "there is no parameter '%.64s' here", name);
}

static bool is_ignored(const char *name) {
    static const char *const names[] = {"model_id",
                                        "language_code",
                                        "previous_text",
                                        "next_text",
                                        "previous_request_ids",
                                        "next_request_ids",
                                        "pronunciation_dictionary_locators",
                                        "use_pvc_as_ivc",
                                        "apply_text_normalization",
                                        "apply_language_text_normalization",
                                        "audio_effects",
                                        "clone_strength",
                                        "stability",
                                        "similarity_boost",
                                        "style",
                                        "use_speaker_boost"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

static int set_field(struct taco_speech_state *s, const char *name, const json_t *value) {
    const struct taco_field *field =
        taco_field_find(name, strlen(name), TACO_FIELD_SPEECH);
    if (json_is_null(value))
        return 0;
    if (is_ignored(name)) {
        taco_speech_ignore(s, name);
        return 0;
    }
    /* The path has the voice, and the path and output_format the form. */
    if (!field || strcmp(name, "voice") == 0 || strcmp(name, "stream") == 0 ||
        strcmp(name, "format") == 0)
        return taco_problem_set(&s->err, TACO_PROBLEM_UNKNOWN_PARAMETER, name,
                                "there is no parameter '%.64s' here", name);
    return taco_speech_set_json(&s->speech, field, value, &s->err);
}

static int set_fields(struct taco_speech_state *s, json_t *object) {
    const char *name;
    json_t *value;
    int problem = 0;
    json_object_foreach(object, name, value) {
        bool nested = strcmp(name, "voice_settings") == 0 && !json_is_null(value);
        if (nested && !json_is_object(value))
            problem = taco_problem_set(&s->err, TACO_PROBLEM_WRONG_TYPE, name,
                                       "voice_settings must be an object");
        else if (nested && json_object_get(value, name))
            problem = taco_problem_set(&s->err, TACO_PROBLEM_UNKNOWN_PARAMETER, name,
                                       "voice_settings has no voice_settings");
        else
            problem = nested ? set_fields(s, value) : set_field(s, name, value);
        if (problem)
            break;
    }
    return problem;
}

static int find_voice(struct taco_speech_state *s) {
    const struct taco_server *server = s->x->server;
    const char *wanted = s->x->arguments[0];
    bool any;
    const char *name = taco_alias_resolve(server->options, s->x->voices, wanted, &any);
    if (any || taco_voices_find(s->x->voices, name))
        return taco_speech_find_voice(s, any ? NULL : name);
    char names[128];
    taco_voices_list(s->x->voices, names, sizeof names);
    return taco_problem_set(&s->err, TACO_PROBLEM_NOT_FOUND, "voice",
                            "there is no voice '%s': there are %s; --openai-voice gives "
                            "them other names",
                            wanted, names);
}

static int read_body(struct taco_speech_state *s) {
    json_t *root;
    int problem = taco_dialect_read_object(s->x, &root, &s->err);
    if (problem)
        return problem;
    problem = set_fields(s, root);
    json_decref(root);
    if (!problem && !s->speech.text)
        problem = taco_error_set(&s->err, TACO_ERR_EMPTY_TEXT, "text", "text is missing");
    return problem;
}

static enum MHD_Result handle(struct taco_exchange *x, bool streaming, bool times) {
    struct taco_speech_state *s = taco_speech_state_create(x, &dialect);
    if (!s)
        return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
    int problem = find_voice(s);
    if (!problem && x->query)
        problem = taco_urlencoded_read(x->query, strlen(x->query), set_query, s, &s->err);
    if (!problem)
        problem = read_body(s);
    if (!problem && !s->speech.has_format)
        problem = set_output_format(s, taco_audio_format_available(TACO_AUDIO_MP3)
                                           ? "mp3_44100_128"
                                           : "wav_44100");
    s->speech.request.streaming = streaming;
    if (times)
        s->packaging = streaming ? TACO_PACKAGING_EVENTS : TACO_PACKAGING_OWN;
    return taco_speech_start(s, problem ? problem : taco_speech_check_all(s));
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
