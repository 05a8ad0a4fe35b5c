/* Addresses of houses: numbers, streets, states, ZIP codes. */
#include "text/reading_match.h"

#include <string.h>

struct place {
    const char *text, *spoken;
};

static const struct place states[] = {
    {"AL", "alabama"},        {"AK", "alaska"},        {"AZ", "arizona"},
    {"AR", "arkansas"},       {"CA", "california"},    {"CO", "colorado"},
    {"CT", "connecticut"},    {"DE", "delaware"},      {"DC", "d c"},
    {"FL", "florida"},        {"GA", "georgia"},       {"HI", "hawaii"},
    {"ID", "idaho"},          {"IL", "illinois"},      {"IN", "indiana"},
    {"IA", "iowa"},           {"KS", "kansas"},        {"KY", "kentucky"},
    {"LA", "louisiana"},      {"ME", "maine"},         {"MD", "maryland"},
    {"MA", "massachusetts"},  {"MI", "michigan"},      {"MN", "minnesota"},
    {"MS", "mississippi"},    {"MO", "missouri"},      {"MT", "montana"},
    {"NE", "nebraska"},       {"NV", "nevada"},        {"NH", "new hampshire"},
    {"NJ", "new jersey"},     {"NM", "new mexico"},    {"NY", "new york"},
    {"NC", "north carolina"}, {"ND", "north dakota"},  {"OH", "ohio"},
    {"OK", "oklahoma"},       {"OR", "oregon"},        {"PA", "pennsylvania"},
    {"PR", "puerto rico"},    {"RI", "rhode island"},  {"SC", "south carolina"},
    {"SD", "south dakota"},   {"TN", "tennessee"},     {"TX", "texas"},
    {"UT", "utah"},           {"VT", "vermont"},       {"VA", "virginia"},
    {"WA", "washington"},     {"WV", "west virginia"}, {"WI", "wisconsin"},
    {"WY", "wyoming"},
};

static const struct place streets[] = {
    {"st", "street"},         {"ave", "avenue"},
    {"av", "avenue"},         {"blvd", "boulevard"},
    {"rd", "road"},           {"dr", "drive"},
    {"ln", "lane"},           {"ct", "court"},
    {"pl", "place"},          {"sq", "square"},
    {"ter", "terrace"},       {"pkwy", "parkway"},
    {"hwy", "highway"},       {"expy", "expressway"},
    {"fwy", "freeway"},       {"cir", "circle"},
    {"aly", "alley"},         {"trl", "trail"},
    {"street", "street"},     {"avenue", "avenue"},
    {"road", "road"},         {"drive", "drive"},
    {"lane", "lane"},         {"boulevard", "boulevard"},
    {"court", "court"},       {"place", "place"},
    {"square", "square"},     {"way", "way"},
    {"terrace", "terrace"},   {"parkway", "parkway"},
    {"highway", "highway"},   {"expressway", "expressway"},
    {"broadway", "broadway"},
};

static const struct place directions[] = {
    {"N", "north"},      {"S", "south"},      {"E", "east"},       {"W", "west"},
    {"NE", "northeast"}, {"NW", "northwest"}, {"SE", "southeast"}, {"SW", "southwest"},
};

/* fold: in any case. stop: a full stop behind it is its own. */
static uint32_t place_end(const struct taco_reader *r, uint32_t at,
                          const struct place *places, size_t n, bool fold, bool stop,
                          const char **spoken) {
    uint32_t end = taco_reader_run(r, at, r->length, taco_char_is_letter);
    for (size_t i = 0; i < n && end > at; i++) {
        uint32_t k = 0;
        while (places[i].text[k] && at + k < end) {
            char c = r->window[at + k];
            if (places[i].text[k] != (fold ? taco_char_lower(c) : c))
                break;
            k++;
        }
        if (places[i].text[k] || at + k != end)
            continue;
        if (spoken)
            *spoken = places[i].spoken;
        return end + (stop && r->window[end] == '.');
    }
    return at;
}

uint32_t taco_state_end(const struct taco_reader *r, uint32_t at, const char **spoken) {
    return place_end(r, at, states, sizeof states / sizeof *states, false, false, spoken);
}

uint32_t taco_street_end(const struct taco_reader *r, uint32_t at, const char **spoken) {
    return place_end(r, at, streets, sizeof streets / sizeof *streets, true, true,
                     spoken);
}

uint32_t taco_direction_end(const struct taco_reader *r, uint32_t at,
                            const char **spoken) {
    return place_end(r, at, directions, sizeof directions / sizeof *directions, false,
                     true, spoken);
}

/* "a 2 TB drive" is no address: capitals before a noun in small letters. */
static bool is_noun(const struct taco_reader *r, struct taco_part name,
                    struct taco_part street) {
    static const char *const articles[] = {"a", "an", NULL};
    if (taco_char_is_upper(r->window[street.begin]))
        return false;
    uint32_t end = taco_reader_run(r, name.begin, name.end, taco_char_is_upper);
    return taco_reader_after(r, articles) || (end == name.end && end > name.begin + 1);
}

/* 1428 Elm St, 12 S 1st st, 125 E. Main St.; 1 number, 2 direction, 3 suffix of a number,
 * 4 to 6 names, 7 the street */
bool taco_rule_house(struct taco_reader *r, const struct taco_match *m) {
    struct taco_part number = m->group[1];
    uint32_t n = number.end - number.begin;
    if (n > 5 || is_noun(r, m->group[5], m->group[8]))
        return false;
    taco_reader_part(r,
                     n < 3   ? TACO_READ_NUMBER
                     : n > 4 ? TACO_READ_DIGITS
                             : TACO_READ_YEAR,
                     number);
    const char *spoken = "";
    if (taco_match_has(m, 2)) {
        taco_direction_end(r, m->group[2].begin, &spoken);
        taco_reader_words(r, spoken, m->group[2]);
    }
    if (taco_match_has(m, 3))
        taco_reader_part(r, TACO_READ_ORDINAL, m->group[3]);
    for (int i = 5; i < 8; i++)
        if (taco_match_has(m, i))
            taco_reader_word(r, m->group[i]);
    taco_street_end(r, m->group[8].begin, &spoken);
    taco_reader_words(r, spoken, m->group[8]);
    return true;
}

static bool after_city(const struct taco_reader *r) {
    if (r->token == r->from)
        return false;
    const struct taco_token *before = &r->tokens->at[r->token - 1];
    return before->kind == TACO_TOKEN_WORD && before->end == before->core_end + 1 &&
           r->code_points->at[before->core_end].cp == ',' &&
           taco_cp_is_upper(r->code_points->at[before->core].cp);
}

static void read_state(struct taco_reader *r, struct taco_part state) {
    const char *spoken = "";
    taco_state_end(r, state.begin, &spoken);
    taco_reader_words(r, spoken, state);
}

/* Santa Clara, CA; 1 the state */
bool taco_rule_state(struct taco_reader *r, const struct taco_match *m) {
    if (!after_city(r))
        return false;
    read_state(r, m->group[1]);
    return true;
}

/* CA 95051, NY 10001-1234; 1 state, 2 and 3 the code */
bool taco_rule_state_zip(struct taco_reader *r, const struct taco_match *m) {
    read_state(r, m->group[1]);
    taco_reader_part(r, TACO_READ_DIGITS, m->group[2]);
    if (taco_match_has(m, 3)) {
        taco_reader_pause(r);
        taco_reader_part(r, TACO_READ_DIGITS, m->group[3]);
    }
    return true;
}
