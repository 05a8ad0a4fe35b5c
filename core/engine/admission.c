/* Which job gets memory next, and which chunk the next free place.
 *
 * A place is the right to be a row of the voice's batch, from the encoder's start to the
 * row's end. Turns are served by the fewest places held, then by who has waited longest;
 * a turn takes one more place only while it holds fewer than are free, times its jobs. So a
 * single long text fills half the batch, n long texts leave 1/(n+1) of it, whether they are
 * of n clients or of one (who may be a proxy that stands for many), and a short text that
 * comes in finds a place at once or next (dynamic thresholds, Choudhury and Hahne,
 * "Dynamic queue length thresholds for shared-memory packet switches", IEEE/ACM Trans.
 * Networking 1998). */
#include "base/memory.h"
#include "engine/engine.h"
#include <assert.h>

/* Chunks of a streaming job on their way before and after its first samples were heard:
 * the one that is listened to must not share the step with all that come after it. */
enum { STREAM_PLACES_BEFORE = 1, STREAM_PLACES_AFTER = 2 };

/* -- turns --------------------------------------------------------------------------- */

static struct taco_batch *find_batch(struct taco_engine *engine,
                                     const struct taco_voice *voice) {
    struct taco_batch *batch = engine->batches;
    while (batch && batch->voice != voice)
        batch = batch->next;
    if (batch)
        return batch;
    batch = taco_calloc(1, sizeof *batch);
    if (!batch)
        return NULL;
    batch->voice = voice;
    batch->ready_end = &batch->ready;
    batch->next = engine->batches;
    engine->batches = batch;
    return batch;
}

void taco_batch_end(struct taco_engine *engine, struct taco_batch *batch) {
    assert(batch->n_turns == 0 && batch->n_places == 0);
    struct taco_batch **link = &engine->batches;
    while (*link != batch)
        link = &(*link)->next;
    *link = batch->next;
    taco_decoder_destroy(batch->decoder);
    taco_free(batch);
}

struct taco_turn *taco_turn_join(struct taco_engine *engine,
                                 const struct taco_voice *voice, uint64_t client) {
    for (struct taco_turn *t = engine->turns; client && t; t = t->next) {
        if (t->client == client && t->batch->voice == voice) {
            t->n_jobs++;
            return t;
        }
    }
    struct taco_turn *turn = taco_calloc(1, sizeof *turn);
    struct taco_batch *batch = turn ? find_batch(engine, voice) : NULL;
    if (!batch) {
        taco_free(turn);
        return NULL;
    }
    batch->n_turns++;
    *turn = (struct taco_turn){.next = engine->turns,
                               .batch = batch,
                               .client = client,
                               .n_jobs = 1,
                               .served = engine->n_served++};
    engine->turns = turn;
    return turn;
}

void taco_turn_leave(struct taco_engine *engine, struct taco_turn *turn) {
    if (--turn->n_jobs > 0)
        return;
    assert(turn->n_places == 0);
    struct taco_turn **link = &engine->turns;
    while (*link != turn)
        link = &(*link)->next;
    *link = turn->next;
    turn->batch->n_turns--;
    taco_free(turn);
}

void taco_engine_forget(struct taco_engine *engine, const struct taco_voice *voice) {
    pthread_mutex_lock(&engine->lock);
    struct taco_batch *batch = engine->batches;
    while (batch && batch->voice != voice)
        batch = batch->next;
    if (batch)
        taco_batch_end(engine, batch);
    pthread_mutex_unlock(&engine->lock);
}

/* -- places -------------------------------------------------------------------------- */

/* A few chunks beyond the rows are encoded ahead, so that a row that ends is followed at
 * once. */
static int all_places(const struct taco_engine *engine) {
    return engine->options.max_rows + engine->options.max_rows / 8;
}

static bool wants_place(const struct taco_job *job) {
    if (job->next_piece >= job->n_pieces || job->needed > 0 ||
        atomic_load(&job->stopping))
        return false;
    int limit =
        atomic_load(&job->heard_at) > 0 ? STREAM_PLACES_AFTER : STREAM_PLACES_BEFORE;
    return !job->pieces[job->next_piece].streaming || job->n_pending < limit;
}

/* True if a is to be served before b. */
static bool goes_before(const struct taco_job *a, const struct taco_job *b) {
    const struct taco_turn *s = a->turn, *t = b->turn;
    if (s != t)
        return s->n_places != t->n_places ? s->n_places < t->n_places
                                          : s->served < t->served;
    return a->n_pending != b->n_pending ? a->n_pending < b->n_pending
                                        : a->start < b->start;
}

static struct taco_job *choose_job(struct taco_engine *engine) {
    struct taco_job *chosen = NULL;
    for (struct taco_job *job = engine->jobs; job; job = job->next) {
        if (!wants_place(job))
            continue;
        int n_free = all_places(engine) - job->turn->batch->n_places;
        if (job->turn->n_places < job->turn->n_jobs * n_free &&
            (!chosen || goes_before(job, chosen)))
            chosen = job;
    }
    return chosen;
}

void taco_engine_admit(struct taco_engine *engine) {
    struct taco_job *job;
    taco_engine_grant(engine);
    while ((job = choose_job(engine)) != NULL) {
        struct taco_piece *piece = &job->pieces[job->next_piece++];
        piece->has_place = true;
        job->turn->n_places++;
        job->turn->batch->n_places++;
        job->turn->served = engine->n_served++;
        job->n_pending++;
        piece->task.run = taco_piece_encode;
        taco_engine_queue(engine, &piece->task, TACO_PATIENCE_ENCODER);
    }
}

void taco_piece_release_place(struct taco_piece *piece) {
    if (!piece->has_place)
        return;
    piece->has_place = false;
    piece->job->turn->n_places--;
    piece->job->turn->batch->n_places--;
}

/* -- memory -------------------------------------------------------------------------- */

/* Clients take turns: the one with the fewest jobs that have their memory, then the job that
 * has waited longest. */
static bool is_granted_before(const struct taco_job *a, const struct taco_job *b) {
    if (a->turn->n_granted != b->turn->n_granted)
        return a->turn->n_granted < b->turn->n_granted;
    return a->start < b->start;
}

static struct taco_job *choose_waiting(struct taco_engine *engine, enum taco_pool pool) {
    struct taco_job *chosen = NULL;
    for (struct taco_job *job = engine->jobs; job; job = job->next)
        if (job->needed > 0 && job->pool == pool && !atomic_load(&job->stopping) &&
            (!chosen || is_granted_before(job, chosen)))
            chosen = job;
    return chosen;
}

void taco_engine_grant(struct taco_engine *engine) {
    for (enum taco_pool pool = TACO_POOL_SHORT; pool < TACO_N_POOLS; pool++) {
        struct taco_job *job;
        /* The next in turn is waited for: others that need less do not pass it. */
        while ((job = choose_waiting(engine, pool)) != NULL &&
               taco_engine_reserve(engine, pool, job->needed)) {
            job->reserved = job->needed;
            for (uint32_t i = 0; i < job->n_pieces; i++)
                job->reserved -= job->pieces[i].reserved;
            job->needed = 0;
            job->turn->n_granted++;
        }
    }
}
