/* Speech that is sent while it is being made.
 *
 * The engine's threads put encoded audio into a queue, MHD's thread takes it out. The
 * status line waits for the first audio, so that a text that cannot be spoken is still an
 * error; what goes wrong later breaks the chunked transfer off, which no client takes for
 * an end. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "http/metrics.h"
#include "http/problem.h"
#include "http/reply.h"
#include "speech/budget.h"
#include "speech/cache.h"
#include "speech/speech_state.h"

#define BLOCK (32 * 1024)

struct taco_stream {
    struct taco_audio_writer *writer; /* the engine's threads' own, as the four below */
    const struct taco_events *events; /* NULL: bare audio */
    struct taco_bytes encoded;        /* of the next event */
    uint64_t n_queued;                /* bytes that have been put into the queue */
    bool has_audio;                   /* some of it is in the queue, not only a header */
    pthread_mutex_t lock;             /* of all below */
    struct taco_bytes queue;
    size_t taken;   /* bytes of the queue that have been sent */
    bool suspended; /* MHD's thread sleeps until there is something */
    bool started;   /* there has been audio, not only a header */
    bool finished;  /* nothing more will come */
    bool failed;    /* ... and what has come is not all of it */
    bool closed;    /* MHD has done with the connection */
};

void taco_speech_stream_free(struct taco_stream *stream) {
    if (!stream)
        return;
    taco_audio_writer_abort(stream->writer);
    taco_bytes_free(&stream->queue);
    taco_bytes_free(&stream->encoded);
    pthread_mutex_destroy(&stream->lock);
    taco_free(stream);
}

/* -- the engine's side --------------------------------------------------------------- */

/* With the lock held; unlocks it. */
static void wake_and_unlock(struct taco_speech_state *s) {
    struct taco_stream *stream = s->stream;
    bool wake = stream->suspended;
    stream->suspended = false;
    pthread_mutex_unlock(&stream->lock);
    if (wake)
        taco_exchange_resume(s->x);
}

static bool enqueue(struct taco_stream *stream, const void *bytes, size_t size) {
    pthread_mutex_lock(&stream->lock);
    bool ok = !stream->closed && taco_bytes_add(&stream->queue, bytes, size);
    stream->failed |= !ok;
    pthread_mutex_unlock(&stream->lock);
    stream->n_queued += ok ? size : 0;
    return ok;
}

static int put(void *user, const void *bytes, size_t size) {
    struct taco_stream *stream = ((struct taco_speech_state *)user)->stream;
    bool ok = stream->events ? taco_bytes_add(&stream->encoded, bytes, size)
                             : enqueue(stream, bytes, size);
    return ok ? 0 : 1;
}

/* Sends what an event writer has written; gives it back. */
static bool send_event(struct taco_speech_state *s, bool written,
                       struct taco_bytes *out) {
    bool ok = written && (out->size == 0 || enqueue(s->stream, out->bytes, out->size));
    taco_bytes_free(out);
    return ok;
}

/* What has been encoded since the last event becomes one. */
static bool send_audio_event(struct taco_speech_state *s) {
    struct taco_stream *stream = s->stream;
    if (!stream->events || stream->encoded.size == 0)
        return true;
    struct taco_bytes out = {NULL, 0, 0};
    bool written =
        stream->events->audio(s, &out, stream->encoded.bytes, stream->encoded.size);
    stream->encoded.size = 0;
    return send_event(s, written, &out);
}

/* An encoder may gather samples for a while before it writes any. */
static void note_first_audio(struct taco_speech_state *s, uint64_t n_before) {
    struct taco_stream *stream = s->stream;
    if (stream->has_audio || stream->n_queued == n_before)
        return;
    stream->has_audio = true;
    taco_metrics_first_audio(s->x->server->metrics, TACO_DELIVERY_STREAM,
                             taco_exchange_age(s->x) / 1e3);
}

static int on_audio(void *user, const float *samples, size_t n) {
    struct taco_speech_state *s = user;
    uint64_t n_before = s->stream->n_queued;
    enum taco_status status =
        taco_audio_writer_write(s->stream->writer, samples, n, NULL);
    bool ok = status == TACO_OK && send_audio_event(s);
    note_first_audio(s, n_before);
    pthread_mutex_lock(&s->stream->lock);
    s->stream->started = true;
    if (s->stream->queue.size > s->stream->taken)
        wake_and_unlock(s);
    else
        pthread_mutex_unlock(&s->stream->lock); /* the encoder gathers */
    return ok ? 0 : 1;
}

static int on_chunk(void *user, const struct taco_spoken_chunk *chunk) {
    struct taco_speech_state *s = user;
    struct taco_bytes out = {NULL, 0, 0};
    bool ok = send_event(s, s->stream->events->chunk(s, &out, chunk), &out);
    pthread_mutex_lock(&s->stream->lock);
    s->stream->started = true;
    wake_and_unlock(s);
    return ok ? 0 : 1;
}

/* The last events. False: not all of it could be sent. */
static bool send_end(struct taco_speech_state *s, enum taco_status status,
                     const struct taco_error *err, const struct taco_result *result) {
    const struct taco_events *events = s->stream->events;
    struct taco_bytes out = {NULL, 0, 0};
    if (!events)
        return status == TACO_OK;
    if (status == TACO_OK)
        return send_audio_event(s) &&
               (!events->end || send_event(s, events->end(s, &out, result), &out));
    pthread_mutex_lock(&s->stream->lock);
    bool started = s->stream->started;
    pthread_mutex_unlock(&s->stream->lock);
    /* Before the status line it is an answer like others. */
    return started && events->failure &&
           send_event(s, events->failure(s, &out, status, err), &out);
}

static void keep(struct taco_speech_state *s, const struct taco_result *result) {
    /* The whole file, with its exact sizes, is encoded when somebody asks for it. */
    struct taco_kept *kept =
        taco_kept_create(s->x->id, result, s->voice->shared, &s->speech.audio, NULL, 0);
    if (kept)
        taco_cache_mark(s, kept);
    if (kept)
        (void)taco_results_put(s->x->server->results, kept);
    else
        taco_results_withdraw(s->x->server->results, s->x->id);
    taco_kept_release(kept);
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct taco_speech_state *s = user;
    struct taco_exchange *x = s->x;
    struct taco_stream *stream = s->stream;
    bool flushed = true;
    if (status == TACO_OK) {
        taco_request_log_result(x, result);
        flushed = taco_audio_writer_finish(stream->writer, NULL) == TACO_OK;
        stream->writer = NULL;
        keep(s, result);
    } else {
        taco_results_withdraw(x->server->results, x->id);
    }
    flushed = send_end(s, status, err, result) && flushed;
    pthread_mutex_lock(&stream->lock);
    stream->finished = true;
    stream->failed |= !flushed;
    if (status != TACO_OK) {
        s->problem = status;
        s->err = *err;
        if (stream->started)
            taco_request_log_problem(x, status); /* too late for an answer of its own */
    }
    wake_and_unlock(s);
    taco_exchange_end(x);
}

/* What the job did with the samples, with those of a result of the cache; on a worker. The
 * encoder does not care in which portions they come. */
static void replay(struct taco_task *task, int worker) {
    (void)worker;
    struct taco_speech_state *s = taco_speech_of_task(task);
    struct taco_stream *stream = s->stream;
    size_t n = (size_t)s->result->n_samples;
    bool ok = true;
    for (size_t i = 0; i < n && ok; i += BLOCK)
        ok = on_audio(s, s->result->samples + i, n - i < BLOCK ? n - i : BLOCK) == 0;
    if (ok) {
        ok = taco_audio_writer_finish(stream->writer, NULL) == TACO_OK;
        stream->writer = NULL;
    }
    pthread_mutex_lock(&stream->lock);
    stream->finished = true;
    stream->failed |= !ok;
    wake_and_unlock(s);
    taco_exchange_end(s->x);
}

/* -- MHD's side ---------------------------------------------------------------------- */

static ssize_t on_read(void *user, uint64_t position, char *out, size_t max) {
    (void)position;
    struct taco_speech_state *s = user;
    struct taco_stream *stream = s->stream;
    pthread_mutex_lock(&stream->lock);
    size_t n = stream->queue.size - stream->taken;
    ssize_t result = 0;
    if (n > 0) {
        n = n < max ? n : max;
        memcpy(out, stream->queue.bytes + stream->taken, n);
        stream->taken += n;
        if (stream->taken == stream->queue.size)
            stream->taken = stream->queue.size = 0;
        atomic_fetch_add(&s->x->n_sent, n);
        result = (ssize_t)n;
    } else if (stream->finished) {
        result = stream->failed ? MHD_CONTENT_READER_END_WITH_ERROR
                                : MHD_CONTENT_READER_END_OF_STREAM;
    } else {
        /* With the lock held, so that the engine's side resumes only what is suspended.
         */
        stream->suspended = true;
        taco_exchange_suspend(s->x);
    }
    pthread_mutex_unlock(&stream->lock);
    return result;
}

/* There is audio, or an end without any. */
static enum MHD_Result on_resumed(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    struct taco_stream *stream = s->stream;
    pthread_mutex_lock(&stream->lock);
    bool nothing = !stream->started && stream->failed;
    int problem = s->problem ? s->problem : TACO_ERR_NO_MEMORY;
    pthread_mutex_unlock(&stream->lock);
    if (nothing)
        return taco_speech_reply_problem(s, problem);
    const struct taco_voice_info *voice = taco_voice_info(s->voice->voice);
    char type[96];
    const struct taco_audio_options *audio = &s->speech.audio;
    int rate =
        taco_audio_output_rate(audio->format, voice->sample_rate, audio->sample_rate);
    taco_audio_media_type(audio->format, rate, type, sizeof type);
    const char *own = stream->events          ? stream->events->media_type
                      : s->compat->audio_type ? s->compat->audio_type(s)
                                              : NULL;
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, on_read, s, NULL);
    if (response) {
        taco_speech_headers(x, response, x->id,
                            s->job ? taco_job_seed(s->job) : s->result->seed,
                            taco_speech_ending(s->form, &s->speech.audio), true, NULL);
        taco_speech_own_headers(s, response);
        taco_response_header(response, "X-Accel-Buffering", "no");
    }
    return taco_reply(x, MHD_HTTP_OK, response, own ? own : type);
}

/* Sent, or the client is gone: then nobody needs the rest. */
static void on_completed(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    pthread_mutex_lock(&s->stream->lock);
    s->stream->closed = true;
    bool finished = s->stream->finished;
    pthread_mutex_unlock(&s->stream->lock);
    if (!finished && s->job)
        taco_job_cancel(s->job);
}

static int create_stream(struct taco_speech_state *s) {
    struct taco_stream *stream = s->stream = taco_calloc(1, sizeof *stream);
    if (!stream)
        return taco_error_set(&s->err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for a stream");
    pthread_mutex_init(&stream->lock, NULL);
    if (s->form == TACO_RESPONSE_EVENTS)
        stream->events = s->compat->events;
    struct taco_audio_options options = s->speech.audio;
    options.stream = true;
    return taco_audio_writer_open(&stream->writer,
                                  taco_voice_info(s->voice->voice)->sample_rate, 0,
                                  &options, put, s, &s->err);
}

static enum MHD_Result answer_from_cache(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    int problem = taco_budget_take(x, s->result, &s->speech.audio, &s->err);
    if (problem)
        return taco_speech_reply_problem(s, problem);
    if (!taco_exchange_begin(x, taco_speech_cancel))
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    x->resumed = on_resumed;
    x->completed = on_completed;
    s->task.run = replay;
    s->stream->suspended = true;
    taco_exchange_suspend(x);
    taco_workers_add(x->server->workers, &s->task);
    return MHD_YES;
}

enum MHD_Result taco_speech_stream_start(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    int problem = create_stream(s);
    if (!problem && !s->stream->events && taco_cache_find(s))
        return answer_from_cache(s);
    const struct taco_callbacks callbacks = {
        .user = s,
        .audio = on_audio,
        .chunk =
            !problem && s->stream->events && s->stream->events->chunk ? on_chunk : NULL,
        .done = on_done};
    if (!problem)
        problem = taco_speech_create_job(s, &callbacks);
    struct taco_bytes out = {NULL, 0, 0};
    if (!problem && s->stream->events && s->stream->events->begin &&
        !send_event(s, s->stream->events->begin(s, &out), &out))
        problem = TACO_ERR_NO_MEMORY;
    if (!problem && !taco_results_announce(x->server->results, x->id))
        problem = TACO_ERR_NO_MEMORY;
    if (problem)
        return taco_speech_reply_problem(s, problem);
    if (!taco_exchange_begin(x, taco_speech_cancel)) {
        taco_results_withdraw(x->server->results, x->id);
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    }
    x->resumed = on_resumed;
    x->completed = on_completed;
    s->stream->suspended = true; /* nobody else sees it before the job starts */
    taco_exchange_suspend(x);
    taco_job_start(s->job);
    return MHD_YES;
}
