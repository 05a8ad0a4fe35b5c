/* Texts for the front ends' tests: configs, made-up texts, and what must hold of every
 * analysis. */
#ifndef TACO_TESTS_TEXTS_H
#define TACO_TESTS_TEXTS_H

#include <stddef.h>
#include <stdint.h>

#include "text/front_end.h"

/* Names of configs. */
enum test_text_config {
    TEST_TEXT_SLT,        /* arpabet, conventions of Flite, as the shipped voice */
    TEST_TEXT_PHONES,     /* arpabet, conventions of CMU, torchaudio's 96 symbols */
    TEST_TEXT_NVIDIA,     /* characters, NVIDIA's 148 symbols with phones */
    TEST_TEXT_CHARACTERS, /* characters, torchaudio's 38 symbols */
    TEST_TEXT_FRAMED,     /* characters of both cases with bos, eos, blank and pad_ends */
    TEST_TEXT_GERMAN,     /* characters of German */
    TEST_TEXT_IPA,        /* ipa, English */
    TEST_TEXT_CONFIGS
};

/* The config's "text" object, to be changed and given back with json_decref; its
 * language. */
json_t *test_text_config(enum test_text_config which);
const char *test_text_language(enum test_text_config which);
/* A front end of it. Ends the program when it cannot be made. */
struct taco_front_end *test_front_end(enum test_text_config which);

/* A text of fragments that have been trouble, or of bytes alone, drawn from *state; NUL
 * behind it. Returns its length, below size. */
size_t test_random_text(uint64_t *state, char *text, size_t size);

/* NULL if all that text.h says holds of text, which front_end made of source [length];
 * otherwise what does not. */
const char *test_text_problem(const struct taco_front_end *front_end,
                              const struct taco_text *text, const char *source,
                              size_t length, const struct taco_text_options *options);

/* The symbols of a chunk by their names, separated by '|'. free(). */
char *test_chunk_symbols(const struct taco_front_end *front_end,
                         const struct taco_text *text, uint32_t chunk);

/* Row i of the table of the grammar (core/text/README.md): kind, pattern, example and how it
 * is read. False behind the last. */
bool test_grammar_row(uint32_t i, char *row, size_t size);

#endif
