/* Self-diagnosis of an alignment: did the attention read the text from its beginning to
 * its end, once? */
#ifndef TACO_ENGINE_DIAGNOSTICS_H
#define TACO_ENGINE_DIAGNOSTICS_H

#include <stdbool.h>
#include <taco/result.h>

/* alignment [n_steps, n_symbols], rows need not sum to 1; symbols [n_symbols] are those
 * of the chunk; n_frames mel frames came of it. n_steps, n_symbols >= 1. */
void taco_diagnose(const float *alignment, uint32_t n_steps, uint32_t n_symbols,
                   const struct taco_symbol *symbols, int frames_per_step,
                   uint32_t n_frames, enum taco_stop_reason stop_reason,
                   struct taco_diagnostics *out);

/* True if an attempt with diagnostics a is to be preferred to one with b. */
bool taco_diagnostics_better(const struct taco_diagnostics *a,
                             const struct taco_diagnostics *b);

/* Of all chunks [n]: means, weighted by the chunks' steps and symbols, and sums; ok if
 * all are. */
void taco_diagnostics_join(const struct taco_chunk_result *chunks, uint32_t n,
                           struct taco_diagnostics *out);

#endif
