/* Audio callbacks in the order of the text: chunk after chunk, pauses between.
 *
 * Pieces become ready in any order on any worker. One worker at a time delivers for a
 * job: it goes on while there is something in turn; others that come meanwhile only leave
 * word of what they have. */
#include "engine/engine.h"
#include <math.h>

size_t taco_piece_pause(const struct taco_piece *piece) {
    const struct taco_job *job = piece->job;
    if (piece->index + 1 == job->text->n_chunks)
        return 0;
    return (size_t)llround((double)piece->chunk->pause * job->voice->audio.sample_rate /
                           (double)job->request.speed);
}

/* What is next in turn: a block of samples, nothing (*n == 0), or the end of a piece,
 * which moves the turn on. (J) held. */
static const float *next_block(struct taco_job *job, size_t *n) {
    static const float silence[1024];
    *n = 0;
    while (job->delivery_piece < job->n_pieces) {
        const struct taco_piece *piece = &job->pieces[job->delivery_piece];
        size_t ready = piece->n_ready;
        if (job->delivered < ready) {
            *n = ready - job->delivered;
            return piece->samples + job->delivered;
        }
        if (!piece->all_ready)
            return NULL;
        size_t left = ready + taco_piece_pause(piece) - job->delivered;
        if (left > 0) {
            size_t block = sizeof silence / sizeof *silence;
            *n = left < block ? left : block;
            return silence;
        }
        job->delivery_piece++;
        job->delivered = 0;
    }
    return NULL;
}

/* Later chunks were kept back for the first samples' sake. */
static void note_first_samples(struct taco_job *job) {
    if (job->heard)
        return;
    pthread_mutex_lock(&job->engine->lock);
    job->heard = true;
    taco_engine_admit(job->engine);
    pthread_mutex_unlock(&job->engine->lock);
}

void taco_piece_deliver(struct taco_piece *piece, size_t n_ready, bool all) {
    struct taco_job *job = piece->job;
    if (!job->request.streaming || !job->callbacks.audio)
        return;
    pthread_mutex_lock(&job->lock);
    piece->n_ready = n_ready;
    piece->all_ready = all;
    if (!job->delivering) {
        job->delivering = true;
        const float *samples;
        size_t n;
        while ((samples = next_block(job, &n)) != NULL && !atomic_load(&job->stopping)) {
            pthread_mutex_unlock(&job->lock);
            int refused = job->callbacks.audio(job->callbacks.user, samples, n);
            if (refused) {
                atomic_store(&job->cancelled, true);
                (void)taco_job_must_stop(job);
            }
            note_first_samples(job);
            pthread_mutex_lock(&job->lock);
            job->delivered += n;
        }
        job->delivering = false;
    }
    pthread_mutex_unlock(&job->lock);
}
