/* Room for answers that are made anew from kept results: audio encoded in another way,
 * packages, forms. No job is made for them, so that neither --queue nor --max-memory bounds
 * them; and a client may be slow to read. */
#ifndef TACO_SERVER_BUDGET_H
#define TACO_SERVER_BUDGET_H

#include <taco/audio.h>
#include <taco/result.h>

#include "http/exchange.h"

/* Reserves what such an answer may take, until the exchange ends: all of them together as
 * much as --keep-bytes, one alone whatever it takes. options: how audio is encoded; NULL:
 * there is none. 0, or TACO_ERR_BUSY. Once for an exchange. */
TACO_MUST_CHECK int taco_budget_take(struct taco_exchange *x,
                                     const struct taco_result *result,
                                     const struct taco_audio_options *options,
                                     struct taco_error *err);

/* Gives it back; no effect if there is none. */
void taco_budget_return(struct taco_exchange *x);

#endif
