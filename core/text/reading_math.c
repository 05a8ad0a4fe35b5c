/* Formulas, and words with signs in them. */
#include "text/reading_match.h"

#include <string.h>

struct operator{
    const char *text, *spoken;
};

/* The longer first. */
static const struct operator operators[] = {
    {"!=", "is not equal to"},
    {"<>", "is not equal to"},
    {">=", "is greater than or equal to"},
    {"<=", "is less than or equal to"},
    {"===", "equals"},
    {"==", "equals"},
    {"+=", "plus equals"},
    {"-=", "minus equals"},
    {"*=", "times equals"},
    {"/=", "divided by equals"},
    {":=", "is defined as"},
    {"=", "equals"},
    {"+", "plus"},
    {"-", "minus"},
    {"*", "times"},
    {"/", "divided by"},
    {TACO_SIGN_TIMES, "times"},
    {"<", "is less than"},
    {">", "is greater than"},
};

/* Arrows, which nobody reads out, are not among them. */
uint32_t taco_operator_end(const struct taco_reader *r, uint32_t at,
                           const char **spoken) {
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        uint32_t n = (uint32_t)strlen(operators[i].text);
        if (!taco_part_is(r, (struct taco_part){at, at + n}, operators[i].text))
            continue;
        char c = r->window[at], next = r->window[at + n];
        if (next && strchr("=<>", next))
            return at; /* an arrow: ->, =>, <- */
        if ((c == '-' || c == '<') && n == 1 && (next == '-' || next == '>'))
            return at;
        if (spoken)
            *spoken = operators[i].spoken;
        return at + n;
    }
    return at;
}

static void read_operator(struct taco_reader *r, struct taco_part part) {
    const char *spoken = NULL;
    taco_operator_end(r, part.begin, &spoken);
    if (spoken)
        taco_reader_words(r, spoken, part);
}

/* != between words; 1 the operator. A punctuation mark right before it is a part of it. */
bool taco_rule_operator(struct taco_reader *r, const struct taco_match *m) {
    static const struct {
        char before, first;
        const char *spoken;
    } split[] = {{'!', '=', "is not equal to"},
                 {'-', '=', "minus equals"},
                 {':', '=', "is defined as"},
                 {'-', '>', NULL}};
    struct taco_part part = m->group[1];
    const struct taco_token *token = &r->tokens->at[r->token];
    uint32_t before = token->begin < token->core && part.begin == 0
                          ? r->code_points->at[token->core - 1].cp
                          : 0;
    char first = r->window[part.begin];
    for (size_t i = 0; i < sizeof split / sizeof *split; i++)
        if (before == (uint32_t)split[i].before && first == split[i].first) {
            if (split[i].spoken)
                taco_reader_words(r, split[i].spoken, part);
            return split[i].spoken;
        }
    if (part.end == part.begin + 1 && strchr("*/-", first))
        return false;
    read_operator(r, part);
    return true;
}

static bool is_term_char(char c) {
    return taco_char_is_letter(c) || taco_char_is_digit(c) || (c && strchr(".,^", c));
}

/* Terms and operators in turn, with spaces between or without. */
static bool read_terms(struct taco_reader *r, struct taco_part part) {
    bool term = true;
    for (uint32_t i = part.begin; i < part.end;) {
        if (r->window[i] == ' ') {
            i++;
            continue;
        }
        bool sign = term && strchr("+-", r->window[i]);
        uint32_t end = taco_reader_run(r, i + sign, part.end, is_term_char);
        struct taco_part piece = {i, end};
        if (term && end > i + sign) {
            if (sign)
                taco_reader_words(r, r->window[i] == '-' ? "minus" : "plus",
                                  (struct taco_part){i, i + 1});
            piece.begin += sign;
            taco_reader_piece(r, piece);
        } else {
            piece.end = taco_operator_end(r, i, NULL);
            if (piece.end == i || term)
                return false;
            read_operator(r, piece);
        }
        term = !term;
        i = piece.end;
    }
    return !term;
}

/* 3-2=1, y = x + 1, 2*8. Where no equals sign stands a hyphen is a range or a dash, and a
 * slash a fraction. */
bool taco_rule_equation(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part all = m->group[0];
    bool equals = false, doubtful = false, any = false, digit = false;
    for (uint32_t i = all.begin; i < all.end; i++) {
        char c = r->window[i];
        equals = equals || strchr("=<>", c);
        doubtful = doubtful || strchr("-/", c);
        any = any || (i > all.begin && !is_term_char(c) && c != ' ');
        digit = digit || taco_char_is_digit(c);
    }
    /* 2 * 10 nm: the number belongs to its unit. */
    uint32_t unit = all.end + 1;
    bool measure =
        r->window[all.end] == ' ' && taco_char_is_digit(r->window[all.end - 1]);
    measure = measure && taco_unit_end(r, unit) > unit &&
              !taco_unit_is_stuck(r, (struct taco_part){unit, taco_unit_end(r, unit)});
    return any && (equals || (digit && !doubtful && !measure)) && read_terms(r, all);
}

/* C#, F# */
bool taco_rule_sharp(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    taco_reader_words(r, "sharp", m->group[0]);
    return true;
}

/* AT&T, R&D */
bool taco_rule_ampersand(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    taco_reader_words(r, "and", (struct taco_part){m->group[1].end, m->group[2].begin});
    taco_reader_part(r, TACO_READ_LETTERS, m->group[2]);
    return true;
}

/* x^2, 10^-3; 1 or 2 base, 3 or 4 exponent */
bool taco_rule_power(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part exponent = m->group[taco_match_has(m, 3) ? 3 : 4];
    taco_reader_piece(r, m->group[taco_match_has(m, 1) ? 1 : 2]);
    if (taco_part_is(r, exponent, "2") || taco_part_is(r, exponent, "3")) {
        taco_reader_words(r, taco_part_is(r, exponent, "2") ? "squared" : "cubed",
                          exponent);
        return true;
    }
    taco_reader_words(r, "to the power of", exponent);
    if (taco_char_is_letter(r->window[exponent.begin]))
        taco_reader_part(r, TACO_READ_LETTERS, exponent);
    else
        taco_reader_number(r, exponent);
    return true;
}

/* Ca2+, Na+, SO4-2: 1 element, 2 count, the charge last */
bool taco_rule_ion(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_LETTERS, m->group[1]);
    if (taco_match_has(m, 2))
        taco_reader_part(r, TACO_READ_NUMBER, m->group[2]);
    uint32_t end = m->group[0].end;
    taco_reader_words(r, r->window[end - 1] == '+' ? "plus" : "minus",
                      (struct taco_part){end - 1, end});
    return true;
}
