/* The vocabulary of the grammar: tables of units, currencies, months and so on. Each `_end`
 * function returns where the longest entry that begins at `at` of the window ends, at its
 * border with what is no letter, or `at` itself if there is none; *spoken, if it is not
 * NULL, is then how it is read. */
#ifndef TACO_TEXT_READING_TERMS_H
#define TACO_TEXT_READING_TERMS_H

#include "text/reading_rules.h"

/* reading_units.c */
uint32_t taco_unit_end(const struct taco_reader *r, uint32_t at);
/* The unit in part, which taco_unit_end accepted: "kilometers per hour", or "kilometer" for
 * one; a plain "meter" is what stands behind "per". Appends words. */
void taco_read_unit(struct taco_reader *r, struct taco_part part, bool one);
/* Only right behind its number: a word or a letter otherwise ("5 in all"). */
bool taco_unit_is_stuck(const struct taco_reader *r, struct taco_part part);

/* reading_money.c */
struct taco_currency {
    uint32_t cp;      /* its sign, 0: it has none of one character */
    const char *code; /* ISO 4217, NULL: it is the cp's second name */
    const char *one, *many, *cent, *cents; /* cent NULL: none */
};

const struct taco_currency *taco_currency_of_sign(uint32_t cp);
uint32_t taco_currency_code_end(const struct taco_reader *r, uint32_t at);
const struct taco_currency *taco_currency_of_code(const struct taco_reader *r,
                                                  struct taco_part part);
uint32_t taco_scale_end(const struct taco_reader *r, uint32_t at);
uint32_t taco_magnitude_end(const struct taco_reader *r, uint32_t at,
                            const char **spoken);

/* reading_times.c */
uint32_t taco_month_end(const struct taco_reader *r, uint32_t at, const char **spoken);
uint32_t taco_weekday_end(const struct taco_reader *r, uint32_t at, const char **spoken);
/* stuck: right behind am or pm, without a space. */
uint32_t taco_zone_end(const struct taco_reader *r, uint32_t at, bool stuck);

/* reading_places.c */
uint32_t taco_state_end(const struct taco_reader *r, uint32_t at, const char **spoken);
uint32_t taco_street_end(const struct taco_reader *r, uint32_t at, const char **spoken);
uint32_t taco_direction_end(const struct taco_reader *r, uint32_t at,
                            const char **spoken);

/* reading_math.c */
uint32_t taco_operator_end(const struct taco_reader *r, uint32_t at, const char **spoken);

/* reading_codes.c */
bool taco_is_domain(const char *label, size_t n);

/* reading_names.c: 1 to 3999, 0 if text [n] is no Roman numeral */
uint32_t taco_roman_value(const char *text, size_t n);

/* reading_numbers.c: "st", "nd", "rd" or "th". */
const char *taco_ordinal_ending(uint32_t number);

#endif
