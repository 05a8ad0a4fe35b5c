/* English in IPA as ARPAbet. */
#ifndef TACO_TEXT_PHONES_IPA_H
#define TACO_TEXT_PHONES_IPA_H

#include "text/vector.h"

/* Writes ipa, UTF-8 such as "həˈloʊ", to out as phones with spaces between: "HH AH0 L OW1".
 * A stress mark goes to the next vowel; the only vowel of a word without marks is stressed.
 * False: *unknown is where a letter stands that English has no phone for, or NULL when memory
 * is exhausted. */
bool taco_phones_from_ipa(const char *ipa, struct taco_string *out, const char **unknown);

#endif
