/* What the rules of reading_rules.c have in common: the parts of a match, and one
 * function a rule, which appends items and returns true, or returns false and appends
 * none that stay. */
#ifndef TACO_TEXT_READING_MATCH_H
#define TACO_TEXT_READING_MATCH_H

#include "text/reading_rules.h"

enum { TACO_MATCH_GROUPS = 10 };

struct taco_match {
    struct taco_part group[TACO_MATCH_GROUPS]; /* begin == end: not there */
};

bool taco_match_has(const struct taco_match *m, int group);
/* Value of the part's digits, up to nine of them. */
uint32_t taco_part_number(const struct taco_reader *r, struct taco_part part);
bool taco_part_is(const struct taco_reader *r, struct taco_part part, const char *text);
/* Are the commas where a reader of English puts them: every three digits from the right?
 */
bool taco_part_grouped(const struct taco_reader *r, struct taco_part part);
/* Exactly "1", without a fraction? */
bool taco_part_is_one(const struct taco_reader *r, struct taco_part whole,
                      struct taco_part fraction);
/* A number with or without a sign and a fraction, whole and fraction side by side. */
void taco_read_real(struct taco_reader *r, struct taco_part whole,
                    struct taco_part fraction);

typedef bool taco_rule(struct taco_reader *r, const struct taco_match *m);

/* reading_amounts.c */
taco_rule taco_rule_money_before, taco_rule_money_after, taco_rule_cents,
    taco_rule_percent, taco_rule_degrees, taco_rule_feet_inches, taco_rule_measure;
/* reading_numbers.c */
taco_rule taco_rule_ordinal, taco_rule_decade, taco_rule_fraction, taco_rule_decimal,
    taco_rule_integer, taco_rule_range;
/* reading_times.c */
taco_rule taco_rule_clock_time, taco_rule_clock_hour, taco_rule_date_slashes,
    taco_rule_date_iso;
/* reading_codes.c */
taco_rule taco_rule_url, taco_rule_address, taco_rule_phone, taco_rule_version,
    taco_rule_number_words, taco_rule_sharp, taco_rule_equation, taco_rule_times,
    taco_rule_between_numbers, taco_rule_ampersand, taco_rule_slashed, taco_rule_power;

#endif
