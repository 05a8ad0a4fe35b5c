/* A user's pronunciations, over those of the front end. */
#ifndef TACO_TEXT_LEXICON_H
#define TACO_TEXT_LEXICON_H

#include "text/phones.h"
#include <stdint.h>
#include <taco/status.h>

struct taco_lexicon_entry {
    const char *word;                /* lower case */
    const struct taco_phone *phones; /* [n_phones] */
    uint32_t n_phones;
    const char *alias; /* words to be spoken instead, blanks between; NULL: the phones */
};

struct taco_lexicon;

enum { TACO_LEXICON_BYTES_MAX = 64 << 10, TACO_LEXICON_WORDS_MAX = 1000 };

/* Reads lines "WORD PH PH PH", "WORD = PH PH PH" or "WORD = other words"; '#' and ";;;" begin comments; "WORD(2)" is another way to
 * say it and is passed over, as is every entry for a word that has one.
 * TACO_ERR_NOT_FOUND, _IO, _FORMAT (err->offset: line), _NO_MEMORY. */
enum taco_status taco_lexicon_open(struct taco_lexicon **lexicon, const char *path,
                                   struct taco_error *err);
/* The same of a text; words that it lacks are looked for in next (borrowed, may be NULL).
 * TACO_ERR_INVALID_ARGUMENT (err->offset: line), _NO_MEMORY. */
enum taco_status taco_lexicon_parse(struct taco_lexicon **lexicon, const char *text,
                                    const struct taco_lexicon *next,
                                    struct taco_error *err);
void taco_lexicon_close(struct taco_lexicon *lexicon);

/* The word's entry, case of ASCII letters ignored; NULL if there is none. lexicon may be
 * NULL. */
const struct taco_lexicon_entry *taco_lexicon_find(const struct taco_lexicon *lexicon,
                                                   const char *word, size_t n);

uint32_t taco_lexicon_count(const struct taco_lexicon *lexicon);
const struct taco_lexicon_entry *taco_lexicon_at(const struct taco_lexicon *lexicon,
                                                 uint32_t i);

#endif
