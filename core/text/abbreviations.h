/* Abbreviations of English that are written with a full stop. */
#ifndef TACO_TEXT_ABBREVIATIONS_H
#define TACO_TEXT_ABBREVIATIONS_H

#include <stdbool.h>

/* May its full stop end a sentence? */
enum taco_abbreviation_end {
    TACO_ABBREVIATION_NEVER,  /* Mr.: a name follows */
    TACO_ABBREVIATION_SELDOM, /* Inc.: only before a word that often begins a sentence */
    TACO_ABBREVIATION_CAPITAL /* etc.: before any capital */
};

/* What must stand beside it to be read so. */
enum taco_abbreviation_place {
    TACO_PLACE_ANY,
    TACO_PLACE_BEFORE_NUMBER, /* No. 5, p. 12, Jan. 5 */
    TACO_PLACE_AFTER_NUMBER,  /* 6 ft. */
    TACO_PLACE_BEFORE_NAME,   /* Mt. Everest: a capital follows */
    TACO_PLACE_AFTER_NAME,    /* Main Rd.: a capital stands before */
    TACO_PLACE_AFTER_STREET,  /* Main St.: a name stands before, and none follows */
    TACO_PLACE_BETWEEN_NAMES, /* Roe v. Wade */
    TACO_PLACE_BEFORE_ROMAN   /* vol. II */
};

struct taco_abbreviation {
    const char *text;   /* without the full stop */
    const char *spoken; /* words; NULL: the front end reads it by itself */
    enum taco_abbreviation_end end;
    enum taco_abbreviation_place place;
};

/* First entry for text (without the full stop, any case); NULL if there is none. */
const struct taco_abbreviation *taco_abbreviation_find(const char *text);

/* The next entry of the same text, for another place; NULL if there is none. */
const struct taco_abbreviation *
taco_abbreviation_next(const struct taco_abbreviation *entry);

#endif
