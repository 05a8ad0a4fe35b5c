/* Whole numbers, decimals, fractions, ordinals, decades and ranges. */
#include "text/reading_match.h"

#include <string.h>

/* 13 to 15 digits: Flite counts up to the billions. */
static void add_trillions(struct taco_reader *r, const char *digits, size_t n,
                          struct taco_part part) {
    taco_reader_add(r, digits, n - 12, TACO_READ_NUMBER, part);
    taco_reader_words(r, "trillion", part);
    while (n > 1 && *digits != '\0' && strlen(digits) > 12)
        digits++;
    if (strspn(digits, "0") < 12)
        taco_reader_add(r, digits, 12, TACO_READ_NUMBER, part);
}

void taco_reader_part(struct taco_reader *reader, enum taco_reading reading,
                      struct taco_part part) {
    char text[TACO_WINDOW];
    size_t n = 0;
    bool number = reading == TACO_READ_NUMBER || reading == TACO_READ_ORDINAL ||
                  reading == TACO_READ_REAL || reading == TACO_READ_DIGITS ||
                  reading == TACO_READ_YEAR;
    for (uint32_t i = part.begin; i < part.end; i++) {
        char c = reader->window[i];
        if (number && !taco_char_is_digit(c) &&
            !(reading == TACO_READ_REAL && strchr("+-.", c)))
            continue;
        if (reading == TACO_READ_LETTERS && !taco_char_is_letter(c) &&
            !taco_char_is_digit(c))
            continue;
        text[n++] = reading == TACO_READ_WORD ? taco_char_lower(c) : c;
    }
    text[n] = '\0';
    /* Flite says nothing for 00. */
    if (reading == TACO_READ_NUMBER || reading == TACO_READ_ORDINAL) {
        size_t zeros = strspn(text, "0");
        if (zeros == n && n > 0)
            zeros = n - 1;
        n -= zeros;
        memmove(text, text + zeros, n + 1);
    } else if (reading == TACO_READ_REAL) {
        size_t sign = strspn(text, "+-");
        size_t zeros = strspn(text + sign, "0");
        if (zeros > 1 || (zeros && text[sign + zeros] != '.')) {
            zeros -= text[sign + zeros] == '.' || !text[sign + zeros];
            n -= zeros;
            memmove(text + sign, text + sign + zeros, n + 1 - sign);
        }
    }
    if (n == 0)
        return;
    if (reading == TACO_READ_NUMBER && n > 12 && n < 16)
        add_trillions(reader, text, n, part);
    else
        taco_reader_add(reader, text, n, reading, part);
}

bool taco_is_month(const char *text) {
    static const char *const months[] = {
        "jan",      "january", "feb",      "february",  "mar", "march",   "apr",
        "april",    "may",     "jun",      "june",      "jul", "july",    "aug",
        "august",   "sep",     "sept",     "september", "oct", "october", "nov",
        "november", "dec",     "december", NULL};
    return taco_is_one_of(text, months);
}

/* 1100 to 2099 without a comma is a year, unless it counts things. */
static bool is_year(const struct taco_reader *r, uint32_t value, uint32_t at) {
    static const char *const years[] = {
        "in",    "since", "by",     "from",  "until", "till", "year", "during", "before",
        "after", "circa", "around", "early", "late",  "mid",  "of",   "dated",  NULL};
    static const char *const verbs[] = {"was",   "has", "his",  "this", "its",
                                        "as",    "is",  "does", "plus", "minus",
                                        "times", "us",  NULL};
    if (value < 1100 || value > 2099 || (value >= 2000 && value < 2010))
        return false;
    if (taco_is_one_of(r->before, years) || taco_is_month(r->before))
        return true;
    char after[24];
    taco_reader_word_after(r, at, after, sizeof after);
    size_t n = strlen(after);
    return !(n > 2 && after[n - 1] == 's' && after[n - 2] != 's' &&
             !taco_is_one_of(after, verbs));
}

void taco_reader_integer(struct taco_reader *reader, struct taco_part part) {
    static const char *const pairs[] = {"room",    "flight",     "bus",  "route", "suite",
                                        "highway", "interstate", "gate", NULL};
    static const char *const codes[] = {"account", "code",  "pin",       "zip",  "id",
                                        "isbn",    "phone", "extension", "dial", NULL};
    uint32_t n = part.end - part.begin;
    uint64_t value = 0;
    for (uint32_t i = part.begin; i < part.end && i < part.begin + 15; i++)
        value = value * 10 + (uint64_t)(reader->window[i] - '0');
    enum taco_reading reading = TACO_READ_NUMBER;
    char after[24];
    taco_reader_word_after(reader, part.end, after, sizeof after);
    bool code = taco_is_one_of(reader->before, codes);
    if ((reader->window[part.begin] == '0' && n > 1) || n > 15 || (code && n > 2))
        reading = TACO_READ_DIGITS;
    else if (value > 0 && value < 32 &&
             (taco_is_month(reader->before) || taco_is_month(after)))
        reading = TACO_READ_ORDINAL;
    else if ((n == 3 || n == 4) && taco_is_one_of(reader->before, pairs))
        reading = TACO_READ_YEAR;
    else if (n == 4 && is_year(reader, (uint32_t)value, part.end))
        reading = TACO_READ_YEAR;
    taco_reader_part(reader, reading, part);
}

/* 1960s: the plural of nineteen sixty. */
static void read_decade(struct taco_reader *r, struct taco_part digits) {
    uint32_t n = digits.end - digits.begin;
    bool thousand = n == 4 && taco_part_number(r, digits) % 1000 == 0;
    taco_reader_part(r, n < 3 || thousand ? TACO_READ_NUMBER : TACO_READ_YEAR, digits);
    taco_reader_plural(r);
}

/* 1950s, '50s, in his 50s, 1950's; "30s" by itself are seconds. 1 digits */
bool taco_rule_decade(struct taco_reader *r, const struct taco_match *m) {
    static const char *const before[] = {"the", "his",  "her",   "their", "my",
                                         "our", "your", "early", "mid",   "late",
                                         "of",  "from", NULL};
    static const char *const after[] = {"music", "movie", "movies", "film", "films",
                                        "pop",   "hits",  "rock",   "era",  "fashion",
                                        "style", "disco", NULL};
    struct taco_part digits = m->group[1];
    uint32_t n = digits.end - digits.begin;
    if (n < 2 || n > 4 || r->window[digits.end - 1] != '0')
        return false;
    char next[24];
    taco_reader_word_after(r, m->group[0].end, next, sizeof next);
    if (n == 2 && !taco_reader_quoted(r, digits.begin) && !taco_reader_after(r, before) &&
        !taco_is_one_of(next, after))
        return false;
    read_decade(r, digits);
    return true;
}

/* 1960s-1980s */
bool taco_rule_decades(struct taco_reader *r, const struct taco_match *m) {
    read_decade(r, m->group[1]);
    taco_reader_words(r, "to", (struct taco_part){m->group[1].end, m->group[2].begin});
    read_decade(r, m->group[2]);
    return true;
}

/* Digits with at least so many noughts at their end: how many digits stand before those;
 * 0 if there are fewer noughts. */
static uint32_t head_before(const struct taco_reader *r, struct taco_part digits,
                            uint32_t noughts) {
    uint32_t n = 0, zeros = 0;
    bool end = true;
    for (uint32_t i = digits.end; i-- > digits.begin;) {
        if (r->window[i] == ',')
            continue;
        end = end && r->window[i] == '0';
        zeros += end;
        n++;
    }
    return zeros >= noughts && n > noughts && n <= noughts + 3 ? n - noughts : 0;
}

/* Flite has no word for the millionth. */
static void read_ordinal(struct taco_reader *r, struct taco_part digits) {
    uint32_t millions = head_before(r, digits, 6), billions = head_before(r, digits, 9);
    if (!millions && !billions) {
        if (taco_part_number(r, digits) == 0)
            taco_reader_words(r, "zeroth", digits);
        else
            taco_reader_part(r, TACO_READ_ORDINAL, digits);
        return;
    }
    uint32_t keep = billions ? billions : millions;
    struct taco_part head = {digits.begin, digits.begin};
    for (; keep > 0; head.end++)
        keep -= r->window[head.end] != ',';
    taco_reader_part(r, TACO_READ_NUMBER, head);
    taco_reader_words(r, billions ? "billionth" : "millionth", digits);
}

const char *taco_ordinal_ending(uint32_t number) {
    uint32_t last = number % 10;
    return number / 10 % 10 == 1 || last == 0 || last > 3 ? "th"
           : last == 1                                    ? "st"
           : last == 2                                    ? "nd"
                                                          : "rd";
}

/* Is it 21st, not 21th? */
static bool suffix_fits(const struct taco_reader *r, struct taco_part digits,
                        struct taco_part suffix) {
    uint32_t last = (uint32_t)(r->window[digits.end - 1] - '0');
    uint32_t n = digits.end - digits.begin;
    bool teen = n > 1 && r->window[digits.end - 2] == '1';
    const char *want = taco_ordinal_ending(teen ? 10 + last : last);
    return taco_char_lower(r->window[suffix.begin]) == want[0];
}

/* 21st, 1,234th, 21st-century. A suffix that does not fit is spelled: 11st is a misprint or
 * a number of stones, and no street. 1 digits, 2 suffix, 3 what a hyphen joins */
bool taco_rule_ordinal(struct taco_reader *r, const struct taco_match *m) {
    if (suffix_fits(r, m->group[1], m->group[2])) {
        read_ordinal(r, m->group[1]);
    } else {
        taco_reader_number(r, m->group[1]);
        taco_reader_part(r, TACO_READ_LETTERS, m->group[2]);
    }
    if (taco_match_has(m, 3))
        taco_reader_piece(r, m->group[3]);
    return true;
}

/* -- fractions ------------------------------------------------------------------- */

static bool is_spoken_fraction(const struct taco_reader *r, struct taco_part above,
                               struct taco_part below) {
    uint32_t b = taco_part_number(r, below);
    return b >= 2 && b <= 1000 && r->window[below.begin] != '0' &&
           r->window[above.begin] != '0';
}

static void read_fraction(struct taco_reader *r, struct taco_part above,
                          struct taco_part below) {
    uint32_t a = taco_part_number(r, above), b = taco_part_number(r, below);
    taco_reader_part(r, TACO_READ_NUMBER, above);
    if (b == 2)
        taco_reader_words(r, a == 1 ? "half" : "halves", below);
    else if (b == 4)
        taco_reader_words(r, a == 1 ? "quarter" : "quarters", below);
    else
        taco_reader_part(r, TACO_READ_ORDINAL, below);
    if (a > 1 && b != 4 && b != 2)
        taco_reader_plural(r);
}

/* 2/3, 24/7, 1/4th; 1 and 2 */
bool taco_rule_fraction(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part above = m->group[1], below = m->group[2];
    uint32_t a = taco_part_number(r, above), b = taco_part_number(r, below);
    if ((a == 24 && b == 7) || (a == b && b >= 20) || (a == 9 && b == 11)) {
        taco_reader_part(r, TACO_READ_NUMBER, above);
        taco_reader_part(r, TACO_READ_NUMBER, below);
        return true;
    }
    if (a >= b || b > 100 || !is_spoken_fraction(r, above, below)) {
        taco_reader_integer(r, above);
        taco_reader_words(r, "slash", (struct taco_part){above.end, below.begin});
        taco_reader_integer(r, below);
        return true;
    }
    read_fraction(r, above, below);
    return true;
}

/* 3 2/4, 12 1/2%; 1 whole, 2 and 3 the fraction, 4 the percent sign */
bool taco_rule_mixed_fraction(struct taco_reader *r, const struct taco_match *m) {
    if (!is_spoken_fraction(r, m->group[2], m->group[3]) ||
        taco_part_number(r, m->group[3]) > 100)
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "and", m->group[2]);
    read_fraction(r, m->group[2], m->group[3]);
    uint32_t end = m->group[0].end;
    if (r->window[end - 1] == '%')
        taco_reader_words(r, "percent", (struct taco_part){end - 1, end});
    return true;
}

/* 3/4 cup, 1/2 mile: a unit or a noun in the singular would be said with "of a"; the
 * plain fraction with the unit does. 1 and 2, 3 unit */
bool taco_rule_fraction_of(struct taco_reader *r, const struct taco_match *m) {
    if (!is_spoken_fraction(r, m->group[1], m->group[2]) ||
        taco_part_number(r, m->group[1]) >= taco_part_number(r, m->group[2]) ||
        taco_unit_is_stuck(r, m->group[3]))
        return false;
    read_fraction(r, m->group[1], m->group[2]);
    taco_read_unit(r, m->group[3], true);
    return true;
}

/* -- plain numbers --------------------------------------------------------------- */

/* 4K: not four thousand */
bool taco_rule_letters(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[0]);
    return true;
}

/* 10k, 1.5M; 1 number, 2 scale */
bool taco_rule_magnitude(struct taco_reader *r, const struct taco_match *m) {
    const char *spoken = "";
    taco_magnitude_end(r, m->group[2].begin, &spoken);
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, spoken, m->group[2]);
    return true;
}

/* 1984, -5, 1,000, .5; 1 number */
bool taco_rule_integer(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part part = m->group[1];
    char sign = r->window[part.begin];
    if (sign == '-' || sign == '+' ||
        memchr(r->window + part.begin, '.', part.end - part.begin) ||
        memchr(r->window + part.begin, ',', part.end - part.begin))
        taco_reader_number(r, part);
    else
        taco_reader_integer(r, part);
    return true;
}

/* 1,000+, 18+ */
bool taco_rule_plus(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_number(r, m->group[1]);
    uint32_t end = m->group[0].end;
    taco_reader_words(r, "plus", (struct taco_part){end - 1, end});
    return true;
}

/* 10-year-old: 1 the number, 2 the rest with its hyphen */
bool taco_rule_number_words(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_number(r, m->group[1]);
    taco_reader_piece(r, m->group[2]);
    return true;
}

/* 5-10-minute, 10-15-year-old: 1 from, 2 to, 3 the rest with its hyphen */
bool taco_rule_range_words(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2];
    uint32_t from = taco_part_number(r, a), to = taco_part_number(r, b);
    uint32_t letters =
        taco_reader_run(r, m->group[3].begin, m->group[3].end, taco_char_is_letter);
    if (from >= to || to > 10 * from || b.end - b.begin > 3 ||
        letters < m->group[3].begin + 3)
        return false;
    taco_reader_number(r, a);
    taco_reader_words(r, "to", (struct taco_part){a.end, b.begin});
    taco_reader_number(r, b);
    taco_reader_piece(r, m->group[3]);
    return true;
}

static bool looks_like_year(const struct taco_reader *r, struct taco_part part) {
    uint32_t value = taco_part_number(r, part);
    return part.end - part.begin == 4 && value >= 1100 && value < 2100;
}

/* 5-6, 2.5-3, 1990-1995, 1990-95 */
bool taco_rule_range(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2];
    if (r->window[b.begin] == '0' && b.end - b.begin > 1 && r->window[b.begin + 1] != '.')
        return false;
    if (taco_part_is(r, b, "0"))
        return false;
    bool year = looks_like_year(r, a);
    if (year)
        taco_reader_year(r, a);
    else
        taco_reader_number(r, a);
    taco_reader_words(r, "to", (struct taco_part){a.end, b.begin});
    if (year && looks_like_year(r, b))
        taco_reader_year(r, b);
    else
        taco_reader_number(r, b);
    return true;
}

/* 500 BC, 44 B.C., AD 79 */
bool taco_rule_era(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part year = m->group[1], all = m->group[0];
    bool behind = year.begin == all.begin;
    if (!behind)
        taco_reader_part(r, TACO_READ_LETTERS,
                         (struct taco_part){all.begin, year.begin - 1});
    uint32_t n = year.end - year.begin;
    taco_reader_part(
        r, n > 2 && taco_part_number(r, year) % 100 ? TACO_READ_YEAR : TACO_READ_NUMBER,
        year);
    if (behind)
        taco_reader_part(r, TACO_READ_LETTERS, (struct taco_part){year.end + 1, all.end});
    return true;
}

/* 4111 1111 1111 1111: sixteen digits with the check digit of a bank card (Luhn) */
bool taco_rule_card(struct taco_reader *r, const struct taco_match *m) {
    if (!strchr("3456", r->window[m->group[0].begin]))
        return false;
    uint32_t sum = 0, n = 0;
    for (uint32_t i = m->group[0].end; i-- > m->group[0].begin;) {
        if (!taco_char_is_digit(r->window[i]))
            continue;
        uint32_t value = (uint32_t)(r->window[i] - '0') << (n++ % 2);
        sum += value > 9 ? value - 9 : value;
    }
    if (sum % 10)
        return false;
    taco_reader_digit_groups(r, m->group[0]);
    return true;
}
