/* Speech that is sent when all of it is there: with its length, and with the alignment if
 * that is wanted. */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "http/conditional.h"
#include "http/metrics.h"
#include "http/problem.h"
#include "http/reply.h"
#include "speech/budget.h"
#include "speech/cache.h"
#include "speech/speech_state.h"

/* The answer can be given, and MHD's thread will call x->resumed. */
static void finish(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    taco_exchange_resume(x);
    taco_exchange_end(x);
}

static int encode(struct taco_speech_state *s) {
    const struct taco_audio_options *options = &s->speech.audio;
    void *audio;
    size_t size;
    int problem = taco_encode_result(s->result, options, &audio, &size, &s->err);
    if (problem)
        return problem;
    s->kept =
        taco_kept_create(s->x->id, s->result, s->voice->shared, options, audio, size);
    return s->kept ? 0 : TACO_ERR_NO_MEMORY;
}

/* On a worker of the server: the engine's threads have better things to do. */
static void make_answer(struct taco_task *task, int worker) {
    (void)worker;
    struct taco_speech_state *s = taco_speech_of_task(task);
    struct taco_exchange *x = s->x;
    if (!s->kept)
        s->problem = encode(s);
    if (!s->problem && s->form == TACO_RESPONSE_OWN)
        s->problem = s->compat->make(s);
    else if (!s->problem && s->form != TACO_RESPONSE_AUDIO)
        s->problem = taco_payload_make(&s->payload, s->form, x->id, s->result,
                                       &s->speech.audio, s->kept->audio,
                                       s->kept->audio_size, s->speech.matrix, &s->err);
    if (!s->problem && s->form != TACO_RESPONSE_AUDIO)
        taco_etag_of(s->payload.bytes, s->payload.size, s->payload.etag);
    if (!s->problem && !s->hit) {
        taco_cache_mark(s, s->kept);
        s->is_kept = taco_results_put(x->server->results, s->kept);
    }
    finish(s);
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct taco_speech_state *s = user;
    if (status == TACO_OK) {
        taco_request_log_result(s->x, result);
        s->result = taco_result_ref(result);
        s->task.run = make_answer;
        taco_workers_add(s->x->server->workers, &s->task);
        return;
    }
    s->problem = status;
    s->err = *err;
    finish(s);
}

static enum MHD_Result on_resumed(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    if (s->problem)
        return taco_speech_reply_problem(s, s->problem);
    bool audio = s->form == TACO_RESPONSE_AUDIO;
    void *bytes = audio ? s->kept->audio : s->payload.bytes;
    const char *etag = audio ? s->kept->etag : s->payload.etag;
    char type[sizeof s->payload.media_type];
    if (audio) {
        const char *own = s->compat->audio_type ? s->compat->audio_type(s) : NULL;
        taco_audio_type_of(s->result, &s->speech.audio, type, sizeof type);
        if (own)
            snprintf(type, sizeof type, "%s", own);
    } else {
        snprintf(type, sizeof type, "%s", s->payload.media_type);
    }
    /* Without a seed the next request gets other bytes. */
    bool ranges = s->speech.request.has_seed && strcmp(x->method, "GET") == 0;
    struct taco_part part =
        taco_part_select(x, etag, audio ? s->kept->audio_size : s->payload.size, ranges);
    if (part.status == MHD_HTTP_RANGE_NOT_SATISFIABLE)
        return taco_part_refuse(x, &part);
    struct MHD_Response *response =
        audio ? taco_part_response(x, &part, etag, ranges, bytes, taco_kept_release_any,
                                   taco_kept_ref(s->kept))
              : taco_part_response(x, &part, etag, ranges, bytes, taco_free, bytes);
    s->payload.bytes = NULL; /* the response's now */
    if (response) {
        taco_speech_headers(x, response, x->id, s->result->seed,
                            taco_speech_ending(s->form, &s->speech.audio), s->is_kept,
                            s->hit ? NULL : &s->result->times);
        taco_speech_result_headers(response, s->result);
        taco_speech_own_headers(s, response);
    }
    taco_metrics_first_audio(x->server->metrics, TACO_DELIVERY_WHOLE,
                             taco_exchange_age(x) / 1e3);
    return taco_reply(x, part.status, response, type);
}

/* The result is there; its audio, too, if it was encoded in the same way. */
static enum MHD_Result answer_from_cache(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    const struct taco_audio_options *wanted = &s->speech.audio, *there = &s->hit->options;
    s->is_kept = true;
    if (s->hit->audio && wanted->format == there->format &&
        wanted->sample_rate == there->sample_rate && wanted->bit_rate == there->bit_rate)
        s->kept = taco_kept_ref(s->hit);
    if (s->kept && s->form == TACO_RESPONSE_AUDIO)
        return on_resumed(x);
    int problem = taco_budget_take(x, s->result, wanted, &s->err);
    if (problem)
        return taco_speech_reply_problem(s, problem);
    if (!taco_exchange_begin(x, taco_speech_cancel))
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    x->resumed = on_resumed;
    s->task.run = make_answer;
    taco_exchange_suspend(x);
    taco_workers_add(x->server->workers, &s->task);
    return MHD_YES;
}

enum MHD_Result taco_speech_whole_start(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    if (taco_cache_find(s))
        return answer_from_cache(s);
    const struct taco_callbacks callbacks = {.user = s, .done = on_done};
    enum taco_status status = taco_speech_create_job(s, &callbacks);
    if (status)
        return taco_speech_reply_problem(s, status);
    if (!taco_exchange_begin(x, taco_speech_cancel))
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    x->resumed = on_resumed;
    taco_exchange_suspend(x);
    taco_job_start(s->job); /* may resume the connection before it returns */
    return MHD_YES;
}
