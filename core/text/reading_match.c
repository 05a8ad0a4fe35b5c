#include "text/reading_match.h"

#include <string.h>

bool taco_match_has(const struct taco_match *m, int group) {
    return m->group[group].end > m->group[group].begin;
}

uint32_t taco_part_number(const struct taco_reader *r, struct taco_part part) {
    uint32_t value = 0;
    for (uint32_t i = part.begin; i < part.end; i++)
        if (r->window[i] >= '0' && r->window[i] <= '9' && value < 100000000)
            value = value * 10 + (uint32_t)(r->window[i] - '0');
    return value;
}

bool taco_part_is(const struct taco_reader *r, struct taco_part part, const char *text) {
    size_t n = strlen(text);
    return part.end - part.begin == n && memcmp(r->window + part.begin, text, n) == 0;
}

/* Are the commas where a reader of English puts them: every three digits from the right?
 */
bool taco_part_grouped(const struct taco_reader *r, struct taco_part part) {
    uint32_t since = 0;
    bool comma = false;
    for (uint32_t i = part.end; i-- > part.begin;) {
        if (r->window[i] != ',') {
            since++;
            continue;
        }
        if (since != 3)
            return false;
        comma = true;
        since = 0;
    }
    return !comma || (since >= 1 && since <= 3);
}

bool taco_part_is_one(const struct taco_reader *r, struct taco_part whole,
                      struct taco_part fraction) {
    return whole.end - whole.begin == 1 && r->window[whole.begin] == '1' &&
           fraction.begin == fraction.end;
}

/* A number with or without a sign and a fraction, whole and fraction side by side. */
void taco_read_real(struct taco_reader *r, struct taco_part whole,
                    struct taco_part fraction) {
    if (whole.begin < whole.end && strchr("+-", r->window[whole.begin])) {
        struct taco_part sign = {whole.begin, whole.begin + 1};
        taco_reader_words(r, r->window[whole.begin] == '-' ? "minus" : "plus", sign);
        whole.begin++;
    }
    if (fraction.end == fraction.begin)
        taco_reader_part(r, TACO_READ_NUMBER, whole);
    else
        taco_reader_part(
            r, TACO_READ_REAL,
            (struct taco_part){whole.begin < whole.end ? whole.begin : fraction.begin,
                               fraction.end});
}
