/* What the files of the OpenAI API share. */
#ifndef TACO_SERVER_OPENAI_H
#define TACO_SERVER_OPENAI_H

#include <stdbool.h>

#include "voices/voices.h"

/* Whether a model of that name is listed: OpenAI's own, which are whatever voice is asked
 * for, and our voices. *voice is the voice that the name is of, or NULL. */
bool taco_openai_model_exists(const struct taco_voices *voices, const char *name,
                              const char **voice);

#endif
