/* What the rules of reading_rules.c have in common: parts of a match, and one function a
 * rule, which appends items and returns true, or returns false when the form turns out to
 * be another. */
#ifndef TACO_TEXT_READING_MATCH_H
#define TACO_TEXT_READING_MATCH_H

#include "text/grammar.h"
#include "text/reading_terms.h"

bool taco_match_has(const struct taco_match *m, int group);
/* Value of the part's digits, up to nine of them. */
uint32_t taco_part_number(const struct taco_reader *r, struct taco_part part);
bool taco_part_is(const struct taco_reader *r, struct taco_part part, const char *text);
/* Is the number exactly 1? */
bool taco_part_is_one(const struct taco_reader *r, struct taco_part number);
/* Is the word before the rule, in lower case, one of words (NULL behind the last)? */
bool taco_reader_after(const struct taco_reader *r, const char *const *words);
bool taco_is_one_of(const char *text, const char *const *words);
/* Copies the word behind the window's position, if only a space stands between, in lower
 * case; "" if there is none. */
void taco_reader_word_after(const struct taco_reader *r, uint32_t at, char *out,
                            size_t size);
/* Is the quantity that the window begins with, and that ends at `at`, an attribute, as in
 * "a 5 km run"? Its unit is singular then. An article stands before it, a noun behind. */
bool taco_reader_attributive(const struct taco_reader *r, uint32_t at);
/* Is the unit of number, in a quantity that ends at `end`, singular: "1 km", "a 5 km run"? */
bool taco_reader_singular(const struct taco_reader *r, struct taco_part number,
                          uint32_t end);
/* A number with or without a sign, commas and a fraction. */
void taco_reader_number(struct taco_reader *r, struct taco_part number);
/* Digits as a year: nineteen eighty four, two thousand five. */
void taco_reader_year(struct taco_reader *r, struct taco_part year);
/* Groups of digits, each digit by digit and a pause behind it; words between them. */
void taco_reader_digit_groups(struct taco_reader *r, struct taco_part part);

typedef bool taco_rule(struct taco_reader *r, const struct taco_match *m);

/* reading_numbers.c */
taco_rule taco_rule_decade, taco_rule_decades, taco_rule_ordinal, taco_rule_fraction,
    taco_rule_mixed_fraction, taco_rule_fraction_of, taco_rule_letters,
    taco_rule_magnitude, taco_rule_integer, taco_rule_plus, taco_rule_number_words,
    taco_rule_range_words, taco_rule_range, taco_rule_era, taco_rule_card;
/* reading_money.c */
taco_rule taco_rule_money, taco_rule_money_range, taco_rule_money_after,
    taco_rule_money_code, taco_rule_code_money, taco_rule_cents, taco_rule_shillings;
/* reading_units.c */
taco_rule taco_rule_measure, taco_rule_measure_range, taco_rule_measure_product,
    taco_rule_resolution, taco_rule_per_unit, taco_rule_count_per_unit,
    taco_rule_duration, taco_rule_percent, taco_rule_percent_range;
/* reading_marks.c */
taco_rule taco_rule_degrees, taco_rule_degrees_range, taco_rule_feet_inches,
    taco_rule_feet, taco_rule_inches, taco_rule_fraction_inches, taco_rule_marked_pair,
    taco_rule_arc, taco_rule_by;
/* reading_times.c */
taco_rule taco_rule_clock, taco_rule_clock_point, taco_rule_clock_hour,
    taco_rule_clock_range, taco_rule_score, taco_rule_date_slashes, taco_rule_date_iso,
    taco_rule_date_stamp, taco_rule_day_month, taco_rule_month_day, taco_rule_month_range,
    taco_rule_month_year, taco_rule_weekday, taco_rule_weekday_range, taco_rule_half_year;
/* reading_codes.c */
taco_rule taco_rule_url, taco_rule_address, taco_rule_ip, taco_rule_port,
    taco_rule_version, taco_rule_phone, taco_rule_plan, taco_rule_ending;
/* reading_math.c */
taco_rule taco_rule_operator, taco_rule_equation, taco_rule_sharp, taco_rule_ampersand,
    taco_rule_power, taco_rule_ion;
/* reading_places.c */
taco_rule taco_rule_house, taco_rule_state, taco_rule_state_zip;
/* reading_names.c */
taco_rule taco_rule_roman, taco_rule_roman_alone;

#endif
