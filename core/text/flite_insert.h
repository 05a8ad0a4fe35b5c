/* Phones of an utterance's words, as Flite's relations want them. */
#ifndef TACO_TEXT_FLITE_INSERT_H
#define TACO_TEXT_FLITE_INSERT_H

#include "text/phones.h"
#include <flite/flite.h>
#include <stdint.h>

/* A pronunciation that goes before those of Flite; n 0: none. */
struct taco_pronunciation {
    const struct taco_phone *phones; /* [n] */
    uint32_t n;
};

/* Makes the relations Syllable, SylStructure and Segment from the words of an utterance:
 * own [number of words] where it has phones, the dictionary (dictionary.h) where it has
 * the word, then Flite's lexicon and its letter-to-sound rules. Under Flite's lock. */
void taco_flite_insert(cst_utterance *utterance, const cst_lexicon *lexicon,
                       const struct taco_pronunciation *own);

#endif
