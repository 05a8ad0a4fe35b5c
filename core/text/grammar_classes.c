/* Token classes: the words of the patterns. Each matches as much as it can. */
#include "text/grammar.h"
#include "text/reading_terms.h"

#include <string.h>

static bool digit(char c) {
    return taco_char_is_digit(c);
}

static uint32_t run_of(const struct taco_reader *r, uint32_t i, bool (*is)(char)) {
    while (r->window[i] && is(r->window[i]))
        i++;
    return i;
}

static uint32_t digits_end(const struct taco_reader *r, uint32_t i) {
    return run_of(r, i, digit);
}

/* Digits, all of them, at least `low` and at most `high`. */
static uint32_t digits_of(const struct taco_reader *r, uint32_t i, uint32_t low,
                          uint32_t high) {
    uint32_t n = digits_end(r, i) - i;
    return n >= low && n <= high ? i + n : i;
}

static uint32_t d1(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 1, 1);
}
static uint32_t dd(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 1, 2);
}
static uint32_t d2(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 2, 2);
}
static uint32_t d3(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 3, 3);
}
static uint32_t d4(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 4, 4);
}
static uint32_t d5(const struct taco_reader *r, uint32_t i) {
    return digits_of(r, i, 5, 5);
}
static uint32_t digits(const struct taco_reader *r, uint32_t i) {
    return digits_end(r, i);
}

/* Digits, or groups of three of them with commas between. */
static uint32_t integer(const struct taco_reader *r, uint32_t i) {
    uint32_t end = digits_end(r, i);
    if (end == i || end - i > 3 || r->window[end] != ',')
        return end;
    uint32_t grouped = end;
    while (r->window[grouped] == ',') {
        uint32_t next = digits_end(r, grouped + 1);
        if (next == grouped + 1)
            break; /* a comma of the sentence */
        if (next - grouped != 4)
            return end;
        grouped = next;
    }
    return grouped;
}

static uint32_t amount(const struct taco_reader *r, uint32_t i) {
    uint32_t end = integer(r, i);
    uint32_t point = r->window[end] == '.' ? digits_end(r, end + 1) : 0;
    return point > end + 1 ? point : end;
}

static uint32_t number(const struct taco_reader *r, uint32_t i) {
    uint32_t sign = r->window[i] == '-' || r->window[i] == '+';
    uint32_t end = amount(r, i + sign);
    return end > i + sign ? end : i;
}

static uint32_t suffix(const struct taco_reader *r, uint32_t i) {
    static const char *const suffixes[] = {"st", "nd", "rd", "th"};
    char a = taco_char_lower(r->window[i]);
    char b = a ? taco_char_lower(r->window[i + 1]) : '\0';
    for (size_t k = 0; k < 4; k++)
        if (suffixes[k][0] == a && suffixes[k][1] == b)
            return i + 2;
    return i;
}

static uint32_t word(const struct taco_reader *r, uint32_t i) {
    return taco_char_is_letter(r->window[i]) ? run_of(r, i, taco_char_is_word) : i;
}

static uint32_t letters(const struct taco_reader *r, uint32_t i) {
    return run_of(r, i, taco_char_is_letter);
}

static uint32_t capitals(const struct taco_reader *r, uint32_t i) {
    uint32_t end = run_of(r, i, taco_char_is_upper);
    return taco_char_is_letter(r->window[end]) ? i : end;
}

static uint32_t name(const struct taco_reader *r, uint32_t i) {
    return taco_char_is_upper(r->window[i]) ? word(r, i) : i;
}

static bool compound(char c) {
    return taco_char_is_word(c) || c == '-' || taco_char_is_digit(c);
}

static uint32_t words(const struct taco_reader *r, uint32_t i) {
    return taco_char_is_letter(r->window[i]) ? run_of(r, i, compound) : i;
}

/* am, P.M., p.m */
static uint32_t half(const struct taco_reader *r, uint32_t i) {
    char a = taco_char_lower(r->window[i]);
    if (a != 'a' && a != 'p')
        return i;
    uint32_t at = i + 1;
    bool dotted = r->window[at] == '.';
    at += dotted;
    if (taco_char_lower(r->window[at]) != 'm')
        return i;
    at++;
    if (dotted && r->window[at] == '.')
        return at + 1;
    return taco_char_is_word(r->window[at]) && !taco_zone_end(r, at, true) ? i : at;
}

static bool roman_letter(char c) {
    return c && strchr("IVXLCDM", c);
}

static uint32_t roman(const struct taco_reader *r, uint32_t i) {
    uint32_t end = run_of(r, i, roman_letter);
    return taco_roman_value(r->window + i, end - i) ? end : i;
}

static bool scheme_char(char c) {
    return taco_char_is_letter(c) || digit(c) || c == '+' || c == '-' || c == '.';
}

static uint32_t scheme(const struct taco_reader *r, uint32_t i) {
    return taco_char_is_letter(r->window[i]) ? run_of(r, i, scheme_char) : i;
}

static bool not_space(char c) {
    return c != ' ';
}

static uint32_t rest(const struct taco_reader *r, uint32_t i) {
    uint32_t end = run_of(r, i, not_space);
    while (end > i && strchr(".,;:!?)'\"]", r->window[end - 1]))
        end--;
    return end;
}

static bool local_char(char c) {
    return scheme_char(c) || c == '_' || c == '%' || c == '&';
}

static bool label_char(char c) {
    return taco_char_is_letter(c) || digit(c) || c == '-' || c == '_';
}

/* Labels with dots between: at least two of them. */
static uint32_t host(const struct taco_reader *r, uint32_t i) {
    uint32_t end = i, labels = 0;
    for (uint32_t at = i;; at = end + 1) {
        uint32_t next = run_of(r, at, label_char);
        if (next == at)
            break;
        end = next;
        labels++;
        if (r->window[end] != '.')
            break;
    }
    return labels > 1 ? end : i;
}

static uint32_t mail(const struct taco_reader *r, uint32_t i) {
    uint32_t at = run_of(r, i, local_char);
    if (at == i || r->window[at] != '@')
        return i;
    uint32_t end = host(r, at + 1);
    return end > at + 1 ? end : i;
}

/* A host whose last label is a domain or the ending of a file. */
static uint32_t site(const struct taco_reader *r, uint32_t i) {
    uint32_t end = host(r, i), last = end;
    while (last > i && r->window[last - 1] != '.')
        last--;
    return taco_is_domain(r->window + last, end - last) ? end : i;
}

static uint32_t ip(const struct taco_reader *r, uint32_t i) {
    uint32_t at = i;
    for (int k = 0; k < 4; k++) {
        uint32_t end = digits_of(r, at, 1, 3);
        if (end == at || (k < 3 && r->window[end] != '.'))
            return i;
        at = end + (k < 3);
    }
    return at;
}

/* 2.0.1: three numbers or more. */
static uint32_t version(const struct taco_reader *r, uint32_t i) {
    uint32_t at = i, n = 0, end = i;
    for (;; at = end + 1) {
        uint32_t next = digits_end(r, at);
        if (next == at)
            break;
        end = next;
        n++;
        if (r->window[end] != '.')
            break;
    }
    return n > 2 ? end : i;
}

static uint32_t money(const struct taco_reader *r, uint32_t i) {
    uint32_t at = i;
    while (at < i + 2 && taco_char_is_upper(r->window[at]))
        at++;
    return r->window[at] == TACO_SIGN_MONEY[0] ? at + 1 : i;
}

static uint32_t month(const struct taco_reader *r, uint32_t i) {
    return taco_month_end(r, i, NULL);
}
static uint32_t weekday(const struct taco_reader *r, uint32_t i) {
    return taco_weekday_end(r, i, NULL);
}
static uint32_t zone(const struct taco_reader *r, uint32_t i) {
    return taco_zone_end(r, i, false);
}
static uint32_t unit(const struct taco_reader *r, uint32_t i) {
    return taco_unit_end(r, i);
}
static uint32_t scale(const struct taco_reader *r, uint32_t i) {
    return taco_scale_end(r, i);
}
static uint32_t magnitude(const struct taco_reader *r, uint32_t i) {
    return taco_magnitude_end(r, i, NULL);
}
static uint32_t code(const struct taco_reader *r, uint32_t i) {
    return taco_currency_code_end(r, i);
}
static uint32_t state(const struct taco_reader *r, uint32_t i) {
    return taco_state_end(r, i, NULL);
}
static uint32_t street(const struct taco_reader *r, uint32_t i) {
    return taco_street_end(r, i, NULL);
}
static uint32_t direction(const struct taco_reader *r, uint32_t i) {
    return taco_direction_end(r, i, NULL);
}
/* A name that is no word for a street. */
static uint32_t proper(const struct taco_reader *r, uint32_t i) {
    return taco_street_end(r, i, NULL) > i ? i : name(r, i);
}

/* One letter alone. */
static uint32_t variable(const struct taco_reader *r, uint32_t i) {
    return taco_char_is_letter(r->window[i]) && !taco_char_is_word(r->window[i + 1])
               ? i + 1
               : i;
}

static uint32_t element(const struct taco_reader *r, uint32_t i) {
    static const char *const elements[] = {
        "H",  "Li", "Na", "K",   "Rb",  "Cs",  "Mg",  "Ca",  "Sr",  "Ba", "Al",
        "Fe", "Cu", "Zn", "Ag",  "Mn",  "Ni",  "Co",  "Pb",  "Hg",  "Sn", "Cl",
        "Br", "F",  "OH", "NH4", "SO4", "NO3", "CO3", "PO4", "HCO3"};
    uint32_t best = i;
    for (size_t k = 0; k < sizeof elements / sizeof *elements; k++) {
        uint32_t n = (uint32_t)strlen(elements[k]);
        if (n > best - i && strncmp(r->window + i, elements[k], n) == 0)
            best = i + n;
    }
    return best;
}

static uint32_t operator(const struct taco_reader *r, uint32_t i) {
    return taco_operator_end(r, i, NULL);
}

static const struct taco_token_class classes[] = {
    {"d", d1, "one digit"}, {"dd", dd, "one or two digits"}, {"d2", d2, "two digits"},
    {"d3", d3, "three digits"}, {"d4", d4, "four digits"}, {"d5", d5, "five digits"},
    {"digits", digits, "digits"}, {"int", integer, "`12345`, `12,345`"},
    {"amount", amount, "`12`, `1,234.5`, `.5`"},
    {"num", number, "an amount with or without a sign: `-2.5`"},
    {"th", suffix, "`st`, `nd`, `rd`, `th`"}, {"word", word, "letters and apostrophes"},
    {"words", words, "a word and all that hyphens join to it"},
    {"letters", letters, "letters"}, {"CAPS", capitals, "capital letters alone"},
    {"Name", name, "a word with a capital"},
    {"Proper", proper, "a name that is no word for a street"},
    {"v", variable, "one letter alone"},
    {"element", element, "a chemical element or group"},
    {"roman", roman, "a Roman numeral in capitals"}, {"ampm", half, "`am`, `PM`, `p.m.`"},
    {"zone", zone, "a time zone: `EST`, `e.s.t.`, `UTC`"},
    {"month", month, "`January`, `jan.`, `SEPT`"},
    {"weekday", weekday, "`Monday`, `Mon`, `Tues.`"},
    {"unit", unit, "a unit of measure: `kg`, `µs`, `km/h`, `m/s²`, `sq ft`"},
    {"scale", scale, "`thousand`, `million`, `hundred thousand`"},
    {"mag", magnitude, "`k`, `M`, `bn`"},
    {"cur", money, "the sign of a currency: `$`, `US$`, `€`"},
    {"code", code, "the code of a currency: `EUR`"},
    {"state", state, "a state of the United States: `CA`"},
    {"street", street, "`St`, `Ave.`, `Expy`"}, {"dir", direction, "`N`, `S.`, `NW`"},
    {
        "op",
        operator,
        "an operator: `+`, `!=`, `≥`" },
        {"scheme", scheme, "the scheme of an address"},
        {"rest", rest, "all up to the space, but for the punctuation at its end"},
        {"host", host, "names with dots between"},
        {"site", site, "a host that ends with a domain, or a file's name"},
        {"mail", mail, "an e-mail address"},
        {"ip", ip, "four numbers with dots between"},
        {"version", version, "three numbers or more with dots between"},
    };

enum { N_CLASSES = sizeof classes / sizeof *classes };

const struct taco_token_class *taco_token_class_at(uint32_t i) {
    return i < N_CLASSES ? &classes[i] : NULL;
}

const struct taco_token_class *taco_token_class_find(const char *name_, size_t n) {
    for (size_t i = 0; i < N_CLASSES; i++)
        if (strncmp(classes[i].name, name_, n) == 0 && !classes[i].name[n])
            return &classes[i];
    return NULL;
}
