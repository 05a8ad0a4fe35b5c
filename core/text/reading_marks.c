/* Quantities whose unit is a mark: degrees, feet, inches, minutes and seconds. */
#include "text/reading_match.h"

#include <string.h>

/* -- degrees --------------------------------------------------------------------- */

static const char *direction_of(char c) {
    return c == 'N'   ? "north"
           : c == 'S' ? "south"
           : c == 'E' ? "east"
           : c == 'W' ? "west"
                      : NULL;
}

static void read_degrees(struct taco_reader *r, struct taco_part number,
                         struct taco_part all) {
    char scale = r->window[all.end - 1];
    taco_reader_number(r, number);
    struct taco_part rest = {number.end, all.end};
    bool one = taco_reader_singular(r, number, all.end);
    taco_reader_words(r, one ? "degree" : "degrees", rest);
    if (scale == 'C' || scale == 'F' || scale == 'K')
        taco_reader_words(r,
                          scale == 'C'   ? "celsius"
                          : scale == 'F' ? "fahrenheit"
                                         : "kelvin",
                          (struct taco_part){all.end - 1, all.end});
    else if (direction_of(scale))
        taco_reader_words(r, direction_of(scale),
                          (struct taco_part){all.end - 1, all.end});
}

/* 20°C, -5 °, 98.6° F, 40°N; 1 number */
bool taco_rule_degrees(struct taco_reader *r, const struct taco_match *m) {
    read_degrees(r, m->group[1], m->group[0]);
    return true;
}

/* 40-60°C; 1 and 2 */
bool taco_rule_degrees_range(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "to", (struct taco_part){m->group[1].end, m->group[1].end + 1});
    read_degrees(r, m->group[2], (struct taco_part){m->group[2].begin, m->group[0].end});
    return true;
}

/* Can the mark behind the number stand for feet or inches? A quote closes what was opened
 * before it. Years are not measured, doubled marks are quotes, and three or four decimals
 * are eighths or sixteenths. */
static bool is_measure_mark(const struct taco_reader *r, struct taco_part number) {
    enum { DECIMALS = 3 };
    char mark = r->window[number.end], next = r->window[number.end + 1];
    if (next == '\'' || next == '"' || taco_reader_quote_open(r, (unsigned char)mark))
        return false;
    const char *point = memchr(r->window + number.begin, '.', number.end - number.begin);
    uint32_t value = taco_part_number(r, number);
    if (!point)
        return number.end - number.begin != 4 || value < 1000 || value >= 2100;
    uint32_t first = (uint32_t)(point - r->window) + 1, n = number.end - first;
    uint32_t decimals = taco_part_number(r, (struct taco_part){first, number.end});
    return n < 3 || (n == 3 && decimals % 125 == 0) || (n == 4 && decimals % 625 == 0);
}

/* 5'11, 5' 6", 5 ft 3 in; 1 feet, 2 inches */
bool taco_rule_feet_inches(struct taco_reader *r, const struct taco_match *m) {
    enum { INCHES = 12 };
    uint32_t end = m->group[0].end;
    bool mark = r->window[m->group[1].end] == '\'';
    bool dash = mark && r->window[m->group[1].end + 1] == '-';
    if ((mark && (!is_measure_mark(r, m->group[1]) ||
                  taco_part_number(r, m->group[2]) >= INCHES)) ||
        (dash && r->window[end - 1] != '"'))
        return false;
    bool attribute = taco_reader_attributive(r, m->group[0].end);
    for (int i = 1; i < 3; i++) {
        bool one = attribute || taco_part_is_one(r, m->group[i]);
        taco_reader_number(r, m->group[i]);
        taco_reader_words(r, i == 1 ? (one ? "foot" : "feet") : (one ? "inch" : "inches"),
                          m->group[i]);
    }
    return true;
}

/* 6' wide; 1 number */
bool taco_rule_feet(struct taco_reader *r, const struct taco_match *m) {
    if (!is_measure_mark(r, m->group[1]))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(
        r, taco_reader_singular(r, m->group[1], m->group[0].end) ? "foot" : "feet",
        m->group[1]);
    return true;
}

/* 13"; 1 number */
bool taco_rule_inches(struct taco_reader *r, const struct taco_match *m) {
    if (!is_measure_mark(r, m->group[1]))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(
        r, taco_reader_singular(r, m->group[1], m->group[0].end) ? "inch" : "inches",
        m->group[1]);
    return true;
}

static void read_mark(struct taco_reader *r, char mark, bool one, struct taco_part part) {
    const char *feet = one ? "foot" : "feet", *inches = one ? "inch" : "inches";
    taco_reader_words(r, mark == '\'' ? feet : inches, part);
}

/* 1/2", 3 1/2"; 1 whole, 2 and 3 the fraction: inches have halves to sixty fourths */
bool taco_rule_fraction_inches(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part fraction = {m->group[2].begin, m->group[3].end};
    uint32_t above = taco_part_number(r, m->group[2]);
    uint32_t below = taco_part_number(r, m->group[3]);
    bool whole = taco_match_has(m, 1);
    if (above == 0 || above >= below || below > 64 || (below & (below - 1)) ||
        taco_reader_quote_open(r, '"'))
        return false;
    if (whole) {
        taco_reader_number(r, m->group[1]);
        taco_reader_words(r, "and", m->group[2]);
    }
    taco_reader_piece(r, fraction);
    read_mark(r, '"', !whole || taco_reader_attributive(r, m->group[0].end), fraction);
    return true;
}

/* 12"-14", 10'x12', 12-14"; 1 and 2, each with its mark */
bool taco_rule_marked_pair(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part a = m->group[1], b = m->group[2], sign = {a.end, b.begin};
    char first = r->window[a.end], last = r->window[b.end];
    bool marked = first == '\'' || first == '"';
    if ((marked && (first != last || !is_measure_mark(r, a))) || !is_measure_mark(r, b))
        return false;
    bool range = memchr(r->window + sign.begin, '-', sign.end - sign.begin);
    bool attribute = taco_reader_attributive(r, m->group[0].end);
    taco_reader_number(r, a);
    if (marked && !range)
        read_mark(r, first, attribute || taco_part_is_one(r, a), a);
    taco_reader_words(r, range ? "to" : "by", sign);
    taco_reader_number(r, b);
    read_mark(r, last, attribute || taco_part_is_one(r, b), b);
    return true;
}

/* 40°26'46" N: 1 degrees, 2 minutes, 3 seconds */
bool taco_rule_arc(struct taco_reader *r, const struct taco_match *m) {
    static const char *const names[][2] = {
        {"degree", "degrees"}, {"minute", "minutes"}, {"second", "seconds"}};
    if (taco_part_number(r, m->group[2]) >= 60)
        return false;
    for (int i = 1; i < 4; i++)
        if (taco_match_has(m, i)) {
            taco_reader_number(r, m->group[i]);
            taco_reader_words(r, names[i - 1][!taco_part_is_one(r, m->group[i])],
                              m->group[i]);
        }
    struct taco_part last = {m->group[0].end - 1, m->group[0].end};
    const char *direction = direction_of(r->window[last.begin]);
    if (direction)
        taco_reader_words(r, direction, last);
    return true;
}

/* Does a quantity stand before the window: 3 m, 12", 5? */
static bool after_quantity(const struct taco_reader *r) {
    const struct taco_code_point *at = r->code_points->at;
    const struct taco_token *token = &r->tokens->at[r->token];
    if (r->token == r->from)
        return false;
    const struct taco_token *before = token - 1;
    bool marked = before->end == before->core_end + 1 &&
                  (at[before->core_end].cp == '"' || at[before->core_end].cp == '\'');
    if (marked || taco_char_is_digit(r->before[0]))
        return taco_cp_is_digit(at[before->core].cp);
    for (uint32_t k = 1; k < 3 && r->before[0] && r->token >= r->from + k; k++)
        if (taco_cp_is_digit(at[token[-(int32_t)k].core].cp))
            return true;
    return false;
}

/* 3 m x 4 m, 12" x 14", 2 * 10 nm; 1 number, 2 unit */
bool taco_rule_by(struct taco_reader *r, const struct taco_match *m) {
    uint32_t begin = m->group[0].begin, end = m->group[1].end;
    bool mark = end < m->group[0].end && strchr("'\"", r->window[end]);
    if (!after_quantity(r) || (mark && !is_measure_mark(r, m->group[1])) ||
        (taco_match_has(m, 2) && m->group[2].begin > end &&
         taco_unit_is_stuck(r, m->group[2])))
        return false;
    taco_reader_words(r, r->window[begin] == '*' ? "times" : "by",
                      (struct taco_part){begin, begin + 1});
    taco_reader_number(r, m->group[1]);
    bool one = taco_part_is_one(r, m->group[1]);
    if (mark)
        read_mark(r, r->window[end], one, m->group[1]);
    else if (taco_match_has(m, 2))
        taco_read_unit(r, m->group[2], one);
    return true;
}
