/* Whether a word is spoken as a word or spelled: "NASA", "UCLA", "CEOs", "GitHub", "Hmm".
 *
 * A word is spelled if it is all capitals and nobody knows it as a word, or has no vowel
 * letter. Words of mixed case that the dictionary lacks are cut where the case changes. */
#ifndef TACO_TEXT_SPELLING_H
#define TACO_TEXT_SPELLING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { TACO_SPELLING_WORD_MAX = 63, TACO_SPELLING_PARTS_MAX = 8 };

struct taco_spelling_part {
    char text[TACO_SPELLING_WORD_MAX + 1]; /* lower case */
    bool letters;                          /* by the names of its letters */
    bool plural;                           /* an s stands behind the letters */
};

/* How word [n], of ASCII letters, is spoken; headline: its neighbours are all capitals,
 * too. Returns the number of parts [TACO_SPELLING_PARTS_MAX], 0 if the word is too long or
 * has other characters. */
uint32_t taco_spelling_read(const char *word, size_t n, bool headline,
                            struct taco_spelling_part *parts);

/* Is word [n] a word in capitals, not an initialism? Its neighbours are in a headline. */
bool taco_spelling_shouts(const char *word, size_t n);

#endif
