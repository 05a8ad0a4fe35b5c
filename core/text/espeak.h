/* Phonemes of eSpeak NG, as IPA. It keeps global state: one lock stands around it. */
#ifndef TACO_TEXT_ESPEAK_H
#define TACO_TEXT_ESPEAK_H

#include "text/vector.h"
#include <taco/status.h>

/* Is there a voice of that name? TACO_ERR_UNSUPPORTED if not, or if eSpeak NG's data are
 * not installed. */
enum taco_status taco_espeak_check(const char *voice, struct taco_error *err);

/* Appends the IPA of text, a space between its words and between its clauses, to ipa.
 * TACO_ERR_UNSUPPORTED, _NO_MEMORY. Thread-safe. */
enum taco_status taco_espeak_ipa(const char *voice, const char *text,
                                 struct taco_string *ipa, struct taco_error *err);

#endif
