/* Words and signs one by one: what no rule is needed for. */
#include "text/reading_rules.h"

#include <string.h>

/* How a sign inside or beside words is read where no rule knows better. */
struct sign {
    uint32_t cp;
    char window;        /* what the patterns see; 0: itself */
    const char *spoken; /* NULL: nothing */
    const char *number; /* right before a digit, if that differs */
};

static const struct sign signs[] = {
    {'#', 0, "hash", "number"},
    {'$', TACO_SIGN_MONEY[0], "dollar", NULL},
    {'%', 0, "percent", NULL},
    {'&', 0, "and", NULL},
    {'*', 0, NULL, NULL},
    {'+', 0, "plus", NULL},
    {'/', 0, "slash", NULL},
    {'<', 0, NULL, "less than"},
    {'=', 0, "equals", NULL},
    {'>', 0, NULL, "greater than"},
    {'@', 0, "at", NULL},
    {'\\', 0, "backslash", NULL},
    {'^', 0, NULL, "to the power of"},
    {'_', 0, NULL, NULL},
    {'|', 0, NULL, NULL},
    {'~', 0, NULL, "about"},
    {0x00A2, TACO_SIGN_CENT[0], "cents", NULL},
    {0x00A3, TACO_SIGN_MONEY[0], "pounds", NULL},
    {0x00A5, TACO_SIGN_MONEY[0], "yen", NULL},
    {0x00A7, TACO_SIGN_OTHER[0], "section", NULL},
    {0x00A9, TACO_SIGN_OTHER[0], "copyright", NULL},
    {0x00B0, TACO_SIGN_DEGREE[0], "degrees", NULL},
    {0x00B1, TACO_SIGN_OTHER[0], "plus or minus", NULL},
    {0x00D7, TACO_SIGN_TIMES[0], "times", NULL},
    {0x00F7, TACO_SIGN_OTHER[0], "divided by", NULL},
    {0x2030, TACO_SIGN_OTHER[0], "per mille", NULL},
    {0x20A9, TACO_SIGN_MONEY[0], "won", NULL},
    {0x20AA, TACO_SIGN_MONEY[0], "shekels", NULL},
    {0x20AC, TACO_SIGN_MONEY[0], "euros", NULL},
    {0x20B9, TACO_SIGN_MONEY[0], "rupees", NULL},
    {0x20BD, TACO_SIGN_MONEY[0], "rubles", NULL},
    {0x2212, '-', "minus", NULL},
    {0x2103, TACO_SIGN_OTHER[0], "degrees celsius", NULL},
    {0x2109, TACO_SIGN_OTHER[0], "degrees fahrenheit", NULL},
    {0x2116, TACO_SIGN_OTHER[0], "number", NULL},
    {0x221A, TACO_SIGN_OTHER[0], "square root of", NULL},
    {0x221E, TACO_SIGN_OTHER[0], "infinity", NULL},
    {0x2248, TACO_SIGN_OTHER[0], "approximately", NULL},
    {0x2260, TACO_SIGN_OTHER[0], "is not equal to", NULL},
    {0x2264, TACO_SIGN_OTHER[0], "at most", NULL},
    {0x2265, TACO_SIGN_OTHER[0], "at least", NULL},
};

/* U+0391 to U+03A9 and, the same in small, U+03B1 to U+03C9. */
static const char *const greek[25] = {
    "alpha", "beta",   "gamma",   "delta", "epsilon", "zeta",    "eta",  "theta", "iota",
    "kappa", "lambda", "mu",      "nu",    "xi",      "omicron", "pi",   "rho",   "sigma",
    "sigma", "tau",    "upsilon", "phi",   "chi",     "psi",     "omega"};

static const char *greek_name(uint32_t cp) {
    uint32_t small = cp >= 0x391 && cp <= 0x3A9 ? cp + 0x20 : cp == 0xB5 ? 0x3BC : cp;
    return small >= 0x3B1 && small <= 0x3C9 ? greek[small - 0x3B1] : NULL;
}

static const struct sign *find_sign(uint32_t cp) {
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (signs[i].cp == cp)
            return &signs[i];
    return NULL;
}

bool taco_reading_knows(uint32_t cp) {
    return cp >= 0x80 && find_sign(cp);
}

char taco_reading_window_sign(uint32_t cp) {
    const struct sign *sign = find_sign(cp);
    if (cp == 0xB5 || cp == 0x3BC)
        return TACO_SIGN_MICRO[0];
    if (cp == 0x3A9)
        return TACO_SIGN_OHM[0];
    if (greek_name(cp))
        return TACO_SIGN_OTHER[0];
    return sign ? sign->window : '\0';
}

static void note_dropped(struct taco_reader *r, uint32_t begin, uint32_t end) {
    const struct taco_code_point *at = r->code_points->at;
    struct taco_span span =
        taco_builder_span(r->builder, at[begin].begin, at[end - 1].end);
    if (!taco_builder_add_note(r->builder, TACO_NOTE_DROPPED, span, "", 0))
        r->no_memory = true;
}

/* Words that Flite takes for something else: states, Roman numerals, a radio band. */
static const struct {
    const char *text, *given;
    enum taco_reading reading;
} odd_words[] = {
    {"Blvd", "boulevard", TACO_READ_WORD}, {"Ctrl", "control", TACO_READ_WORD},
    {"Jr", "junior", TACO_READ_WORD},      {"vs", "versus", TACO_READ_WORD},
    {"etc", "etcetera", TACO_READ_WORD},   {"AI", "AI", TACO_READ_LETTERS},
    {"AM", "AM", TACO_READ_LETTERS},       {"Al", "al", TACO_READ_WORD},
    {"CEO", "CEO", TACO_READ_LETTERS},     {"Cal", "cal", TACO_READ_WORD},
    {"De", "de", TACO_READ_WORD},          {"Del", "del", TACO_READ_WORD},
    {"EU", "EU", TACO_READ_LETTERS},       {"Hi", "hi", TACO_READ_WORD},
    {"ID", "ID", TACO_READ_LETTERS},       {"Ind", "ind", TACO_READ_WORD},
    {"La", "la", TACO_READ_WORD},          {"Lou", "lou", TACO_READ_WORD},
    {"Ma", "ma", TACO_READ_WORD},          {"Mass", "mass", TACO_READ_WORD},
    {"Me", "me", TACO_READ_WORD},          {"Miss", "miss", TACO_READ_WORD},
    {"Mo", "mo", TACO_READ_WORD},          {"Ms", "miz", TACO_READ_WORD},
    {"OK", "OK", TACO_READ_LETTERS},       {"Ok", "OK", TACO_READ_LETTERS},
    {"Or", "or", TACO_READ_WORD},          {"PC", "PC", TACO_READ_LETTERS},
    {"Pa", "pa", TACO_READ_WORD},          {"Penn", "penn", TACO_READ_WORD},
    {"TV", "TV", TACO_READ_LETTERS},       {"UK", "UK", TACO_READ_LETTERS},
    {"UN", "UN", TACO_READ_LETTERS},       {"US", "US", TACO_READ_LETTERS},
    {"USA", "USA", TACO_READ_LETTERS},     {"Wash", "wash", TACO_READ_WORD},
    {"ok", "OK", TACO_READ_LETTERS},
};

/* Letters and apostrophes. */
void taco_reader_word(struct taco_reader *r, struct taco_part part) {
    char text[TACO_WINDOW];
    size_t n = 0;
    bool ascii = true;
    for (uint32_t i = part.begin; i < part.end; i++) {
        text[n++] = r->window[i];
        ascii = ascii && r->window[i] != TACO_CHAR_FOREIGN;
    }
    text[n] = '\0';
    enum taco_reading reading = TACO_READ_PLAIN;
    const char *given = text;
    for (size_t i = 0; i < sizeof odd_words / sizeof *odd_words; i++)
        if (strcmp(odd_words[i].text, text) == 0) {
            given = odd_words[i].given;
            reading = odd_words[i].reading;
        }
    if (!ascii)
        given = ""; /* only a front end of characters lets such letters through */
    struct taco_item *item = taco_reader_add(r, given, strlen(given), reading, part);
    if (item)
        item->verbatim = true;
}

/* The suffix of an ordinal: "st" would be said as street. */
static bool is_suffix(const struct taco_reader *r, struct taco_part part) {
    static const char *const suffixes[] = {"st", "nd", "rd", "th"};
    char first = taco_char_lower(r->window[part.begin]);
    char second = taco_char_lower(r->window[part.begin + 1]);
    for (size_t i = 0; i < 4 && part.end - part.begin == 2; i++)
        if (suffixes[i][0] == first && suffixes[i][1] == second)
            return true;
    return false;
}

/* Letters stuck to digits: "BA" of BA2490 by their names. */
static void add_letters(struct taco_reader *r, struct taco_part part, bool digits) {
    uint32_t n = part.end - part.begin;
    bool capitals = digits && n <= 3;
    for (uint32_t i = part.begin; i < part.end; i++)
        capitals = capitals && taco_char_is_upper(r->window[i]);
    if (n == 1 || capitals || (digits && is_suffix(r, part)))
        taco_reader_part(r, TACO_READ_LETTERS, part);
    else
        taco_reader_word(r, part);
}

/* Digits stuck to letters: 380 of A380 in pairs. */
static void add_digits(struct taco_reader *r, struct taco_part part, bool letters) {
    uint32_t n = part.end - part.begin;
    if (!letters)
        taco_reader_integer(r, part);
    else if ((r->window[part.begin] == '0' && n > 1) || n > 4)
        taco_reader_part(r, TACO_READ_DIGITS, part);
    else
        taco_reader_part(r, n < 3 ? TACO_READ_NUMBER : TACO_READ_YEAR, part);
}

static void add_sign(struct taco_reader *r, uint32_t at, struct taco_part whole) {
    uint32_t code_point = r->code_point[at];
    uint32_t cp = r->code_points->at[code_point].cp;
    char before = at > whole.begin ? r->window[at - 1] : '\0';
    char after = r->window[at + 1];
    const struct sign *sign = find_sign(cp);
    const char *spoken = sign ? sign->spoken : greek_name(cp);
    if (after == ' ')
        after = r->window[at + 2];
    if (sign && sign->number && (taco_char_is_digit(after) || after == '-'))
        spoken = sign->number;
    if (cp == '*' && taco_char_is_digit(before) && taco_char_is_digit(after))
        spoken = "times";
    if (cp == '_' && taco_char_is_letter(before) && taco_char_is_letter(after))
        spoken = "underscore";
    if ((cp == '=' || cp == '-') && r->window[at + 1] == '>')
        spoken = NULL; /* an arrow */
    if (cp == '.' && at > whole.begin && at + 1 < whole.end)
        spoken = "dot";
    if (spoken)
        taco_reader_words(r, spoken, (struct taco_part){at, at + 1});
    else if (!taco_cp_is_punctuation(cp))
        note_dropped(r, code_point, code_point + 1);
    else if (strchr(",;:!?", r->window[at]))
        taco_reader_pause(r);
}

void taco_reader_mixed(struct taco_reader *reader, struct taco_part part) {
    const char *w = reader->window;
    for (uint32_t i = part.begin; i < part.end;) {
        uint32_t end;
        if (taco_char_is_letter(w[i]) || w[i] == TACO_CHAR_FOREIGN) {
            end = taco_reader_run(reader, i, part.end, taco_char_is_word);
            while (end > i + 1 && w[end - 1] == '\'')
                end--;
            bool digits = (i > part.begin && taco_char_is_digit(w[i - 1])) ||
                          (end < part.end && taco_char_is_digit(w[end]));
            add_letters(reader, (struct taco_part){i, end}, digits);
        } else if (taco_char_is_digit(w[i])) {
            end = taco_reader_run(reader, i, part.end, taco_char_is_digit);
            bool letters = (i > part.begin && taco_char_is_letter(w[i - 1])) ||
                           (end < part.end && taco_char_is_letter(w[end]));
            uint32_t point = end;
            if (!letters && end + 1 < part.end && w[end] == '.' &&
                taco_char_is_digit(w[end + 1]))
                point = taco_reader_run(reader, end + 1, part.end, taco_char_is_digit);
            if (point > end) {
                end = point;
                taco_reader_part(reader, TACO_READ_REAL, (struct taco_part){i, end});
            } else {
                add_digits(reader, (struct taco_part){i, end}, letters);
            }
        } else if (w[i] == '^' && (w[i + 1] == '2' || w[i + 1] == '3') &&
                   i + 1 < part.end && !taco_char_is_digit(w[i + 2])) {
            end = i + 2;
            taco_reader_words(reader, w[i + 1] == '2' ? "squared" : "cubed",
                              (struct taco_part){i + 1, end});
        } else {
            end = i + 1;
            add_sign(reader, i, part);
        }
        i = end;
    }
}
