/* Times of day and dates. */
#include "text/reading_match.h"

#include <string.h>

/* -- names ----------------------------------------------------------------------- */

struct name {
    const char *text, *spoken;
};

static const struct name months[] = {
    {"january", "january"}, {"february", "february"}, {"march", "march"},
    {"april", "april"},     {"may", "may"},           {"june", "june"},
    {"july", "july"},       {"august", "august"},     {"september", "september"},
    {"october", "october"}, {"november", "november"}, {"december", "december"},
    {"jan", "january"},     {"feb", "february"},      {"mar", "march"},
    {"apr", "april"},       {"jun", "june"},          {"jul", "july"},
    {"aug", "august"},      {"sep", "september"},     {"sept", "september"},
    {"oct", "october"},     {"nov", "november"},      {"dec", "december"},
};

static const struct name weekdays[] = {
    {"monday", "monday"},     {"tuesday", "tuesday"}, {"wednesday", "wednesday"},
    {"thursday", "thursday"}, {"friday", "friday"},   {"saturday", "saturday"},
    {"sunday", "sunday"},     {"mon", "monday"},      {"tue", "tuesday"},
    {"tues", "tuesday"},      {"wed", "wednesday"},   {"thu", "thursday"},
    {"thur", "thursday"},     {"thurs", "thursday"},  {"fri", "friday"},
    {"sat", "saturday"},      {"sun", "sunday"},
};

/* The entry of the word at `at`, with its full stop if it is shortened. */
static uint32_t name_end(const struct taco_reader *r, uint32_t at,
                         const struct name *names, size_t n, const char **spoken) {
    uint32_t end = taco_reader_run(r, at, r->length, taco_char_is_letter);
    if (end - at < 3 || end - at > 9)
        return at;
    for (size_t i = 0; i < n; i++) {
        uint32_t k = 0;
        while (names[i].text[k] && at + k < end &&
               names[i].text[k] == taco_char_lower(r->window[at + k]))
            k++;
        if (names[i].text[k] || at + k != end)
            continue;
        if (spoken)
            *spoken = names[i].spoken;
        bool short_form = strcmp(names[i].text, names[i].spoken) != 0;
        return end + (short_form && r->window[end] == '.');
    }
    return at;
}

uint32_t taco_month_end(const struct taco_reader *r, uint32_t at, const char **spoken) {
    uint32_t end = name_end(r, at, months, sizeof months / sizeof *months, spoken);
    /* "may 5 people" and "mar 5" are no dates. */
    bool small = !taco_char_is_upper(r->window[at]);
    struct taco_part part = {at, end};
    return small && (taco_part_is(r, part, "may") || taco_part_is(r, part, "mar") ||
                     taco_part_is(r, part, "march"))
               ? at
               : end;
}

uint32_t taco_weekday_end(const struct taco_reader *r, uint32_t at, const char **spoken) {
    return taco_char_is_upper(r->window[at])
               ? name_end(r, at, weekdays, sizeof weekdays / sizeof *weekdays, spoken)
               : at;
}

uint32_t taco_zone_end(const struct taco_reader *r, uint32_t at, bool stuck) {
    static const char *const zones[] = {
        "est",  "edt",  "cst",  "cdt",  "mst",  "mdt", "pst", "pdt",  "gmt",  "utc",
        "bst",  "cet",  "cest", "eet",  "eest", "ist", "jst", "kst",  "akst", "akdt",
        "aest", "aedt", "acst", "awst", "hst",  "msk", "wet", "nzst", "nzdt", "sgt",
        "hkt",  "pkt",  "et",   "ct",   "mt",   "pt",  NULL};
    for (const char *const *z = zones; *z; z++) {
        uint32_t i = at, n = (uint32_t)strlen(*z);
        bool dotted = r->window[at] && r->window[at + 1] == '.', capital = true;
        for (uint32_t k = 0; k < n; k++) {
            if (taco_char_lower(r->window[i]) != (*z)[k])
                break;
            capital = capital && taco_char_is_upper(r->window[i]);
            i++;
            if (dotted && k + 1 < n && r->window[i++] != '.')
                break;
            if (k + 1 < n || taco_char_is_letter(r->window[i]) ||
                (!capital && n < 3 && !stuck))
                continue;
            return i + (dotted && r->window[i] == '.');
        }
    }
    return at;
}

static void read_zone(struct taco_reader *r, struct taco_part zone) {
    taco_reader_part(r, TACO_READ_LETTERS, zone);
}

/* -- times ----------------------------------------------------------------------- */

/* "am" or "p.m." */
static void read_half(struct taco_reader *r, struct taco_part half) {
    uint32_t before = r->items->n;
    taco_reader_part(r, TACO_READ_LETTERS, half);
    bool own = half.begin > 0 && r->window[half.begin - 1] == ' ';
    if (own && r->items->n > before)
        r->items->at[before].verbatim = true;
}

static void read_count(struct taco_reader *r, struct taco_part n, const char *one,
                       const char *many) {
    taco_reader_part(r, TACO_READ_NUMBER, n);
    taco_reader_words(r, taco_part_number(r, n) == 1 ? one : many, n);
}

/* 9:30, 9:05 pm, 14:10:30; false if it is no time. half: am or pm, or empty */
static bool read_clock(struct taco_reader *r, struct taco_part hour,
                       struct taco_part minute, struct taco_part second,
                       struct taco_part half) {
    uint32_t h = taco_part_number(r, hour), min = taco_part_number(r, minute);
    if (h > 24 || min > 59 || taco_part_number(r, second) > 59)
        return false;
    bool has_half = half.end > half.begin;
    if (second.end > second.begin) {
        read_count(r, hour, "hour", "hours");
        read_count(r, minute, "minute", "minutes");
        taco_reader_words(r, "and", second);
        read_count(r, second, "second", "seconds");
    } else {
        taco_reader_part(r, TACO_READ_NUMBER, hour);
        if (min > 0)
            taco_reader_part(r, TACO_READ_YEAR, minute);
        else if (!has_half)
            taco_reader_words(r, h > 12 || h == 0 ? "hundred" : "o'clock", minute);
    }
    if (has_half)
        read_half(r, half);
    return true;
}

/* 1 hour, 2 minute, 3 second, 4 am or pm, 5 zone */
bool taco_rule_clock(struct taco_reader *r, const struct taco_match *m) {
    if (!read_clock(r, m->group[1], m->group[2], m->group[3], m->group[4]))
        return false;
    if (taco_match_has(m, 5))
        read_zone(r, m->group[5]);
    return true;
}

/* 1.30pm; 1 hour, 2 minute, 3 am or pm, 4 zone */
bool taco_rule_clock_point(struct taco_reader *r, const struct taco_match *m) {
    static const struct taco_part none = {0, 0};
    if (!read_clock(r, m->group[1], m->group[2], none, m->group[3]))
        return false;
    if (taco_match_has(m, 4))
        read_zone(r, m->group[4]);
    return true;
}

/* 9pm, 9 p.m. EST; 1 hour, 2 am or pm, 3 zone */
bool taco_rule_clock_hour(struct taco_reader *r, const struct taco_match *m) {
    uint32_t hour = taco_part_number(r, m->group[1]);
    if (hour < 1 || hour > 12)
        return false;
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    read_half(r, m->group[2]);
    if (taco_match_has(m, 3))
        read_zone(r, m->group[3]);
    return true;
}

/* 9am-5pm, 9:30-10:15, 5pm-7 pm; 1 hour, 2 minute, 3 half, 4 hour, 5 minute, 6 half, 7
 * zone */
bool taco_rule_clock_range(struct taco_reader *r, const struct taco_match *m) {
    /* Two bare numbers are a range of something else. */
    if (!taco_match_has(m, 2) && !taco_match_has(m, 3) && !taco_match_has(m, 6))
        return false;
    static const struct taco_part none = {0, 0};
    for (int i = 1; i < 7; i += 3) {
        struct taco_part hour = m->group[i], half = m->group[i + 2];
        if (taco_part_number(r, hour) > (half.end > half.begin ? 12 : 24))
            return false;
        if (i == 4)
            taco_reader_words(r, "to", (struct taco_part){hour.begin - 1, hour.begin});
        if (taco_match_has(m, i + 1)) {
            if (!read_clock(r, hour, m->group[i + 1], none, half))
                return false;
        } else {
            taco_reader_part(r, TACO_READ_NUMBER, hour);
            if (half.end > half.begin)
                read_half(r, half);
        }
    }
    if (taco_match_has(m, 7))
        read_zone(r, m->group[7]);
    return true;
}

/* 2:8; 1 and 2 */
bool taco_rule_score(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    taco_reader_words(r, "to", (struct taco_part){m->group[1].end, m->group[2].begin});
    taco_reader_part(r, TACO_READ_NUMBER, m->group[2]);
    return true;
}

/* -- dates ----------------------------------------------------------------------- */

static void read_month(struct taco_reader *r, struct taco_part part) {
    const char *spoken = "";
    taco_month_end(r, part.begin, &spoken);
    taco_reader_words(r, spoken, part);
}

static void read_year(struct taco_reader *r, struct taco_part year) {
    if (year.end == year.begin)
        return;
    taco_reader_pause(r);
    taco_reader_year(r, year);
}

static bool is_day(const struct taco_reader *r, struct taco_part day) {
    uint32_t d = taco_part_number(r, day);
    return d >= 1 && d <= 31;
}

static bool read_date(struct taco_reader *r, struct taco_part day, struct taco_part month,
                      struct taco_part year, struct taco_part all) {
    uint32_t m = taco_part_number(r, month);
    if (!is_day(r, day) || m < 1 || m > 12)
        return false;
    taco_reader_words(r, months[m - 1].spoken, all);
    taco_reader_part(r, TACO_READ_ORDINAL, day);
    read_year(r, year);
    return true;
}

/* 12/25/2021 as in the United States, 25/12/2021, 15.03.2024; 1, 2, 3 or 4 year */
bool taco_rule_date_slashes(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2];
    struct taco_part year = m->group[taco_match_has(m, 3) ? 3 : 4];
    return read_date(r, b, a, year, m->group[0]) || read_date(r, a, b, year, m->group[0]);
}

/* 2021-12-25; 1 year, 2 month, 3 day */
bool taco_rule_date_iso(struct taco_reader *r, const struct taco_match *m) {
    return read_date(r, m->group[3], m->group[2], m->group[1], m->group[0]);
}

/* 2024-03-15T14:30:00Z; 4 hour, 5 minute, 6 second */
bool taco_rule_date_stamp(struct taco_reader *r, const struct taco_match *m) {
    static const struct taco_part none = {0, 0};
    if (!read_date(r, m->group[3], m->group[2], m->group[1],
                   (struct taco_part){m->group[1].begin, m->group[3].end}))
        return false;
    taco_reader_pause(r);
    struct taco_part second = m->group[6];
    if (taco_part_number(r, second) == 0)
        second = none;
    if (!read_clock(r, m->group[4], m->group[5], second, none))
        return false;
    uint32_t end = m->group[0].end;
    if (r->window[end - 1] == 'Z')
        taco_reader_words(r, "u t c", (struct taco_part){end - 1, end});
    return true;
}

static void read_day(struct taco_reader *r, struct taco_part day) {
    taco_reader_part(r, TACO_READ_ORDINAL, day);
}

/* 20 Jan, 25 July 2012, 15-Mar-2024, 4th of July; 1 day, 2 suffix, 3 month, 4 year */
bool taco_rule_day_month(struct taco_reader *r, const struct taco_match *m) {
    static const char *const articles[] = {"the", "this", "each", "every", NULL};
    if (!is_day(r, m->group[1]) || r->window[m->group[1].begin] == '0')
        return false;
    if (!taco_reader_after(r, articles))
        taco_reader_words(r, "the", m->group[1]);
    read_day(r, m->group[1]);
    taco_reader_words(r, "of", m->group[3]);
    read_month(r, m->group[3]);
    read_year(r, m->group[4]);
    return true;
}

/* Jan 5, SEPT. 15, July 4th, 1776, Jan. 15 2020, April 29th's; 1 month, 2 day, 3 suffix, 4
 * year */
bool taco_rule_month_day(struct taco_reader *r, const struct taco_match *m) {
    if (!is_day(r, m->group[2]))
        return false;
    read_month(r, m->group[1]);
    read_day(r, m->group[2]);
    read_year(r, m->group[4]);
    return true;
}

/* July 4-6; 1 month, 2 and 3 days */
bool taco_rule_month_range(struct taco_reader *r, const struct taco_match *m) {
    if (!is_day(r, m->group[2]) || !is_day(r, m->group[3]))
        return false;
    read_month(r, m->group[1]);
    read_day(r, m->group[2]);
    taco_reader_words(r, "to", (struct taco_part){m->group[2].end, m->group[2].end + 1});
    read_day(r, m->group[3]);
    return true;
}

/* July 1876, Sept. 2001; 1 month, 2 year */
bool taco_rule_month_year(struct taco_reader *r, const struct taco_match *m) {
    uint32_t year = taco_part_number(r, m->group[2]);
    if (year < 1000 || year > 2199)
        return false;
    read_month(r, m->group[1]);
    taco_reader_year(r, m->group[2]);
    return true;
}

/* Mon, Tues. before a date or a time; 1 day of the week */
bool taco_rule_weekday(struct taco_reader *r, const struct taco_match *m) {
    const char *spoken = "";
    taco_weekday_end(r, m->group[1].begin, &spoken);
    taco_reader_words(r, spoken, m->group[1]);
    return true;
}

/* Mon-Fri; 1 and 2 */
bool taco_rule_weekday_range(struct taco_reader *r, const struct taco_match *m) {
    for (int i = 1; i < 3; i++) {
        const char *spoken = "";
        taco_weekday_end(r, m->group[i].begin, &spoken);
        if (i == 2)
            taco_reader_words(r, "to",
                              (struct taco_part){m->group[1].end, m->group[1].end + 1});
        taco_reader_words(r, spoken, m->group[i]);
    }
    return true;
}

/* 1H23, 2H 2024: 1 half, 2 or 3 year */
bool taco_rule_half_year(struct taco_reader *r, const struct taco_match *m) {
    uint32_t half = taco_part_number(r, m->group[1]);
    if (half < 1 || half > 2)
        return false;
    taco_reader_words(r, half == 1 ? "the first half of" : "the second half of",
                      m->group[1]);
    taco_reader_year(r, m->group[taco_match_has(m, 2) ? 2 : 3]);
    return true;
}
