/* Self-diagnosis of an alignment: did the attention read the text from its beginning to
 * its end, once? */
#ifndef TACO_ENGINE_DIAGNOSTICS_H
#define TACO_ENGINE_DIAGNOSTICS_H

#include <stdbool.h>

#include "engine/faults.h"

void taco_diagnose(const struct taco_reading *reading, struct taco_diagnostics *out);

/* True if an attempt with diagnostics a is to be preferred to one with b. */
bool taco_diagnostics_better(const struct taco_diagnostics *a,
                             const struct taco_diagnostics *b);

/* Of all chunks [n]: means, weighted by the chunks' steps and symbols, and sums; ok if
 * all are. */
void taco_diagnostics_join(const struct taco_chunk_result *chunks, uint32_t n,
                           struct taco_diagnostics *out);

#endif
