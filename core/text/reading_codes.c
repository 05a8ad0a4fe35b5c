/* Addresses, numbers of telephones and versions, formulas, words with signs in them. */
#include "text/reading_match.h"

#include <string.h>

/* -- addresses ------------------------------------------------------------------- */

static void read_address(struct taco_reader *r, struct taco_part part) {
    static const struct {
        char sign;
        const char *spoken;
    } spoken[] = {
        {'.', "dot"},           {'/', "slash"},  {'-', "dash"}, {'_', "underscore"},
        {'?', "question mark"}, {'=', "equals"}, {'&', "and"},  {'%', "percent"},
        {'#', "hash"},          {':', "colon"},  {'@', "at"},   {'~', "tilde"},
        {'+', "plus"}};
    for (uint32_t i = part.begin; i < part.end;) {
        uint32_t end = i;
        while (end < part.end && !strchr("./-_?=&%#:@~+", r->window[end]))
            end++;
        if (end > i) {
            taco_reader_mixed(r, (struct taco_part){i, end});
            i = end;
            continue;
        }
        for (size_t k = 0; k < sizeof spoken / sizeof *spoken; k++)
            if (spoken[k].sign == r->window[i] &&
                !(r->window[i] == '/' && i + 1 == part.end))
                taco_reader_words(r, spoken[k].spoken, (struct taco_part){i, i + 1});
        i++;
    }
}

/* scheme://rest: nobody says the scheme of a page. */
bool taco_rule_url(struct taco_reader *r, const struct taco_match *m) {
    if (!taco_part_is(r, m->group[1], "http") && !taco_part_is(r, m->group[1], "https"))
        taco_reader_mixed(r, m->group[1]);
    read_address(r, m->group[2]);
    return true;
}

bool taco_rule_address(struct taco_reader *r, const struct taco_match *m) {
    read_address(r, m->group[0]);
    return true;
}

/* -- numbers that are names ------------------------------------------------------ */

/* 2.0.1, v2.0.1, 192.168.0.1: dots between four parts, points otherwise; 2 the numbers */
bool taco_rule_version(struct taco_reader *r, const struct taco_match *m) {
    if (taco_match_has(m, 1))
        taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    uint32_t dots = 0;
    for (uint32_t i = m->group[2].begin; i < m->group[2].end; i++)
        dots += r->window[i] == '.';
    for (uint32_t i = m->group[2].begin; i < m->group[2].end;) {
        uint32_t end = i;
        while (end < m->group[2].end && r->window[end] != '.')
            end++;
        taco_reader_part(r, end - i > 4 ? TACO_READ_DIGITS : TACO_READ_NUMBER,
                         (struct taco_part){i, end});
        if (end < m->group[2].end)
            taco_reader_words(r, dots == 3 ? "dot" : "point",
                              (struct taco_part){end, end + 1});
        i = end + 1;
    }
    return true;
}

/* Groups of digits, each read digit by digit with a pause behind it. */
bool taco_rule_phone(struct taco_reader *r, const struct taco_match *m) {
    uint32_t end = m->group[0].end;
    if (r->window[0] == '+')
        taco_reader_words(r, "plus", (struct taco_part){0, 1});
    for (uint32_t i = 0; i < end;) {
        uint32_t stop = i;
        while (stop < end && r->window[stop] >= '0' && r->window[stop] <= '9')
            stop++;
        if (stop > i) {
            taco_reader_part(r, TACO_READ_DIGITS, (struct taco_part){i, stop});
            if (stop < end)
                taco_reader_pause(r);
        }
        i = stop + 1;
    }
    return true;
}

/* -- letters and signs ----------------------------------------------------------- */

bool taco_rule_number_words(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_integer(r, m->group[1]);
    taco_reader_mixed(r, m->group[2]);
    return true;
}

bool taco_rule_sharp(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    taco_reader_words(r, "sharp", m->group[0]);
    return true;
}

/* 3+4=7, 3-2=1: a hyphen between numbers is a minus where an equals sign stands */
bool taco_rule_equation(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part all = m->group[0];
    for (uint32_t i = all.begin; i < all.end;) {
        uint32_t end = i;
        while (end < all.end && !strchr("-/=", r->window[end]))
            end++;
        if (end > i)
            taco_reader_mixed(r, (struct taco_part){i, end});
        if (end < all.end)
            taco_reader_words(r,
                              r->window[end] == '-'   ? "minus"
                              : r->window[end] == '=' ? "equals"
                                                      : "divided by",
                              (struct taco_part){end, end + 1});
        i = end + 1;
    }
    return true;
}

/* 6*7, 3x4 */
bool taco_rule_times(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_integer(r, m->group[1]);
    taco_reader_words(r, "times", m->group[2]);
    taco_reader_integer(r, m->group[3]);
    return true;
}

/* A room is 3 x 4. */
bool taco_rule_between_numbers(struct taco_reader *r, const struct taco_match *m) {
    if (!strchr("0123456789", r->before[0]) || !r->before[0])
        return false;
    taco_reader_words(r, r->window[0] == 'x' ? "by" : "times", (struct taco_part){0, 1});
    taco_reader_mixed(r, m->group[1]);
    return true;
}

/* AT&T, R&D */
bool taco_rule_ampersand(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    taco_reader_words(r, "and", (struct taco_part){m->group[1].end, m->group[2].begin});
    taco_reader_part(r, TACO_READ_LETTERS, m->group[2]);
    return true;
}

bool taco_rule_slashed(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_mixed(r, m->group[1]);
    taco_reader_mixed(r, m->group[2]);
    return true;
}

/* number^power */
bool taco_rule_power(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_mixed(r, m->group[1]);
    if (taco_part_is(r, m->group[2], "2") || taco_part_is(r, m->group[2], "3")) {
        taco_reader_words(r, taco_part_is(r, m->group[2], "2") ? "squared" : "cubed",
                          m->group[2]);
    } else {
        taco_reader_words(r, "to the power of", m->group[2]);
        taco_reader_mixed(r, m->group[2]);
    }
    return true;
}
