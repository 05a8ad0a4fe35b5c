/* A request for speech on its way: shared by the whole answer (speech_whole.c) and the
 * streamed one (speech_stream.c). */
#ifndef TACO_SERVER_SPEECH_STATE_H
#define TACO_SERVER_SPEECH_STATE_H

#include <taco/engine.h>

#include "base/workers.h"
#include "exchange.h"
#include "negotiate.h"
#include "package.h"
#include "speech.h"
#include "voices.h"

struct taco_speech_state {
    struct taco_exchange *x; /* the state is x->state, and ends with it */
    struct taco_speech speech;
    enum taco_packaging packaging;
    const struct taco_named_voice *voice;
    struct taco_job *job;

    /* What came of it; written before the connection is resumed. */
    int problem;
    struct taco_error err;
    const struct taco_result *result; /* a reference */
    struct taco_kept *kept;           /* a reference */
    bool is_kept;                     /* the store has it, too */
    struct taco_package package;
    struct taco_task task;

    struct taco_stream *stream; /* speech_stream.c's own */
};

/* Creates the job, suspends the connection, starts the job; or replies what is wrong. */
enum MHD_Result taco_speech_whole_start(struct taco_speech_state *s);
enum MHD_Result taco_speech_stream_start(struct taco_speech_state *s);
void taco_speech_stream_free(struct taco_stream *stream); /* NULL is allowed */

/* Headers of an answer with speech: id, seed, a file name with the ending, where the
 * alignment is if it is kept, and times when they are known (else NULL). */
void taco_speech_headers(struct MHD_Response *response, const char *id, uint64_t seed,
                         const char *ending, bool alignment,
                         const struct taco_stage_times *times);

/* "wav", "json" or "multipart": the ending of an answer's file name. */
const char *taco_speech_ending(enum taco_packaging packaging,
                               const struct taco_audio_options *audio);

#endif
