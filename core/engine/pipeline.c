/* The stages of a job and of its chunks, what follows each, and who may run it.
 *
 *   TEXT --> (memory, slots) --> ENCODE --> DECODE --> FINISH --> (all chunks) --> RESULT
 *                                             ^  |       |
 *                                             +--|-------+  an attempt that failed
 *                                                v
 *                                              STREAM, again and again while DECODE goes on
 *
 * A task is given to a worker here and nowhere else. */
#include "base/memory.h"
#include "engine/engine.h"

/* How often a long stage looks for a task that is more urgent. */
#define YIELD_SECONDS 0.005

/* What postnet and vocoder take on one core of 2024, about: that of one Griffin-Lim iteration
 * a frame, and how many of them the rest is worth. It orders tasks and nothing else. */
#define SECONDS_PER_FRAME_ITERATION 2e-6
#define BASE_ITERATIONS 24
/* What a byte of text adds to the deadline of its analysis: 25 times what it takes there, so
 * that all stages of a short request go before the analysis of a long text. */
#define SECONDS_PER_BYTE 100e-6

static const struct stage {
    /* On a worker; NULL: by the decoder thread, which has the chunk's row (scheduler.c). */
    enum taco_outcome (*run)(struct taco_piece *piece, struct taco_arena *scratch);
    uint64_t offset; /* deadline offset of the task */
    /* What follows each outcome; NONE: the chunk has left, or is not this thread's any more. */
    enum taco_stage next[TACO_N_OUTCOMES];
} stages[] = {
    [TACO_STAGE_ENCODE] = {taco_piece_encode,
                           TACO_OFFSET_ENCODER,
                           {[TACO_OUTCOME_DONE] = TACO_STAGE_DECODE,
                            [TACO_OUTCOME_STOPPED] = TACO_STAGE_LEAVE}},
    /* After the row's end: FINISH, or STREAM for the last time (taco_piece_row_ended). */
    [TACO_STAGE_DECODE] = {NULL, 0, {0}},
    [TACO_STAGE_FINISH] = {taco_piece_finish,
                           TACO_OFFSET_FINISH,
                           {[TACO_OUTCOME_DONE] = TACO_STAGE_LEAVE,
                            [TACO_OUTCOME_AGAIN] = TACO_STAGE_DECODE,
                            [TACO_OUTCOME_STOPPED] = TACO_STAGE_LEAVE}},
    /* Its offset depends on what the listener has (stream.c). */
    [TACO_STAGE_STREAM] = {taco_piece_follow,
                           0,
                           {[TACO_OUTCOME_DONE] = TACO_STAGE_LEAVE,
                            [TACO_OUTCOME_AGAIN] = TACO_STAGE_STREAM,
                            [TACO_OUTCOME_WAITS] = TACO_STAGE_NONE,
                            [TACO_OUTCOME_STOPPED] = TACO_STAGE_LEAVE}},
};

static void queue(struct taco_engine *engine, struct taco_task *task, uint64_t offset) {
    task->priority = (uint64_t)(taco_clock_now() * 1e6) + offset;
    taco_workers_add(engine->workers, task);
}

/* -- turns --------------------------------------------------------------------------- */

void taco_turn_begin(struct taco_turn *turn, const struct taco_task *task, int worker) {
    *turn = (struct taco_turn){
        .worker = worker, .priority = task->priority, .looked_at = taco_clock_now()};
}

void taco_turn_yield(struct taco_turn *turn, struct taco_engine *engine) {
    double now = taco_clock_now();
    if (engine->inside[turn->worker] || now < turn->looked_at + YIELD_SECONDS)
        return;
    engine->inside[turn->worker] = true;
    atomic_fetch_sub(&engine->n_busy, 1);
    while (taco_workers_run_inside(engine->workers, turn->worker, turn->priority))
        ;
    atomic_fetch_add(&engine->n_busy, 1);
    engine->inside[turn->worker] = false;
    turn->looked_at = taco_clock_now();
    turn->lent += turn->looked_at - now;
}

int taco_piece_yield_or_stop(void *user) {
    struct taco_piece *piece = user;
    taco_turn_yield(&piece->turn, piece->job->engine);
    return taco_job_must_stop(piece->job);
}

/* -- chunks -------------------------------------------------------------------------- */

/* What the piece's arrays take now. */
static size_t bytes_held(const struct taco_piece *piece) {
    const struct taco_hparams *h = &piece->job->voice->hparams;
    size_t steps = (size_t)piece->best.n_steps;
    size_t frames = (size_t)piece->best.n_frames;
    size_t n_heads = taco_chunk_n_heads(piece->job->voice, &piece->job->request);
    return sizeof(float) * (steps * (piece->chunk->n_symbols * (1 + n_heads) + 1) +
                            frames * (size_t)h->n_mels + piece->n_samples) +
           (piece->chunk->n_symbols + 1) * sizeof *piece->edges;
}

/* The piece is complete or given up. */
static void leave(struct taco_piece *piece, bool complete) {
    struct taco_job *job = piece->job;
    struct taco_engine *engine = job->engine;
    size_t held = complete ? bytes_held(piece) : 0;
    pthread_mutex_lock(&engine->lock);
    taco_piece_release_slot(piece);
    if (complete) {
        job->n_done++;
        atomic_fetch_add(&job->progress_done, 1);
        if (held < piece->reserved) {
            taco_engine_unreserve(engine, job->pool, piece->reserved - held);
            piece->reserved = held;
        }
    }
    taco_job_leave(job);
    taco_engine_admit(engine);
    pthread_mutex_unlock(&engine->lock);
}

static void run_piece(struct taco_task *task, int worker) {
    struct taco_piece *piece =
        (struct taco_piece *)((char *)task - offsetof(struct taco_piece, task));
    struct taco_engine *engine = piece->job->engine;
    int i = engine->inside[worker] ? engine->n_workers + worker : worker;
    struct taco_arena *scratch = &engine->scratch[i];
    const struct stage *stage = &stages[piece->stage];
    atomic_fetch_add(&engine->n_busy, 1);
    taco_turn_begin(&piece->turn, task, worker);
    enum taco_outcome outcome = stage->run(piece, scratch);
    taco_arena_reset(scratch);
    /* What waits may have been taken on by another thread already. */
    switch (stage->next[outcome]) {
    case TACO_STAGE_LEAVE:
        leave(piece, outcome == TACO_OUTCOME_DONE);
        break;
    case TACO_STAGE_DECODE:
        piece->stage = TACO_STAGE_DECODE;
        pthread_mutex_lock(&engine->lock);
        taco_scheduler_mail(engine, piece);
        pthread_mutex_unlock(&engine->lock);
        break;
    case TACO_STAGE_STREAM:
        taco_stream_queue(piece);
        break;
    case TACO_STAGE_NONE:
    case TACO_STAGE_ENCODE:
    case TACO_STAGE_FINISH:
        break;
    }
    atomic_fetch_sub(&engine->n_busy, 1);
}

void taco_piece_queue(struct taco_piece *piece, enum taco_stage stage, uint64_t offset) {
    piece->stage = stage;
    piece->task.run = run_piece;
    queue(piece->job->engine, &piece->task, stages[stage].offset + offset);
}

/* Microseconds until the piece would be finished, had its job one worker to itself. A job's
 * work waits behind its own, not in front of that of others: many or costly chunks make
 * nobody else wait. */
static uint64_t finish_offset(struct taco_piece *piece) {
    struct taco_job *job = piece->job;
    double frames = (double)piece->row.n_steps * job->voice->hparams.n_frames_per_step /
                    (double)piece->speed;
    double work = frames * (BASE_ITERATIONS + job->request.vocoder.n_iter) *
                  SECONDS_PER_FRAME_ITERATION;
    double now = taco_clock_now();
    job->finish_due = (job->finish_due > now ? job->finish_due : now) + work;
    return (uint64_t)((job->finish_due - now) * 1e6);
}

void taco_piece_row_ended(struct taco_piece *piece) {
    if (!taco_piece_may_try_again(piece))
        taco_piece_leave_batch(piece);
    if (piece->streaming) {
        taco_stream_advance(piece, piece->row.n_steps, true, taco_clock_now(), 0);
        return;
    }
    uint64_t n_before = piece->index < 15 ? piece->index : 15;
    taco_piece_queue(piece, TACO_STAGE_FINISH,
                     TACO_OFFSET_CHUNK * n_before + finish_offset(piece));
}

bool taco_piece_may_try_again(const struct taco_piece *piece) {
    return piece->attempts < piece->job->request.max_attempts;
}

void taco_piece_leave_batch(struct taco_piece *piece) {
    struct taco_engine *engine = piece->job->engine;
    pthread_mutex_lock(&engine->lock);
    if (piece->has_slot) {
        taco_piece_release_slot(piece);
        taco_engine_admit(engine);
    }
    pthread_mutex_unlock(&engine->lock);
}

void taco_piece_free(struct taco_piece *piece) {
    taco_arena_free(&piece->keep);
    taco_free(piece->row.mel);
    taco_free(piece->row.gate);
    taco_free(piece->row.alignment);
    taco_free(piece->row.heads);
    taco_decoded_free(&piece->best);
    taco_free(piece->mel);
    taco_free(piece->samples);
    taco_free(piece->edges);
    taco_stream_destroy(piece->stream);
}

/* -- jobs ---------------------------------------------------------------------------- */

static void run_job(struct taco_task *task, int worker,
                    void (*run)(struct taco_job *job)) {
    struct taco_job *job =
        (struct taco_job *)((char *)task - offsetof(struct taco_job, task));
    struct taco_engine *engine = job->engine;
    atomic_fetch_add(&engine->n_busy, 1);
    taco_turn_begin(&job->turn, task, worker);
    run(job); /* with the last stage the job may be gone, and the engine not */
    atomic_fetch_sub(&engine->n_busy, 1);
}

static void run_text(struct taco_task *task, int worker) {
    run_job(task, worker, taco_job_read_text);
}

static void run_result(struct taco_task *task, int worker) {
    run_job(task, worker, taco_job_finish);
}

void taco_job_queue_text(struct taco_job *job) {
    job->task.run = run_text;
    uint64_t analysis =
        (uint64_t)((double)job->request.text_length * SECONDS_PER_BYTE * 1e6);
    queue(job->engine, &job->task, TACO_OFFSET_TEXT + analysis);
}

void taco_job_queue_result(struct taco_job *job) {
    job->task.run = run_result;
    queue(job->engine, &job->task, TACO_OFFSET_NONE);
}
