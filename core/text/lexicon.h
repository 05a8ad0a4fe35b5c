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
};

struct taco_lexicon;

/* Reads lines "WORD PH PH PH"; '#' and ";;;" begin comments; "WORD(2)" is another way to
 * say it and is passed over, as is every entry for a word that has one.
 * TACO_ERR_NOT_FOUND, _IO, _FORMAT (err->offset: line), _NO_MEMORY. */
enum taco_status taco_lexicon_open(struct taco_lexicon **lexicon, const char *path,
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
