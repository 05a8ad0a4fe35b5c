/* From alignment to time: when each symbol, word and character is spoken. */
#ifndef TACO_ENGINE_TIMES_H
#define TACO_ENGINE_TIMES_H

#include <stdint.h>
#include <taco/result.h>

/* Where the symbols' stretches begin: edges [n_symbols + 1] in steps, 0 = edges[0] <=
 * edges[1] <= ... = n_steps, from the alignment [n_steps, n_symbols]. A symbol that was
 * skipped has an empty stretch. n_steps, n_symbols >= 1. cancel may be NULL.
 * TACO_ERR_NO_MEMORY, _CANCELLED. */
enum taco_status taco_symbol_edges(const float *alignment, uint32_t n_steps,
                                   uint32_t n_symbols, const struct taco_cancel *cancel,
                                   uint32_t *edges);

/* How a chunk's decoder steps lie in the audio. */
struct taco_time_base {
    int sample_rate;       /* Hz */
    double step_samples;   /* samples of the final audio a step: r * hop / speed */
    uint64_t first_sample; /* of the chunk */
    uint64_t n_samples;
    uint64_t sound_begin, sound_end; /* of these, samples that are more than silence */
};

/* Where the sound of samples [n] begins and ends: what lies before and behind is more than
 * 40 dB below the loudest 5 ms. Silence throughout is 0 to n. */
void taco_sound_bounds(const float *samples, size_t n, int sample_rate, size_t *begin,
                       size_t *end);

/* Times out [n_symbols] of a chunk's symbols from edges [n_symbols + 1], one behind the other
 * from the begin of the sound to its end: silence around it belongs to no symbol, and so to
 * no word. */
void taco_symbol_times(const struct taco_time_base *base, const uint32_t *edges,
                       uint32_t n_symbols, struct taco_times *out);

/* Words and spoken words from the symbols' times: words [text->n_words], spoken
 * [text->n_spoken]; start <= end <= next start. */
void taco_word_times(const struct taco_text *text, const struct taco_times *symbols,
                     struct taco_times *words, struct taco_times *spoken);

/* The same for the words of one chunk: symbols [chunk->n_symbols], words [chunk->n_words],
 * spoken [number of its words' spoken words]. until: the ends of the last word and spoken
 * word before it, {0, 0} at first; moved on to the chunk's last ones. */
void taco_chunk_word_times(const struct taco_text *text, uint32_t chunk,
                           const struct taco_times *symbols, struct taco_times *words,
                           struct taco_times *spoken, double until[2]);

/* The chunk's part of the text: its own span and what stands before the next chunk; the
 * first has what comes before it, too. */
struct taco_span taco_chunk_region(const struct taco_text *text, uint32_t chunk);

/* Spoken words of the chunk's words: the first one's index; their number to *n. */
uint32_t taco_chunk_spoken(const struct taco_text *text, uint32_t chunk, uint32_t *n);

/* When each character of the region is spoken: out [region.end_cp - region.begin_cp] from
 * the chunk's words [n_words]; the chunk lasts from start to end, seconds. */
void taco_chunk_characters(const struct taco_text *text, uint32_t chunk,
                           const struct taco_times *words, double start, double end,
                           struct taco_times *out);

/* Whether the mark is reached in the chunk, and when: words [n_words] are the times of its
 * words, end that of its last sample. */
bool taco_chunk_mark_time(const struct taco_text *text, uint32_t chunk, uint32_t mark,
                          const struct taco_times *words, double end, double *time);

#endif
