/* The engine: threads, the decoder's batch and the vocoder's workers.
 *
 *   struct taco_engine *engine;
 *   taco_engine_create(&engine, NULL, &err);
 *   taco_job_create(&job, engine, voice, &request, &callbacks, &err);  may fail: limits
 *   taco_job_start(job);                                               cannot fail
 *   ... callbacks run on the engine's threads ...
 *   taco_job_release(job);
 *   taco_engine_destroy(engine);
 *
 * One decoder step serves all running chunks of a voice. The same voice, text, options
 * and seed give the same mel, alignment and audio bit for bit, alone or in company, with
 * any number of threads, on one instruction set and precision. */
#ifndef TACO_ENGINE_H
#define TACO_ENGINE_H

#include <stdint.h>
#include <taco/request.h>
#include <taco/result.h>
#include <taco/status.h>
#include <taco/voice.h>

#ifdef __cplusplus
extern "C" {
#endif

struct taco_engine;
struct taco_job;

struct taco_engine_options {
    int n_threads; /* threads that work, 1 to 256; default 0: the processors online */
    int max_rows;  /* chunks decoded side by side for a voice, 1 to 64; default 64 */
    int max_jobs;  /* jobs created and not yet ended, 1 to 65536; default 256. One more is
                      refused with TACO_ERR_BUSY */
    size_t
        max_memory;   /* bytes that the jobs may take in all (taco_job_create); default 0:
                          half of the memory that the process may use; SIZE_MAX: no limit */
    double max_audio; /* seconds of audio that one job may give, pauses included; default
                          3600; 0: no limit */
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

struct taco_engine_stats {
    uint64_t jobs_done, jobs_failed, jobs_cancelled;
    uint64_t jobs_refused; /* TACO_ERR_BUSY of taco_job_create */
    int jobs_queued;       /* created, no work on them yet */
    int jobs_running;
    int rows_active;              /* chunks in the decoder's batch now */
    uint64_t decoder_steps;       /* batch steps */
    uint64_t frames;              /* mel frames made, all rows */
    uint64_t rows_judged;         /* attempts at chunks that were decoded to their end */
    uint64_t rows_retried;        /* of them, those that were not the chunk's first */
    uint64_t rows_cut;            /* of them, those that the frame limit cut off */
    uint64_t flaws[TACO_N_FLAWS]; /* of them, those with the flaw 1 << i */
    double audio_seconds;
    struct taco_stage_times times; /* sums over all jobs */
    uint64_t reserved[TACO_RESERVED];
};

/* A chunk of a streaming request whose samples have all been delivered, and when its parts
 * are spoken: the same times as in the result to come. Valid during the call only. */
struct taco_spoken_chunk {
    const struct taco_text *text; /* the whole */
    uint32_t index;               /* of text->chunks */
    int sample_rate;              /* Hz */
    uint64_t first_sample, n_samples;
    uint64_t seed; /* that of the chunk's attempt */
    enum taco_stop_reason stop_reason;
    const struct taco_diagnostics *diagnostics;
    const struct taco_times *symbols; /* [chunk->n_symbols] */
    const struct taco_times *words;   /* [chunk->n_words] */
    uint32_t first_spoken, n_spoken;  /* of text->spoken */
    const struct taco_times *spoken;  /* [n_spoken] */
    struct taco_span region; /* the chunk and what stands before the next one, so that the
                                regions of all chunks are the text */
    const struct taco_times *characters; /* [region.end_cp - region.begin_cp] */
};

/* Writes the chunk as one line of JSON, without a newline: "chunk", "text", "start", "end",
 * "bytes", "codepoints", "ok", "stop_reason", "words", "spoken_words" and "symbols", the
 * entries of which are those of the alignment JSON (core/engine/ALIGNMENT.md). voice is the
 * job's. *bytes [*size] is freed by the caller with taco_free. TACO_ERR_NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_spoken_chunk_write(const struct taco_spoken_chunk *chunk,
                        const struct taco_voice *voice, char **bytes, size_t *size,
                        struct taco_error *err);

/* They run on a thread of the engine, one after the other for one job, never two at once.
 * They must not block for long and must not call taco_engine_destroy. */
struct taco_callbacks {
    void *user;
    /* Samples [n] in order, for a streaming request; n > 0. May be NULL. Return nonzero
     * to cancel the job. samples are valid during the call only. */
    int (*audio)(void *user, const float *samples, size_t n);
    /* Beside audio, after the last samples of each chunk and before the pause behind it. May
     * be NULL; no effect without audio. Return nonzero to cancel the job. */
    int (*chunk)(void *user, const struct taco_spoken_chunk *chunk);
    /* The last call for a started job, exactly once. status TACO_OK: result is not NULL;
     * the callee may keep it with taco_result_ref. Otherwise result is NULL and err
     * tells. */
    void (*done)(void *user, enum taco_status status, const struct taco_error *err,
                 const struct taco_result *result);
};

TACO_API struct taco_engine_options taco_engine_options_default(void);

/* Starts the threads. TACO_ERR_INVALID_ARGUMENT (err->param), _NO_MEMORY, _IO (threads).
 */
TACO_API TACO_MUST_CHECK enum taco_status
taco_engine_create(struct taco_engine **engine,
                   const struct taco_engine_options *options /* NULL: defaults */,
                   struct taco_error *err);

/* Cancels what runs, waits for it to end (every done callback has returned), joins the
 * threads. Jobs that were created and not started must have been released. NULL allowed.
 */
TACO_API void taco_engine_destroy(struct taco_engine *engine);

/* Gives back what the engine keeps ready for a voice, which may then be closed while the
 * engine lives on. No job of the voice may be left: created and not released, or started
 * and not ended. */
TACO_API void taco_engine_forget(struct taco_engine *engine,
                                 const struct taco_voice *voice);

/* Checks the request, copies the text and takes a place in the queue; does no other work.
 * On success *job is owned by the caller (taco_job_release).
 * TACO_ERR_BUSY: no place, or no memory for one more text; TACO_ERR_INVALID_ARGUMENT:
 * err->param; TACO_ERR_EMPTY_TEXT, _INVALID_UTF8, _TEXT_TOO_LONG: seen at once; _NO_MEMORY.
 *
 * Once the text has been analysed, the most memory that the job may take is known: its
 * buffers, its result, and request->answer. The job waits until max_memory has room for it,
 * the clients taking turns, or until its timeout. A job that never fits ends with
 * TACO_ERR_TEXT_TOO_LONG. An eighth of max_memory is for texts, and an eighth for short
 * jobs, which so pass the long ones. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_job_create(struct taco_job **job, struct taco_engine *engine,
                const struct taco_voice *voice, const struct taco_request *request,
                const struct taco_callbacks *callbacks, struct taco_error *err);

/* Hands the job to the threads. Called once. Cannot fail: whatever goes wrong later
 * reaches done. done may run before this returns. */
TACO_API void taco_job_start(struct taco_job *job);

/* Asks the job to end with TACO_ERR_CANCELLED; its rows leave the batch before the next
 * step. From any thread, any number of times; no effect on a job that has ended. */
TACO_API void taco_job_cancel(struct taco_job *job);

/* Gives up the caller's reference. A started job goes on (cancel it first to end it); one
 * never started gives its place back. The memory that was counted for a job's result and
 * answer is free for others once the job is released and has ended. The engine may have been
 * destroyed in the meantime. NULL is allowed. */
TACO_API void taco_job_release(struct taco_job *job);

/* The seed that the job uses, drawn or given; valid from creation on. */
TACO_API uint64_t taco_job_seed(const struct taco_job *job);

/* Chunks of the job that are finished, and all of them (0 until the text is analysed),
 * and frames decoded so far. From any thread. */
TACO_API void taco_job_progress(const struct taco_job *job, uint32_t *n_done,
                                uint32_t *n_all, uint64_t *n_frames);

/* The threads that work, 0 of the options resolved. */
TACO_API int taco_engine_threads(const struct taco_engine *engine);

TACO_API void taco_engine_stats(struct taco_engine *engine,
                                struct taco_engine_stats *stats);

/* Creates a job, starts it and waits for the result, which the caller ends with
 * taco_result_unref. Any status of taco_job_create, and of the job itself. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_engine_speak(struct taco_engine *engine, const struct taco_voice *voice,
                  const struct taco_request *request, const struct taco_result **result,
                  struct taco_error *err);

#ifdef __cplusplus
}
#endif
#endif
