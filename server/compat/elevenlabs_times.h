/* Times of characters as ElevenLabs writes them: three arrays of one length. */
#ifndef TACO_SERVER_ELEVENLABS_TIMES_H
#define TACO_SERVER_ELEVENLABS_TIMES_H

#include <jansson.h>
#include <taco/engine.h>

/* {"characters": ["H", ...], "character_start_times_seconds": [...],
 * "character_end_times_seconds": [...]} of UTF-8 text [size] and the times of its code
 * points. NULL: no memory. */
json_t *taco_character_times(const char *text, size_t size,
                             const struct taco_times *times);

/* The same of spoken words [n] with a space between any two; a space lasts from the end of
 * the one to the start of the other. The letters of a word share its time evenly. */
json_t *taco_spoken_times(const struct taco_spoken_word *words,
                          const struct taco_times *times, uint32_t n);

#endif
