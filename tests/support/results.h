/* Results made up from a seed, for what writes them: text in several scripts, chunks,
 * words with and without symbols, alignments that go forward and such that make no sense.
 */
#ifndef TACO_TESTS_RESULTS_H
#define TACO_TESTS_RESULTS_H

#include <stdint.h>

#include "base/arena.h"
#include "engine/voice.h"
#include <taco/result.h>

struct made_result {
    struct taco_voice voice; /* its info alone is filled */
    struct taco_text text;
    struct taco_result result; /* use this */
    struct taco_arena arena;   /* of all that they point to */
};

/* sense: alignments go forward, symbol by symbol; otherwise they are noise. */
void made_result_random(struct made_result *made, uint64_t seed, bool sense);
/* One chunk "Hi & <you>." with the symbols h i " " y o u . at 10 steps each, 16 kHz, hop
 * 160, so that a step is 10 ms; weights are 1 or 0. */
void made_result_plain(struct made_result *made);
void made_result_free(struct made_result *made);

/* Rows [n_steps] of an alignment [n_steps, n_symbols] that rests on symbol i for
 * durations[i] steps with the given weight, the rest spread evenly. */
void test_alignment_fill(float *alignment, uint32_t n_symbols, const uint32_t *durations,
                         float weight);

#endif
