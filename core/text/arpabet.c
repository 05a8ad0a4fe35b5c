/* The front end of phones: words by Flite, symbols as the voice's table names them.
 *
 * A space stands between words, a sign behind the word that it follows. With the
 * conventions of Flite an 's, 'll, 've or 'd is a word of its own, as Flite has it. */
#include "base/error.h"
#include "text/analysis.h"
#include <string.h>

/* The signs behind a token that Flite's phrasing looks at. */
static const char *flite_punctuation(struct taco_analysis *a, int32_t sign, bool pause) {
    static const char *const known[] = {",", ".", ":", ";", "?", "!"};
    const char *name = sign != TACO_NO_SYMBOL ? a->front_end->symbols.names[sign] : "";
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i], name) == 0)
            return known[i];
    return pause ? "," : "";
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
        }
        uint32_t glyph;
        bool last = i + 1 == n || item[1].token != item->token;
        int32_t sign =
            last ? taco_analysis_sign(a, item->token, to, &glyph) : TACO_NO_SYMBOL;
        t->punc = flite_punctuation(a, sign, item->pause);
    }
    uint32_t at = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct taco_flite_token *t = &a->flite_tokens[i];
        const struct taco_lexicon_entry *entry = a->items.at[i].entry;
        if (t->reading != TACO_READ_PHONES)
            continue;
        t->phones = entry ? entry->phones : a->phones + at;
        if (entry)
            t->n_phones = entry->n_phones;
        else
            at += t->n_phones;
    }
    return taco_flite_analyse(a->flite_tokens, n, a->front_end->lexicon, true, &a->flite,
                              a->err);
}

struct writer {
    struct taco_analysis *a;
    uint32_t to;
    int32_t sign; /* behind the word that was written last; TACO_NO_SYMBOL: none */
    struct taco_span sign_span;
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

static void put_sign(struct writer *w) {
    if (w->sign != TACO_NO_SYMBOL)
        put(w, w->sign, TACO_NO_WORD, TACO_NO_WORD, w->sign_span);
    w->sign = TACO_NO_SYMBOL;
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

/* The sign behind the last word of an item. */
static void take_sign(struct writer *w, const struct taco_item *item,
                      bool last_of_token) {
    struct taco_analysis *a = w->a;
    uint32_t glyph = 0;
    if (last_of_token)
        w->sign = taco_analysis_sign(a, item->token, w->to, &glyph);
    if (w->sign != TACO_NO_SYMBOL) {
        w->sign_span = taco_analysis_span(a, glyph, glyph + 1);
        /* Inside a sentence a full stop is a short pause: the voice has learned that the
         * utterance is over after one. */
        bool inside =
            a->tokens.at[item->token].ends == TACO_END_NONE && item->token + 1 < w->to;
        if (inside && a->front_end->flite_conventions && a->glyphs.at[glyph].cp == '.') {
            uint32_t next = item->token + 1;
            while (next < w->to && a->tokens.at[next].kind == TACO_TOKEN_SIGNS)
                next++;
            if (next < w->to && taco_front_end_is_punctuation(a->front_end, ','))
                w->sign = taco_symbols_find_cp(&a->front_end->symbols, ',');
        }
    } else if (item->pause && taco_front_end_is_punctuation(a->front_end, ',')) {
        w->sign = taco_symbols_find_cp(&a->front_end->symbols, ',');
        w->sign_span = taco_analysis_span(a, item->begin, item->begin);
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

enum taco_status taco_arpabet_speak(struct taco_analysis *a, uint32_t from, uint32_t to) {
    const struct taco_front_end *fe = a->front_end;
    enum taco_status status = taco_reading_make(&a->items, &a->glyphs, &a->tokens, from,
                                                to, fe->lexicon, &a->builder, a->err);
    if (status == TACO_OK)
        status = analyse(a, to);
    if (status != TACO_OK)
        return status;
    struct writer w = {.a = a, .to = to, .sign = TACO_NO_SYMBOL};
    uint32_t token = UINT32_MAX, index = 0; /* the word that token is */
    for (uint32_t i = 0; i < a->flite.n_words && !w.no_memory;) {
        const struct taco_flite_word *word = &a->flite.words[i];
        const struct taco_item *item = &a->items.at[word->token];
        bool first = item->token != token;
        if (first) {
            const struct taco_token *t = &a->tokens.at[item->token];
            token = item->token;
            index = a->builder.n_words;
            if (!taco_builder_add_word(&a->builder,
                                       taco_analysis_span(a, t->core, t->core_end)))
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
                put_sign(&w);
                if (k == 0 || fe->flite_conventions)
                    put_separator(&w, space_before(a, first && k == 0, own));
                put_phones(&w, &word[k], index, spoken);
            }
            bool last_of_item =
                i + k + 1 == a->flite.n_words || word[k + 1].token != word[k].token;
            bool last_of_token = i + k + 1 == a->flite.n_words ||
                                 a->items.at[word[k + 1].token].token != own->token;
            if (last_of_item && w.any)
                take_sign(&w, own, last_of_token);
        }
        i += n_joined;
    }
    put_sign(&w);
    return w.no_memory ? taco_analysis_no_memory(a) : TACO_OK;
}
