/* Server-sent events of POST /v1/speech with stream=sse: audio, and times as they become
 * known. https://html.spec.whatwg.org/multipage/server-sent-events.html */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "http/reply.h"
#include "speech/speech_state.h"

bool taco_event_json(struct taco_bytes *out, const char *name, json_t *root) {
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(9)) : NULL;
    json_decref(root);
    bool ok = text && (!name || taco_bytes_printf(out, "event: %s\n", name)) &&
              taco_bytes_add(out, "data: ", 6) &&
              taco_bytes_add(out, text, strlen(text)) && taco_bytes_add(out, "\n\n", 2);
    taco_free(text); /* Jansson takes its memory from taco_malloc */
    return ok;
}

static bool write_begin(struct taco_speech_state *s, struct taco_bytes *out) {
    const struct taco_audio_options *audio = &s->speech.audio;
    int rate = taco_audio_output_rate(
        audio->format, taco_voice_info(s->voice->voice)->sample_rate, audio->sample_rate);
    char type[96];
    taco_audio_media_type(audio->format, rate, type, sizeof type);
    return taco_event_json(out, "start",
                           json_pack("{s:s, s:I, s:s, s:{s:s, s:s, s:i}}", "id", s->x->id,
                                     "seed", (json_int_t)taco_job_seed(s->job), "voice",
                                     s->voice->name, "audio", "type", type, "format",
                                     taco_audio_format_name(audio->format), "sample_rate",
                                     rate));
}

static bool write_audio(struct taco_speech_state *s, struct taco_bytes *out,
                        const void *bytes, size_t size) {
    (void)s;
    static const char begin[] = "event: audio\ndata: {\"data\":\"";
    return taco_bytes_add(out, begin, sizeof begin - 1) &&
           taco_bytes_base64(out, bytes, size) && taco_bytes_add(out, "\"}\n\n", 4);
}

static bool write_chunk(struct taco_speech_state *s, struct taco_bytes *out,
                        const struct taco_spoken_chunk *told) {
    char *json;
    size_t size;
    bool ok =
        taco_spoken_chunk_write(told, s->voice->voice, &json, &size, NULL) == TACO_OK &&
        taco_bytes_printf(out, "event: timing\ndata: ") &&
        taco_bytes_add(out, json, size) && taco_bytes_add(out, "\n\n", 2);
    free(json);
    return ok;
}

static bool write_end(struct taco_speech_state *s, struct taco_bytes *out,
                      const struct taco_result *result) {
    struct taco_format_options options = taco_format_options_default();
    options.matrix = s->speech.matrix;
    options.id = s->x->id;
    char *json = NULL;
    size_t size;
    bool ok = taco_result_write(result, TACO_FORMAT_ALIGNMENT_JSON, &options, &json,
                                &size, NULL) == TACO_OK;
    /* Compact JSON has no newline, which would end the data. */
    ok = ok && taco_bytes_printf(out, "event: done\ndata: ") &&
         taco_bytes_add(out, json, size) && taco_bytes_add(out, "\n\n", 2);
    free(json);
    return ok;
}

static bool write_failure(struct taco_speech_state *s, struct taco_bytes *out, int code,
                          const struct taco_error *err) {
    (void)s;
    return taco_event_json(out, "error", taco_error_json(code, err));
}

const struct taco_events taco_native_events = {.media_type = "text/event-stream",
                                               .begin = write_begin,
                                               .audio = write_audio,
                                               .chunk = write_chunk,
                                               .end = write_end,
                                               .failure = write_failure};
