/* What the ElevenLabs API tells the others. */
#ifndef TACO_SERVER_ELEVENLABS_H
#define TACO_SERVER_ELEVENLABS_H

#include <stdbool.h>

#include "http/exchange.h"

/* Whether the request is of a client of ElevenLabs, which all send the header xi-api-key:
 * its list of models is at OpenAI's path and has another form. */
bool taco_elevenlabs_asks(const struct taco_exchange *x);

/* GET /v1/models for such a client. */
enum MHD_Result taco_handle_elevenlabs_models(struct taco_exchange *x);

#endif
