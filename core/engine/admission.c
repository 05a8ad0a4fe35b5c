/* Which job gets memory next, and which chunk the next free slot.
 *
 * A slot is the right to be a row of the voice's batch, from the encoder's start to the row's
 * end. A flow is the jobs of one client, or one job without a client. Slots go to the flow
 * that holds the fewest, then to the one that has waited longest; a flow gets one more slot
 * only while it holds fewer than are free, times its jobs. So a single long text fills half
 * the batch, n long texts leave 1/(n+1) of it, whether they are of n clients or of one (which
 * may be a proxy for many), and a short text that comes in finds a slot at once or next
 * (dynamic thresholds, Choudhury and Hahne, "Dynamic queue length thresholds for shared-memory
 * packet switches", IEEE/ACM Trans. Networking 1998).
 */
#include "base/memory.h"
#include "engine/engine.h"
#include <assert.h>

/* Chunks of a streaming job on their way before and after its first samples were heard:
 * the one that is listened to must not share the step with all that come after it. */
enum { STREAM_SLOTS_BEFORE = 1, STREAM_SLOTS_AFTER = 2 };

/* -- flows --------------------------------------------------------------------------- */

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
    assert(batch->n_flows == 0 && batch->n_slots == 0);
    struct taco_batch **link = &engine->batches;
    while (*link != batch)
        link = &(*link)->next;
    *link = batch->next;
    taco_decoder_destroy(batch->decoder);
    taco_free(batch);
}

struct taco_flow *taco_flow_join(struct taco_engine *engine,
                                 const struct taco_voice *voice, uint64_t client) {
    for (struct taco_flow *t = engine->flows; client && t; t = t->next) {
        if (t->client == client && t->batch->voice == voice) {
            t->n_jobs++;
            return t;
        }
    }
    struct taco_flow *flow = taco_calloc(1, sizeof *flow);
    struct taco_batch *batch = flow ? find_batch(engine, voice) : NULL;
    if (!batch) {
        taco_free(flow);
        return NULL;
    }
    batch->n_flows++;
    *flow = (struct taco_flow){.next = engine->flows,
                               .batch = batch,
                               .client = client,
                               .n_jobs = 1,
                               .served = engine->n_served++};
    engine->flows = flow;
    return flow;
}

void taco_flow_leave(struct taco_engine *engine, struct taco_flow *flow) {
    if (--flow->n_jobs > 0)
        return;
    assert(flow->n_slots == 0);
    struct taco_flow **link = &engine->flows;
    while (*link != flow)
        link = &(*link)->next;
    *link = flow->next;
    flow->batch->n_flows--;
    taco_free(flow);
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

/* -- slots --------------------------------------------------------------------------- */

/* A few chunks beyond the rows are encoded ahead, so that a row that ends is followed at
 * once. */
static int all_slots(const struct taco_engine *engine) {
    return engine->options.max_rows + engine->options.max_rows / 8;
}

static bool wants_slot(const struct taco_job *job) {
    if (job->next_piece >= job->n_pieces || job->needed > 0 ||
        atomic_load(&job->stopping))
        return false;
    int limit =
        atomic_load(&job->first_audio_at) > 0 ? STREAM_SLOTS_AFTER : STREAM_SLOTS_BEFORE;
    return !job->pieces[job->next_piece].streaming || job->n_pending < limit;
}

/* True if a is to be served before b. */
static bool goes_before(const struct taco_job *a, const struct taco_job *b) {
    const struct taco_flow *s = a->flow, *t = b->flow;
    if (s != t)
        return s->n_slots != t->n_slots ? s->n_slots < t->n_slots : s->served < t->served;
    return a->n_pending != b->n_pending ? a->n_pending < b->n_pending
                                        : a->start < b->start;
}

static struct taco_job *choose_job(struct taco_engine *engine) {
    struct taco_job *chosen = NULL;
    for (struct taco_job *job = engine->jobs; job; job = job->next) {
        if (!wants_slot(job))
            continue;
        int n_free = all_slots(engine) - job->flow->batch->n_slots;
        if (job->flow->n_slots < job->flow->n_jobs * n_free &&
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
        piece->has_slot = true;
        job->flow->n_slots++;
        job->flow->batch->n_slots++;
        job->flow->served = engine->n_served++;
        job->n_pending++;
        taco_piece_queue(piece, TACO_STAGE_ENCODE, 0);
    }
}

void taco_piece_release_slot(struct taco_piece *piece) {
    if (!piece->has_slot)
        return;
    piece->has_slot = false;
    piece->job->flow->n_slots--;
    piece->job->flow->batch->n_slots--;
}

/* -- memory -------------------------------------------------------------------------- */

/* Clients take turns: the one with the fewest jobs that have their memory, then the job that
 * has waited longest. */
static bool is_granted_before(const struct taco_job *a, const struct taco_job *b) {
    if (a->flow->n_granted != b->flow->n_granted)
        return a->flow->n_granted < b->flow->n_granted;
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
        /* The next in the order is waited for: a job that needs less does not pass it. */
        while ((job = choose_waiting(engine, pool)) != NULL &&
               taco_engine_reserve(engine, pool, job->needed)) {
            job->reserved = job->needed;
            for (uint32_t i = 0; i < job->n_pieces; i++)
                job->reserved -= job->pieces[i].reserved;
            job->needed = 0;
            job->flow->n_granted++;
        }
    }
}
