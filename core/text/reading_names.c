/* Roman numerals: of kings and popes, of chapters and wars. */
#include "text/reading_match.h"

#include <stdio.h>
#include <string.h>

uint32_t taco_roman_value(const char *text, size_t n) {
    static const struct {
        const char *text;
        uint32_t value, most; /* how often it may stand */
    } digits[] = {{"M", 1000, 3}, {"CM", 900, 1}, {"D", 500, 1}, {"CD", 400, 1},
                  {"C", 100, 3},  {"XC", 90, 1},  {"L", 50, 1},  {"XL", 40, 1},
                  {"X", 10, 3},   {"IX", 9, 1},   {"V", 5, 1},   {"IV", 4, 1},
                  {"I", 1, 3}};
    uint32_t value = 0;
    size_t at = 0;
    for (size_t i = 0; i < sizeof digits / sizeof *digits; i++) {
        size_t length = strlen(digits[i].text);
        bool any = false;
        for (uint32_t k = 0; k < digits[i].most && at + length <= n; k++) {
            if (memcmp(text + at, digits[i].text, length) != 0)
                break;
            at += length;
            value += digits[i].value;
            any = true;
        }
        if (any && length == 2 && i + 1 < sizeof digits / sizeof *digits)
            i++; /* nothing of the five behind nine or four */
    }
    return at == n && n ? value : 0;
}

/* What counts its kinds: Type II, Chapter IV. */
static const char *const counted[] = {
    "act",    "appendix", "apollo",   "article",  "band",    "bk",     "book",
    "bowl",   "canto",    "case",     "category", "chapter", "ch",     "class",
    "column", "corps",    "division", "edition",  "episode", "ep",     "factor",
    "figure", "final",    "fantasy",  "grade",    "group",   "lesson", "level",
    "mark",   "mk",       "no",       "number",   "page",    "part",   "pt",
    "phase",  "plate",    "psalm",    "quake",    "region",  "rocky",  "saturn",
    "scene",  "schedule", "season",   "section",  "sec",     "series", "stage",
    "step",   "table",    "tier",     "title",    "titan",   "tome",   "type",
    "unit",   "version",  "vol",      "volume",   "war",     "wars",   "world",
    "xp",     "zone",     NULL};

/* Given names that rulers, popes and sons bear. */
static const char *const rulers[] = {
    "albert",   "alexander",   "alfonso",   "alfred",    "andrew",    "antiochus",
    "antony",   "arthur",      "augustus",  "baldwin",   "benedict",  "boniface",
    "calixtus", "carl",        "catherine", "charles",   "christian", "clement",
    "conrad",   "constantine", "cyrus",     "darius",    "david",     "edgar",
    "edmund",   "edward",      "elizabeth", "emanuel",   "eric",      "ernest",
    "eugene",   "felipe",      "ferdinand", "francis",   "franz",     "frank",
    "fred",     "frederick",   "friedrich", "george",    "gregory",   "gustav",
    "gustavus", "haakon",      "harald",    "harold",    "henri",     "henry",
    "honorius", "hugh",        "innocent",  "isabella",  "ivan",      "jack",
    "james",    "joe",         "john",      "joseph",    "juan",      "julius",
    "karl",     "leo",         "leopold",   "louis",     "ludwig",    "malcolm",
    "margaret", "maria",       "martin",    "mary",      "matthew",   "maximilian",
    "mehmed",   "michael",     "mohammed",  "murad",     "napoleon",  "nicholas",
    "olaf",     "oscar",       "otto",      "paul",      "pedro",     "peter",
    "philip",   "philippe",    "pius",      "pope",      "ptolemy",   "rainier",
    "ramesses", "ramses",      "richard",   "robert",    "rudolf",    "rupert",
    "sam",      "samuel",      "selim",     "sigismund", "sixtus",    "stephen",
    "suleiman", "theodore",    "thomas",    "thutmose",  "umberto",   "urban",
    "victor",   "victoria",    "vittorio",  "vladimir",  "wilhelm",   "willem",
    "william",  "xerxes",      NULL};

static void read_roman(struct taco_reader *r, uint32_t value, bool ordinal,
                       struct taco_part part) {
    char digits[12];
    int n = snprintf(digits, sizeof digits, "%u", (unsigned)value);
    if (ordinal)
        taco_reader_words(r, "the", part);
    taco_reader_add(r, digits, (size_t)n, ordinal ? TACO_READ_ORDINAL : TACO_READ_NUMBER,
                    part);
}

static void lower(const struct taco_reader *r, struct taco_part part, char *out,
                  size_t size) {
    size_t n = 0;
    for (uint32_t i = part.begin; i < part.end && n + 1 < size; i++)
        out[n++] = taco_char_lower(r->window[i]);
    out[n] = '\0';
}

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Henry VIII, Type II, vol. IV, Super Bowl LVIII, with an 's or without; 1 name, 2 numeral */
bool taco_rule_roman(struct taco_reader *r, const struct taco_match *m) {
    char name[24];
    lower(r, m->group[1], name, sizeof name);
    struct taco_part numeral = m->group[2];
    uint32_t value =
        taco_roman_value(r->window + numeral.begin, numeral.end - numeral.begin);
    bool king = is_one_of(name, rulers);
    bool single = numeral.end - numeral.begin == 1;
    /* "Mary I ..." may go on "I saw"; X, C, D, L and M are names of their own. */
    if (!is_one_of(name, counted) && (!king || value > 99))
        return false;
    if (single && king && value == 1) {
        char c = r->window[numeral.end];
        if (c == ' ' && taco_char_is_letter(r->window[numeral.end + 1]))
            return false;
    }
    const struct taco_abbreviation *short_form = r->tokens->at[r->token].abbreviation;
    if (short_form && short_form->spoken && short_form->spoken[0])
        taco_reader_words(r, short_form->spoken, m->group[1]);
    else if (strcmp(name, "vol") == 0)
        taco_reader_words(r, "volume", m->group[1]);
    else if (strcmp(name, "ch") == 0)
        taco_reader_words(r, "chapter", m->group[1]);
    else if (strcmp(name, "pt") == 0)
        taco_reader_words(r, "part", m->group[1]);
    else if (strcmp(name, "no") == 0)
        taco_reader_words(r, "number", m->group[1]);
    else if (strcmp(name, "mk") == 0)
        taco_reader_words(r, "mark", m->group[1]);
    else if (strcmp(name, "sec") == 0)
        taco_reader_words(r, "section", m->group[1]);
    else
        taco_reader_word(r, m->group[1]);
    read_roman(r, value, king, numeral);
    return true;
}

/* A numeral that is no word, behind a name or alone: Rocky IV, XVIII; 1 the numeral */
bool taco_rule_roman_alone(struct taco_reader *r, const struct taco_match *m) {
    static const char *const words[] = {
        "CC", "CD", "CI",  "CIV", "CL",  "CM",  "CV",  "CX",  "DC",  "DI",  "DL",  "DM",
        "DV", "DX", "DVI", "LI",  "LV",  "LX",  "MC",  "MD",  "MI",  "MIX", "ML",  "MM",
        "MV", "MX", "XC",  "XL",  "MCI", "DIV", "CDX", "CCC", "MMC", "DCI", "MCC", NULL};
    static const char *const articles[] = {"a",  "an",  "the", "by",
                                           "no", "her", "his", NULL};
    struct taco_part numeral = m->group[1];
    char text[16];
    uint32_t n = numeral.end - numeral.begin;
    if (n < 2 || n >= sizeof text)
        return false;
    memcpy(text, r->window + numeral.begin, n);
    text[n] = '\0';
    bool named =
        r->token > r->from &&
        taco_cp_is_upper(r->code_points->at[r->tokens->at[r->token - 1].core].cp) &&
        r->before[0];
    if ((is_one_of(text, words) || strspn(text, "X") == n) && !named)
        return false;
    if (n == 2 && (taco_reader_after(r, articles) || (named && is_one_of(text, words))))
        return false;
    read_roman(r, taco_roman_value(text, n), false, numeral);
    return true;
}
