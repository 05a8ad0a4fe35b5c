/* Audio callbacks in the order of the text: chunk after chunk, pauses between.
 *
 * Pieces become ready in any order on any worker. One worker at a time delivers for a
 * job: it goes on while there is something in turn; others that come meanwhile only leave
 * word of what they have. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/engine.h"
#include <math.h>

size_t taco_silence_samples(float seconds, int sample_rate) {
    return (size_t)llround((double)seconds * sample_rate);
}

size_t taco_piece_pause(const struct taco_piece *piece) {
    return taco_silence_samples(piece->chunk->pause,
                                piece->job->voice->audio.sample_rate);
}

/* What is next in turn: a block of samples, or the end of a piece's own, *ended, or
 * nothing. (J) held. */
static const float *next_block(struct taco_job *job, size_t *n,
                               struct taco_piece **ended) {
    static const float silence[1024];
    size_t block = sizeof silence / sizeof *silence;
    *n = 0;
    *ended = NULL;
    if (job->lead > 0) {
        *n = job->lead < block ? job->lead : block;
        return silence;
    }
    while (job->delivery_piece < job->n_pieces) {
        struct taco_piece *piece = &job->pieces[job->delivery_piece];
        size_t ready = piece->n_ready;
        if (job->delivered < ready) {
            *n = ready - job->delivered;
            return piece->samples + job->delivered;
        }
        if (!piece->all_ready)
            return NULL;
        if (job->n_told == job->delivery_piece) {
            *ended = piece;
            return NULL;
        }
        size_t left = ready + taco_piece_pause(piece) - job->delivered;
        if (left > 0) {
            *n = left < block ? left : block;
            return silence;
        }
        job->delivery_piece++;
        job->delivered = 0;
    }
    return NULL;
}

/* Later chunks were kept back for the first samples' sake. */
static void note_samples(struct taco_job *job, size_t n) {
    atomic_fetch_add_explicit(&job->n_samples_delivered, n, memory_order_relaxed);
    if (atomic_load_explicit(&job->first_audio_at, memory_order_relaxed) > 0)
        return;
    atomic_store_explicit(&job->first_audio_at, taco_clock_now(), memory_order_relaxed);
    pthread_mutex_lock(&job->engine->lock);
    taco_engine_admit(job->engine);
    pthread_mutex_unlock(&job->engine->lock);
}

/* -- times ------------------------------------------------------------------------------
 */

/* The chunk callback, with times from the piece's alignment: those that the result will
 * have. The callback's word is in *refused. TACO_ERR_NO_MEMORY. */
static enum taco_status tell_times(struct taco_piece *piece,
                                   struct taco_spoken_chunk *told, int *refused) {
    struct taco_job *job = piece->job;
    const struct taco_text *text = job->text;
    const struct taco_chunk *chunk = piece->chunk;
    const struct taco_time_base base = taco_piece_time_base(piece, told->first_sample);
    size_t n_characters = told->region.end_cp - told->region.begin_cp;
    struct taco_times *times = taco_malloc(
        ((size_t)chunk->n_symbols + chunk->n_words + told->n_spoken + n_characters) *
        sizeof *times);
    if (times) {
        struct taco_times *words = times + chunk->n_symbols;
        struct taco_times *spoken = words + chunk->n_words;
        struct taco_times *characters = spoken + told->n_spoken;
        double start = (double)told->first_sample / base.sample_rate;
        double end = (double)(told->first_sample + told->n_samples) / base.sample_rate;
        taco_symbol_times(&base, piece->edges, chunk->n_symbols, times);
        taco_chunk_word_times(text, piece->index, times, words, spoken, job->told_until);
        taco_chunk_characters(text, piece->index, words, start, end, characters);
        told->symbols = times;
        told->words = words;
        told->spoken = spoken;
        told->characters = characters;
        *refused = job->callbacks.chunk(job->callbacks.user, told);
    }
    taco_free(times);
    return times ? TACO_OK : TACO_ERR_NO_MEMORY;
}

/* All samples of the piece have been delivered. */
static void tell_chunk(struct taco_piece *piece) {
    struct taco_job *job = piece->job;
    if (!job->callbacks.chunk)
        return;
    struct taco_spoken_chunk told = {
        .text = job->text,
        .index = piece->index,
        .sample_rate = job->voice->audio.sample_rate,
        .n_samples = piece->n_samples,
        .seed = piece->best.seed,
        .stop_reason = piece->best.stop_reason,
        .diagnostics = &piece->best.diagnostics,
        .region = taco_chunk_region(job->text, piece->index),
    };
    told.first_sample =
        taco_silence_samples(job->text->lead, job->voice->audio.sample_rate);
    for (uint32_t i = 0; i < piece->index; i++)
        told.first_sample += job->pieces[i].n_samples + taco_piece_pause(&job->pieces[i]);
    told.first_spoken = taco_chunk_spoken(job->text, piece->index, &told.n_spoken);
    int refused = 0;
    if (tell_times(piece, &told, &refused) != TACO_OK) {
        struct taco_error err = TACO_ERROR_INIT;
        (void)taco_error_set(&err, TACO_ERR_NO_MEMORY, NULL, "no memory for times");
        taco_job_fail(job, &err);
    }
    if (refused) {
        atomic_store(&job->cancelled, true);
        (void)taco_job_must_stop(job);
    }
}

/* -- in turn ----------------------------------------------------------------------------
 */

/* Goes on while there is something in turn. (J) held, and free during callbacks. */
static void deliver(struct taco_job *job) {
    if (job->delivering)
        return;
    job->delivering = true;
    while (!atomic_load(&job->stopping)) {
        struct taco_piece *ended;
        size_t n;
        const float *samples = next_block(job, &n, &ended);
        if (!samples && !ended)
            break;
        pthread_mutex_unlock(&job->lock);
        if (ended) {
            tell_chunk(ended);
            pthread_mutex_lock(&job->lock);
            job->n_told++;
            continue;
        }
        int refused = job->callbacks.audio(job->callbacks.user, samples, n);
        if (refused) {
            atomic_store(&job->cancelled, true);
            (void)taco_job_must_stop(job);
        }
        note_samples(job, n);
        pthread_mutex_lock(&job->lock);
        if (job->lead > 0)
            job->lead -= n;
        else
            job->delivered += n;
        if (refused)
            break;
    }
    job->delivering = false;
}

static bool has_listener(const struct taco_job *job) {
    return job->request.streaming && job->callbacks.audio;
}

void taco_piece_deliver(struct taco_piece *piece, size_t n_ready, bool all) {
    struct taco_job *job = piece->job;
    if (!has_listener(job))
        return;
    pthread_mutex_lock(&job->lock);
    piece->n_ready = n_ready;
    piece->all_ready = all;
    deliver(job);
    pthread_mutex_unlock(&job->lock);
}

enum taco_status taco_job_deliver_silence(struct taco_job *job, struct taco_error *err) {
    if (job->n_pieces > 0 || !has_listener(job))
        return TACO_OK;
    pthread_mutex_lock(&job->lock);
    deliver(job);
    pthread_mutex_unlock(&job->lock);
    return taco_job_is_unwanted(job) ? taco_job_say_why(job, err) : TACO_OK;
}
