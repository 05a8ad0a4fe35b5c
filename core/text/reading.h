/* How words of English text are read: numbers, money, dates, addresses, abbreviations.
 *
 * Flite reads most of it by itself. Here stands what it would read otherwise than a
 * person does, as a table of patterns (reading_rules.c); what comes out are items that
 * Flite turns into words. Plain words are items as they are. */
#ifndef TACO_TEXT_READING_H
#define TACO_TEXT_READING_H

#include "text/flite.h"
#include "text/tokens.h"

struct taco_item {
    uint32_t text;       /* where it begins in strings: what Flite is given */
    uint32_t token;      /* the word of the source that it belongs to; never decreases */
    uint32_t begin, end; /* code points that it was made from */
    enum taco_reading reading;
    const char *rule; /* that made it: a kind of the grammar, or "word" and its like */
    bool plural;      /* an s is put behind it */
    bool pause; /* a short pause stands behind it, as between the parts of a phone number
                  */
    bool verbatim; /* a front end of characters takes the code points as they are */
    bool glued;    /* ... without a space before them */
    const struct taco_lexicon_entry *entry; /* TACO_READ_PHONES of the user's lexicon */
};

struct taco_items {
    struct taco_item *at; /* [n] */
    uint32_t n, capacity;
    struct taco_string strings;
};

/* Reads tokens [from, to) into items, which are emptied first. Words of lexicon (may be
 * NULL) become TACO_READ_PHONES with an entry; without normalise no rule of the grammar
 * and no abbreviation is read; pronunciations in braces the same without
 * one, their text being what stands in the braces. Characters that nobody would read out
 * are noted in builder. TACO_ERR_NO_MEMORY. */
enum taco_status taco_reading_make(struct taco_items *items,
                                   const struct taco_code_points *code_points,
                                   const struct taco_tokens *tokens, uint32_t from,
                                   uint32_t to, const struct taco_lexicon *lexicon,
                                   bool normalise, struct taco_builder *builder,
                                   struct taco_error *err);
void taco_items_free(struct taco_items *items);

/* Signs beyond ASCII that are read as words: £, °, ×. */
bool taco_reading_knows(uint32_t cp);

#endif
