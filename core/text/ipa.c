/* The front end of IPA: words by eSpeak NG, in any language that it has.
 *
 * A whole clause is given to eSpeak NG, so that words sound as they do beside each other.
 * If it gives back as many words as the clause has, each is known by its place; otherwise
 * each word is asked for alone. */
#include "base/error.h"
#include "text/analysis.h"
#include "text/coverage.h"
#include "text/espeak.h"
#include "text/scripts.h"
#include <string.h>
#include <unicase.h>

struct writer {
    struct taco_analysis *a;
    struct taco_string clause, ipa;
    bool any, space, no_memory;
};

static void put(struct writer *w, int32_t id, uint32_t word, uint32_t spoken,
                struct taco_span span) {
    if (!taco_builder_add_symbol(&w->a->builder, id, word, spoken, span))
        w->no_memory = true;
    w->any = true;
    w->space = id == w->a->front_end->separator;
}

/* Does a clause end with the token? */
static bool ends_clause(const struct taco_analysis *a, uint32_t i, uint32_t to) {
    uint32_t code_point;
    return i + 1 == to ||
           taco_analysis_punctuation(a, i, to, &code_point) != TACO_NO_SYMBOL ||
           a->tokens.at[i].end > a->tokens.at[i].core_end;
}

static bool add_token_text(struct taco_analysis *a, const struct taco_token *token,
                           struct taco_string *text) {
    for (uint32_t g = token->core; g < token->core_end; g++)
        if (!taco_string_add_cp(text, a->code_points.at[g].cp))
            return false;
    return true;
}

static uint32_t count_words(const struct taco_string *ipa) {
    uint32_t n = ipa->n > 0;
    for (uint32_t i = 0; i < ipa->n; i++)
        n += ipa->bytes[i] == ' ';
    return n;
}

/* The symbols of IPA bytes [n], for one word. */
static void put_ipa(struct writer *w, const char *ipa, size_t n, uint32_t word,
                    uint32_t spoken, struct taco_span span) {
    struct taco_analysis *a = w->a;
    bool missing = false;
    struct taco_span gap = span;
    gap.end = gap.begin;
    gap.end_cp = gap.begin_cp;
    for (size_t i = 0; i < n;) {
        if (ipa[i] == ' ') { /* one word of the source, several spoken */
            if (a->front_end->separator != TACO_NO_SYMBOL)
                put(w, a->front_end->separator, TACO_NO_WORD, TACO_NO_WORD, gap);
            i++;
            continue;
        }
        size_t used = 1;
        int32_t id = taco_symbols_match(&a->front_end->symbols, ipa + i, n - i, &used);
        if (id != TACO_NO_SYMBOL)
            put(w, id, word, spoken, span);
        else
            missing = missing || ((unsigned char)ipa[i] & 0xC0) != 0x80;
        i += used;
    }
    if (missing && !taco_builder_add_note(&a->builder, TACO_NOTE_DROPPED, span, "", 0))
        w->no_memory = true;
}

/* Adds the source's word and its one spoken word. */
static void add_word(struct writer *w, const struct taco_token *token, uint32_t *word,
                     uint32_t *spoken) {
    struct taco_analysis *a = w->a;
    *word = a->builder.n_words;
    *spoken = a->builder.n_spoken;
    taco_string_clear(&a->text);
    for (uint32_t g = token->core; g < token->core_end; g++)
        if (!taco_string_add_cp(&a->text, uc_tolower(a->code_points.at[g].cp)))
            w->no_memory = true;
    if (w->no_memory ||
        !taco_builder_add_word(&a->builder,
                               taco_analysis_span(a, token->core, token->core_end),
                               token->kind == TACO_TOKEN_PHONES ? "phones" : "word") ||
        !taco_builder_add_spoken(&a->builder, *word, a->text.bytes, a->text.n))
        w->no_memory = true;
}

static void put_separator(struct writer *w, const struct taco_token *token) {
    const struct taco_front_end *fe = w->a->front_end;
    bool white = !token->glued && token->begin > 0;
    struct taco_span span = taco_analysis_span(w->a, token->begin - white, token->begin);
    if (fe->separator != TACO_NO_SYMBOL && w->any && !w->space)
        put(w, fe->separator, TACO_NO_WORD, TACO_NO_WORD, span);
}

/* Is it names of the table, one or several in a row? */
static bool is_phone(const struct taco_front_end *fe, const char *name, size_t n) {
    for (size_t i = 0, used; i < n; i += used)
        if (taco_symbols_match(&fe->symbols, name + i, n - i, &used) == TACO_NO_SYMBOL)
            return false;
    return true;
}

/* {h ə l oʊ}: names of the table between blanks, or several in a row. */
static enum taco_status put_braces(struct writer *w, const struct taco_token *token) {
    struct taco_analysis *a = w->a;
    uint32_t word, spoken;
    put_separator(w, token);
    add_word(w, token, &word, &spoken);
    struct taco_span span = taco_analysis_span(a, token->core, token->core_end);
    for (uint32_t g = token->core + 1; g + 1 < token->core_end;) {
        if (taco_cp_is_white(a->code_points.at[g].cp)) {
            g++;
            continue;
        }
        taco_string_clear(&a->text);
        uint32_t stop = g;
        for (;
             stop + 1 < token->core_end && !taco_cp_is_white(a->code_points.at[stop].cp);
             stop++)
            if (!taco_string_add_cp(&a->text, a->code_points.at[stop].cp))
                return taco_analysis_no_memory(a);
        for (size_t i = 0, used; i < a->text.n; i += used) {
            int32_t id = taco_symbols_match(&a->front_end->symbols, a->text.bytes + i,
                                            a->text.n - i, &used);
            if (id == TACO_NO_SYMBOL)
                return taco_error_set_at(
                    a->err, TACO_ERR_UNKNOWN_PHONE, "text",
                    (long)a->code_points.at[g].begin,
                    "'%.24s' at byte %u is not among the symbols of this voice",
                    a->text.bytes, (unsigned)a->code_points.at[g].begin);
            put(w, id, word, spoken, span);
        }
        g = stop;
    }
    return TACO_OK;
}

/* Letters and apostrophes alone, so that eSpeak NG makes one word of it, or one of it and its
 * neighbour. */
static bool is_simple(const struct taco_analysis *a, const struct taco_token *token) {
    for (uint32_t g = token->core; g < token->core_end; g++)
        if (!taco_cp_is_letter(a->code_points.at[g].cp) &&
            a->code_points.at[g].cp != '\'')
            return false;
    return true;
}

/* A word with IPA bytes [n]. */
static enum taco_status put_word(struct writer *w, const struct taco_token *token,
                                 const char *ipa, size_t n) {
    struct taco_analysis *a = w->a;
    uint32_t word, spoken;
    if (n)
        put_separator(w, token);
    add_word(w, token, &word, &spoken);
    if (w->no_memory)
        return taco_analysis_no_memory(a);
    struct taco_span span = taco_analysis_span(a, token->core, token->core_end);
    if (n)
        put_ipa(w, ipa, n, word, spoken, span);
    else if (!taco_builder_add_note(&a->builder, TACO_NOTE_DROPPED, span, "", 0))
        return taco_analysis_no_memory(a);
    return TACO_OK;
}

/* Words of tokens [from, to), without punctuation between. If eSpeak NG makes fewer words of them
 * ("of the" is one to it), each half is asked for by itself. */
static enum taco_status put_words(struct writer *w, uint32_t from, uint32_t to) {
    struct taco_analysis *a = w->a;
    uint32_t n = to - from;
    taco_string_clear(&w->clause);
    taco_string_clear(&w->ipa);
    for (uint32_t i = from; i < to; i++) {
        const struct taco_token *token = &a->tokens.at[i];
        if ((i > from && !token->glued && !taco_string_add_char(&w->clause, ' ')) ||
            !add_token_text(a, token, &w->clause))
            return taco_analysis_no_memory(a);
    }
    enum taco_status status =
        taco_espeak_ipa(a->front_end->espeak_voice, w->clause.bytes, &w->ipa, a->err);
    if (status != TACO_OK)
        return status;
    if (n > 1 && count_words(&w->ipa) != n) {
        status = put_words(w, from, from + n / 2);
        return status == TACO_OK ? put_words(w, from + n / 2, to) : status;
    }
    const char *at = w->ipa.bytes ? w->ipa.bytes : "";
    for (uint32_t i = from; i < to && status == TACO_OK; i++) {
        size_t length = n > 1 ? strcspn(at, " ") : strlen(at);
        status = put_word(w, &a->tokens.at[i], at, length);
        at += length;
        at += *at == ' ';
    }
    return status;
}

/* Words of tokens [from, to), one clause without a pronunciation in braces: simple ones
 * together, others alone, since eSpeak NG may make several words of one. */
static enum taco_status put_clause(struct writer *w, uint32_t from, uint32_t to) {
    enum taco_status status = TACO_OK;
    while (from < to && status == TACO_OK) {
        uint32_t end = from + 1;
        if (is_simple(w->a, &w->a->tokens.at[from]))
            while (end < to && end - from < 32 &&
                   is_simple(w->a, &w->a->tokens.at[end]) && !w->a->tokens.at[end].glued)
                end++;
        status = put_words(w, from, end);
        from = end;
    }
    return status;
}

/* Signs that the table has and that follow words; those that stand before them, too. */
static void put_marks(struct writer *w, uint32_t begin, uint32_t end) {
    struct taco_analysis *a = w->a;
    for (uint32_t g = begin; g < end; g++) {
        uint32_t cp = a->code_points.at[g].cp;
        if (taco_front_end_is_punctuation(a->front_end, cp))
            put(w, taco_symbols_find_cp(&a->front_end->symbols, cp), TACO_NO_WORD,
                TACO_NO_WORD, taco_analysis_span(a, g, g + 1));
    }
}

static enum taco_status speak(struct taco_analysis *a, uint32_t from, uint32_t to) {
    struct writer w = {.a = a};
    enum taco_status status = TACO_OK;
    for (uint32_t i = from; i < to && status == TACO_OK && !w.no_memory;) {
        const struct taco_token *token = &a->tokens.at[i];
        uint32_t end = i + 1;
        if (token->kind == TACO_TOKEN_WORD) {
            while (end < to && !ends_clause(a, end - 1, to) &&
                   a->tokens.at[end].kind == TACO_TOKEN_WORD &&
                   a->tokens.at[end].begin == a->tokens.at[end].core)
                end++;
        }
        if (token->kind != TACO_TOKEN_PUNCTUATION && token->begin < token->core) {
            put_separator(&w, token);
            put_marks(&w, token->begin, token->core);
            w.space =
                true; /* no space between an opening punctuation mark and its word */
        }
        if (token->kind == TACO_TOKEN_PHONES)
            status = put_braces(&w, token);
        else if (token->kind == TACO_TOKEN_WORD)
            status = put_clause(&w, i, end);
        const struct taco_token *last = &a->tokens.at[end - 1];
        if (token->kind == TACO_TOKEN_PUNCTUATION)
            put_marks(&w, token->begin, token->end);
        else
            put_marks(&w, last->core_end, last->end);
        i = end;
    }
    taco_string_free(&w.clause);
    taco_string_free(&w.ipa);
    if (status != TACO_OK)
        return status;
    return w.no_memory ? taco_analysis_no_memory(a) : TACO_OK;
}

/* What eSpeak NG makes of the language's numbers and letters. */
static enum taco_status symbols(struct taco_coverage *c, struct taco_error *err) {
    static const char *const samples[] = {
        "0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 32 43 54 65 76 87 98",
        "100 200 300 400 500 600 700 800 900 1000 2000 1000000",
        "a b c d e f g h i j k l m n o p q r s t u v w x y z"};
    struct taco_string ipa = {NULL, 0, 0};
    enum taco_status status = TACO_OK;
    for (size_t i = 0; i < sizeof samples / sizeof *samples && status == TACO_OK; i++) {
        taco_string_clear(&ipa);
        status = taco_espeak_ipa(c->front_end->espeak_voice, samples[i], &ipa, err);
        for (size_t at = 0, used; at < ipa.n && status == TACO_OK; at += used) {
            int32_t id = taco_symbols_match(&c->front_end->symbols, ipa.bytes + at,
                                            ipa.n - at, &used);
            taco_coverage_make(c, id, TACO_MADE_BY_ITSELF);
            if (id != TACO_NO_SYMBOL)
                continue;
            used = 1;
            while (at + used < ipa.n &&
                   ((unsigned char)ipa.bytes[at + used] & 0xC0) == 0x80)
                used++;
            if (ipa.bytes[at] != ' ')
                taco_coverage_miss(c, ipa.bytes + at, used);
        }
    }
    taco_string_free(&ipa);
    return status;
}

static bool speaks(const struct taco_front_end *fe, uint32_t cp) {
    return taco_script_fits(fe->espeak_voice, cp);
}

/* eSpeak NG reads its own languages, English among them. */
static enum taco_status open(struct taco_front_end *fe, struct taco_error *err) {
    fe->english = false;
    return taco_espeak_check(fe->espeak_voice, err);
}

const struct taco_front_end_ops taco_ipa = {.name = "ipa",
                                            .open = open,
                                            .speak = speak,
                                            .symbols = symbols,
                                            .is_phone = is_phone,
                                            .unicode = true,
                                            .speaks = speaks};
