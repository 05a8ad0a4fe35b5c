/* POST and GET /v1/speech: text in, speech out. */
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "handlers.h"
#include "options.h"
#include "problem.h"
#include "reply.h"
#include "request.h"
#include "speech_state.h"

static void free_state(void *state) {
    struct taco_speech_state *s = state;
    taco_speech_stream_free(s->stream);
    taco_job_release(s->job);
    taco_result_unref(s->result);
    taco_kept_release(s->kept);
    taco_free(s->package.bytes);
    taco_speech_free(&s->speech);
    taco_free(s);
}

static int read_request(struct taco_exchange *x, struct taco_speech *speech,
                        struct taco_error *err) {
    int problem = taco_request_read_query(speech, TACO_FIELD_SPEECH, x->query, err);
    if (!problem && strcmp(x->method, MHD_HTTP_METHOD_POST) == 0)
        problem =
            taco_request_read_body(speech, TACO_FIELD_SPEECH,
                                   taco_exchange_header(x, MHD_HTTP_HEADER_CONTENT_TYPE),
                                   x->body.bytes ? x->body.bytes : "", x->body.size, err);
    if (!problem && !speech->text)
        problem = taco_error_set(err, TACO_ERR_EMPTY_TEXT, "text",
                                 "there is no text: give it as the body, or as 'text'");
    return problem;
}

/* The server's limits are the most that a request may ask for. */
static int apply_limits(const struct taco_server *server, struct taco_speech *speech,
                        struct taco_error *err) {
    struct taco_request *request = &speech->request;
    if (request->text_length > server->options->max_text)
        return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                              "the text has %zu bytes, at most %llu are spoken at once",
                              request->text_length,
                              (unsigned long long)server->options->max_text);
    if (request->timeout > server->options->timeout)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "timeout",
                              "timeout is %g seconds: this server allows at most %g",
                              request->timeout, server->options->timeout);
    if (request->timeout == 0)
        request->timeout = server->options->timeout;
    if (request->text_options.max_bytes < request->text_length)
        request->text_options.max_bytes = (uint32_t)request->text_length;
    return 0;
}

static int find_voice(const struct taco_server *server, struct taco_speech_state *s,
                      struct taco_error *err) {
    s->voice = taco_voices_find(server->voices, s->speech.voice);
    if (s->voice)
        return 0;
    char names[128];
    taco_voices_list(server->voices, names, sizeof names);
    return taco_problem_set(err, TACO_PROBLEM_UNKNOWN_VOICE, "voice",
                            "there is no voice '%.64s': there are %s", s->speech.voice,
                            names);
}

static int prepare(struct taco_exchange *x, struct taco_speech_state *s,
                   struct taco_error *err) {
    const struct taco_server *server = x->server;
    int problem = read_request(x, &s->speech, err);
    if (!problem)
        problem = find_voice(server, s, err);
    if (!problem)
        problem = taco_negotiate(taco_exchange_header(x, MHD_HTTP_HEADER_ACCEPT),
                                 &s->speech, &s->packaging, err);
    if (!problem)
        problem = apply_limits(server, &s->speech, err);
    if (!problem)
        problem = taco_speech_check(&s->speech, s->voice->voice, err);
    if (!problem)
        problem = taco_speech_check_audio(&s->speech, s->voice->voice, err);
    if (!problem && s->speech.request.streaming && s->packaging != TACO_PACKAGING_AUDIO)
        problem = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "stream",
                                 "only plain audio is streamed, not JSON or multipart");
    return problem;
}

enum MHD_Result taco_handle_speech(struct taco_exchange *x) {
    if (atomic_load(&x->server->draining))
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    struct taco_speech_state *s = taco_calloc(1, sizeof *s);
    if (!s)
        return taco_reply_problem(x, TACO_ERR_NO_MEMORY, NULL);
    s->x = x;
    s->err = (struct taco_error)TACO_ERROR_INIT;
    taco_speech_init(&s->speech);
    x->state = s;
    x->state_free = free_state;
    int problem = prepare(x, s, &s->err);
    taco_bytes_free(&x->body); /* the speech has its own copy of the text */
    if (problem)
        return taco_reply_problem(x, problem, &s->err);
    taco_id_draw(x->id);
    return s->speech.request.streaming ? taco_speech_stream_start(s)
                                       : taco_speech_whole_start(s);
}

void taco_speech_headers(struct MHD_Response *response, const char *id, uint64_t seed,
                         const char *ending, bool alignment,
                         const struct taco_stage_times *times) {
    taco_response_header(response, "X-Taco-Id", "%s", id);
    taco_response_header(response, "X-Taco-Seed", "%llu", (unsigned long long)seed);
    taco_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
                         "inline; filename=\"%s.%s\"", id, ending);
    if (alignment)
        taco_response_header(response, "Link",
                             "</v1/speech/%s/alignment>; rel=\"alignment\"; "
                             "type=\"application/json\"",
                             id);
    if (times)
        taco_response_header(response, "Server-Timing",
                             "queued;dur=%.2f, text;dur=%.2f, encoder;dur=%.2f, "
                             "decoder;dur=%.2f, postnet;dur=%.2f, vocoder;dur=%.2f, "
                             "total;dur=%.2f",
                             times->queued * 1e3, times->text * 1e3, times->encoder * 1e3,
                             times->decoder * 1e3, times->postnet * 1e3,
                             times->vocoder * 1e3, times->total * 1e3);
}

const char *taco_speech_ending(enum taco_packaging packaging,
                               const struct taco_audio_options *audio) {
    return packaging == TACO_PACKAGING_JSON ? "json"
           : packaging == TACO_PACKAGING_MULTIPART
               ? "multipart"
               : taco_audio_format_name(audio->format);
}
