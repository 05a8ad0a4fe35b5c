/* A request for speech on its way: shared by the whole answer (speech_whole.c) and the
 * streamed one (speech_stream.c). */
#ifndef TACO_SERVER_SPEECH_STATE_H
#define TACO_SERVER_SPEECH_STATE_H

#include <stdatomic.h>
#include <taco/engine.h>

#include "base/workers.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "speech/budget.h"
#include "speech/compat.h"
#include "speech/fields.h"
#include "speech/negotiate.h"
#include "speech/payload.h"
#include "speech/results.h"
#include "speech/turns.h"
#include "voices/voices.h"

struct taco_speech_state {
    struct taco_exchange *x; /* the state is x->state, and ends with it */
    const struct taco_compat *compat;
    struct taco_speech speech;
    enum taco_response_form form;
    enum taco_result_format written;      /* TACO_RESPONSE_WRITTEN */
    const struct taco_named_voice *voice; /* NULL: the result is asked for by its id */
    struct taco_job *job;
    bool is_piece;     /* its seed counts only if it is found in the cache: fix_seed */
    char ignored[256]; /* names of parameters without an effect: X-Taco-Ignored */
    void *own;         /* the compatible API's; given back with taco_free */

    /* The work for the answer. */
    struct taco_task task;
    struct taco_turn turn;
    struct taco_budget budget;
    double deadline;      /* of taco_clock_now */
    atomic_bool stopping; /* the client is gone, or the daemon ends */
    struct taco_audio_writer *writer;
    struct taco_bytes audio; /* as far as it is encoded */
    size_t n_written;        /* samples given to the writer */

    /* What came of it; written before the connection is resumed. */
    int code;
    struct taco_error err;
    const struct taco_result *result; /* a reference */
    struct taco_cached *hit; /* a reference: a cached result that answers; NULL: none */
    const char *cache;       /* X-Cache, "hit" or "miss"; NULL: neither */
    struct taco_cached *cached; /* a reference: the result with the audio of the answer */
    bool is_cached;             /* the store has it, too */
    struct taco_payload payload;

    struct taco_stream *stream; /* speech_stream.c's own */
};

/* A state for the exchange, which owns it. NULL: no memory. */
struct taco_speech_state *taco_speech_state_create(struct taco_exchange *x,
                                                   const struct taco_compat *compat);

/* Notes that a parameter of that name has no effect. */
void taco_speech_ignore(struct taco_speech_state *s, const char *name);

/* Sets s->voice by its name (NULL: the default): TACO_CODE_UNKNOWN_VOICE. */
TACO_MUST_CHECK int taco_speech_find_voice(struct taco_speech_state *s, const char *name);

/* Returns code, with an error that lists the voices. */
int taco_speech_unknown_voice(const struct taco_exchange *x, enum taco_error_code code,
                              const char *param, const char *name,
                              struct taco_error *err);

/* Applies the server's limits and checks the speech against s->voice. */
TACO_MUST_CHECK int taco_speech_check_all(struct taco_speech_state *s);

/* Sends the error, if there is one; otherwise creates the job, suspends the connection and
 * starts the job. */
enum MHD_Result taco_speech_start(struct taco_speech_state *s, int code);
enum MHD_Result taco_speech_whole_start(struct taco_speech_state *s);
enum MHD_Result taco_speech_stream_start(struct taco_speech_state *s);
void taco_speech_stream_free(struct taco_stream *stream); /* NULL is allowed */

/* Creates the job, and notes its seed. Statuses of taco_job_create. */
TACO_MUST_CHECK enum taco_status
taco_speech_create_job(struct taco_speech_state *s,
                       const struct taco_callbacks *callbacks);

/* Asks the job and the work for the answer to end soon. For taco_exchange_begin. */
void taco_speech_cancel(struct taco_exchange *x);

/* Whether the work for the answer is to end now, asked at least every 50 ms of it:
 * TACO_ERR_CANCELLED, TACO_ERR_TIMEOUT, or 0. */
TACO_MUST_CHECK int taco_speech_stopped(struct taco_speech_state *s);

/* Begins the exchange's work, after which taco_speech_go suspends the connection and starts
 * the job or, without one, s->task; resumed is then called on MHD's thread. The result is an
 * error code. */
TACO_MUST_CHECK int taco_speech_enter(struct taco_speech_state *s,
                                      enum MHD_Result (*resumed)(struct taco_exchange *x),
                                      void (*cancel)(struct taco_exchange *x));
enum MHD_Result taco_speech_go(struct taco_speech_state *s);

/* Runs s->task on the server's workers when its client has its turn. */
void taco_speech_work(struct taco_speech_state *s);

/* Answers with s->hit, which was found by its id: as audio, or in another form. */
enum MHD_Result taco_speech_reply_cached(struct taco_speech_state *s);

/* The state whose task that is. */
struct taco_speech_state *taco_speech_of_task(struct taco_task *task);

/* Replies with the error code and s->err, with the names that the API gives the fields. */
enum MHD_Result taco_speech_reply_error(struct taco_speech_state *s, int code);

/* Headers of an answer with speech: id, seed, a file name with the ending, where the
 * alignment is if it is cached, and times when they are known (else NULL). */
void taco_speech_headers(const struct taco_exchange *x, struct MHD_Response *response,
                         const char *id, uint64_t seed, const char *ending,
                         bool alignment, const struct taco_stage_times *times);

/* What the client should know of the result, though plain audio cannot say it:
 * X-Taco-Flaws, the flaws of an attention that failed, X-Taco-Attempts, how often a
 * sentence was decoded if more than once, and X-Taco-Dropped, how many characters of the text
 * were left out. */
void taco_speech_result_headers(struct MHD_Response *response,
                                const struct taco_result *result);

/* Headers of the compatible API, X-Taco-Ignored and X-Cache. */
void taco_speech_own_headers(const struct taco_speech_state *s,
                             struct MHD_Response *response);

/* "wav", "json", "multipart" or "events": the ending of an answer's file name. */
const char *taco_speech_ending(enum taco_response_form form,
                               const struct taco_audio_options *audio);

#endif
