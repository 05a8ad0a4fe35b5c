/* What a front end is made of: the config's "text" object, checked. Const after creation,
 * but for the lexicon. */
#ifndef TACO_TEXT_SETTINGS_H
#define TACO_TEXT_SETTINGS_H

#include "text/front_end.h"
#include "text/lexicon.h"
#include "text/phones.h"
#include "text/symbols.h"
#include <stdbool.h>

enum taco_front_end_kind { TACO_CHARACTERS, TACO_ARPABET, TACO_IPA };

struct taco_front_end {
    enum taco_front_end_kind kind;
    struct taco_symbols symbols;
    bool keep_case;         /* characters */
    bool flite_conventions; /* arpabet */
    bool english;           /* readings, abbreviations and transliteration of English */
    char *prefix;           /* what stands before a phone's name in the table, "" */
    char *espeak_voice;     /* ipa */
    char *final_name;       /* of final, "" */
    /* Ids, TACO_NO_SYMBOL where there is none. */
    int32_t separator, bos, eos, blank, pad_ends, final;
    uint32_t *punctuation; /* [n_punctuation] code points that may follow a word */
    uint32_t n_punctuation;
    /* [taco_phone_count()][4] ids by stress none, 0, 1, 2; TACO_NO_SYMBOL where the table
     * has neither that phone nor one that stands for it. */
    int32_t phones[64][4];
    bool has_phones;
    struct taco_lexicon *lexicon; /* of the user, or NULL */
};

/* The symbol of a phone, TACO_NO_SYMBOL if the table has none. */
int32_t taco_front_end_phone(const struct taco_front_end *front_end,
                             struct taco_phone phone);

bool taco_front_end_is_punctuation(const struct taco_front_end *front_end, uint32_t cp);

/* Can characters take the code point as it is? Control symbols of the table, such as '_',
 * are never meant. */
int32_t taco_front_end_character(const struct taco_front_end *front_end, uint32_t cp);

#endif
