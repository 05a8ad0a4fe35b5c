/* The attributes of SSML's prosody element as numbers. */
#ifndef TACO_TEXT_MARKUP_PROSODY_H
#define TACO_TEXT_MARKUP_PROSODY_H

#include <stdbool.h>

/* "500ms", "1.5s"; MaryTTS writes milliseconds without a unit. Negative: not a time. */
float taco_markup_seconds(const char *time);

/* A rate or a volume becomes a factor: a word and an amount without a sign replace *factor,
 * an amount with one ("+20%", "-6dB") changes it. False: it is neither. The range is that of
 * requests, 0.25 to 4 and 0 to 4; a change ends there. */
bool taco_markup_rate(const char *value, float *factor);
bool taco_markup_volume(const char *value, float *factor);

#endif
