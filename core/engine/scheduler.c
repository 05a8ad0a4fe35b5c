/* The decoder's thread: one step after another for every batch that holds rows.
 *
 * Between two steps rows whose job has stopped leave, encoded pieces join, and whatever
 * was mailed is collected. Within a step nothing is allocated, locked or can fail. The
 * thread also keeps the jobs' deadlines. It sleeps while there is no row. */
#include "base/error.h"
#include "engine/engine.h"
#include "engine/running_mean.h"

void taco_scheduler_wake(struct taco_engine *engine) {
    atomic_store(&engine->attention, true);
    pthread_cond_signal(&engine->wake);
}

void taco_scheduler_mail(struct taco_engine *engine, struct taco_piece *piece) {
    piece->next = NULL;
    *engine->mail_end = piece;
    engine->mail_end = &piece->next;
    taco_scheduler_wake(engine);
}

/* -- what comes from other threads --------------------------------------------------- */

/* Ends jobs that were cancelled or are out of time; finds the next deadline. (L) held. */
static void look_at_jobs(struct taco_engine *engine) {
    double now = taco_clock_now();
    engine->next_deadline = 0;
    for (struct taco_job *job = engine->jobs; job; job = job->next) {
        taco_job_look(job, now);
        bool waits = job->deadline > 0 && !atomic_load(&job->stopping);
        if (waits &&
            (engine->next_deadline == 0 || job->deadline < engine->next_deadline))
            engine->next_deadline = job->deadline;
    }
}

/* (L) held; let go while asleep. */
static void sleep_until_woken(struct taco_engine *engine) {
    if (engine->next_deadline == 0) {
        pthread_cond_wait(&engine->wake, &engine->lock);
        return;
    }
    taco_clock_wait(&engine->wake, &engine->lock, engine->next_deadline);
}

/* The decoder's thread takes a processor from the workers, or gives it back. */
static void share_processors(struct taco_engine *engine, bool decoding) {
    if (engine->decoding != decoding)
        taco_workers_limit(engine->workers, engine->n_workers - (decoding ? 1 : 0));
    engine->decoding = decoding;
}

/* Collects the mail; sleeps until there is some unless busy. False: the engine ends. */
static bool attend(struct taco_engine *engine, bool busy, struct taco_piece **mail) {
    pthread_mutex_lock(&engine->lock);
    bool ends;
    for (;;) {
        atomic_store(&engine->attention, false);
        look_at_jobs(engine);
        ends = engine->ending && engine->n_started == 0;
        if (busy || engine->mail || ends)
            break;
        share_processors(engine, false);
        sleep_until_woken(engine);
    }
    *mail = engine->mail;
    engine->mail = NULL;
    engine->mail_end = &engine->mail;
    pthread_mutex_unlock(&engine->lock);
    share_processors(engine, !ends);
    return !ends;
}

/* Hands mailed pieces to their batches; a batch that held none becomes active. */
static void distribute(struct taco_piece *mail, struct taco_batch **active) {
    while (mail) {
        struct taco_piece *piece = mail;
        struct taco_batch *batch = piece->job->flow->batch;
        mail = piece->next;
        if (batch->n_rows == 0 && !batch->ready) {
            batch->next_active = *active;
            *active = batch;
        }
        piece->next = NULL;
        *batch->ready_end = piece;
        batch->ready_end = &piece->next;
    }
}

/* -- a batch ------------------------------------------------------------------------- */

static void push(struct taco_piece **list, struct taco_piece *piece) {
    piece->next = *list;
    *list = piece;
}

static void take_row_out(struct taco_batch *batch, int i, struct taco_piece **left) {
    push(left, batch->rows[i]);
    batch->rows[i] = batch->rows[--batch->n_rows];
}

/* Rows and ready pieces of jobs that have stopped go to *left. */
static void drop_stopped(struct taco_batch *batch, struct taco_piece **left) {
    for (int i = batch->n_rows - 1; i >= 0; i--) {
        struct taco_piece *piece = batch->rows[i];
        if (atomic_load_explicit(&piece->job->stopping, memory_order_acquire)) {
            taco_decoder_remove(batch->decoder, &piece->row);
            take_row_out(batch, i, left);
        }
    }
    struct taco_piece **link = &batch->ready, *piece;
    while ((piece = *link) != NULL) {
        if (atomic_load_explicit(&piece->job->stopping, memory_order_acquire)) {
            *link = piece->next;
            push(left, piece);
        } else {
            link = &piece->next;
        }
    }
    batch->ready_end = link;
}

/* Ready pieces join while there is room; a piece that cannot goes to *left, its job
 * failed. */
static void join_rows(struct taco_engine *engine, struct taco_batch *batch,
                      struct taco_piece **left) {
    while (batch->ready && batch->n_rows < engine->options.max_rows) {
        struct taco_piece *piece = batch->ready;
        struct taco_error err = TACO_ERROR_INIT;
        enum taco_status status = TACO_OK;
        batch->ready = piece->next;
        if (!batch->ready)
            batch->ready_end = &batch->ready;
        if (!batch->decoder)
            status = taco_decoder_create(&batch->decoder, batch->voice->model,
                                         engine->options.max_rows, &err);
        if (status == TACO_OK)
            status = taco_decoder_add(batch->decoder, &piece->row, &err);
        if (status == TACO_OK) {
            batch->rows[batch->n_rows++] = piece;
        } else {
            taco_job_fail(piece->job, &err);
            push(left, piece);
        }
    }
}

/* The team's threads are at most those of workers that rest. Returns how many. */
static int limit_team(struct taco_engine *engine, struct taco_batch *batch) {
    int n = engine->options.n_threads - atomic_load(&engine->n_busy);
    n = taco_team_size_choose(&batch->team_size, batch->n_rows, n < 1 ? 1 : n);
    taco_team_limit(engine->team, n);
    return n;
}

/* One step for the rows of the batch; those that end go to *left. */
static void step(struct taco_engine *engine, struct taco_batch *batch,
                 struct taco_piece **left) {
    int n_rows = batch->n_rows, r = batch->voice->hparams.n_frames_per_step;
    int n_threads = limit_team(engine, batch);
    double begin = taco_clock_now();
    taco_decoder_step(batch->decoder, engine->team);
    double end = taco_clock_now(), seconds = end - begin, share = seconds / n_rows;
    batch->period = taco_running_mean(
        batch->period, batch->stepped > 0 ? end - batch->stepped : seconds, 4);
    batch->stepped = end;
    taco_team_size_learn(&batch->team_size, n_rows, n_threads, seconds);
    for (int i = n_rows - 1; i >= 0; i--) {
        struct taco_piece *piece = batch->rows[i];
        piece->decoder_seconds += share;
        uint64_t n_frames = atomic_fetch_add_explicit(&piece->job->progress_frames,
                                                      (unsigned)r, memory_order_relaxed);
        taco_job_look_at_frames(piece->job, n_frames + (unsigned)r);
        if (piece->row.done)
            take_row_out(batch, i, left);
        else if (piece->streaming)
            taco_stream_advance(piece, piece->row.n_steps, false, end, batch->period);
    }
    atomic_fetch_add_explicit(&engine->n_steps, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&engine->n_frames, (unsigned)(n_rows * r),
                              memory_order_relaxed);
}

void *taco_scheduler_main(void *arg) {
    struct taco_engine *engine = arg;
    struct taco_batch *active = NULL;
    struct taco_piece *mail;
    for (;;) {
        bool due = engine->next_deadline > 0 && taco_clock_now() >= engine->next_deadline;
        if (!active || due || atomic_load(&engine->attention)) {
            if (!attend(engine, active != NULL, &mail))
                return NULL;
            distribute(mail, &active);
        }
        int n_rows = 0;
        struct taco_batch **link = &active, *batch;
        while ((batch = *link) != NULL) {
            struct taco_piece *left = NULL;
            drop_stopped(batch, &left);
            join_rows(engine, batch, &left);
            if (batch->n_rows > 0)
                step(engine, batch, &left);
            if (batch->n_rows == 0)
                batch->stepped = 0;
            n_rows += batch->n_rows;
            /* Once its last piece is handed on the batch may end at any time: it must not
               be touched after that. */
            if (batch->n_rows > 0 || batch->ready)
                link = &batch->next_active;
            else
                *link = batch->next_active;
            while (left) {
                struct taco_piece *piece = left;
                left = piece->next;
                taco_piece_row_ended(piece);
            }
        }
        atomic_store_explicit(&engine->n_rows, n_rows, memory_order_relaxed);
    }
}
