/* Quantities with their units: a unit is a base with an SI prefix or without, raised to a
 * power or not, divided by another. */
#include "text/reading_match.h"

#include <stdio.h>
#include <string.h>

/* -- the table ------------------------------------------------------------------- */

struct unit {
    const char *text, *one, *many;
    const char *prefixes; /* those that people use with it; "" none */
    bool stuck;           /* without a prefix only right behind its number */
    bool length;          /* m^2 is a square meter; s^2 is a second squared */
    bool prefixed;        /* nothing without a prefix */
};

/* The micro sign, and the ohm sign, as the window has them. */
#define MICRO TACO_SIGN_MICRO
#define OHM TACO_SIGN_OHM

static const struct unit units[] = {
    {"m", "meter", "meters", "kcmnp" MICRO "u", false, true, false},
    {"g", "gram", "grams", "km" MICRO "un", false, false, false},
    {"s", "second", "seconds", "mn" MICRO "u", true, false, false},
    {"L", "liter", "liters", "mcdh" MICRO "u", false, false, false},
    {"l", "liter", "liters", "mcdh" MICRO, true, false, false},
    {"A", "amp", "amps", "km" MICRO, true, false, true},
    {"V", "volt", "volts", "kmM" MICRO, false, false, false},
    {"W", "watt", "watts", "kMGTm" MICRO, false, false, false},
    {"J", "joule", "joules", "kMGm", true, false, true},
    {"N", "newton", "newtons", "kMm", true, false, true},
    {"F", "farad", "farads", "mpn" MICRO "u", true, false, true},
    {"H", "henry", "henries", "mn" MICRO, true, false, true},
    {"T", "tesla", "teslas", "m" MICRO, true, false, true},
    {OHM, "ohm", "ohms", "kMGm" MICRO, false, false, false},
    {"Pa", "pascal", "pascals", "khMG", false, false, false},
    {"Hz", "hertz", "hertz", "kKMGT", false, false, false},
    {"hz", "hertz", "hertz", "kmg", false, false, false},
    {"B", "byte", "bytes", "kKMGTPE", true, false, true},
    {"b", "bit", "bits", "kKMGT", true, false, true},
    {"bit", "bit", "bits", "kKMGT", false, false, false},
    {"bps", "bit per second", "bits per second", "kKMGTmg", false, false, false},
    {"Bps", "byte per second", "bytes per second", "kKMGT", false, false, false},
    {"Wh", "watt hour", "watt hours", "kMGT", false, false, false},
    {"Ah", "amp hour", "amp hours", "mk", false, false, false},
    {"VA", "volt amp", "volt amps", "kM", false, false, false},
    {"eV", "electron volt", "electron volts", "kMGT", false, false, false},
    {"Nm", "newton meter", "newton meters", "", false, false, false},
    {"cal", "calorie", "calories", "k", false, false, false},
    {"mol", "mole", "moles", "mk" MICRO, false, false, false},
    {"bar", "bar", "bars", "m", false, false, false},
    {"Sv", "sievert", "sieverts", "m" MICRO, false, false, false},
    {"Gy", "gray", "grays", "mc", false, false, false},
    {"Bq", "becquerel", "becquerels", "kMG", false, false, false},
    {"lm", "lumen", "lumens", "", false, false, false},
    {"lx", "lux", "lux", "", false, false, false},
    {"cd", "candela", "candelas", "", false, false, false},
    {"Wb", "weber", "webers", "m", false, false, false},
    {"dB", "decibel", "decibels", "", false, false, false},
    {"dBm", "decibel milliwatt", "decibel milliwatts", "", false, false, false},
    {"kb", "kilobyte", "kilobytes", "", false, false, false},
    {"mb", "megabyte", "megabytes", "", false, false, false},
    {"gb", "gigabyte", "gigabytes", "", false, false, false},
    {"tb", "terabyte", "terabytes", "", false, false, false},
    {"KiB", "kibibyte", "kibibytes", "", false, false, false},
    {"MiB", "mebibyte", "mebibytes", "", false, false, false},
    {"GiB", "gibibyte", "gibibytes", "", false, false, false},
    {"TiB", "tebibyte", "tebibytes", "", false, false, false},
    {"kgs", "kilogram", "kilograms", "", false, false, false},
    {"KG", "kilogram", "kilograms", "", false, false, false},
    {"Kg", "kilogram", "kilograms", "", false, false, false},
    {"KM", "kilometer", "kilometers", "", false, true, false},
    {"Km", "kilometer", "kilometers", "", false, true, false},
    {"kms", "kilometer", "kilometers", "", false, false, false},
    {"mcg", "microgram", "micrograms", "", false, false, false},
    {"t", "ton", "tons", "", true, false, false},
    {"st", "stone", "stone", "", false, false, false},
    {"lb", "pound", "pounds", "", false, false, false},
    {"lb.", "pound", "pounds", "", false, false, false},
    {"lbs", "pound", "pounds", "", false, false, false},
    {"lbs.", "pound", "pounds", "", false, false, false},
    {"lbf", "pound force", "pounds force", "", false, false, false},
    {"oz", "ounce", "ounces", "", false, false, false},
    {"oz.", "ounce", "ounces", "", false, false, false},
    {"cwt", "hundredweight", "hundredweight", "", false, false, false},
    {"ct", "carat", "carats", "", true, false, false},
    {"mi", "mile", "miles", "", false, true, false},
    {"ft", "foot", "feet", "", false, true, false},
    {"ft.", "foot", "feet", "", false, true, false},
    {"yd", "yard", "yards", "", false, true, false},
    {"yds", "yard", "yards", "", false, true, false},
    {"in", "inch", "inches", "", true, true, false},
    {"nmi", "nautical mile", "nautical miles", "", false, false, false},
    {"ly", "light year", "light years", "", false, false, false},
    {"au", "astronomical unit", "astronomical units", "", true, false, false},
    {"pc", "parsec", "parsecs", "kM", true, false, false},
    {"mph", "mile per hour", "miles per hour", "", false, false, false},
    {"kph", "kilometer per hour", "kilometers per hour", "", false, false, false},
    {"kmh", "kilometer per hour", "kilometers per hour", "", false, false, false},
    {"fps", "frame per second", "frames per second", "", false, false, false},
    {"rpm", "revolution per minute", "revolutions per minute", "", false, false, false},
    {"RPM", "revolution per minute", "revolutions per minute", "", false, false, false},
    {"bpm", "beat per minute", "beats per minute", "", false, false, false},
    {"mpg", "mile per gallon", "miles per gallon", "", false, false, false},
    {"wpm", "word per minute", "words per minute", "", false, false, false},
    {"kn", "knot", "knots", "", true, false, false},
    {"kt", "knot", "knots", "", true, false, false},
    {"kts", "knot", "knots", "", false, false, false},
    {"ac", "acre", "acres", "", true, false, false},
    {"ha", "hectare", "hectares", "", false, false, false},
    {"cc", "cubic centimeter", "cubic centimeters", "", false, false, false},
    {"bbl", "barrel", "barrels", "", false, false, false},
    {"gal", "gallon", "gallons", "", false, false, false},
    {"qt", "quart", "quarts", "", false, false, false},
    {"pt", "pint", "pints", "", true, false, false},
    {"tsp", "teaspoon", "teaspoons", "", false, false, false},
    {"tbsp", "tablespoon", "tablespoons", "", false, false, false},
    {"sec", "second", "seconds", "", false, false, false},
    {"secs", "second", "seconds", "", false, false, false},
    {"min", "minute", "minutes", "", false, false, false},
    {"mins", "minute", "minutes", "", false, false, false},
    {"h", "hour", "hours", "", true, false, false},
    {"hr", "hour", "hours", "", false, false, false},
    {"hrs", "hour", "hours", "", false, false, false},
    {"d", "day", "days", "", true, false, false},
    {"mo", "month", "months", "", false, false, false},
    {"wk", "week", "weeks", "", false, false, false},
    {"wks", "week", "weeks", "", false, false, false},
    {"yr", "year", "years", "", false, false, false},
    {"yrs", "year", "years", "", false, false, false},
    {"hp", "horsepower", "horsepower", "", false, false, false},
    {"HP", "horsepower", "horsepower", "", true, false, false},
    {"psi", "pound per square inch", "pounds per square inch", "", false, false, false},
    {"atm", "atmosphere", "atmospheres", "", false, false, false},
    {"mmHg", "millimeter of mercury", "millimeters of mercury", "", false, false, false},
    {"BTU", "British thermal unit", "British thermal units", "", false, false, false},
    {"ppm", "part per million", "parts per million", "", false, false, false},
    {"ppb", "part per billion", "parts per billion", "", false, false, false},
    {"px", "pixel", "pixels", "", false, false, false},
    {"MP", "megapixel", "megapixels", "", true, false, false},
    {"Mpx", "megapixel", "megapixels", "", false, false, false},
    {"dpi", "dot per inch", "dots per inch", "", false, false, false},
    {"ppi", "pixel per inch", "pixels per inch", "", false, false, false},
    {"rad", "radian", "radians", "m", true, false, false},
    {"sqft", "square foot", "square feet", "", false, false, false},
    {"sqm", "square meter", "square meters", "", false, false, false},
};

static const struct {
    char text;
    const char *spoken;
} prefixes[] = {
    {'k', "kilo"},  {'K', "kilo"}, {'M', "mega"},  {'G', "giga"},
    {'g', "giga"},  {'T', "tera"}, {'P', "peta"},  {'E', "exa"},
    {'h', "hecto"}, {'d', "deci"}, {'c', "centi"}, {'m', "milli"},
    {'u', "micro"}, {'n', "nano"}, {'p', "pico"},  {TACO_SIGN_MICRO[0], "micro"},
};

/* One factor of a unit: [sq |cu ] [prefix] base [power]. */
struct factor {
    const struct unit *unit;
    const char *prefix; /* "kilo", or "" */
    int power;          /* 1, 2, 3 */
    bool named;         /* its power is a word before it: sq, cu */
    uint32_t end;       /* 0: there is no unit */
};

static bool is_unit_char(char c) {
    return taco_char_is_letter(c) || c == MICRO[0] || c == OHM[0];
}

static const char *prefix_of(char c) {
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (prefixes[i].text == c)
            return prefixes[i].spoken;
    return "";
}

/* The base of a unit of the letters in part, with a prefix or without. */
static void find_base(const struct taco_reader *r, struct taco_part part,
                      struct factor *f) {
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!units[i].prefixed && taco_part_is(r, part, units[i].text)) {
            f->unit = &units[i];
            f->prefix = "";
            f->end = part.end;
            return;
        }
    char first = r->window[part.begin];
    struct taco_part rest = {part.begin + 1, part.end};
    for (size_t i = 0; i < sizeof units / sizeof *units && rest.end > rest.begin; i++)
        if (strchr(units[i].prefixes, first) && taco_part_is(r, rest, units[i].text)) {
            f->unit = &units[i];
            f->prefix = prefix_of(first);
            /* Small letters for what has no name of its own: mbps, ghz. */
            if (first == 'm' &&
                (strcmp(units[i].text, "hz") == 0 || strcmp(units[i].text, "bps") == 0))
                f->prefix = "mega";
            f->end = part.end;
            return;
        }
}

static uint32_t power_word_end(const struct taco_reader *r, uint32_t at, int *power) {
    static const struct {
        const char *text;
        int power;
    } words[] = {{"sq", 2}, {"cu", 3}};
    for (int i = 0; i < 2; i++) {
        if (!taco_part_is(r, (struct taco_part){at, at + 2}, words[i].text))
            continue;
        uint32_t end = at + 2;
        end += r->window[end] == '.';
        if (r->window[end] != ' ')
            continue;
        *power = words[i].power;
        return end + 1;
    }
    return at;
}

static struct factor factor_at(const struct taco_reader *r, uint32_t at) {
    struct factor f = {.power = 1};
    uint32_t begin = power_word_end(r, at, &f.power);
    f.named = begin > at;
    uint32_t end = taco_reader_run(r, begin, r->length, is_unit_char);
    if (r->window[end] == '.' && end > begin)
        find_base(r, (struct taco_part){begin, end + 1}, &f);
    if (!f.end && end > begin)
        find_base(r, (struct taco_part){begin, end}, &f);
    if (!f.end)
        return f;
    char c = r->window[f.end];
    uint32_t at_power = f.end + (c == '^');
    bool squared = r->window[at_power] == '2' || r->window[at_power] == '3';
    if (!f.named && squared && !taco_char_is_digit(r->window[at_power + 1]) &&
        (c == '^' || f.unit->length)) {
        f.power = r->window[at_power] - '0';
        f.end = at_power + 1;
    }
    return f;
}

uint32_t taco_unit_end(const struct taco_reader *r, uint32_t at) {
    struct factor f = factor_at(r, at);
    if (!f.end)
        return at;
    if (r->window[f.end] == '/') {
        struct factor below = factor_at(r, f.end + 1);
        if (below.end)
            return below.end;
    }
    return f.end;
}

bool taco_unit_is_stuck(const struct taco_reader *r, struct taco_part part) {
    struct factor f = factor_at(r, part.begin);
    return f.end == part.end && f.unit->stuck && !*f.prefix && f.power == 1;
}

static void read_factor(struct taco_reader *r, struct taco_part part,
                        const struct factor *f, bool one) {
    static const char *const before[] = {"", "", "square ", "cubic "};
    static const char *const behind[] = {"", "", " squared", " cubed"};
    char words[96];
    bool length = f->unit->length || f->named;
    snprintf(words, sizeof words, "%s%s%s%s", length ? before[f->power] : "", f->prefix,
             one ? f->unit->one : f->unit->many, length ? "" : behind[f->power]);
    taco_reader_words(r, words, part);
}

void taco_read_unit(struct taco_reader *r, struct taco_part part, bool one) {
    struct factor f = factor_at(r, part.begin);
    if (!f.end)
        return;
    read_factor(r, (struct taco_part){part.begin, f.end}, &f, one);
    if (f.end >= part.end)
        return;
    struct factor below = factor_at(r, f.end + 1);
    taco_reader_words(r, "per", (struct taco_part){f.end, f.end + 1});
    if (below.end)
        read_factor(r, (struct taco_part){f.end + 1, below.end}, &below, true);
}

/* -- the rules ------------------------------------------------------------------- */

static bool is_stuck(const struct taco_reader *r, struct taco_part number,
                     struct taco_part unit) {
    return unit.begin == number.end || !taco_unit_is_stuck(r, unit);
}

/* 50g, 2.5 kg, 20 m^2, 5-km; 1 number, 2 unit */
bool taco_rule_measure(struct taco_reader *r, const struct taco_match *m) {
    if (!is_stuck(r, m->group[1], m->group[2]))
        return false;
    bool joined = r->window[m->group[1].end] == '-';
    /* Section 5-m, model 5-L: a letter alone is a unit where a noun follows. */
    if (joined && m->group[2].end == m->group[2].begin + 1 &&
        !taco_reader_attributive(r, m->group[0].end))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_read_unit(r, m->group[2],
                   joined || taco_reader_singular(r, m->group[1], m->group[0].end));
    return true;
}

/* 5-10 km, 2-5lb; 1 from, 2 to, 3 unit */
bool taco_rule_measure_range(struct taco_reader *r, const struct taco_match *m) {
    if (!is_stuck(r, m->group[2], m->group[3]))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "to", (struct taco_part){m->group[1].end, m->group[1].end + 1});
    taco_reader_number(r, m->group[2]);
    taco_read_unit(r, m->group[3], taco_reader_attributive(r, m->group[0].end));
    return true;
}

/* 2x8 m2, 3 x 4 ft; 1 and 2, 3 unit */
bool taco_rule_measure_product(struct taco_reader *r, const struct taco_match *m) {
    if (!is_stuck(r, m->group[2], m->group[3]))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "by", (struct taco_part){m->group[1].end, m->group[2].begin});
    taco_reader_number(r, m->group[2]);
    taco_read_unit(r, m->group[3], taco_reader_attributive(r, m->group[0].end));
    return true;
}

/* 1920x1080, 3 x 4 x 5; 3x4 is a product */
bool taco_rule_resolution(struct taco_reader *r, const struct taco_match *m) {
    bool product =
        !taco_match_has(m, 3) && taco_part_number(r, m->group[1]) < 100 &&
        !memchr(r->window + m->group[0].begin, ' ', m->group[0].end - m->group[0].begin);
    for (int i = 1; i < 4 && taco_match_has(m, i); i++) {
        if (i > 1)
            taco_reader_words(r, product ? "times" : "by",
                              (struct taco_part){m->group[i - 1].end, m->group[i].begin});
        taco_reader_integer(r, m->group[i]);
    }
    return true;
}

/* Behind a slash: kg, or the full name of a time. */
static bool is_per(const struct taco_reader *r, struct taco_part unit,
                   struct taco_part word) {
    static const char *const times[] = {"second", "minute", "hour", "day",    "night",
                                        "week",   "month",  "year", "person", NULL};
    if (unit.end > unit.begin)
        return !taco_unit_is_stuck(r, unit);
    for (const char *const *t = times; *t; t++)
        if (taco_part_is(r, word, *t))
            return true;
    return false;
}

static void read_per(struct taco_reader *r, uint32_t slash, struct taco_part unit,
                     struct taco_part word) {
    taco_reader_words(r, "per", (struct taco_part){slash, slash + 1});
    if (unit.end > unit.begin)
        taco_read_unit(r, unit, true);
    else
        taco_reader_word(r, word);
}

/* 12/kg, 20/day; 1 number, 2 unit, 3 word */
bool taco_rule_per_unit(struct taco_reader *r, const struct taco_match *m) {
    if (!is_per(r, m->group[2], m->group[3]))
        return false;
    taco_reader_number(r, m->group[1]);
    read_per(r, m->group[1].end, m->group[2], m->group[3]);
    return true;
}

/* 100 miles/hr, 5 times/week: behind a number; 1 what is counted, 2 unit, 3 word */
bool taco_rule_count_per_unit(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part counted = m->group[1];
    if (!taco_char_is_digit(r->before[0]) || counted.end < counted.begin + 3 ||
        !is_per(r, m->group[2], m->group[3]))
        return false;
    taco_reader_word(r, counted);
    read_per(r, counted.end, m->group[2], m->group[3]);
    return true;
}

/* 2h 15m, 1h30m20s: 1, 2 and 3 */
bool taco_rule_duration(struct taco_reader *r, const struct taco_match *m) {
    static const char *const names[][2] = {
        {"hour", "hours"}, {"minute", "minutes"}, {"second", "seconds"}};
    for (int i = 1; i < 4; i++) {
        if (!taco_match_has(m, i))
            continue;
        taco_reader_number(r, m->group[i]);
        taco_reader_words(
            r, names[i - 1][!taco_reader_singular(r, m->group[i], m->group[0].end)],
            m->group[i]);
    }
    return true;
}

/* 5%, 5 %/yr; 1 number, 2 unit, 3 word */
bool taco_rule_percent(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part sign = {m->group[1].end, m->group[1].end + 1};
    sign.end += r->window[sign.begin] == ' ';
    bool per = r->window[sign.end] == '/' && sign.end < m->group[0].end;
    if (per && !is_per(r, m->group[2], m->group[3]))
        return false;
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "percent", (struct taco_part){sign.end - 1, sign.end});
    if (per)
        read_per(r, sign.end, m->group[2], m->group[3]);
    return true;
}

/* 5-10%, 2%-10% */
bool taco_rule_percent_range(struct taco_reader *r, const struct taco_match *m) {
    taco_reader_number(r, m->group[1]);
    taco_reader_words(r, "to", (struct taco_part){m->group[1].end, m->group[1].end + 1});
    taco_reader_number(r, m->group[2]);
    taco_reader_words(r, "percent",
                      (struct taco_part){m->group[0].end - 1, m->group[0].end});
    return true;
}
