/* Which form an answer with speech takes. */
#ifndef TACO_SERVER_NEGOTIATE_H
#define TACO_SERVER_NEGOTIATE_H

#include <taco/status.h>

#include "speech/fields.h"

enum taco_response_form {
    TACO_RESPONSE_AUDIO,     /* the audio alone */
    TACO_RESPONSE_JSON,      /* one object: audio in base64, and alignment */
    TACO_RESPONSE_MULTIPART, /* multipart/mixed: audio, and alignment */
    TACO_RESPONSE_EVENTS,    /* text/event-stream: audio and times while they are made */
    TACO_RESPONSE_OWN,       /* a compatible API's; never chosen by Accept */
    TACO_RESPONSE_WRITTEN    /* a written form of the result; never chosen by Accept */
};

/* Chooses the form by the Accept header (NULL: anything), and the audio's format,
 * too, unless the request names one. What is wanted most wins; between equals audio/wav,
 * then the other audio formats, then JSON, then multipart, then events. A result other than 0 is
 * TACO_CODE_NOT_ACCEPTABLE. */
TACO_MUST_CHECK int taco_negotiate(const char *accept, struct taco_speech *speech,
                                   enum taco_response_form *form, struct taco_error *err);

#endif
