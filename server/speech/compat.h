/* How the answers of a compatible API differ from the native ones.
 *
 * A compatible API is one file: it reads its own request into struct taco_speech, chooses
 * the form of the answer, and calls taco_speech_start. Everything else is the same for all:
 * limits, queue, deadlines, cached results. */
#ifndef TACO_SERVER_COMPAT_H
#define TACO_SERVER_COMPAT_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/audio.h>
#include <taco/engine.h>

#include "base/bytes.h"
#include "speech/value.h"

struct taco_exchange;
struct taco_speech_state;

/* A streamed answer of events instead of bare audio. Each function writes what the client
 * is to get; false: no memory. They run on threads of the engine, one after the other. */
struct taco_events {
    const char *media_type;
    /* Before anything else. */
    bool (*begin)(struct taco_speech_state *s, struct taco_bytes *out);
    /* Encoded audio [size], the next bytes of the file. */
    bool (*audio)(struct taco_speech_state *s, struct taco_bytes *out, const void *bytes,
                  size_t size);
    /* All audio of a chunk has been given to the encoder, and its times are known. */
    bool (*chunk)(struct taco_speech_state *s, struct taco_bytes *out,
                  const struct taco_spoken_chunk *chunk);
    /* After the last audio. */
    bool (*end)(struct taco_speech_state *s, struct taco_bytes *out,
                const struct taco_result *result);
    /* It ends early. NULL: the transfer is broken off, and nothing else is said. */
    bool (*failure)(struct taco_speech_state *s, struct taco_bytes *out, int code,
                    const struct taco_error *err);
};

/* Those of POST /v1/speech (speech_events.c). */
extern const struct taco_events taco_native_events;

/* Every member may be NULL. */
struct taco_compat {
    const char *text, *format, *speaker; /* what it calls these fields, for its errors */
    /* Its clients send single sentences, some of them without a word: those are silence. */
    bool allows_silence;
    enum taco_input input;            /* what a text is written in that does not say it */
    const struct taco_events *events; /* of TACO_RESPONSE_EVENTS */
    /* TACO_RESPONSE_OWN: makes s->payload of s->result and s->cached, on a worker. The
     * result is an error code, described in s->err. */
    int (*make)(struct taco_speech_state *s);
    /* The media type of bare audio, where it is not the encoder's: NULL for a format that
     * has no other. */
    const char *(*audio_type)(const struct taco_speech_state *s);
    /* Adds headers of its own. */
    void (*headers)(const struct taco_speech_state *s, struct MHD_Response *response);
};

/* Sets a native field of that name, unless it has been set: the first value wins. A name
 * that no native field has is ignored and noted for X-Taco-Ignored, as clients of other
 * services send many of their own. The result is an error code. */
TACO_MUST_CHECK int taco_compat_set(struct taco_speech_state *s, const char *name,
                                    const struct taco_value *value);

/* "ssml": true, as several services have it, or false: plain text. */
TACO_MUST_CHECK int taco_compat_set_ssml(struct taco_speech_state *s,
                                         const struct taco_value *value);

/* Audio in that format unless the request names one; events if it says stream=sse. */
void taco_compat_choose_audio(struct taco_speech_state *s, enum taco_audio_format format);

/* Adds "event: NAME\ndata: JSON\n\n" (name NULL: no such line) and gives root back.
 * False: no memory, or root is NULL. */
TACO_MUST_CHECK bool taco_event_json(struct taco_bytes *out, const char *name,
                                     json_t *root);

#endif
