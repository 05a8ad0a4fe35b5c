/* CMU Flite's English analysis: words, phones with stress, pauses. No audio.
 *
 * Flite keeps global state, so one lock stands around it. It ends the process on what it
 * takes for an inner error; here that comes back as a status. Names that are handed in
 * must be short and of letters, digits and some punctuation: reading.c sees to that. */
#ifndef TACO_TEXT_FLITE_H
#define TACO_TEXT_FLITE_H

#include "text/lexicon.h"
#include "text/vector.h"

/* How a token becomes words. */
enum taco_reading {
    TACO_READ_PLAIN,   /* as Flite decides by the token's form and its neighbours */
    TACO_READ_WORD,    /* the name is a word, in lower case */
    TACO_READ_NUMBER,  /* digits: twenty five */
    TACO_READ_YEAR,    /* digits: nineteen eighty four */
    TACO_READ_DIGITS,  /* digits, one by one */
    TACO_READ_ORDINAL, /* digits: twenty fifth */
    TACO_READ_REAL,    /* digits, one '.', a sign before: minus two point five */
    TACO_READ_LETTERS, /* letters and digits by their names */
    TACO_READ_PHONES   /* the phones given */
};

struct taco_flite_token {
    const char *name;
    enum taco_reading reading;
    bool plural;      /* an s is put behind the last word */
    const char *punc; /* punctuation behind it, "" if none */
    /* [n_phones]: of TACO_READ_PHONES; else of the word, where it is one and Flite would
     * not know better, such as a homograph */
    const struct taco_phone *phones;
    uint32_t n_phones;
};

struct taco_flite_word {
    uint32_t name;  /* where its text begins in strings, lower case */
    uint32_t token; /* index of the token that it comes from */
    const struct taco_lexicon_entry *entry; /* of the user's lexicon, or NULL */
    uint32_t first_segment, n_segments;
};

#define TACO_FLITE_PAUSE UINT32_MAX

struct taco_flite_segment {
    uint32_t word;           /* index, or TACO_FLITE_PAUSE */
    struct taco_phone phone; /* of a word */
};

struct taco_flite_result {
    struct taco_flite_word *words; /* [n_words] */
    struct taco_flite_segment
        *segments; /* [n_segments], the pause at the beginning left out */
    uint32_t n_words, n_segments;
    uint32_t cap_words, cap_segments;
    struct taco_string strings;
};

/* Analyses tokens [n] as one utterance. result starts zeroed, is emptied first, and is
 * ended with taco_flite_result_free. segments: phones and pauses too, not only words.
 * TACO_ERR_NO_MEMORY; TACO_ERR_INTERNAL if Flite gives up. Thread-safe. */
enum taco_status taco_flite_analyse(const struct taco_flite_token *tokens, uint32_t n,
                                    const struct taco_lexicon *lexicon, bool segments,
                                    struct taco_flite_result *result,
                                    struct taco_error *err);
void taco_flite_result_free(struct taco_flite_result *result);

#endif
