/* The body of an answer that is not plain audio: audio and alignment in one JSON object or
 * in two MIME parts, one written form of a result, or what a compatible API makes. */
#ifndef TACO_SERVER_PAYLOAD_H
#define TACO_SERVER_PAYLOAD_H

#include <stdbool.h>
#include <taco/audio.h>
#include <taco/result.h>

#include "http/etag.h"

struct taco_speech_state;

struct taco_payload {
    void *bytes; /* [size]; given back with taco_free */
    size_t size;
    char media_type[128];
    char etag[TACO_ETAG_SIZE];
};

/* Makes s->payload of s->result and, but for a written form, of s->cached's audio, within
 * s->budget. The result is an error code, described in s->err; also that the work was stopped.
 */
TACO_MUST_CHECK int taco_payload_make(struct taco_speech_state *s);

/* Whether making it takes long enough to be cached away from the short work of others. */
bool taco_payload_is_long(const struct taco_speech_state *s);

/* The media type of audio encoded in that way. */
void taco_audio_type_of(const struct taco_result *result,
                        const struct taco_audio_options *options, char *out, size_t size);

#endif
