/* Times of day and dates. */
#include "text/reading_match.h"

/* "a" or "p" of am and pm in group, of a word of its own or stuck to the number. */
static void read_half(struct taco_reader *r, struct taco_part half) {
    uint32_t before = r->items->n;
    taco_reader_part(r, TACO_READ_LETTERS, half);
    bool own = half.begin > 0 && r->window[half.begin - 1] == ' ';
    if (own && r->items->n > before)
        r->items->at[before].verbatim = true;
}

/* 1 hour, 2 minute, 4 second, 5 am or pm */
bool taco_rule_clock_time(struct taco_reader *r, const struct taco_match *m) {
    uint32_t hour = taco_part_number(r, m->group[1]),
             minute = taco_part_number(r, m->group[2]);
    if (hour > 24 || minute > 59 ||
        (taco_match_has(m, 4) && taco_part_number(r, m->group[4]) > 59))
        return false;
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    if (minute > 0 || taco_match_has(m, 4))
        taco_reader_part(r, minute == 0 ? TACO_READ_DIGITS : TACO_READ_YEAR, m->group[2]);
    else if (!taco_match_has(m, 6))
        taco_reader_words(r, hour > 12 || hour == 0 ? "hundred" : "o'clock", m->group[2]);
    if (taco_match_has(m, 4)) {
        taco_reader_words(r, "and", m->group[4]);
        taco_reader_part(r, TACO_READ_NUMBER, m->group[4]);
        taco_reader_words(r, taco_part_number(r, m->group[4]) == 1 ? "second" : "seconds",
                          m->group[4]);
    }
    if (taco_match_has(m, 6))
        read_half(r, m->group[6]);
    return true;
}

/* 9pm, 9 p.m. */
bool taco_rule_clock_hour(struct taco_reader *r, const struct taco_match *m) {
    uint32_t hour = taco_part_number(r, m->group[1]);
    if (hour < 1 || hour > 12)
        return false;
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    read_half(r, m->group[2]);
    return true;
}

static bool read_date(struct taco_reader *r, struct taco_part day, struct taco_part month,
                      struct taco_part year, struct taco_part all) {
    static const char *const months[] = {"january",   "february", "march",    "april",
                                         "may",       "june",     "july",     "august",
                                         "september", "october",  "november", "december"};
    uint32_t d = taco_part_number(r, day), m = taco_part_number(r, month);
    if (d < 1 || d > 31 || m < 1 || m > 12)
        return false;
    taco_reader_words(r, months[m - 1], all);
    taco_reader_part(r, TACO_READ_ORDINAL, day);
    taco_reader_pause(r);
    uint32_t y = taco_part_number(r, year);
    if (year.end - year.begin == 4 && y >= 2000 && y < 2010)
        taco_reader_part(r, TACO_READ_NUMBER, year);
    else
        taco_reader_part(r, TACO_READ_YEAR, year);
    return true;
}

/* 12/25/2021 as in the United States; 25/12/2021 can only be the other way. */
bool taco_rule_date_slashes(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2];
    return read_date(r, b, a, m->group[3], m->group[0]) ||
           read_date(r, a, b, m->group[3], m->group[0]);
}

bool taco_rule_date_iso(struct taco_reader *r, const struct taco_match *m) {
    return read_date(r, m->group[3], m->group[2], m->group[1], m->group[0]);
}
