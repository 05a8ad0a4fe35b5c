/* Speech that is sent while it is being made.
 *
 * The engine's threads put encoded audio into a queue, MHD's thread takes it out. The
 * status line waits for the first audio, so that a text that cannot be spoken is still an
 * error; what goes wrong later breaks the chunked transfer off, which no client takes for
 * an end. */
#include <pthread.h>
#include <stddef.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "http/error_code.h"
#include "http/metrics.h"
#include "http/reply.h"
#include "speech/budget.h"
#include "speech/cache.h"
#include "speech/speech_state.h"

#define BLOCK 4096         /* samples of a cached result that are encoded at once */
#define SLICE 0.010        /* seconds of such work */
#define SEND (32 * 1024)   /* bytes that MHD takes at once */
#define AHEAD (256 * 1024) /* bytes that a cached result is encoded ahead of the client */

struct taco_stream {
    struct taco_audio_writer *writer; /* the engine's threads' own, as the four below */
    const struct taco_events *events; /* NULL: bare audio */
    struct taco_bytes encoded;        /* of the next event */
    uint64_t n_queued;                /* bytes that have been put into the queue */
    bool has_audio;                   /* some of it is in the queue, not only a header */
    pthread_mutex_t lock;             /* of all below */
    struct taco_bytes queue; /* its memory is the answer's part of the response budget */
    size_t taken;            /* bytes of the queue that have been sent */
    int code;                /* why nothing could be put into the queue, or 0 */
    bool suspended;          /* MHD's thread sleeps until there is something */
    bool started;            /* there has been audio, not only a header */
    bool finished;           /* nothing more will come */
    bool failed;             /* ... and what has come is not all of it */
    bool closed;             /* MHD has done with the connection */
    atomic_bool parked;      /* a cached result waits for the client to read; no lock */
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

/* With the lock held: what has been sent makes room for what comes. */
static int append(struct taco_speech_state *s, const void *bytes, size_t size) {
    struct taco_stream *stream = s->stream;
    struct taco_bytes *queue = &stream->queue;
    if (stream->closed)
        return TACO_ERR_CANCELLED;
    if (stream->taken > SEND && stream->taken > queue->size / 2) {
        queue->size -= stream->taken;
        memmove(queue->bytes, queue->bytes + stream->taken, queue->size);
        stream->taken = 0;
    }
    int code = taco_budget_reserve(&s->budget, queue, size, &s->err);
    return code ? code : taco_bytes_add(queue, bytes, size) ? 0 : TACO_ERR_NO_MEMORY;
}

static bool enqueue(struct taco_speech_state *s, const void *bytes, size_t size) {
    struct taco_stream *stream = s->stream;
    pthread_mutex_lock(&stream->lock);
    int code = append(s, bytes, size);
    if (code && !stream->code)
        stream->code = code;
    stream->failed |= code != 0;
    pthread_mutex_unlock(&stream->lock);
    stream->n_queued += code ? 0 : size;
    return !code;
}

static int put(void *user, const void *bytes, size_t size) {
    struct taco_speech_state *s = user;
    bool ok = s->stream->events ? taco_bytes_add(&s->stream->encoded, bytes, size)
                                : enqueue(s, bytes, size);
    return ok ? 0 : 1;
}

/* Sends what an event writer has written; gives it back. */
static bool send_event(struct taco_speech_state *s, bool written,
                       struct taco_bytes *out) {
    bool ok = written && (out->size == 0 || enqueue(s, out->bytes, out->size));
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
    struct taco_cached *cached =
        taco_cached_create(s->x->id, result, s->voice->shared, &s->speech.audio, NULL, 0);
    if (cached)
        taco_cache_mark(s, cached);
    if (cached)
        (void)taco_results_put(s->x->server->results, cached);
    else
        taco_results_withdraw(s->x->server->results, s->x->id);
    taco_cached_release(cached);
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
        /* A job that the queue has ended says only that it was cancelled. */
        s->code = stream->code ? stream->code : status;
        if (!stream->code)
            s->err = *err;
        if (stream->started) /* too late for an answer of its own */
            taco_request_log_error(x, s->code);
    }
    wake_and_unlock(s);
    taco_exchange_end(x);
}

/* -- a cached result ------------------------------------------------------------------- */

static void end_replay(struct taco_speech_state *s, bool ok) {
    struct taco_stream *stream = s->stream;
    if (ok) {
        ok = taco_audio_writer_finish(stream->writer, NULL) == TACO_OK;
        stream->writer = NULL;
    }
    pthread_mutex_lock(&stream->lock);
    stream->finished = true;
    stream->failed |= !ok;
    s->code = ok ? 0 : stream->code;
    wake_and_unlock(s);
    taco_exchange_end(s->x);
}

/* Leaves the replay to unpark if it is far enough ahead of the client. With the lock held
 * until the end, since from then on s may be gone. */
static bool park(struct taco_speech_state *s) {
    struct taco_stream *stream = s->stream;
    pthread_mutex_lock(&stream->lock);
    bool wait = stream->queue.size - stream->taken > AHEAD && !stream->closed;
    if (wait) {
        atomic_store(&stream->parked, true);
        /* Was it cancelled just before, so that nobody will come? */
        if (atomic_load(&s->stopping) && atomic_exchange(&stream->parked, false))
            wait = false;
    }
    pthread_mutex_unlock(&stream->lock);
    return wait;
}

/* Goes on with the replay if it waits for the client. */
static void unpark(struct taco_speech_state *s) {
    if (s->stream && atomic_exchange(&s->stream->parked, false))
        taco_speech_work(s);
}

/* Gives the encoder the samples of the result as the job did, which does not care in which
 * portions they come. One slice, on a worker; not further ahead than the client needs. */
static void replay(struct taco_task *task, int worker) {
    (void)worker;
    struct taco_speech_state *s = taco_speech_of_task(task);
    struct taco_turns *turns = s->x->server->turns;
    const size_t n = (size_t)s->result->n_samples;
    const double begin = taco_clock_now();
    bool ok = taco_speech_stopped(s) == 0;
    uint64_t until = s->stream->n_queued + AHEAD;
    while (ok && s->n_written < n && taco_clock_now() < begin + SLICE &&
           s->stream->n_queued < until) {
        size_t some = n - s->n_written < BLOCK ? n - s->n_written : BLOCK;
        ok = on_audio(s, s->result->samples + s->n_written, some) == 0;
        s->n_written += some;
    }
    taco_turns_charge(turns, &s->turn, taco_clock_now() - begin);
    if (!ok || s->n_written == n)
        end_replay(s, ok);
    else if (!park(s))
        taco_speech_work(s);
}

static void cancel_stream(struct taco_exchange *x) {
    taco_speech_cancel(x);
    unpark(x->state);
}

/* -- MHD's side ---------------------------------------------------------------------- */

static ssize_t on_read(void *user, uint64_t position, char *out, size_t max) {
    (void)position;
    struct taco_speech_state *s = user;
    struct taco_stream *stream = s->stream;
    bool read_on = false;
    pthread_mutex_lock(&stream->lock);
    size_t n = stream->queue.size - stream->taken;
    ssize_t result = 0;
    if (n > 0) {
        n = n < max ? n : max;
        memcpy(out, stream->queue.bytes + stream->taken, n);
        stream->taken += n;
        if (stream->taken == stream->queue.size)
            stream->taken = stream->queue.size = 0;
        read_on = stream->queue.size - stream->taken <= AHEAD / 2;
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
    if (read_on)
        unpark(s);
    return result;
}

/* There is audio, or an end without any. */
static enum MHD_Result on_resumed(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    struct taco_stream *stream = s->stream;
    pthread_mutex_lock(&stream->lock);
    bool nothing = !stream->started && stream->failed;
    int code = s->code ? s->code : TACO_ERR_NO_MEMORY;
    pthread_mutex_unlock(&stream->lock);
    if (nothing)
        return taco_speech_reply_error(s, code);
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
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, SEND, on_read, s, NULL);
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
    unpark(s);
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

static int enter(struct taco_speech_state *s) {
    s->task.run = replay;
    s->stream->suspended = true; /* nobody else sees it before the work starts */
    int code = taco_speech_enter(s, on_resumed, cancel_stream);
    if (!code)
        s->x->completed = on_completed;
    return code;
}

enum MHD_Result taco_speech_stream_start(struct taco_speech_state *s) {
    struct taco_exchange *x = s->x;
    int code = create_stream(s);
    if (!code && !s->stream->events && taco_cache_find(s)) {
        code = enter(s);
        return code ? taco_speech_reply_error(s, code) : taco_speech_go(s);
    }
    const struct taco_callbacks callbacks = {
        .user = s,
        .audio = on_audio,
        .chunk = !code && s->stream->events && s->stream->events->chunk ? on_chunk : NULL,
        .done = on_done};
    if (!code)
        code = taco_speech_create_job(s, &callbacks);
    struct taco_bytes out = {NULL, 0, 0};
    if (!code && s->stream->events && s->stream->events->begin &&
        !send_event(s, s->stream->events->begin(s, &out), &out))
        code = TACO_ERR_NO_MEMORY;
    if (!code && !taco_results_announce(x->server->results, x->id))
        code = TACO_ERR_NO_MEMORY;
    if (code)
        return taco_speech_reply_error(s, code);
    code = enter(s);
    if (!code)
        return taco_speech_go(s);
    taco_results_withdraw(x->server->results, x->id);
    return taco_speech_reply_error(s, code);
}
