/* Which form an answer with speech takes. */
#ifndef TACO_SERVER_NEGOTIATE_H
#define TACO_SERVER_NEGOTIATE_H

#include <taco/status.h>

#include "speech/speech.h"

enum taco_packaging {
    TACO_PACKAGING_AUDIO,     /* the audio alone */
    TACO_PACKAGING_JSON,      /* one object: audio in base64, and alignment */
    TACO_PACKAGING_MULTIPART, /* multipart/mixed: audio, and alignment */
    TACO_PACKAGING_EVENTS,    /* text/event-stream: audio and times while they are made */
    TACO_PACKAGING_OWN        /* a dialect's own; never chosen by Accept */
};

/* Chooses the packaging by the Accept header (NULL: anything), and the audio's format,
 * too, unless the request names one. What is wanted most wins; between equals audio/wav,
 * then the other audio formats, then JSON, then multipart, then events. A result other than 0 is
 * TACO_PROBLEM_NOT_ACCEPTABLE. */
TACO_MUST_CHECK int taco_negotiate(const char *accept, struct taco_speech *speech,
                                   enum taco_packaging *packaging,
                                   struct taco_error *err);

#endif
