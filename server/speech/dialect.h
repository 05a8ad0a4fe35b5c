/* What makes a dialect's answers differ from the native ones.
 *
 * A dialect is one file: it reads its own request into struct taco_speech, chooses the
 * form of the answer, and hands over to taco_speech_start; everything else - limits,
 * queue, deadlines, kept results - is the same for all. */
#ifndef TACO_SERVER_DIALECT_H
#define TACO_SERVER_DIALECT_H

#include <jansson.h>
#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/audio.h>
#include <taco/engine.h>

#include "http/bytes.h"
#include "http/urlencoded.h"

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
    bool (*failure)(struct taco_speech_state *s, struct taco_bytes *out, int problem,
                    const struct taco_error *err);
};

/* Those of POST /v1/speech (speech_events.c). */
extern const struct taco_events taco_native_events;

/* Every member may be NULL. */
struct taco_dialect {
    const char *text, *format, *speaker; /* what it calls these fields, for its errors */
    const struct taco_events *events;    /* of TACO_PACKAGING_EVENTS */
    /* TACO_PACKAGING_OWN: makes s->package of s->result and s->kept, on a worker. The
     * result is a problem, told in s->err. */
    int (*make)(struct taco_speech_state *s);
    /* The media type of bare audio, where it is not the encoder's: NULL for a format that
     * has no other. */
    const char *(*audio_type)(const struct taco_speech_state *s);
    /* Adds headers of its own. */
    void (*headers)(const struct taco_speech_state *s, struct MHD_Response *response);
};

/* Reads the query and, of a POST, the body as name and value, one pair after the other: a
 * form, a JSON object of strings, numbers and booleans (null is nothing), or plain text,
 * which gets the name text_name. default_type is what a body without a Content-Type is.
 * The result is a problem, also pair's. */
TACO_MUST_CHECK int taco_dialect_read(struct taco_exchange *x, const char *text_name,
                                      const char *default_type, taco_urlencoded_pair pair,
                                      void *user, struct taco_error *err);

/* The body, which must be a JSON object and say so; *root is the caller's to give back. */
TACO_MUST_CHECK int taco_dialect_read_object(struct taco_exchange *x, json_t **root,
                                             struct taco_error *err);

/* Sets a field of ours from its written form unless it has been set before: what comes
 * first wins. False: there is no field of that name. *problem is that of the value. */
TACO_MUST_CHECK bool taco_dialect_set(struct taco_speech_state *s, const char *name,
                                      const char *value, size_t length, int *problem);

/* Audio of that format unless the request names one; events if it says stream=sse. */
void taco_dialect_choose_audio(struct taco_speech_state *s,
                               enum taco_audio_format format);

/* Adds "event: NAME\ndata: JSON\n\n" (name NULL: no such line) and gives root back.
 * False: no memory, or root is NULL. */
TACO_MUST_CHECK bool taco_event_json(struct taco_bytes *out, const char *name,
                                     json_t *root);

#endif
