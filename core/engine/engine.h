/* The engine from inside: who owns what, and which lock guards it.
 *
 *   caller   taco_job_create: a place in the queue, the flow of its client    job.c
 *   worker   TEXT: analysis, one struct taco_piece for each chunk             job.c
 *   (any)    admission: which job gets memory, which chunk the next slot      admission.c
 *   worker   ENCODE: the encoder's memory, arrays of the row                  encode.c
 *   decoder  DECODE: the row joins the batch of its voice, steps, leaves      scheduler.c
 *   worker   FINISH: judge, postnet, vocoder; STREAM: both, in windows        finish.c, stream.c
 *   worker   audio callbacks in the order of the text                         delivery.c
 *   worker   RESULT: the pieces become a result, done                         assembly.c,
 *                                                                             job_end.c
 *
 * What follows what stands in pipeline.c, what a job may cost in bounds.c.
 *
 * engine->lock guards what is marked (L); it is never held while work is done or a
 * callback runs. job->lock guards what is marked (J) and is taken before engine->lock
 * where both are. The decoder thread alone touches what is marked (D). Everything else of
 * a piece belongs to the stage that it is in, handed over through the workers' queue or
 * the mailbox. */
#ifndef TACO_ENGINE_ENGINE_H
#define TACO_ENGINE_ENGINE_H

#include "base/arena.h"
#include "base/clock.h"
#include "base/workers.h"
#include "engine/team_size.h"
#include "engine/times.h"
#include "engine/voice.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <taco/engine.h>

struct taco_job;
struct taco_piece;

/* Tasks run in the order of their deadlines, which are so many microseconds after they are
 * queued (earliest deadline first, Liu and Layland, "Scheduling algorithms for
 * multiprogramming in a hard-real-time environment", J. ACM 1973). A listener must not be
 * interrupted for a request that waits for its first sound, and both go before work that
 * only has to be done; but nothing waits for ever, whatever comes after it. */
enum taco_deadline_offset {
    TACO_OFFSET_NONE = 0,
    TACO_OFFSET_FIRST_SOUND = 10 * 1000,
    TACO_OFFSET_TEXT = 20 * 1000,
    TACO_OFFSET_ENCODER = 500 * 1000,
    TACO_OFFSET_LISTENER = 1000 * 1000, /* at the most: with a large reserve */
    TACO_OFFSET_FINISH = 1000 * 1000,
    /* Late chunks of a long text go behind the first ones of a short text. */
    TACO_OFFSET_CHUNK = 100 * 1000, /* more for each before it, of up to 15 */
};

/* Where a chunk is on its way (pipeline.c). */
enum taco_stage {
    TACO_STAGE_NONE,
    TACO_STAGE_ENCODE,
    TACO_STAGE_DECODE,
    TACO_STAGE_FINISH,
    TACO_STAGE_STREAM,
    TACO_STAGE_LEAVE
};

/* What a stage says when it has run. */
enum taco_outcome {
    TACO_OUTCOME_DONE,
    TACO_OUTCOME_AGAIN,   /* the stage before, or this one, has to run once more */
    TACO_OUTCOME_WAITS,   /* the decoder thread has it, and may have queued it already */
    TACO_OUTCOME_STOPPED, /* the job has failed, was cancelled or is out of time */
    TACO_N_OUTCOMES
};

/* max_memory is split, so that nobody who waits for one part can hold what those in another
 * need: texts that wait, jobs that are short, and all others. */
enum taco_pool { TACO_POOL_TEXTS, TACO_POOL_SHORT, TACO_POOL_LONG, TACO_N_POOLS };

/* One voice's decoder batch. */
struct taco_batch {
    struct taco_batch *next; /* (L) of engine->batches */
    const struct taco_voice *voice;
    int n_flows;                  /* (L) the batch ends with its last flow */
    int n_slots;                  /* (L) pieces from admission to the end of their row */
    struct taco_decoder *decoder; /* (D) made with the first row */
    struct taco_team_size team_size;       /* (D) */
    struct taco_batch *next_active;        /* (D) of the batches that hold rows */
    struct taco_piece *ready, **ready_end; /* (D) encoded, waiting for a row */
    int n_rows;                            /* (D) */
    struct taco_piece *rows[64];           /* (D) [n_rows] */
    double stepped; /* (D) when the last step ended; 0: idle since */
    double period;  /* (D) seconds from step to step, of late */
};

/* Jobs that share a batch's slots as one: those of one client, or one job without a client. */
struct taco_flow {
    struct taco_flow *next; /* (L) of engine->flows */
    struct taco_batch *batch;
    uint64_t client; /* 0: one job's own */
    int n_jobs;      /* (L) the flow ends with its last job */
    int n_granted;   /* (L) jobs that have got their memory */
    int n_slots;     /* (L) */
    uint64_t served; /* (L) when it last got a slot */
};

/* A task's time on a worker. A long task yields to those that are more urgent. */
struct taco_turn {
    int worker;
    uint64_t priority; /* of the task */
    double looked_at;  /* when it last looked for an urgent one, seconds */
    double lent;       /* seconds that went to urgent tasks */
};

/* One chunk on its way through the stages. */
struct taco_piece {
    struct taco_task task;
    enum taco_stage stage;
    struct taco_turn turn;   /* of the stage that runs */
    struct taco_piece *next; /* in the mailbox or the batch's ready list */
    struct taco_job *job;
    uint32_t index;
    const struct taco_chunk *chunk;
    float speed, volume; /* the request's and the chunk's together */
    bool has_slot;       /* (L) */
    size_t reserved;     /* (L) bytes accounted for, of job->pool */

    struct taco_arena keep; /* the encoder's output */
    struct taco_memory memory;
    struct taco_row row;    /* owns row.mel, gate, alignment and heads */
    bool streaming;         /* postnet and vocoder run while the row does */
    double decoder_seconds; /* its share of the steps; handed over with the row */

    struct taco_decoded {                      /* a row, judged; arrays are owned */
        float *mel, *gate, *alignment, *heads; /* heads may be NULL */
        uint64_t seed;
        int n_steps, n_frames, n_postnet_frames;
        enum taco_stop_reason stop_reason;
        struct taco_diagnostics diagnostics;
    } best;
    int attempts;
    struct taco_attempt tried[TACO_MAX_ATTEMPTS]; /* [attempts] */

    float *mel;     /* [best.n_postnet_frames, n_mels] after the postnet, owned */
    float *samples; /* [n_samples], owned, with volume and clipped */
    size_t n_samples, max_samples;
    uint64_t n_clipped;
    size_t sound_begin, sound_end; /* of samples: silence lies around it */

    struct taco_stream *stream; /* NULL unless streaming */

    size_t n_ready; /* (J) samples that may be delivered */
    bool all_ready; /* (J) no more will come */

    uint32_t
        *edges; /* [n_symbols + 1] of the alignment (times.h), owned; NULL: not yet */
};

struct taco_job {
    struct taco_engine *engine;
    const struct taco_voice *voice;
    struct taco_request request; /* text is the job's own copy */
    char *source;
    struct taco_callbacks callbacks;
    uint64_t seed;
    atomic_int refs;                  /* the caller's, and the engine's once started */
    struct taco_flow *flow;           /* (L) */
    struct taco_task task;            /* text, then final */
    struct taco_job *previous, *next; /* (L) of engine->jobs */
    bool started;                     /* set by taco_job_start */
    bool has_engine;                  /* a reference to it, and an entry in its books */
    double start, deadline;           /* seconds of taco_clock_now; deadline 0: none */

    struct taco_text *text;        /* (L) set once it is laid out */
    struct taco_piece *pieces;     /* [text->n_chunks] */
    struct taco_stage_times times; /* (L) */

    double finish_due;   /* (D) when its pieces would be finished, had it one worker */
    bool entered;        /* (L) work has begun */
    bool finishing;      /* (L) the final task is queued */
    float fastest;       /* the largest speed of a piece */
    uint32_t n_pieces;   /* (L) 0 until the text is analysed */
    uint32_t next_piece; /* (L) first that has no slot yet */
    uint32_t n_done;     /* (L) */
    int n_pending;       /* (L) the text task and pieces in flight */
    /* Written by who delivers; first_audio_at before the lock is taken to admit more. */
    _Atomic double first_audio_at;            /* seconds of taco_clock_now; 0: not yet */
    atomic_uint_fast64_t n_samples_delivered; /* delivered */
    enum taco_pool pool;                      /* (L) what the bytes are taken from */
    size_t reserved;      /* (L) bytes accounted for beside the pieces' */
    size_t needed;        /* (L) bytes to wait for before the first piece; 0: granted */
    uint64_t n_pause;     /* samples of all pauses */
    double max_audio;     /* seconds, 0: no limit */
    uint64_t max_samples; /* the same; UINT64_MAX: no limit */
    uint64_t n_spoken;    /* (L) samples of the chunks that were judged */
    struct taco_error error;        /* (L) the first failure */
    atomic_bool stopping;           /* error is set: stages end as soon as they look */
    atomic_bool cancelled;          /* asked for by the caller */
    struct taco_cancel cancel;      /* taco_job_must_stop for the long calls of a stage */
    struct taco_cancel text_cancel; /* the same for the text, which yields there */
    struct taco_turn turn;          /* of its task */

    atomic_uint_fast32_t progress_done, progress_all;
    atomic_uint_fast64_t progress_frames;

    pthread_mutex_t lock;
    bool ended;      /* (J) the engine is not to be touched any more */
    bool delivering; /* (J) a thread is in the audio callback */
    size_t lead;     /* (J) samples of the silence before the first chunk to come */
    uint32_t delivery_piece; /* (J) the chunk to be delivered next */
    size_t delivered;        /* (J) samples of it, its pause included */
    uint32_t n_told;         /* (J) chunks that the chunk callback has been called for */
    double told_until[2];    /* by who delivers: ends of the last word and spoken word */
};

struct taco_engine {
    atomic_int
        refs; /* its owner's, and one of each job: what is left of an engine that was
                        destroyed is the lock and the books */
    struct taco_engine_options options; /* resolved: no zeros but max_audio */
    struct taco_workers *workers;
    struct taco_arena
        *scratch; /* [2 * n_workers], each its worker's own: for its task, and
                                   for the one that runs inside it */
    bool *inside; /* [n_workers], each its worker's own: it runs one inside */
    int n_workers;
    struct taco_team *team; /* of the decoder thread */
    pthread_t decoder_thread;
    bool has_decoder_thread;

    pthread_mutex_t lock;
    pthread_cond_t wake;                 /* of the decoder thread; monotonic clock */
    pthread_cond_t idle;                 /* a job has ended */
    struct taco_job *jobs;               /* (L) started, not ended */
    int n_jobs;                          /* (L) created, not ended */
    int n_started;                       /* (L) started, done not yet returned */
    bool ending;                         /* (L) */
    struct taco_batch *batches;          /* (L) */
    struct taco_flow *flows;             /* (L) */
    uint64_t n_served;                   /* (L) clock of the flows */
    size_t reserved[TACO_N_POOLS];       /* (L) bytes of all jobs */
    struct taco_piece *mail, **mail_end; /* (L) encoded pieces for the decoder thread */
    struct taco_engine_stats stats;      /* (L) what is not counted below */
    bool decoding;        /* (D) the decoder holds a processor of the workers */
    double next_deadline; /* (D) the nearest of all jobs; 0: none */

    atomic_bool attention; /* the decoder thread has to look at what is under the lock */
    atomic_int n_busy;     /* workers in a task */
    atomic_int n_rows;
    atomic_uint_fast64_t n_steps, n_frames;
    /* Seconds from a stream's task to its samples' delivery, of late. */
    _Atomic double stream_latency;
};

/* -- engine.c ---------------------------------------------------------------------- */

void taco_engine_unref(struct taco_engine *engine);

/* -- job.c ------------------------------------------------------------------------- */

/* The engine's and the caller's references alike. */
void taco_job_unref(struct taco_job *job);

/* -- job_end.c --------------------------------------------------------------------- */

/* The job ends with this error unless one came before it. Not with the lock held. */
void taco_job_fail(struct taco_job *job, const struct taco_error *err);

/* One of the job's pending works is over. (L) held. May queue the final task. */
void taco_job_leave(struct taco_job *job);

/* What comes first of cancellation and deadline, as the job's error. (L) held. */
void taco_job_look(struct taco_job *job, double now);

/* The same for the final task, in which the job's outcome is settled: nothing is noted. */
bool taco_job_is_unwanted(const struct taco_job *job);
/* Cancelled or out of time: the error for it. */
enum taco_status taco_job_say_why(const struct taco_job *job, struct taco_error *err);

/* Adds seconds of work to *stage, one of job->times. Not with the lock held. */
void taco_job_add_time(struct taco_job *job, double *stage, double seconds);

/* Whether a stage has to give up now: the job failed, was cancelled, or is out of time.
 * Not with the lock held. */
bool taco_job_must_stop(struct taco_job *job);

/* Gives back the job's place in the queue and its flow. (L) held. */
void taco_job_give_back(struct taco_job *job);

/* -- admission.c ------------------------------------------------------------------- */

/* The flow of the client at the voice's batch, made if there is none. (L) held. NULL: no
 * memory. Each call is matched by one taco_flow_leave. */
struct taco_flow *taco_flow_join(struct taco_engine *engine,
                                 const struct taco_voice *voice, uint64_t client);
void taco_flow_leave(struct taco_engine *engine, struct taco_flow *flow);

/* Ends a batch without flows. (L) held. */
void taco_batch_end(struct taco_engine *engine, struct taco_batch *batch);

/* Gives free slots to chunks and queues their encoder tasks. (L) held. */
void taco_engine_admit(struct taco_engine *engine);

/* The piece's slot is free again. (L) held. */
void taco_piece_release_slot(struct taco_piece *piece);

/* Grants waiting jobs their memory while there is some. (L) held. */
void taco_engine_grant(struct taco_engine *engine);

/* -- bounds.c ---------------------------------------------------------------------- */

/* Heads whose weights the result keeps; 0: the attention has none. */
size_t taco_chunk_n_heads(const struct taco_voice *voice,
                          const struct taco_request *request);
/* Longest row of a chunk of n symbols, decoder steps >= 1. */
int taco_chunk_max_steps(const struct taco_voice *voice,
                         const struct taco_request *request, uint32_t n_symbols);

/* Bytes that the job may take at the most from now on: those of its pieces, which it sets,
 * and, returned, all others. The text has been analysed. */
size_t taco_job_bound(struct taco_job *job, struct taco_piece *pieces,
                      const struct taco_text *text);
/* The same for a result, once it is there. */
size_t taco_result_bound(const struct taco_job *job, const struct taco_result *result);
/* The same for a text of so many bytes, before it is analysed. */
size_t taco_text_bound(size_t length);

/* Sets the limit of the job's audio and counts its pauses. TACO_ERR_TEXT_TOO_LONG. */
enum taco_status taco_job_limit_audio(struct taco_job *job, const struct taco_text *text,
                                      struct taco_error *err);
/* Counts a chunk of so many samples; fails the job that is over its limit. */
void taco_job_count_audio(struct taco_job *job, size_t n_samples);
/* Looks at frames that have been decoded, all attempts: what they will give is counted before
 * it is made. By the decoder thread. */
void taco_job_look_at_frames(struct taco_job *job, uint64_t n_frames);

/* Bytes that the jobs of a pool may take in all; SIZE_MAX: no limit. */
size_t taco_pool_limit(const struct taco_engine *engine, enum taco_pool pool);
/* Accounts for bytes; false: over the pool's limit, nothing changed. (L) held. */
bool taco_engine_reserve(struct taco_engine *engine, enum taco_pool pool, size_t bytes);
void taco_engine_unreserve(struct taco_engine *engine, enum taco_pool pool, size_t bytes);
/* max_memory where none was asked for. */
size_t taco_default_max_memory(void);

/* -- pipeline.c -------------------------------------------------------------------- */

/* Gives the piece to a worker for the stage; offset: microseconds beside the stage's own. By
 * whoever has the piece, who then has it no longer. */
void taco_piece_queue(struct taco_piece *piece, enum taco_stage stage, uint64_t offset);
/* The same for the job's first and last stage. (L) held. */
void taco_job_queue_text(struct taco_job *job);
void taco_job_queue_result(struct taco_job *job);
/* Queues what follows the row's end. By the decoder thread. */
void taco_piece_row_ended(struct taco_piece *piece);
/* There will be no other row of it: its slot is free. */
void taco_piece_leave_batch(struct taco_piece *piece);
bool taco_piece_may_try_again(const struct taco_piece *piece);
/* Gives all memory back. */
void taco_piece_free(struct taco_piece *piece);

/* -- the stages: job.c, encode.c, finish.c, stream.c, job_end.c ---------------------- */

void taco_job_read_text(struct taco_job *job);
/* Called often by a long stage: every few milliseconds it lets urgent tasks run on its
 * worker. No lock may be held. */
void taco_turn_begin(struct taco_turn *turn, const struct taco_task *task, int worker);
void taco_turn_yield(struct taco_turn *turn, struct taco_engine *engine);
/* struct taco_cancel's check inside a stage of a piece, which yields there. */
int taco_piece_yield_or_stop(void *piece);

enum taco_outcome taco_piece_encode(struct taco_piece *piece, struct taco_arena *scratch);
enum taco_outcome taco_piece_finish(struct taco_piece *piece, struct taco_arena *scratch);
enum taco_outcome taco_piece_follow(struct taco_piece *piece, struct taco_arena *scratch);
void taco_job_finish(struct taco_job *job);

/* -- encode.c ---------------------------------------------------------------------- */

/* The chunk's number in all that is spoken, which its random numbers depend on. */
uint32_t taco_piece_number(const struct taco_piece *piece);

/* Arrays for the next attempt at the row, which starts with the next seed.
 * TACO_ERR_NO_MEMORY. */
enum taco_status taco_piece_prepare_row(struct taco_piece *piece, struct taco_error *err);

/* -- finish.c ---------------------------------------------------------------------- */

/* Judges the row that has ended and keeps it as piece->best if it is the best so far. */
void taco_piece_judge(struct taco_piece *piece);
void taco_decoded_free(struct taco_decoded *decoded);
/* Samples that the attempt that is kept gives. */
size_t taco_piece_samples(const struct taco_piece *piece);
/* Where the symbols of the attempt that is kept lie, and, in all its samples, the sound.
 * TACO_ERR_NO_MEMORY, _CANCELLED. */
enum taco_status taco_piece_find_times(struct taco_piece *piece);
/* What both are to be turned into times with; first_sample: of the piece in the audio. */
struct taco_time_base taco_piece_time_base(const struct taco_piece *piece,
                                           uint64_t first_sample);
/* Frames that go through the postnet between two looks at the clock. */
enum { TACO_POSTNET_BLOCK = 128 };
/* Volume and clipping over the samples [n] from first on. */
void taco_piece_level(struct taco_piece *piece, size_t first, size_t n);

/* -- stream.c ---------------------------------------------------------------------- */

enum taco_status taco_stream_create(struct taco_piece *piece, struct taco_error *err);
void taco_stream_destroy(struct taco_stream *stream);
/* Queues the stream's task again. */
void taco_stream_queue(struct taco_piece *piece);
/* By the decoder thread after a step that ended now: n_steps are known, the next one comes
 * after period seconds; last: the row has ended. Queues the stream's task when it is due. */
void taco_stream_advance(struct taco_piece *piece, int n_steps, bool last, double now,
                         double period);

/* -- delivery.c -------------------------------------------------------------------- */

/* More samples of the piece may be delivered, up to n_ready; all: no more will come. Runs
 * the audio callback for whatever is in order. On a worker. */
void taco_piece_deliver(struct taco_piece *piece, size_t n_ready, bool all);

/* The same for the silence of a job without pieces, from its last task: TACO_ERR_CANCELLED,
 * _TIMEOUT. */
enum taco_status taco_job_deliver_silence(struct taco_job *job, struct taco_error *err);

/* Silence in samples of the final audio: speed does not change it. */
size_t taco_silence_samples(float seconds, int sample_rate);
/* The silence after the piece's chunk. */
size_t taco_piece_pause(const struct taco_piece *piece);

/* -- scheduler.c ------------------------------------------------------------------- */

void *taco_scheduler_main(void *engine);
/* Wakes the decoder thread. (L) held. */
void taco_scheduler_wake(struct taco_engine *engine);
/* An encoded piece for the decoder thread. (L) held. */
void taco_scheduler_mail(struct taco_engine *engine, struct taco_piece *piece);

/* -- assembly.c -------------------------------------------------------------------- */

/* The job's pieces become a result; what it takes from them is theirs no more.
 * TACO_ERR_NO_MEMORY. */
enum taco_status taco_job_assemble(struct taco_job *job,
                                   const struct taco_result **result,
                                   struct taco_error *err);

#endif
