/* What front ends are made of: the operations of each kind, and the config's "text" object,
 * checked. A new kind of front end is one file with its operations and a row of the table
 * in settings.c. */
#ifndef TACO_TEXT_SETTINGS_H
#define TACO_TEXT_SETTINGS_H

#include "text/front_end.h"
#include "text/lexicon.h"
#include "text/phones.h"
#include "text/symbols.h"
#include <stdbool.h>

struct taco_analysis;
struct taco_coverage;

struct taco_front_end_ops {
    const char *name; /* text.front_end of the voice format */

    /* Checks what this kind of front end needs of the config, which has been read, and
     * completes the settings. english: the language is English. TACO_ERR_FORMAT,
     * TACO_ERR_UNSUPPORTED. */
    enum taco_status (*open)(struct taco_front_end *front_end, struct taco_error *err);

    /* Appends the words, spoken words and symbols of tokens [from, to), which are one
     * sentence or a part of one, to the builder. The caller fills in ranges of symbols and
     * spoken words, and adds bos, eos, blanks and the final punctuation.
     * TACO_ERR_UNKNOWN_PHONE, TACO_ERR_NO_MEMORY, TACO_ERR_INTERNAL. */
    enum taco_status (*speak)(struct taco_analysis *a, uint32_t from, uint32_t to);

    /* Tells coverage.h which symbols the front end makes. */
    enum taco_status (*symbols)(struct taco_coverage *coverage, struct taco_error *err);

    /* Is name [n] of one or several symbols that a pronunciation in braces may have? NULL:
     * they are phones of ARPAbet. */
    bool (*is_phone)(const struct taco_front_end *front_end, const char *name, size_t n);

    bool unicode; /* characters of the table beyond ASCII are taken as they are */
    /* Can its language speak the letter, mark or digit? NULL: all. */
    bool (*speaks)(const struct taco_front_end *front_end, uint32_t cp);
};

extern const struct taco_front_end_ops taco_characters, taco_arpabet, taco_ipa;

/* Const after creation, but for the lexicon. */
struct taco_front_end {
    const struct taco_front_end_ops *ops;
    struct taco_symbols symbols;
    bool keep_case;         /* characters */
    bool flite_conventions; /* arpabet */
    char language[36];      /* BCP 47, "": unknown */
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

/* Whether the voice has all phones of a lexicon; status with err->param "lexicon" if not. */
enum taco_status taco_front_end_check_lexicon(const struct taco_front_end *front_end,
                                              const struct taco_lexicon *lexicon,
                                              enum taco_status status,
                                              struct taco_error *err);

bool taco_front_end_is_punctuation(const struct taco_front_end *front_end, uint32_t cp);

/* Can characters take the code point as it is? Control symbols of the table, such as '_',
 * are never meant. */
int32_t taco_front_end_character(const struct taco_front_end *front_end, uint32_t cp);

#endif
