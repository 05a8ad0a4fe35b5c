/* The cache: a result that is cached answers identical requests, too.
 *
 * Identical are requests of the same voice (the same state of its file), text, seed and
 * options of the speech; what the audio is encoded as, and how it is packed, may differ. */
#ifndef TACO_SERVER_CACHE_H
#define TACO_SERVER_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "speech/fields.h"
#include "speech/results.h"

struct taco_speech_state;

/* The key of speech that has been checked, of the voice with that serial number, spoken with
 * seed. False: no memory. taco_result_key_free ends it. */
TACO_MUST_CHECK bool taco_cache_key_make(struct taco_result_key *key,
                                         const struct taco_speech *speech, uint64_t voice,
                                         uint64_t seed);

/* Looks for the result of an identical request, unless this one has no seed or says
 * Cache-Control: no-cache. True: s->hit is it, a reference, and s->result another one;
 * the exchange has the result's id. */
bool taco_cache_find(struct taco_speech_state *s);

/* Lets the result be found by the requests to come; before it is put into the store. */
void taco_cache_mark(const struct taco_speech_state *s, struct taco_cached *cached);

#endif
