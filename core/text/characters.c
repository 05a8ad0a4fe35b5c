/* The front end of characters: plain words as they are written, everything else as the
 * words that Flite reads. */
#include "base/error.h"
#include "text/analysis.h"
#include "text/coverage.h"
#include <string.h>
#include <unicase.h>

struct writer {
    struct taco_analysis *a;
    uint32_t word, spoken; /* of what is being written, or TACO_NO_WORD */
    uint32_t gap; /* code point of the white space to come before the next symbol, or 0 */
    bool any, no_memory;
};

/* The symbol of a character, in the case that the voice has learned. */
static int32_t symbol_of(const struct taco_front_end *fe, uint32_t cp) {
    uint32_t small = uc_tolower(cp);
    int32_t id = taco_front_end_character(fe, fe->keep_case ? cp : small);
    if (id == TACO_NO_SYMBOL)
        id = taco_front_end_character(fe, fe->keep_case ? small : cp);
    if (id == TACO_NO_SYMBOL)
        id = taco_front_end_character(fe, uc_toupper(cp));
    return id;
}

static void put(struct writer *w, int32_t id, struct taco_span span) {
    int32_t space = w->gap ? symbol_of(w->a->front_end, ' ') : TACO_NO_SYMBOL;
    if (space != TACO_NO_SYMBOL &&
        !taco_builder_add_symbol(&w->a->builder, space, TACO_NO_WORD, TACO_NO_WORD,
                                 taco_analysis_span(w->a, w->gap, w->gap + 1)))
        w->no_memory = true;
    w->gap = 0;
    if (!taco_builder_add_symbol(&w->a->builder, id, w->word, w->spoken, span))
        w->no_memory = true;
    w->any = true;
}

static void put_character(struct writer *w, uint32_t cp, struct taco_span span) {
    int32_t id = symbol_of(w->a->front_end, cp);
    if (id != TACO_NO_SYMBOL)
        put(w, id, span);
    /* Signs are not spoken, so nobody misses one. */
    else if (!taco_cp_is_punctuation(cp) && !taco_cp_is_white(cp) &&
             !taco_builder_add_note(&w->a->builder, TACO_NOTE_DROPPED, span, "", 0))
        w->no_memory = true;
}

static void put_range(struct writer *w, uint32_t begin, uint32_t end) {
    for (uint32_t g = begin; g < end; g++)
        put_character(w, w->a->code_points.at[g].cp, taco_analysis_span(w->a, g, g + 1));
}

/* The source's letters as a word. */
static void put_plain(struct writer *w, const struct taco_token *token) {
    struct taco_analysis *a = w->a;
    taco_string_clear(&a->text);
    for (uint32_t g = token->core; g < token->core_end; g++)
        if (!taco_string_add_cp(&a->text, uc_tolower(a->code_points.at[g].cp)))
            w->no_memory = true;
    w->spoken = a->builder.n_spoken;
    if (w->no_memory ||
        !taco_builder_add_spoken(&a->builder, w->word, a->text.bytes, a->text.n))
        w->no_memory = true;
    put_range(w, token->core, token->core_end);
}

/* Phones of a pronunciation, as one word. */
static void put_phones(struct writer *w, const struct taco_phone *phones, uint32_t n,
                       const struct taco_item *item, const char *name) {
    struct taco_analysis *a = w->a;
    w->spoken = a->builder.n_spoken;
    if (!taco_builder_add_spoken(&a->builder, w->word, name, strlen(name)))
        w->no_memory = true;
    struct taco_span span = taco_analysis_span(a, item->begin, item->end);
    for (uint32_t i = 0; i < n; i++)
        put(w, taco_front_end_phone(a->front_end, phones[i]), span);
}

/* "twenty" before "one", which are written with a hyphen between. */
static bool is_compound(const char *before, const char *after) {
    static const char *const tens[] = {"twenty", "thirty",  "forty",  "fifty",
                                       "sixty",  "seventy", "eighty", "ninety"};
    static const char *const units[] = {"one",     "two",    "three",  "four",  "five",
                                        "six",     "seven",  "eight",  "nine",  "first",
                                        "second",  "third",  "fourth", "fifth", "sixth",
                                        "seventh", "eighth", "ninth"};
    bool ten = false, unit = false;
    for (size_t i = 0; i < sizeof tens / sizeof *tens; i++)
        ten = ten || strcmp(tens[i], before) == 0;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        unit = unit || strcmp(units[i], after) == 0;
    return ten && unit;
}

/* The words that Flite made of an item; *next is the first of them, and then of the next
 * item's. first: of its token. */
static void put_words(struct writer *w, uint32_t index, uint32_t *next, bool *first) {
    struct taco_analysis *a = w->a;
    const struct taco_item *item = &a->items.at[index];
    struct taco_span span = taco_analysis_span(a, item->begin, item->end);
    struct taco_span gap = taco_analysis_span(a, item->begin, item->begin);
    uint32_t word = w->word;
    while (*next < a->flite.n_words && a->flite.words[*next].token == index) {
        uint32_t n = taco_word_joined(a, *next);
        if (!taco_word_name(a, *next, n))
            w->no_memory = true;
        if (!*first) {
            const struct taco_flite_word *at = &a->flite.words[*next];
            bool hyphen = *next > 0 && at[-1].token == index &&
                          is_compound(a->flite.strings.bytes + at[-1].name,
                                      a->flite.strings.bytes + at->name) &&
                          symbol_of(a->front_end, '-') != TACO_NO_SYMBOL;
            w->word = w->spoken = TACO_NO_WORD;
            put_character(w, hyphen ? '-' : ' ', gap);
            w->word = word;
        }
        *first = false;
        w->spoken = a->builder.n_spoken;
        if (w->no_memory ||
            !taco_builder_add_spoken(&a->builder, word, a->text.bytes, a->text.n)) {
            w->no_memory = true;
            return;
        }
        for (uint32_t i = 0; i < a->text.n; i++)
            put_character(w, (unsigned char)a->text.bytes[i], span);
        *next += n;
    }
}

static enum taco_status put_braces(struct writer *w, const struct taco_item *item) {
    struct taco_analysis *a = w->a;
    const struct taco_token *token = &a->tokens.at[item->token];
    uint32_t first = a->n_phones;
    enum taco_status status = taco_analysis_phones(a, token);
    if (status != TACO_OK)
        return status;
    char name[48];
    uint32_t n = taco_code_points_copy(&a->code_points, token->core, token->core_end,
                                       name, sizeof name);
    for (uint32_t i = 0; i < n; i++)
        if (taco_cp_is_upper((unsigned char)name[i]))
            name[i] = (char)(name[i] | 32);
    put_phones(w, a->phones + first, a->n_phones - first, item, name);
    return TACO_OK;
}

/* Can the whole token be taken letter by letter? [first, end): its items. */
static bool is_plain(const struct taco_analysis *a, uint32_t first, uint32_t end) {
    for (uint32_t i = first; i < end; i++)
        if (!a->items.at[i].verbatim)
            return false;
    return true;
}

/* Has Flite anything to do? */
static enum taco_status analyse(struct taco_analysis *a, uint32_t to) {
    uint32_t n = a->items.n;
    a->flite.n_words = 0;
    if (is_plain(a, 0, n))
        return TACO_OK;
    if (!taco_vector_reserve(&a->flite_tokens, &a->cap_flite_tokens, 0, n,
                             sizeof *a->flite_tokens))
        return taco_analysis_no_memory(a);
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_item *item = &a->items.at[i];
        uint32_t code_point;
        bool last = i + 1 == n || item[1].token != item->token;
        bool mark = last && taco_analysis_punctuation(a, item->token, to, &code_point) !=
                                TACO_NO_SYMBOL;
        a->flite_tokens[i] =
            (struct taco_flite_token){.name = a->items.strings.bytes + item->text,
                                      .reading = item->reading,
                                      .plural = item->plural,
                                      .punc = mark ? "," : ""};
    }
    return taco_flite_analyse(a->flite_tokens, n, NULL, false, &a->flite, a->err);
}

/* The words of one token; *item and *next are moved past what is its own. */
static enum taco_status put_token(struct writer *w, uint32_t index, uint32_t *item,
                                  uint32_t *next) {
    struct taco_analysis *a = w->a;
    const struct taco_token *token = &a->tokens.at[index];
    uint32_t end = *item;
    while (end < a->items.n && a->items.at[end].token == index)
        end++;
    enum taco_status status = TACO_OK;
    if (!a->front_end->english || (is_plain(a, *item, end) && *item < end)) {
        put_plain(w, token);
        while (*next < a->flite.n_words && a->flite.words[*next].token < end)
            ++*next;
    } else {
        bool first = true;
        uint32_t word = w->word;
        for (uint32_t i = *item; i < end && status == TACO_OK; i++) {
            const struct taco_item *it = &a->items.at[i];
            if (it->reading != TACO_READ_PHONES) {
                put_words(w, i, next, &first);
                if (it->pause && i + 1 < end && !first) {
                    w->word = w->spoken = TACO_NO_WORD;
                    put_character(w, ',', taco_analysis_span(a, it->begin, it->begin));
                    w->word = word;
                }
                continue;
            }
            if (it->entry)
                put_phones(w, it->entry->phones, it->entry->n_phones, it,
                           it->entry->word);
            else
                status = put_braces(w, it);
            while (*next < a->flite.n_words && a->flite.words[*next].token == i)
                ++*next;
        }
    }
    *item = end;
    return status;
}

static enum taco_status speak_braces(struct writer *w, const struct taco_token *token,
                                     uint32_t index) {
    struct taco_item item = {
        .token = index, .begin = token->core, .end = token->core_end};
    return put_braces(w, &item);
}

static enum taco_status speak(struct taco_analysis *a, uint32_t from, uint32_t to) {
    const struct taco_front_end *fe = a->front_end;
    enum taco_status status = TACO_OK;
    a->items.n = a->flite.n_words = 0;
    if (fe->english) {
        status =
            taco_reading_make(&a->items, &a->code_points, &a->tokens, from, to,
                              a->lexicon, a->options->normalise, &a->builder, a->err);
        if (status == TACO_OK)
            status = analyse(a, to);
    }
    struct writer w = {.a = a, .word = TACO_NO_WORD, .spoken = TACO_NO_WORD};
    uint32_t item = 0, next = 0;
    for (uint32_t i = from; i < to && status == TACO_OK && !w.no_memory; i++) {
        const struct taco_token *token = &a->tokens.at[i];
        if (!token->glued && w.any)
            w.gap = token->begin - 1;
        put_range(&w, token->begin, token->core);
        bool silent = fe->english && (item == a->items.n || a->items.at[item].token != i);
        if (token->kind != TACO_TOKEN_PUNCTUATION && !silent) {
            w.word = a->builder.n_words;
            const char *rule = token->kind == TACO_TOKEN_PHONES ? "phones" : "word";
            if (fe->english)
                rule = a->items.at[item].rule;
            if (!taco_builder_add_word(
                    &a->builder, taco_analysis_span(a, token->core, token->core_end),
                    rule))
                return taco_analysis_no_memory(a);
            uint32_t before = a->builder.n_symbols;
            if (token->kind == TACO_TOKEN_PHONES && !fe->english)
                status = speak_braces(&w, token, i);
            else
                status = put_token(&w, i, &item, &next);
            w.word = w.spoken = TACO_NO_WORD;
            /* The full stop of an abbreviation that was written out ends the sentence. */
            if (token->abbreviation && token->ends != TACO_END_NONE &&
                token->end == token->core_end && a->builder.n_symbols > before &&
                a->builder.symbols[a->builder.n_symbols - 1].id !=
                    taco_symbols_find_cp(&fe->symbols, '.'))
                put_range(&w, token->core_end - 1, token->core_end);
        }
        put_range(&w, token->core_end, token->end);
    }
    if (status != TACO_OK)
        return status;
    return w.no_memory ? taco_analysis_no_memory(a) : TACO_OK;
}

static void cover_letters(struct taco_coverage *c) {
    const struct taco_front_end *fe = c->front_end;
    for (char letter = 'a'; fe->english && letter <= 'z'; letter++) {
        int32_t small = taco_front_end_character(fe, (uint32_t)letter);
        int32_t large = taco_front_end_character(fe, (uint32_t)(letter - 'a' + 'A'));
        if (small == TACO_NO_SYMBOL && large == TACO_NO_SYMBOL)
            taco_coverage_miss(c, &letter, 1);
        if (small == TACO_NO_SYMBOL || fe->keep_case)
            taco_coverage_make(c, large, TACO_MADE_BY_ITSELF);
        taco_coverage_make(c, small, TACO_MADE_BY_ITSELF);
    }
    for (int32_t id = 0; id < fe->symbols.n; id++) {
        const char *name = fe->symbols.names[id];
        bool ascii = (unsigned char)name[0] < 0x80;
        if (ascii && name[1])
            continue;
        bool letter = ascii && taco_cp_is_letter((unsigned char)name[0]);
        bool digit = ascii && taco_cp_is_digit((unsigned char)name[0]);
        if (letter && fe->english)
            continue;
        if (digit && fe->english)
            continue;
        if (!ascii || taco_front_end_character(fe, (unsigned char)name[0]) == id)
            taco_coverage_make(c, id, TACO_MADE_BY_ITSELF);
    }
}

static enum taco_status symbols(struct taco_coverage *c, struct taco_error *err) {
    (void)err;
    cover_letters(c);
    taco_coverage_phones(c, TACO_MADE_BY_HAND);
    return TACO_OK;
}

/* A table of any characters will do. */
static enum taco_status open(struct taco_front_end *fe, struct taco_error *err) {
    (void)fe;
    (void)err;
    return TACO_OK;
}

const struct taco_front_end_ops taco_characters = {.name = "characters",
                                                   .open = open,
                                                   .speak = speak,
                                                   .symbols = symbols,
                                                   .unicode = true};
