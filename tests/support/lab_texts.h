/* Texts of any length that are hard to read, and ordinary ones: what the attentions are
 * compared on. */
#ifndef TACO_TESTS_LAB_TEXTS_H
#define TACO_TESTS_LAB_TEXTS_H

#include <stddef.h>
#include <stdint.h>

enum test_lab_kind {
    TEST_LAB_ORDINARY, /* sentences, one after the other */
    TEST_LAB_LONG,     /* their words without a comma */
    TEST_LAB_REPEATS,  /* each word one to four times */
    TEST_LAB_LIST,     /* short words with commas */
    TEST_LAB_LETTERS,  /* single letters */
    TEST_LAB_NUMBERS,  /* numbers as words */
    TEST_LAB_TWISTER,  /* words that sound alike */
    TEST_LAB_SPELLING  /* a word, then its letters */
};
enum { TEST_LAB_KINDS = 8 };

/* "ordinary", "long clause", ... */
const char *test_lab_kind_name(enum test_lab_kind kind);

/* A text of n_words words, drawn by the seed from the sentences [n]; free() it. */
char *test_lab_text(char *const *sentences, size_t n, enum test_lab_kind kind,
                    int n_words, uint64_t seed);

#endif
