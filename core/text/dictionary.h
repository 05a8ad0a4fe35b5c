/* Pronunciations of about 118,000 English words: CMUdict and models/lexicon/words.txt.
 *
 * The table is made by models/lexicon/pack and linked in, read-only. Integers are
 * little-endian:
 *
 *     u32 n_words, n_blocks, n_bytes
 *     u32 offset[n_blocks]           where each block of 16 words begins in the data
 *     u8  data[n_bytes]              the words, in the order of their bytes
 *
 * A word is a byte with the number of letters it shares with the word before it (0 at the
 * beginning of a block), its other letters, and its phones. The last letter and the last
 * phone have bit 7 set. A phone is 3 * vowel + stress below 45, a consonant above; the
 * names are numbered as in phones.h. A search halves the blocks and reads one of them. */
#ifndef TACO_TEXT_DICTIONARY_H
#define TACO_TEXT_DICTIONARY_H

#include "text/phones.h"
#include <stdint.h>

enum { TACO_DICTIONARY_WORD_MAX = 47, TACO_DICTIONARY_PHONES_MAX = 40 };

/* Finds word [n], letters of either case and apostrophes. Writes its phones to phones
 * [TACO_DICTIONARY_PHONES_MAX]; returns how many, 0 if the word is unknown. phones may be
 * NULL. Thread-safe. */
uint32_t taco_dictionary_find(const char *word, size_t n, struct taco_phone *phones);

/* The word numbered i (in the table's order) as a string in word
 * [TACO_DICTIONARY_WORD_MAX + 1]; false past the end. Reads a block from its beginning. */
bool taco_dictionary_word(uint32_t i, char *word);

#endif
