/* What the files of the MaryTTS API share. */
#ifndef TACO_SERVER_MARY_H
#define TACO_SERVER_MARY_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/audio.h>

#include "voices/voices.h"

/* The value of AUDIO, "WAVE_FILE", "AU_STREAM", "MP3", case ignored: what stands before
 * the last underscore is the format. False: it is none that is made here. */
bool taco_mary_parse_audio(const char *value, enum taco_audio_format *format,
                           bool *stream);

/* A voice's language as a locale, "en_US". */
void taco_mary_locale(const struct taco_named_voice *voice, char *out, size_t size);

#endif
