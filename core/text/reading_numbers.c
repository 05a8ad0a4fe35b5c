/* Whole numbers, fractions, ordinals and ranges. */
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

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

bool taco_is_month(const char *text) {
    static const char *const months[] = {
        "jan",      "january", "feb",      "february",  "mar", "march",   "apr",
        "april",    "may",     "jun",      "june",      "jul", "july",    "aug",
        "august",   "sep",     "sept",     "september", "oct", "october", "nov",
        "november", "dec",     "december", NULL};
    return is_one_of(text, months);
}

/* Copies the word behind the window's position, if only a space stands between, in lower
 * case; "" if there is none. */
static void word_after(const struct taco_reader *r, uint32_t at, char *out, size_t size) {
    size_t n = 0;
    if (r->window[at] == ' ')
        for (at++; taco_char_is_letter(r->window[at]) && n + 1 < size; at++)
            out[n++] = taco_char_lower(r->window[at]);
    out[n] = '\0';
}

/* 1100 to 2099 without a comma is a year, unless it counts things. */
static bool is_year(const struct taco_reader *r, uint32_t value, uint32_t at) {
    static const char *const years[] = {
        "in",    "since", "by",     "from",  "until", "till", "year", "during", "before",
        "after", "circa", "around", "early", "late",  "mid",  "of",   NULL};
    static const char *const verbs[] = {"was",   "has", "his",  "this", "its",
                                        "as",    "is",  "does", "plus", "minus",
                                        "times", "us",  NULL};
    if (value < 1100 || value > 2099 || (value >= 2000 && value < 2010))
        return false;
    if (is_one_of(r->before, years) || taco_is_month(r->before))
        return true;
    char after[24];
    word_after(r, at, after, sizeof after);
    size_t n = strlen(after);
    return !(n > 2 && after[n - 1] == 's' && after[n - 2] != 's' &&
             !is_one_of(after, verbs));
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
    word_after(reader, part.end, after, sizeof after);
    bool code = is_one_of(reader->before, codes);
    if ((reader->window[part.begin] == '0' && n > 1) || n > 15 || (code && n > 2))
        reading = TACO_READ_DIGITS;
    else if (value > 0 && value < 32 &&
             (taco_is_month(reader->before) || taco_is_month(after)))
        reading = TACO_READ_ORDINAL;
    else if ((n == 3 || n == 4) && is_one_of(reader->before, pairs))
        reading = TACO_READ_YEAR;
    else if (n == 4 && is_year(reader, (uint32_t)value, part.end))
        reading = TACO_READ_YEAR;
    taco_reader_part(reader, reading, part);
}

/* 1950s, 50s, 1950's */
bool taco_rule_decade(struct taco_reader *r, const struct taco_match *m) {
    uint32_t n = m->group[1].end - m->group[1].begin;
    bool thousand = n == 4 && taco_part_number(r, m->group[1]) % 1000 == 0;
    taco_reader_part(r, n < 3 || thousand ? TACO_READ_NUMBER : TACO_READ_YEAR,
                     m->group[1]);
    taco_reader_plural(r);
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

bool taco_rule_ordinal(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part digits = m->group[1];
    if (!taco_part_grouped(r, digits))
        return false;
    /* Flite has no word for the millionth. */
    uint32_t millions = head_before(r, digits, 6), billions = head_before(r, digits, 9);
    if (!millions && !billions) {
        taco_reader_part(r, TACO_READ_ORDINAL, digits);
        return true;
    }
    uint32_t keep = billions ? billions : millions;
    struct taco_part head = {digits.begin, digits.begin};
    for (; keep > 0; head.end++)
        keep -= r->window[head.end] != ',';
    taco_reader_part(r, TACO_READ_NUMBER, head);
    taco_reader_words(r, billions ? "billionth" : "millionth", digits);
    return true;
}

/* 2/3, 1 1/2, 24/7 */
bool taco_rule_fraction(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part above = m->group[1], below = m->group[2];
    uint32_t a = taco_part_number(r, above), b = taco_part_number(r, below);
    bool whole = r->before[0] && strspn(r->before, "0123456789") == strlen(r->before);
    if ((a == 24 && b == 7) || (a == b && b >= 20) || (a == 9 && b == 11)) {
        taco_reader_part(r, TACO_READ_NUMBER, above);
        taco_reader_part(r, TACO_READ_NUMBER, below);
        return true;
    }
    if (a == 0 || a >= b || b > 100 || r->window[below.begin] == '0') {
        taco_reader_part(r, TACO_READ_NUMBER, above);
        taco_reader_words(r, "slash", below);
        taco_reader_part(r, TACO_READ_NUMBER, below);
        return true;
    }
    if (whole)
        taco_reader_words(r, "and", above);
    taco_reader_part(r, TACO_READ_NUMBER, above);
    if (b == 2)
        taco_reader_words(r, "half", below);
    else if (b == 4)
        taco_reader_words(r, a == 1 ? "quarter" : "quarters", below);
    else
        taco_reader_part(r, TACO_READ_ORDINAL, below);
    if (a > 1 && b != 4)
        taco_reader_plural(r);
    return true;
}

bool taco_rule_decimal(struct taco_reader *r, const struct taco_match *m) {
    if (taco_match_has(m, 2) && !taco_part_grouped(r, m->group[2]))
        return false;
    taco_reader_part(r, TACO_READ_REAL, m->group[0]);
    return true;
}

bool taco_rule_integer(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part sign = m->group[1], digits = m->group[2];
    if (!taco_part_grouped(r, digits))
        return false;
    if (sign.end > sign.begin)
        taco_reader_words(r, r->window[sign.begin] == '-' ? "minus" : "plus", sign);
    if (memchr(r->window + digits.begin, ',', digits.end - digits.begin))
        taco_reader_part(r, TACO_READ_NUMBER, digits);
    else
        taco_reader_integer(r, digits);
    return true;
}

/* 5-6, 1990-1995 */
bool taco_rule_range(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2];
    if (!taco_part_grouped(r, a) || !taco_part_grouped(r, b) || r->window[b.begin] == '0')
        return false;
    taco_reader_integer(r, a);
    taco_reader_words(r, "to", (struct taco_part){a.end, b.begin});
    /* 1990-95: the second is the end of a year. */
    bool year = a.end - a.begin == 4 && taco_part_number(r, a) >= 1100 &&
                taco_part_number(r, a) < 2100;
    if (year && b.end - b.begin == 2)
        taco_reader_part(r, TACO_READ_NUMBER, b);
    else
        taco_reader_integer(r, b);
    return true;
}
