#include "text/reading_match.h"

#include <string.h>

bool taco_match_has(const struct taco_match *m, int group) {
    return m->group[group].end > m->group[group].begin;
}

uint32_t taco_part_number(const struct taco_reader *r, struct taco_part part) {
    uint32_t value = 0;
    for (uint32_t i = part.begin; i < part.end; i++)
        if (taco_char_is_digit(r->window[i]) && value < 100000000)
            value = value * 10 + (uint32_t)(r->window[i] - '0');
    return value;
}

bool taco_part_is(const struct taco_reader *r, struct taco_part part, const char *text) {
    size_t n = strlen(text);
    return part.end - part.begin == n && memcmp(r->window + part.begin, text, n) == 0;
}

bool taco_part_is_one(const struct taco_reader *r, struct taco_part number) {
    uint32_t i = number.begin + (r->window[number.begin] == '-');
    return number.end == i + 1 && r->window[i] == '1';
}

bool taco_is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

bool taco_reader_after(const struct taco_reader *r, const char *const *words) {
    return taco_is_one_of(r->before, words);
}

void taco_reader_word_after(const struct taco_reader *r, uint32_t at, char *out,
                            size_t size) {
    size_t n = 0;
    if (r->window[at] == ' ')
        for (at++; taco_char_is_letter(r->window[at]) && n + 1 < size; at++)
            out[n++] = taco_char_lower(r->window[at]);
    out[n] = '\0';
}

bool taco_reader_attributive(const struct taco_reader *r, uint32_t at) {
    static const char *const articles[] = {"a",    "an",  "the", "this", "that",
                                           "my",   "his", "her", "our",  "their",
                                           "your", "its", NULL};
    /* What may follow a quantity that is no attribute: "the 5 km to the sea". */
    static const char *const others[] = {
        "about",  "above",   "across", "after",   "again",  "ago",     "all",
        "along",  "an",      "and",    "apart",   "are",    "around",  "as",
        "at",     "away",    "back",   "because", "before", "below",   "between",
        "but",    "by",      "can",    "could",   "did",    "do",      "does",
        "down",   "during",  "each",   "east",    "every",  "for",     "from",
        "had",    "has",     "have",   "he",      "here",   "i",       "if",
        "in",     "into",    "is",     "it",      "less",   "long",    "may",
        "more",   "must",    "needed", "north",   "not",    "of",      "off",
        "on",     "or",      "out",    "over",    "per",    "she",     "should",
        "since",  "so",      "south",  "than",    "that",   "the",     "then",
        "they",   "through", "to",     "towards", "under",  "until",   "up",
        "was",    "we",      "were",   "west",    "when",   "where",   "which",
        "while",  "who",     "will",   "with",    "within", "without", "would",
        "you",    "a",       "x",      "times",   "came",   "cost",    "costs",
        "felt",   "gave",    "goes",   "got",     "just",   "left",    "made",
        "makes",  "only",    "paid",   "seems",   "takes",  "took",    "went",
        "weighs", "weigh",   "stands", "remains", "remain", NULL};
    if (r->window[at] != ' ' || !taco_reader_after(r, articles))
        return false;
    if (strcmp(r->before, "a") == 0 || strcmp(r->before, "an") == 0) {
        /* "Vitamin A 5 mg" has no article. */
        char next = r->window[at + 1];
        bool name =
            taco_cp_is_upper(r->code_points->at[r->tokens->at[r->token - 1].core].cp);
        return (taco_char_is_letter(next) || taco_char_is_digit(next)) &&
               (!name || r->token - 1 == r->from);
    }
    char after[24];
    taco_reader_word_after(r, at, after, sizeof after);
    size_t n = strlen(after);
    bool past = n > 3 && strcmp(after + n - 2, "ed") == 0;
    return n > 0 && !past && !taco_is_one_of(after, others);
}

bool taco_reader_singular(const struct taco_reader *r, struct taco_part number,
                          uint32_t end) {
    return taco_part_is_one(r, number) || taco_reader_attributive(r, end);
}

void taco_reader_number(struct taco_reader *r, struct taco_part number) {
    char sign = r->window[number.begin];
    if (sign == '-' || sign == '+') {
        taco_reader_words(r, sign == '-' ? "minus" : "plus",
                          (struct taco_part){number.begin, number.begin + 1});
        number.begin++;
    }
    bool point = memchr(r->window + number.begin, '.', number.end - number.begin);
    taco_reader_part(r, point ? TACO_READ_REAL : TACO_READ_NUMBER, number);
}

void taco_reader_year(struct taco_reader *r, struct taco_part year) {
    uint32_t n = year.end - year.begin, value = taco_part_number(r, year);
    bool number = n == 4 && (value < 1010 || (value >= 2000 && value < 2010));
    taco_reader_part(r, number ? TACO_READ_NUMBER : TACO_READ_YEAR, year);
}

void taco_reader_digit_groups(struct taco_reader *r, struct taco_part part) {
    for (uint32_t i = part.begin; i < part.end;) {
        uint32_t stop = taco_reader_run(r, i, part.end, taco_char_is_digit);
        uint32_t letters = taco_reader_run(r, i, part.end, taco_char_is_letter);
        struct taco_part group = {i, stop > i ? stop : letters};
        if (stop > i) {
            bool hundreds = stop - i == 3 && r->window[i + 1] == '0' &&
                            r->window[i + 2] == '0' && r->window[i] != '0';
            taco_reader_part(r, hundreds ? TACO_READ_NUMBER : TACO_READ_DIGITS, group);
        } else if (letters > i) {
            taco_reader_word(r, group);
        } else if (r->window[i] == '+') {
            taco_reader_words(r, "plus", (struct taco_part){i, i + 1});
            group.end = i + 1;
        } else {
            i++;
            continue;
        }
        i = group.end;
        if (i < part.end && r->window[i - 1] != '+')
            taco_reader_pause(r);
    }
}
