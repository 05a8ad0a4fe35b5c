/* Names of voices that clients of other services are set to. */
#ifndef TACO_SERVER_ALIASES_H
#define TACO_SERVER_ALIASES_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

#include "config/options.h"
#include "voices/voices.h"

/* Whether every --voice-alias is NAME=VOICE and the voice is served.
 * TACO_ERR_INVALID_ARGUMENT. */
TACO_MUST_CHECK enum taco_status taco_aliases_check(const struct taco_options *options,
                                                    const struct taco_voices *voices,
                                                    struct taco_error *err);

/* The voice of ours that name means: one that --voice-alias gives, or the name itself.
 * *any is set for a name of OpenAI's that nothing has been said of: every voice will do.
 * Static storage, or the options'. */
const char *taco_alias_resolve(const struct taco_options *options,
                               const struct taco_voices *voices, const char *name,
                               bool *any);

/* The i-th name of --voice-alias, to out [size]; false: there are no more. */
bool taco_alias_at(const struct taco_options *options, size_t i, char *out, size_t size);

#endif
