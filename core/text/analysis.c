#include "text/analysis.h"

#include "base/error.h"
#include <stdio.h>
#include <string.h>

enum taco_status taco_analysis_no_memory(struct taco_analysis *a) {
    return taco_error_set(a->err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
}

struct taco_span taco_analysis_span(const struct taco_analysis *a, uint32_t begin,
                                    uint32_t end) {
    const struct taco_code_point *at = a->code_points.at;
    if (begin < end)
        return taco_builder_span(&a->builder, at[begin].begin, at[end - 1].end);
    uint32_t byte =
        begin < a->code_points.n ? at[begin].begin : at[a->code_points.n - 1].end;
    return taco_builder_span(&a->builder, byte, byte);
}

static enum taco_status unknown_phone(struct taco_analysis *a, uint32_t begin,
                                      uint32_t end) {
    const struct taco_code_point *at = a->code_points.at;
    struct taco_string name = {NULL, 0, 0};
    bool ok = true;
    for (uint32_t g = begin; g < end && g < begin + 24; g++)
        ok = ok && taco_string_add_cp(&name, at[g].cp);
    enum taco_status status =
        ok ? taco_error_set_at(
                 a->err, TACO_ERR_UNKNOWN_PHONE, "text", (long)at[begin].begin,
                 a->front_end->has_phones
                     ? "'%s' at byte %u is no phone of this voice; in braces stand "
                       "phones "
                       "such as {HH AH0 L OW1}"
                     : "'%s' at byte %u cannot be spoken: this voice has no phones, so "
                       "nothing may stand in braces",
                 name.bytes, (unsigned)at[begin].begin)
           : taco_analysis_no_memory(a);
    taco_string_free(&name);
    return status;
}

static bool is_phone(const struct taco_front_end *fe, const char *name, size_t n) {
    struct taco_phone phone;
    return taco_phone_parse(name, n, &phone) &&
           taco_front_end_phone(fe, phone) != TACO_NO_SYMBOL;
}

/* One phone, code points [begin, end). */
static enum taco_status add_phone(struct taco_analysis *a, uint32_t begin, uint32_t end) {
    char name[8];
    struct taco_phone phone;
    uint32_t n = end - begin < sizeof name ? taco_code_points_copy(&a->code_points, begin,
                                                                   end, name, sizeof name)
                                           : 0;
    if (!n || !is_phone(a->front_end, name, n))
        return unknown_phone(a, begin, end);
    taco_phone_parse(name, n, &phone);
    if (!taco_vector_reserve(&a->phones, &a->cap_phones, a->n_phones, 1,
                             sizeof *a->phones))
        return taco_analysis_no_memory(a);
    a->phones[a->n_phones++] = phone;
    return TACO_OK;
}

bool taco_analysis_is_pronunciation(const void *user, uint32_t begin, uint32_t end) {
    const struct taco_analysis *a = user;
    const struct taco_code_point *at = a->code_points.at;
    if (a->options->strict || a->builder.source[at[begin - 1].begin] != '{')
        return true;
    bool (*test)(const struct taco_front_end *, const char *, size_t) =
        a->front_end->ops->is_phone ? a->front_end->ops->is_phone : is_phone;
    struct taco_string name = {NULL, 0, 0};
    bool phones = true;
    for (uint32_t g = begin; g <= end && phones; g++) {
        bool white = g == end || taco_cp_is_white(at[g].cp);
        if (!white)
            phones = taco_string_add_cp(&name, at[g].cp);
        else if (name.n) {
            phones = test(a->front_end, name.bytes, name.n);
            taco_string_clear(&name);
        }
    }
    taco_string_free(&name);
    return phones;
}

enum taco_status taco_analysis_phones(struct taco_analysis *a,
                                      const struct taco_token *token) {
    uint32_t first = a->n_phones, n_vowels = 0;
    uint32_t end = token->core_end - 1;
    for (uint32_t g = token->core + 1; g < end;) {
        if (taco_cp_is_white(a->code_points.at[g].cp)) {
            g++;
            continue;
        }
        uint32_t stop = g;
        while (stop < end && !taco_cp_is_white(a->code_points.at[stop].cp))
            stop++;
        enum taco_status status = add_phone(a, g, stop);
        if (status != TACO_OK)
            return status;
        n_vowels += taco_phone_is_vowel(a->phones[a->n_phones - 1].base);
        g = stop;
    }
    /* A voice that knows no vowel without a mark: a lone vowel is stressed. */
    if (a->front_end->flite_conventions)
        for (uint32_t i = first; i < a->n_phones; i++)
            if (taco_phone_is_vowel(a->phones[i].base) && a->phones[i].stress < 0)
                a->phones[i].stress = n_vowels == 1;
    return TACO_OK;
}

/* Two hyphens, or one between spaces. */
static bool is_dash(const struct taco_analysis *a, uint32_t begin, uint32_t end,
                    bool alone) {
    uint32_t n = 0;
    for (uint32_t g = begin; g < end; g++)
        if (a->code_points.at[g].cp == '-')
            n++;
    return n > 1 || (n == 1 && (alone || end - begin == 1));
}

int32_t taco_analysis_punctuation(const struct taco_analysis *a, uint32_t i, uint32_t to,
                                  uint32_t *code_point) {
    const struct taco_token *token = &a->tokens.at[i];
    bool dash = false;
    for (uint32_t k = i; k < to; k++, token++) {
        bool alone = token->kind == TACO_TOKEN_PUNCTUATION;
        if (k > i && !alone)
            break;
        uint32_t from = alone ? token->begin : token->core_end;
        for (uint32_t g = from; g < token->end; g++) {
            uint32_t cp = a->code_points.at[g].cp;
            if (taco_front_end_is_punctuation(a->front_end, cp) && cp != '-' &&
                cp != '(' && cp != '"' && cp != '\'') {
                *code_point = g;
                return taco_symbols_find_cp(&a->front_end->symbols, cp);
            }
        }
        if (!dash && is_dash(a, from, token->end, alone)) {
            dash = true;
            *code_point = from;
        }
    }
    if (dash && taco_front_end_is_punctuation(a->front_end, ','))
        return taco_symbols_find_cp(&a->front_end->symbols, ',');
    /* The full stop of an abbreviation ends the sentence, too. */
    token = &a->tokens.at[i];
    if (token->abbreviation && token->ends != TACO_END_NONE) {
        *code_point = token->core_end - 1;
        return taco_symbols_find_cp(&a->front_end->symbols, '.');
    }
    return TACO_NO_SYMBOL;
}
