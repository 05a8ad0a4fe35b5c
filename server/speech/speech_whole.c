/* Answers that are sent when all of it is there: new speech, or a cached result.
 *
 * The work for an answer is encoding its audio, and making the rest of its body. It is done
 * on the server's workers in slices, between which clients take turns; see turns.h. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "http/conditional.h"
#include "http/error_code.h"
#include "http/metrics.h"
#include "http/reply.h"
#include "speech/cache.h"
#include "speech/speech_state.h"

#define SLICE 0.010 /* seconds */
#define BLOCK 4096  /* samples, a millisecond or a few of encoding */

/* -- encoding ------------------------------------------------------------------------ */

static int put(void *user, const void *bytes, size_t size) {
    struct taco_speech_state *s = user;
    s->code = taco_budget_reserve(&s->budget, &s->audio, size, &s->err);
    if (!s->code && !taco_bytes_add(&s->audio, bytes, size))
        s->code = TACO_ERR_NO_MEMORY;
    return s->code;
}

/* Opens the writer, with room for what formats of a fixed size need. */
static int begin_encoding(struct taco_speech_state *s) {
    const struct taco_audio_options *options = &s->speech.audio;
    const struct taco_result *result = s->result;
    const double rate = taco_audio_output_rate(options->format, result->sample_rate,
                                               options->sample_rate);
    const double n = (double)result->n_samples * rate / result->sample_rate;
    const bool compressed =
        options->format == TACO_AUDIO_MP3 || options->format == TACO_AUDIO_OPUS;
    int code = taco_budget_reserve(&s->budget, &s->audio,
                                   (size_t)(n * (compressed ? 0.25 : 2)) + 4096, &s->err);
    return code ? code
                : taco_audio_writer_open(&s->writer, result->sample_rate,
                                         result->n_samples, options, put, s, &s->err);
}

static int finish_encoding(struct taco_speech_state *s) {
    struct taco_audio_writer *writer = s->writer;
    s->writer = NULL;
    int status = taco_audio_writer_finish(writer, &s->err);
    if (s->code || status)
        return s->code ? s->code : status;
    /* It may be cached for long: no more memory than it needs. */
    char *fitted = taco_realloc(s->audio.bytes, s->audio.size + 1);
    taco_budget_give(&s->budget, s->audio.capacity - s->audio.size);
    void *audio = fitted ? fitted : s->audio.bytes;
    const size_t size = s->audio.size;
    s->audio = (struct taco_bytes){NULL, 0, 0};
    s->cached = taco_cached_create(s->x->id, s->result,
                                   s->voice ? s->voice->shared : s->hit->voice,
                                   &s->speech.audio, audio, size);
    return s->cached ? 0 : TACO_ERR_NO_MEMORY;
}

/* Encodes until the slice is over. *more: there is something left. */
static int encode(struct taco_speech_state *s, double until, bool *more) {
    const size_t n = (size_t)s->result->n_samples;
    int code = s->writer ? 0 : begin_encoding(s);
    while (!code && s->n_written < n && taco_clock_now() < until) {
        size_t some = n - s->n_written < BLOCK ? n - s->n_written : BLOCK;
        code = taco_audio_writer_write(s->writer, s->result->samples + s->n_written, some,
                                       &s->err);
        s->n_written += some;
    }
    *more = !code && s->n_written < n;
    if (code && s->code)
        return s->code; /* why put stopped the writer */
    return code || *more ? code : finish_encoding(s);
}

/* -- the work ------------------------------------------------------------------------ */

static void end_work(struct taco_speech_state *s, int code) {
    struct taco_exchange *x = s->x;
    s->code = code;
    if (!code && !s->hit) {
        taco_cache_mark(s, s->cached);
        s->is_cached = taco_results_put(x->server->results, s->cached);
    }
    /* The answer can be given, and MHD's thread will call x->resumed. */
    taco_exchange_resume(x);
    taco_exchange_end(x);
}

/* Makes what cannot be cut into slices. */
static int make_payload(struct taco_speech_state *s) {
    int code = taco_speech_stopped(s);
    if (!code && s->form != TACO_RESPONSE_AUDIO)
        code = taco_payload_make(s);
    return code;
}

static void work_long(struct taco_task *task, int worker) {
    (void)worker;
    struct taco_speech_state *s = taco_speech_of_task(task);
    struct taco_turns *turns = s->x->server->turns;
    const double begin = taco_clock_now();
    int code = make_payload(s);
    taco_turns_charge(turns, &s->turn, taco_clock_now() - begin);
    end_work(s, code);
}

/* One slice. */
static void work(struct taco_task *task, int worker) {
    (void)worker;
    struct taco_speech_state *s = taco_speech_of_task(task);
    struct taco_server *server = s->x->server;
    const double begin = taco_clock_now();
    bool more = false;
    int code = taco_speech_stopped(s);
    if (!code && !s->cached)
        code = encode(s, begin + SLICE, &more);
    const bool is_long = !code && !more && taco_payload_is_long(s);
    if (!code && !more && !is_long)
        code = make_payload(s);
    taco_turns_charge(server->turns, &s->turn, taco_clock_now() - begin);
    if (more) {
        taco_speech_work(s);
    } else if (is_long) {
        s->task.run = work_long;
        s->task.priority = taco_turns_priority(server->turns, &s->turn);
        taco_workers_add(server->long_workers, &s->task);
    } else {
        end_work(s, code);
    }
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct taco_speech_state *s = user;
    if (status == TACO_OK) {
        taco_request_log_result(s->x, result);
        s->result = taco_result_ref(result);
        taco_speech_work(s);
        return;
    }
    s->err = *err;
    end_work(s, status);
}

/* -- the answer ---------------------------------------------------------------------- */

static void describe(const struct taco_speech_state *s, char *type, size_t size) {
    const char *own = s->compat->audio_type ? s->compat->audio_type(s) : NULL;
    if (s->form != TACO_RESPONSE_AUDIO)
        snprintf(type, size, "%s", s->payload.media_type);
    else if (own)
        snprintf(type, size, "%s", own);
    else
        taco_audio_type_of(s->result, &s->speech.audio, type, size);
}

static void add_headers(const struct taco_speech_state *s,
                        struct MHD_Response *response) {
    const bool is_new = s->voice && !s->hit;
    const char *ending = s->form == TACO_RESPONSE_WRITTEN
                             ? taco_result_extension(s->written)
                             : taco_speech_ending(s->form, &s->speech.audio);
    taco_speech_headers(s->x, response, s->x->id, s->result->seed, ending, s->is_cached,
                        is_new ? &s->result->times : NULL);
    taco_speech_result_headers(response, s->result);
    taco_speech_own_headers(s, response);
    /* The picture has text of the client: no script may run in it. */
    if (s->form == TACO_RESPONSE_WRITTEN && s->written == TACO_FORMAT_ALIGNMENT_SVG)
        taco_response_header(response, "Content-Security-Policy",
                             "default-src 'none'; style-src 'unsafe-inline'; sandbox");
}

static enum MHD_Result on_resumed(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    if (s->code)
        return taco_speech_reply_error(s, s->code);
    const bool audio = s->form == TACO_RESPONSE_AUDIO;
    void *bytes = audio ? s->cached->audio : s->payload.bytes;
    const char *etag = audio ? s->cached->etag : s->payload.etag;
    char type[sizeof s->payload.media_type];
    describe(s, type, sizeof type);
    /* Without a seed the next request gets other bytes. */
    bool ranges =
        !s->voice || (s->speech.request.has_seed && strcmp(x->method, "GET") == 0);
    struct taco_part part = taco_part_select(
        x, etag, audio ? s->cached->audio_size : s->payload.size, ranges);
    if (part.status == MHD_HTTP_RANGE_NOT_SATISFIABLE)
        return taco_part_refuse(x, &part);
    struct MHD_Response *response =
        audio ? taco_part_response(x, &part, etag, ranges, bytes, taco_cached_release_any,
                                   taco_cached_ref(s->cached))
              : taco_part_response(x, &part, etag, ranges, bytes, taco_free, bytes);
    s->payload.bytes = NULL; /* the response's now */
    if (response)
        add_headers(s, response);
    if (s->voice)
        taco_metrics_first_audio(x->server->metrics, TACO_DELIVERY_WHOLE,
                                 taco_exchange_age(x) / 1e3);
    return taco_reply(x, part.status, response, type);
}

/* -- beginnings ---------------------------------------------------------------------- */

static enum MHD_Result begin(struct taco_speech_state *s) {
    s->task.run = work;
    int code = taco_speech_enter(s, on_resumed, taco_speech_cancel);
    return code ? taco_speech_reply_error(s, code) : taco_speech_go(s);
}

/* The audio is there if it was encoded in the same way. */
static enum MHD_Result answer_from(struct taco_speech_state *s) {
    const struct taco_audio_options *wanted = &s->speech.audio, *there = &s->hit->options;
    const bool same = s->hit->audio && wanted->format == there->format &&
                      wanted->sample_rate == there->sample_rate &&
                      wanted->bit_rate == there->bit_rate;
    s->is_cached = true;
    if (same || s->form == TACO_RESPONSE_WRITTEN)
        s->cached = taco_cached_ref(s->hit);
    return s->cached && s->form == TACO_RESPONSE_AUDIO ? on_resumed(s->x) : begin(s);
}

enum MHD_Result taco_speech_reply_cached(struct taco_speech_state *s) {
    s->result = taco_result_ref(s->hit->result);
    return answer_from(s);
}

enum MHD_Result taco_speech_whole_start(struct taco_speech_state *s) {
    if (taco_cache_find(s))
        return answer_from(s);
    if (s->is_piece) {
        s->speech.request.has_seed = false;
        s->cache = NULL;
    }
    const struct taco_callbacks callbacks = {.user = s, .done = on_done};
    enum taco_status status = taco_speech_create_job(s, &callbacks);
    return status ? taco_speech_reply_error(s, status) : begin(s);
}
