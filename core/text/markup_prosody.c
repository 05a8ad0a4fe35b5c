#include "text/markup_prosody.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

struct word {
    const char *name;
    float value;
};

/* Digits with or without a point: *unit is what stands behind them. Negative: no number. */
static float read_decimal(const char *text, const char **unit) {
    float value = 0, place = 1;
    bool any = false, point = false;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !point); text++) {
        if (*text == '.') {
            point = true;
            continue;
        }
        any = true;
        place = point ? place / 10 : place;
        value = point ? value + place * (float)(*text - '0')
                      : value * 10 + (float)(*text - '0');
        if (value > 1e9F)
            return -1;
    }
    *unit = text;
    return any ? value : -1;
}

float taco_markup_seconds(const char *time) {
    const char *unit;
    float value = read_decimal(time + (*time == '+'), &unit);
    if (value >= 0 && strcmp(unit, "s") == 0)
        return value;
    return value >= 0 && (strcmp(unit, "ms") == 0 || !*unit) ? value / 1000 : -1;
}

static bool is_word(const struct word *words, size_t n, const char *value,
                    float *factor) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(words[i].name, value) == 0) {
            *factor = words[i].value;
            return true;
        }
    return false;
}

/* "120%", "+20%", "-20%". */
static bool is_percentage(const char *value, float *factor) {
    bool change = *value == '+' || *value == '-';
    const char *unit;
    float amount = read_decimal(value + change, &unit) / 100;
    if (amount < 0 || strcmp(unit, "%") != 0)
        return false;
    if (change)
        *factor *= *value == '+' ? 1 + amount : fmaxf(1 - amount, 0);
    else
        *factor = amount;
    return true;
}

static float between(float value, float low, float high) {
    return fminf(fmaxf(value, low), high);
}

bool taco_markup_rate(const char *value, float *factor) {
    static const struct word words[] = {{"x-slow", 0.5F}, {"slow", 0.75F}, {"medium", 1},
                                        {"default", 1},   {"fast", 1.5F},  {"x-fast", 2}};
    const char *unit;
    bool change = *value == '+' || *value == '-';
    float plain = read_decimal(value, &unit);
    bool ok = true;
    if (plain >= 0 && !*unit) /* a factor, as SSML 1.0 has it */
        *factor = plain;
    else
        ok = is_word(words, sizeof words / sizeof *words, value, factor) ||
             is_percentage(value, factor);
    if (ok && change)
        *factor = between(*factor, 0.25F, 4);
    return ok && *factor >= 0.25F && *factor <= 4;
}

bool taco_markup_volume(const char *value, float *factor) {
    static const struct word words[] = {{"silent", 0}, {"x-soft", 0.25F}, {"soft", 0.5F},
                                        {"medium", 1}, {"default", 1},    {"loud", 1.5F},
                                        {"x-loud", 2}};
    const char *unit;
    bool change = *value == '+' || *value == '-';
    float amount = read_decimal(value + change, &unit);
    bool ok = true;
    if (amount >= 0 && strcmp(unit, "dB") == 0)
        *factor *= powf(10, (*value == '-' ? -amount : amount) / 20);
    else if (amount >= 0 && !*unit && !change) /* 0 to 100, as SSML 1.0 has it */
        *factor = amount / 100;
    else
        ok = is_word(words, sizeof words / sizeof *words, value, factor) ||
             is_percentage(value, factor);
    if (ok && (change || strcmp(unit, "dB") == 0))
        *factor = between(*factor, 0, 4);
    return ok && *factor >= 0 && *factor <= 4;
}
