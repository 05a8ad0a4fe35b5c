/* Speech as bytes to send: encoded audio, or audio and alignment in one body. */
#ifndef TACO_SERVER_PAYLOAD_H
#define TACO_SERVER_PAYLOAD_H

#include <taco/status.h>

#include "http/etag.h"
#include "speech/negotiate.h"
#include "speech/results.h"

struct taco_payload {
    void *bytes; /* [size]; given back with taco_free */
    size_t size;
    char media_type[128];
    char etag[TACO_ETAG_SIZE];
};

/* Encodes the result's audio. Any status of taco_audio_encode. */
TACO_MUST_CHECK enum taco_status
taco_encode_result(const struct taco_result *result,
                   const struct taco_audio_options *options, void **audio, size_t *size,
                   struct taco_error *err);

/* The media type of audio so encoded. */
void taco_audio_type_of(const struct taco_result *result,
                        const struct taco_audio_options *options, char *out, size_t size);

/* Puts audio [audio_size], encoded as options say, and the result's alignment into one
 * body, for TACO_RESPONSE_JSON or _MULTIPART. TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status
taco_payload_make(struct taco_payload *payload, enum taco_response_form form,
                  const char *id, const struct taco_result *result,
                  const struct taco_audio_options *options, const void *audio,
                  size_t audio_size, enum taco_matrix_encoding matrix,
                  struct taco_error *err);

#endif
