/* Money, and quantities with their units. */
#include "text/reading_match.h"

#include <string.h>

/* -- money ----------------------------------------------------------------------- */

struct currency {
    uint32_t cp;
    const char *one, *many, *cent, *cents; /* cent NULL: none */
};

static const struct currency currencies[] = {
    {'$', "dollar", "dollars", "cent", "cents"},
    {0x00A3, "pound", "pounds", "penny", "pence"},
    {0x00A5, "yen", "yen", NULL, NULL},
    {0x20A9, "won", "won", NULL, NULL},
    {0x20AA, "shekel", "shekels", NULL, NULL},
    {0x20AC, "euro", "euros", "cent", "cents"},
    {0x20B9, "rupee", "rupees", "paisa", "paise"},
    {0x20BD, "ruble", "rubles", "kopeck", "kopecks"},
};

static const struct currency *currency_at(const struct taco_reader *r,
                                          struct taco_part part) {
    uint32_t cp = r->code_points->at[r->code_point[part.begin]].cp;
    for (size_t i = 0; i < sizeof currencies / sizeof *currencies; i++)
        if (currencies[i].cp == cp)
            return &currencies[i];
    return NULL;
}

/* "k" and "bn" behind an amount. */
static const char *scale(const struct taco_reader *r, struct taco_part part) {
    static const struct {
        const char *text, *spoken;
    } scales[] = {{"k", "thousand"}, {"K", "thousand"}, {"m", "million"},
                  {"M", "million"},  {"mn", "million"}, {"b", "billion"},
                  {"B", "billion"},  {"bn", "billion"}, {"tn", "trillion"},
                  {"T", "trillion"}};
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        if (taco_part_is(r, part, scales[i].text))
            return scales[i].spoken;
    return NULL;
}

/* sign (a minus), land ("US" of US$), whole, fraction with its '.', short scale, word
 * scale; money: the part with the currency's sign. */
static bool read_money(struct taco_reader *r, const struct taco_match *m, int money,
                       int minus, int land, int whole, int fraction, int letter,
                       int word) {
    const struct currency *currency = currency_at(r, m->group[money]);
    struct taco_part w = m->group[whole], f = m->group[fraction];
    if (!currency || (!taco_match_has(m, whole) && !taco_match_has(m, fraction)) ||
        !taco_part_grouped(r, w))
        return false;
    if (minus && taco_match_has(m, minus))
        taco_reader_words(r, "minus", m->group[minus]);
    const char *scaled = taco_match_has(m, letter) ? scale(r, m->group[letter]) : NULL;
    if (taco_match_has(m, letter) && !scaled)
        return false;
    struct taco_part all = taco_match_has(m, whole) ? w : f;
    bool split =
        !scaled && !taco_match_has(m, word) && currency->cent && f.end - f.begin == 3;
    uint32_t cents = split ? taco_part_number(r, f) : 0;
    bool any = taco_part_number(r, w) > 0;
    if (split) {
        if (any || cents == 0)
            taco_reader_part(r, TACO_READ_NUMBER, taco_match_has(m, whole) ? w : f);
    } else {
        taco_read_real(r, w, f);
    }
    if (scaled)
        taco_reader_words(r, scaled, m->group[letter]);
    if (taco_match_has(m, word)) {
        all = m->group[word];
        taco_reader_mixed(r, all);
    }
    if (land && taco_match_has(m, land))
        taco_reader_part(r, TACO_READ_LETTERS, m->group[land]);
    if (r->token_of[m->group[money].begin] > r->token_of[all.begin])
        all = m->group[money]; /* 50 € */
    bool one = !scaled && !taco_match_has(m, word) &&
               taco_part_is_one(r, w, split ? (struct taco_part){0, 0} : f);
    if (!split || any || cents == 0)
        taco_reader_words(r, one ? currency->one : currency->many, all);
    if (cents) {
        taco_reader_part(r, TACO_READ_NUMBER, (struct taco_part){f.begin + 1, f.end});
        taco_reader_words(r, cents == 1 ? currency->cent : currency->cents, f);
    }
    return true;
}

/* $5.3 billion, US$20, -£3.50, $5k */
bool taco_rule_money_before(struct taco_reader *r, const struct taco_match *m) {
    return read_money(r, m, 3, 1, 2, 4, 5, 6, 8);
}

/* 50 €, 20€ */
bool taco_rule_money_after(struct taco_reader *r, const struct taco_match *m) {
    return read_money(r, m, 3, 0, 0, 1, 2, 4, 4);
}

bool taco_rule_cents(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    taco_reader_words(r, taco_part_number(r, m->group[1]) == 1 ? "cent" : "cents",
                      m->group[1]);
    return true;
}

/* -- quantities ------------------------------------------------------------------ */

bool taco_rule_percent(struct taco_reader *r, const struct taco_match *m) {
    if (!taco_part_grouped(r, m->group[1]))
        return false;
    taco_read_real(r, m->group[1], m->group[2]);
    taco_reader_words(r, "percent",
                      (struct taco_part){m->group[0].end - 1, m->group[0].end});
    return true;
}

/* 20°C, -5 °, 98.6° F; group 3: the scale */
bool taco_rule_degrees(struct taco_reader *r, const struct taco_match *m) {
    taco_read_real(r, m->group[1], m->group[2]);
    taco_reader_words(
        r, taco_part_is_one(r, m->group[1], m->group[2]) ? "degree" : "degrees",
        m->group[0]);
    if (taco_match_has(m, 3))
        taco_reader_words(r,
                          r->window[m->group[3].begin] == 'C'   ? "celsius"
                          : r->window[m->group[3].begin] == 'F' ? "fahrenheit"
                                                                : "kelvin",
                          m->group[3]);
    return true;
}

/* 5'11 of 5'11" */
bool taco_rule_feet_inches(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_part(r, TACO_READ_NUMBER, m->group[1]);
    taco_reader_words(r, taco_part_number(r, m->group[1]) == 1 ? "foot" : "feet",
                      m->group[1]);
    taco_reader_part(r, TACO_READ_NUMBER, m->group[2]);
    taco_reader_words(r, taco_part_number(r, m->group[2]) == 1 ? "inch" : "inches",
                      m->group[2]);
    return true;
}

struct unit {
    const char *text, *one, *many;
    bool stuck; /* only right behind the number: letters of their own otherwise */
};

static const struct unit units[] = {
    {"kg", "kilogram", "kilograms", false},
    {"g", "gram", "grams", false},
    {"mg", "milligram", "milligrams", false},
    {"lb", "pound", "pounds", false},
    {"lbs", "pound", "pounds", false},
    {"oz", "ounce", "ounces", false},
    {"km", "kilometer", "kilometers", false},
    {"m", "meter", "meters", false},
    {"cm", "centimeter", "centimeters", false},
    {"mm", "millimeter", "millimeters", false},
    {"nm", "nanometer", "nanometers", false},
    {"mi", "mile", "miles", false},
    {"ft", "foot", "feet", false},
    {"yd", "yard", "yards", false},
    {"in", "inch", "inches", true},
    {"mph", "mile per hour", "miles per hour", false},
    {"km/h", "kilometer per hour", "kilometers per hour", false},
    {"kph", "kilometer per hour", "kilometers per hour", false},
    {"m/s", "meter per second", "meters per second", false},
    {"l", "liter", "liters", true},
    {"L", "liter", "liters", false},
    {"ml", "milliliter", "milliliters", false},
    {"mL", "milliliter", "milliliters", false},
    {"gal", "gallon", "gallons", false},
    {"s", "second", "seconds", true},
    {"sec", "second", "seconds", false},
    {"secs", "second", "seconds", false},
    {"ms", "millisecond", "milliseconds", false},
    {"min", "minute", "minutes", false},
    {"mins", "minute", "minutes", false},
    {"h", "hour", "hours", true},
    {"hr", "hour", "hours", false},
    {"hrs", "hour", "hours", false},
    {"Hz", "hertz", "hertz", false},
    {"hz", "hertz", "hertz", false},
    {"kHz", "kilohertz", "kilohertz", false},
    {"KHz", "kilohertz", "kilohertz", false},
    {"MHz", "megahertz", "megahertz", false},
    {"GHz", "gigahertz", "gigahertz", false},
    {"KB", "kilobyte", "kilobytes", false},
    {"kB", "kilobyte", "kilobytes", false},
    {"MB", "megabyte", "megabytes", false},
    {"GB", "gigabyte", "gigabytes", false},
    {"TB", "terabyte", "terabytes", false},
    {"Mbps", "megabit per second", "megabits per second", false},
    {"Gbps", "gigabit per second", "gigabits per second", false},
    {"W", "watt", "watts", true},
    {"kW", "kilowatt", "kilowatts", false},
    {"MW", "megawatt", "megawatts", false},
    {"kWh", "kilowatt hour", "kilowatt hours", false},
    {"V", "volt", "volts", true},
    {"mA", "milliamp", "milliamps", false},
    {"dB", "decibel", "decibels", false},
    {"kcal", "kilocalorie", "kilocalories", false},
    {"px", "pixel", "pixels", false},
    {"K", "thousand", "thousand", true},
    {"k", "thousand", "thousand", true},
    {"M", "million", "million", true},
    {"bn", "billion", "billion", true},
};

/* 50g, 2.5 kg, 60 mph, 20 m^2; 1 whole, 2 fraction, 3 unit, 5 its power */
bool taco_rule_measure(struct taco_reader *r, const struct taco_match *m) {
    if (!taco_part_grouped(r, m->group[1]))
        return false;
    bool stuck =
        m->group[3].begin == (taco_match_has(m, 2) ? m->group[2].end : m->group[1].end);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const struct unit *unit = &units[i];
        if (!taco_part_is(r, m->group[3], unit->text) || (unit->stuck && !stuck))
            continue;
        taco_read_real(r, m->group[1], m->group[2]);
        if (taco_match_has(m, 5))
            taco_reader_words(r, r->window[m->group[5].begin] == '2' ? "square" : "cubic",
                              m->group[3]);
        taco_reader_words(
            r, taco_part_is_one(r, m->group[1], m->group[2]) ? unit->one : unit->many,
            m->group[3]);
        return true;
    }
    return false;
}
