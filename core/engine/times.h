/* From alignment to time: when each symbol, word and character is spoken. */
#ifndef TACO_ENGINE_TIMES_H
#define TACO_ENGINE_TIMES_H

#include <stdint.h>
#include <taco/result.h>

/* Where the symbols' stretches begin: edges [n_symbols + 1] in steps, 0 = edges[0] <=
 * edges[1] <= ... = n_steps, from the alignment [n_steps, n_symbols]. A symbol that was
 * skipped has an empty stretch. n_steps, n_symbols >= 1. TACO_ERR_NO_MEMORY. */
enum taco_status taco_symbol_edges(const float *alignment, uint32_t n_steps,
                                   uint32_t n_symbols, uint32_t *edges);

/* How a chunk's decoder steps lie in the audio. */
struct taco_time_base {
    int sample_rate;       /* Hz */
    double step_samples;   /* samples of the final audio a step: r * hop / speed */
    uint64_t first_sample; /* of the chunk */
    uint64_t n_samples;
};

/* Times out [n_symbols] of a chunk's symbols from edges [n_symbols + 1]. The last ends
 * with the chunk. */
void taco_symbol_times(const struct taco_time_base *base, const uint32_t *edges,
                       uint32_t n_symbols, struct taco_times *out);

/* Words and spoken words from the symbols' times: words [text->n_words], spoken
 * [text->n_spoken]; start <= end <= next start. */
void taco_word_times(const struct taco_text *text, const struct taco_times *symbols,
                     struct taco_times *words, struct taco_times *spoken);

#endif
