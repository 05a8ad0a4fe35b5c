/* Streaming: postnet and vocoder follow the row while it is decoded.
 *
 * The decoder's thread tells how many steps are known, in one atomic word together with
 * whether the row has ended and whether a task is on its way. One exchange of the word
 * both leaves the message and decides who queues the task, so that neither side touches
 * the piece after the other may have ended it. */
#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "engine/engine.h"
#include "engine/pace.h"
#include "engine/running_mean.h"
#include <math.h>

enum { ACTIVE = 1, LAST = 2, STEPS_SHIFT = 2 };

struct taco_stream {
    struct taco_postnet_stream *postnet; /* in piece->keep */
    struct taco_vocoder_stream *vocoder;
    atomic_uint_fast64_t word; /* steps << STEPS_SHIFT | LAST | ACTIVE */
    int silent_frames;         /* that no samples come of yet */
    int n_sent;                /* by the decoder's thread: frames that tasks were for */
    double queued;             /* when the task was */
    int n_in;                  /* frames that the postnet has got */
    int n_post;                /* frames that have been through the postnet */
    int n_fed;                 /* frames, after the stretch, that the vocoder has got */
};

enum taco_status taco_stream_create(struct taco_piece *piece, struct taco_error *err) {
    struct taco_job *job = piece->job;
    const struct taco_voice *voice = job->voice;
    int max_frames = piece->row.max_steps * voice->hparams.n_frames_per_step;
    struct taco_stream *stream = taco_calloc(1, sizeof *stream);
    piece->stream = stream;
    if (!stream)
        goto no_memory;
    if (taco_postnet_stream_create(&stream->postnet, voice->model, &piece->keep) !=
        TACO_OK)
        goto no_memory;
    struct taco_rng_key key = {piece->row.seed, taco_piece_number(piece), TACO_RNG_PHASE};
    enum taco_status status = taco_vocoder_stream_create(
        &stream->vocoder, voice->vocoder, &job->request.vocoder, &key, &job->cancel, err);
    if (status != TACO_OK)
        return status;
    float lag = (float)taco_vocoder_stream_lag(stream->vocoder) * piece->speed;
    stream->silent_frames = taco_postnet_reach(voice->model) + (int)lag;
    piece->max_samples = taco_vocoder_stream_bound(
        stream->vocoder, taco_mel_stretched(max_frames, piece->speed));
    piece->samples = taco_malloc(piece->max_samples * sizeof(float));
    piece->mel =
        taco_malloc((size_t)max_frames * (size_t)voice->hparams.n_mels * sizeof(float));
    if (piece->samples && piece->mel)
        return TACO_OK;
no_memory:
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for streaming");
}

void taco_stream_destroy(struct taco_stream *stream) {
    if (!stream)
        return;
    taco_vocoder_stream_destroy(stream->vocoder);
    taco_free(stream);
}

/* Seconds of audio that were delivered and not yet played; 0 before the first sound. */
static double listeners_reserve(struct taco_job *job, double now) {
    double first_audio_at =
        atomic_load_explicit(&job->first_audio_at, memory_order_relaxed);
    double n =
        (double)atomic_load_explicit(&job->n_samples_delivered, memory_order_relaxed);
    return first_audio_at > 0 ? first_audio_at + n / job->voice->audio.sample_rate - now
                              : 0;
}

/* A listener's next samples are in time by half of the reserve. */
static uint64_t deadline_offset(struct taco_job *job, double now) {
    if (atomic_load_explicit(&job->first_audio_at, memory_order_relaxed) <= 0)
        return TACO_OFFSET_FIRST_SOUND;
    double most = 1e-6 * TACO_OFFSET_LISTENER;
    return (uint64_t)(1e6 * fmin(fmax(listeners_reserve(job, now) / 2, 0), most));
}

/* Whether the stream's task is to run for the frames decoded by now. */
static bool is_due(const struct taco_piece *piece, int n_frames, double now,
                   double period) {
    const struct taco_stream *stream = piece->stream;
    struct taco_job *job = piece->job;
    const struct taco_audio_params *audio = &job->voice->audio;
    const struct taco_pace pace = {
        .frame = audio->hop_length / (double)piece->speed / audio->sample_rate,
        .period = period / job->voice->hparams.n_frames_per_step,
        .latency =
            atomic_load_explicit(&job->engine->stream_latency, memory_order_relaxed),
    };
    if (stream->n_sent == 0)
        return n_frames >= stream->silent_frames + taco_pace_first(&pace);
    return taco_pace_due(&pace, n_frames - stream->n_sent, listeners_reserve(job, now));
}

static void queue_at(struct taco_piece *piece, double now) {
    piece->stream->queued = now;
    taco_piece_queue(piece, TACO_STAGE_STREAM, deadline_offset(piece->job, now));
}

void taco_stream_advance(struct taco_piece *piece, int n_steps, bool last, double now,
                         double period) {
    struct taco_stream *stream = piece->stream;
    int n_frames = n_steps * piece->job->voice->hparams.n_frames_per_step;
    if (!last && !is_due(piece, n_frames, now, period))
        return;
    stream->n_sent = n_frames;
    uint64_t word = (uint64_t)n_steps << STEPS_SHIFT | (last ? LAST : 0) | ACTIVE;
    if (!(atomic_exchange(&stream->word, word) & ACTIVE))
        queue_at(piece, now);
}

void taco_stream_queue(struct taco_piece *piece) {
    queue_at(piece, taco_clock_now());
}

/* Frames of piece->mel become as many as can be: all of them with last. */
static enum taco_status run_postnet(struct taco_piece *piece, int n_steps, bool last,
                                    struct taco_arena *scratch) {
    struct taco_stream *stream = piece->stream;
    const struct taco_hparams *h = &piece->job->voice->hparams;
    const float *mel = last ? piece->best.mel : piece->row.mel;
    int t = last ? piece->best.n_postnet_frames : n_steps * h->n_frames_per_step, n;
    double begin = taco_clock_now();
    enum taco_status status = TACO_OK;
    bool all = false;
    while (status == TACO_OK && !all) {
        if (taco_job_must_stop(piece->job))
            return TACO_ERR_CANCELLED;
        stream->n_in += TACO_POSTNET_BLOCK;
        all = stream->n_in >= t;
        stream->n_in = all ? t : stream->n_in;
        status = taco_postnet_stream_feed(
            stream->postnet, mel, stream->n_in, all && last, scratch,
            piece->mel + (size_t)stream->n_post * (size_t)h->n_mels, &n);
        stream->n_post += n;
        taco_arena_reset(scratch);
    }
    /* The postnet may see more than is spoken. */
    if (last && stream->n_post > piece->best.n_frames)
        stream->n_post = piece->best.n_frames;
    taco_job_add_time(piece->job, &piece->job->times.postnet, taco_clock_now() - begin);
    return status;
}

/* Frames of piece->mel that the vocoder has not had become samples. */
static enum taco_status run_vocoder(struct taco_piece *piece, bool last,
                                    struct taco_arena *scratch) {
    struct taco_stream *stream = piece->stream;
    struct taco_job *job = piece->job;
    float speed = piece->speed;
    int n_mels = job->voice->hparams.n_mels, t = stream->n_post;
    const float *mel = piece->mel + (size_t)stream->n_fed * (size_t)n_mels;
    double begin = taco_clock_now();
    if (speed < 1.0f || speed > 1.0f) {
        int end = last ? taco_mel_stretched(t, speed) : taco_mel_stretchable(t, speed);
        if (end > stream->n_fed) {
            float *stretched =
                taco_arena_alloc(scratch, (size_t)(end - stream->n_fed) * (size_t)n_mels,
                                 sizeof *stretched);
            if (!stretched)
                return TACO_ERR_NO_MEMORY;
            taco_mel_stretch_window(piece->mel, t, n_mels, speed, stream->n_fed, end,
                                    stretched);
            mel = stretched;
        }
        t = end;
    }
    size_t n = 0, first = piece->n_samples;
    enum taco_status status = TACO_OK;
    if (t > stream->n_fed || last)
        status = taco_vocoder_stream_feed(stream->vocoder, mel, t - stream->n_fed, last,
                                          piece->samples + first, &n);
    stream->n_fed = t;
    piece->n_samples += n;
    taco_piece_level(piece, first, n);
    taco_arena_reset(scratch);
    taco_job_add_time(job, &job->times.vocoder, taco_clock_now() - begin);
    return status;
}

static enum taco_status follow(struct taco_piece *piece, int n_steps, bool last,
                               struct taco_arena *scratch, struct taco_error *err) {
    if (last) {
        taco_piece_judge(piece);
        taco_job_count_audio(piece->job, taco_piece_samples(piece));
    }
    enum taco_status status = run_postnet(piece, n_steps, last, scratch);
    if (status == TACO_OK)
        status = run_vocoder(piece, last, scratch);
    if (status == TACO_OK && last)
        status = taco_piece_find_times(piece);
    taco_arena_reset(scratch);
    if (status != TACO_OK)
        return taco_error_set(err, status, NULL, "no memory for postnet and vocoder");
    return TACO_OK;
}

/* The row has ended and so does the piece. */
static enum taco_outcome end_piece(struct taco_piece *piece) {
    struct taco_job *job = piece->job;
    taco_job_add_time(job, &job->times.decoder, piece->decoder_seconds);
    if (atomic_load(&job->stopping))
        return TACO_OUTCOME_STOPPED;
    taco_arena_free(&piece->keep);
    taco_free(piece->best.mel);
    piece->best.mel = NULL;
    return TACO_OUTCOME_DONE;
}

/* Two workers may overwrite each other's note. */
static void note_latency(struct taco_engine *engine, double seconds) {
    double mean = atomic_load_explicit(&engine->stream_latency, memory_order_relaxed);
    atomic_store_explicit(&engine->stream_latency, taco_running_mean(mean, seconds, 12),
                          memory_order_relaxed);
}

enum taco_outcome taco_piece_follow(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    struct taco_job *job = piece->job;
    struct taco_stream *stream = piece->stream;
    uint_fast64_t word = atomic_load(&stream->word);
    bool last = word & LAST;
    if (!taco_job_must_stop(job)) {
        struct taco_error err = TACO_ERROR_INIT;
        if (follow(piece, (int)(word >> STEPS_SHIFT), last, scratch, &err) == TACO_OK)
            taco_piece_deliver(piece, piece->n_samples, last);
        else
            taco_job_fail(job, &err);
        note_latency(job->engine, taco_clock_now() - stream->queued);
    }
    if (last)
        return end_piece(piece);
    /* Unless there is news already. Others may be more in need. */
    if (atomic_compare_exchange_strong(&stream->word, &word,
                                       word & ~(uint_fast64_t)ACTIVE))
        return TACO_OUTCOME_WAITS;
    return TACO_OUTCOME_AGAIN;
}
