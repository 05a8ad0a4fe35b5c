/* A voice as JSON, for GET /v1/voices and for tacod info --json. */
#ifndef TACO_SERVER_VOICE_JSON_H
#define TACO_SERVER_VOICE_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "voices/voices.h"

/* With details, the symbols and the settings of the analysis, too. voices NULL: there is
 * only this one. NULL: no memory. */
json_t *taco_voice_json(const struct taco_voices *voices,
                        const struct taco_named_voice *named, bool details);

/* The same with voice_id, the name once more, by which ElevenLabs's clients ask. */
json_t *taco_served_voice_json(const struct taco_voices *voices,
                               const struct taco_named_voice *named, bool details);

#endif
