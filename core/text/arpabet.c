/* The front end of phones: words by Flite, symbols as the voice's table names them.
 *
 * A space stands between words, a punctuation mark behind the word that it follows. With the
 * conventions of Flite an 's, 'll, 've or 'd is a word of its own, as Flite has it. */
#include "base/error.h"
#include "text/analysis.h"
#include "text/coverage.h"
#include "text/homograph.h"
#include <string.h>

/* The punctuation behind a token that Flite's phrasing looks at. */
static const char *flite_punctuation(struct taco_analysis *a, int32_t mark, bool pause) {
    static const char *const known[] = {",", ".", ":", ";", "?", "!"};
    const char *name = mark != TACO_NO_SYMBOL ? a->front_end->symbols.names[mark] : "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], name) == 0)
            return known[i];
    return pause ? "," : "";
}

/* Code points of the sentence around a token, as far as the homographs look. */
static void sentence_around(const struct taco_analysis *a, uint32_t token,
                            uint32_t *begin, uint32_t *end) {
    enum { REACH = 16 };
    const struct taco_token *at = a->tokens.at;
    uint32_t first = token, last = token;
    while (first > 0 && token - first < REACH && at[first - 1].ends == TACO_END_NONE)
        first--;
    while (last + 1 < a->tokens.n && last - token < REACH &&
           at[last].ends == TACO_END_NONE)
        last++;
    *begin = at[first].begin;
    *end = at[last].end;
}

/* Appends to a->phones what a homograph is here; returns how many phones, 0 if the item is
 * none. */
static uint32_t homograph_phones(struct taco_analysis *a, const struct taco_item *item) {
    const char *name = a->items.strings.bytes + item->text;
    size_t n = strlen(name);
    if (n > 2 && name[n - 2] == '\'' && (name[n - 1] | 32) == 's')
        n -= 2;
    if ((item->reading != TACO_READ_PLAIN && item->reading != TACO_READ_WORD) ||
        item->end - item->begin < n || !taco_homograph_is(name, n) ||
        !taco_vector_reserve(&a->phones, &a->cap_phones, a->n_phones,
                             TACO_HOMOGRAPH_PHONES_MAX, sizeof *a->phones))
        return 0;
    uint32_t begin, end;
    sentence_around(a, item->token, &begin, &end);
    uint32_t count =
        taco_homograph_choose(name, n, &a->code_points, begin, end, item->begin,
                              item->begin + (uint32_t)n, a->phones + a->n_phones);
    a->n_phones += count;
    return count;
}

/* Hands the items to Flite. */
static enum taco_status analyse(struct taco_analysis *a, uint32_t to) {
    uint32_t n = a->items.n;
    if (!taco_vector_reserve(&a->flite_tokens, &a->cap_flite_tokens, 0, n,
                             sizeof *a->flite_tokens))
        return taco_analysis_no_memory(a);
    /* All pronunciations first: the array may move while it grows. */
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_item *item = &a->items.at[i];
        struct taco_flite_token *t = &a->flite_tokens[i];
        *t = (struct taco_flite_token){.name = a->items.strings.bytes + item->text,
                                       .reading = item->reading,
                                       .plural = item->plural,
                                       .punc = ""};
        if (item->reading == TACO_READ_PHONES && !item->entry) {
            uint32_t first = a->n_phones;
            enum taco_status status = taco_analysis_phones(a, &a->tokens.at[item->token]);
            if (status != TACO_OK)
                return status;
            t->n_phones = a->n_phones - first;
        } else {
            t->n_phones = homograph_phones(a, item);
        }
        uint32_t code_point;
        bool last = i + 1 == n || item[1].token != item->token;
        int32_t mark = last ? taco_analysis_punctuation(a, item->token, to, &code_point)
                            : TACO_NO_SYMBOL;
        t->punc = flite_punctuation(a, mark, item->pause);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct taco_flite_token *t = &a->flite_tokens[i];
        const struct taco_lexicon_entry *entry = a->items.at[i].entry;
        t->phones = entry ? entry->phones : a->phones + at;
        if (entry)
            t->n_phones = entry->n_phones;
        else
            at += t->n_phones;
    }
    return taco_flite_analyse(a->flite_tokens, n, a->lexicon, true, &a->flite, a->err);
}

struct writer {
    struct taco_analysis *a;
    uint32_t to;
    int32_t mark; /* behind the word that was written last; TACO_NO_SYMBOL: none */
    struct taco_span mark_span;
    bool any;   /* a symbol has been written */
    bool space; /* the last one is a separator */
    bool no_memory;
};

static void put(struct writer *w, int32_t id, uint32_t word, uint32_t spoken,
                struct taco_span span) {
    if (!taco_builder_add_symbol(&w->a->builder, id, word, spoken, span))
        w->no_memory = true;
    w->any = true;
    w->space = id == w->a->front_end->separator;
}

static void put_mark(struct writer *w) {
    if (w->mark != TACO_NO_SYMBOL)
        put(w, w->mark, TACO_NO_WORD, TACO_NO_WORD, w->mark_span);
    w->mark = TACO_NO_SYMBOL;
}

static void put_separator(struct writer *w, struct taco_span span) {
    int32_t id = w->a->front_end->separator;
    if (id != TACO_NO_SYMBOL && w->any && !w->space)
        put(w, id, TACO_NO_WORD, TACO_NO_WORD, span);
}

/* White space before a token's first word; empty inside it. */
static struct taco_span space_before(const struct taco_analysis *a, bool first,
                                     const struct taco_item *item) {
    const struct taco_token *token = &a->tokens.at[item->token];
    if (first && !token->glued && token->begin > 0)
        return taco_analysis_span(a, token->begin - 1, token->begin);
    return taco_analysis_span(a, item->begin, item->begin);
}

/* The punctuation mark behind the last word of an item. */
static void take_mark(struct writer *w, const struct taco_item *item,
                      bool last_of_token) {
    struct taco_analysis *a = w->a;
    uint32_t code_point = 0;
    if (last_of_token)
        w->mark = taco_analysis_punctuation(a, item->token, w->to, &code_point);
    if (w->mark != TACO_NO_SYMBOL) {
        w->mark_span = taco_analysis_span(a, code_point, code_point + 1);
        /* Inside a sentence a full stop is a short pause: the voice has learned that the
         * utterance is over after one. */
        bool inside =
            a->tokens.at[item->token].ends == TACO_END_NONE && item->token + 1 < w->to;
        if (inside && a->front_end->flite_conventions &&
            a->code_points.at[code_point].cp == '.') {
            uint32_t next = item->token + 1;
            while (next < w->to && a->tokens.at[next].kind == TACO_TOKEN_PUNCTUATION)
                next++;
            if (next < w->to && taco_front_end_is_punctuation(a->front_end, ','))
                w->mark = taco_symbols_find_cp(&a->front_end->symbols, ',');
        }
    } else if (item->pause && taco_front_end_is_punctuation(a->front_end, ',')) {
        w->mark = taco_symbols_find_cp(&a->front_end->symbols, ',');
        w->mark_span = taco_analysis_span(a, item->begin, item->begin);
    }
}

/* Notes once that a phone of the word is not in the table. */
static bool note_missing(struct taco_analysis *a, const struct taco_item *item) {
    return taco_builder_add_note(&a->builder, TACO_NOTE_DROPPED,
                                 taco_analysis_span(a, item->begin, item->end), "", 0);
}

static void put_phones(struct writer *w, const struct taco_flite_word *word,
                       uint32_t index, uint32_t spoken) {
    struct taco_analysis *a = w->a;
    const struct taco_item *item = &a->items.at[word->token];
    struct taco_span span = taco_analysis_span(a, item->begin, item->end);
    const struct taco_flite_token *token = &a->flite_tokens[word->token];
    const struct taco_phone *own = NULL;
    uint32_t n = word->n_segments;
    if (word->entry) {
        own = word->entry->phones;
        n = word->entry->n_phones;
    } else if (token->reading == TACO_READ_PHONES) {
        own = token->phones;
        n = token->n_phones;
    }
    bool missing = false;
    for (uint32_t k = 0; k < n; k++) {
        struct taco_phone phone =
            own ? own[k] : a->flite.segments[word->first_segment + k].phone;
        int32_t id = taco_front_end_phone(a->front_end, phone);
        if (id != TACO_NO_SYMBOL)
            put(w, id, index, spoken, span);
        missing = missing || id == TACO_NO_SYMBOL;
    }
    if (missing && !note_missing(a, item))
        w->no_memory = true;
}

static enum taco_status speak(struct taco_analysis *a, uint32_t from, uint32_t to) {
    const struct taco_front_end *fe = a->front_end;
    enum taco_status status =
        taco_reading_make(&a->items, &a->code_points, &a->tokens, from, to, a->lexicon,
                          a->options->normalise, &a->builder, a->err);
    if (status == TACO_OK)
        status = analyse(a, to);
    if (status != TACO_OK)
        return status;
    struct writer w = {.a = a, .to = to, .mark = TACO_NO_SYMBOL};
    uint32_t token = UINT32_MAX, index = 0; /* the word that token is */
    for (uint32_t i = 0; i < a->flite.n_words && !w.no_memory;) {
        const struct taco_flite_word *word = &a->flite.words[i];
        const struct taco_item *item = &a->items.at[word->token];
        bool first = item->token != token;
        if (first) {
            const struct taco_token *t = &a->tokens.at[item->token];
            token = item->token;
            index = a->builder.n_words;
            if (!taco_builder_add_word(
                    &a->builder, taco_analysis_span(a, t->core, t->core_end), item->rule))
                w.no_memory = true;
        }
        uint32_t n_joined = taco_word_joined(a, i);
        uint32_t spoken = a->builder.n_spoken;
        if (!taco_word_name(a, i, n_joined) ||
            !taco_builder_add_spoken(&a->builder, index, a->text.bytes, a->text.n))
            return taco_analysis_no_memory(a);
        for (uint32_t k = 0; k < n_joined; k++) {
            const struct taco_item *own = &a->items.at[word[k].token];
            if (word[k].n_segments) {
                put_mark(&w);
                if (k == 0 || fe->flite_conventions)
                    put_separator(&w, space_before(a, first && k == 0, own));
                put_phones(&w, &word[k], index, spoken);
            }
            bool last_of_item =
                i + k + 1 == a->flite.n_words || word[k + 1].token != word[k].token;
            bool last_of_token = i + k + 1 == a->flite.n_words ||
                                 a->items.at[word[k + 1].token].token != own->token;
            if (last_of_item && w.any)
                take_mark(&w, own, last_of_token);
        }
        i += n_joined;
    }
    put_mark(&w);
    return w.no_memory ? taco_analysis_no_memory(a) : TACO_OK;
}

static enum taco_status symbols(struct taco_coverage *c, struct taco_error *err) {
    (void)err;
    taco_coverage_phones(c, TACO_MADE_BY_ITSELF);
    return TACO_OK;
}

/* Flite knows English only, whatever language the voice names. */
static enum taco_status open(struct taco_front_end *fe, struct taco_error *err) {
    fe->english = true;
    if (fe->has_phones)
        return TACO_OK;
    return taco_error_set(
        err, TACO_ERR_FORMAT, "text.symbols",
        "text.symbols has no ARPAbet phone, but the front end is arpabet");
}

const struct taco_front_end_ops taco_arpabet = {
    .name = "arpabet", .open = open, .speak = speak, .symbols = symbols};
