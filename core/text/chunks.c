/* Sentences to chunks: cutting those that are too long, the final punctuation mark, and what a voice
 * wants around every chunk. */
#include "base/cancel.h"
#include "base/error.h"
#include "text/analysis.h"
#include <string.h>

/* How good a place to cut is a border between two words: lower is better. */
enum { CUT_CLAUSE, CUT_COMMA, CUT_CONJUNCTION, CUT_WORD, CUT_GLUED };

static uint32_t cp_at(const struct taco_analysis *a, uint32_t code_point) {
    return a->code_points.at[code_point].cp;
}

static int cut_class(const struct taco_analysis *a, uint32_t before) {
    static const char *const conjunctions[] = {
        "and",    "or",   "but",  "because", "which", "who",   "that",  "when",
        "while",  "if",   "so",   "where",   "than",  "until", "since", "after",
        "before", "with", "from", "into",    "for",   NULL};
    const struct taco_token *token = &a->tokens.at[before - 1], *next = token + 1;
    uint32_t from =
        token->kind == TACO_TOKEN_PUNCTUATION ? token->begin : token->core_end;
    bool comma = false;
    for (uint32_t g = from; g < token->end; g++) {
        if (strchr(";:-)!?", (int)cp_at(a, g)) && cp_at(a, g))
            return CUT_CLAUSE;
        comma = comma || cp_at(a, g) == ',' || cp_at(a, g) == '.';
    }
    if (comma)
        return CUT_COMMA;
    if (next->kind == TACO_TOKEN_WORD && cp_at(a, next->begin) == '(')
        return CUT_COMMA;
    if (next->glued)
        return CUT_GLUED;
    char word[16];
    if (next->kind == TACO_TOKEN_WORD && next->core_end - next->core < sizeof word) {
        taco_code_points_copy(&a->code_points, next->core, next->core_end, word,
                              sizeof word);
        for (const char *const *c = conjunctions; *c; c++)
            if (strcmp(*c, word) == 0)
                return CUT_CONJUNCTION;
    }
    return CUT_WORD;
}

/* The token before which [from, to) is best cut so that about `share` code points stand before
 * it, and not more than `most`; at least one word. */
static uint32_t best_cut(const struct taco_analysis *a, uint32_t from, uint32_t to,
                         uint32_t share, uint32_t most) {
    uint32_t best = 0, best_distance = 0;
    int best_class = 0;
    for (uint32_t i = from + 1; i < to; i++) {
        if (a->tokens.at[i].kind == TACO_TOKEN_PUNCTUATION)
            continue; /* stays with the word before it */
        uint32_t n = a->tokens.at[i].begin - a->tokens.at[from].begin;
        if (n > most && best)
            break;
        int class = n * 2 < share ? CUT_GLUED + 1 : cut_class(a, i);
        uint32_t distance = n > share ? n - share : share - n;
        if (!best || class < best_class ||
            (class == best_class && distance < best_distance)) {
            best = i;
            best_class = class;
            best_distance = distance;
        }
        if (n > most)
            break;
    }
    return best ? best : to;
}

/* -- finishing a chunk ----------------------------------------------------------- */

static bool is_final(const struct taco_front_end *fe, int32_t id) {
    static const char *const finals[] = {".",  "?", "!", "…", "。", "！",
                                         "？", "؟", "।", "۔", NULL};
    if (id == fe->final)
        return true;
    for (const char *const *f = finals; *f; f++)
        if (strcmp(*f, fe->symbols.names[id]) == 0)
            return true;
    return false;
}

/* A punctuation mark that a sentence cannot end with. */
static bool is_weak(const struct taco_front_end *fe, int32_t id) {
    static const char *const weak[] = {",", ";", ":",  "-",  "—",
                                       "–", " ", "、", "，", NULL};
    if (id == fe->separator)
        return true;
    for (const char *const *w = weak; *w; w++)
        if (strcmp(*w, fe->symbols.names[id]) == 0)
            return true;
    return false;
}

/* Gives the chunk a final punctuation mark if it has none. */
static bool add_final(struct taco_analysis *a, uint32_t first, uint32_t end_cp,
                      bool cut) {
    struct taco_builder *b = &a->builder;
    const struct taco_front_end *fe = a->front_end;
    if (fe->final == TACO_NO_SYMBOL || !a->options->final_punctuation)
        return true;
    uint32_t i = b->n_symbols;
    for (; i > first && b->symbols[i - 1].spoken == TACO_NO_WORD; i--)
        if (is_final(fe, b->symbols[i - 1].id))
            return true;
    struct taco_span span = taco_analysis_span(a, end_cp, end_cp);
    if (end_cp > 0)
        span = taco_builder_span(b, a->code_points.at[end_cp - 1].end,
                                 a->code_points.at[end_cp - 1].end);
    while (b->n_symbols > i && is_weak(fe, b->symbols[b->n_symbols - 1].id)) {
        b->n_symbols--;
        span = b->symbols[b->n_symbols].span;
    }
    if (!taco_builder_add_symbol(b, fe->final, TACO_NO_WORD, TACO_NO_WORD, span))
        return false;
    return cut || taco_builder_add_note(b, TACO_NOTE_FINAL_PUNCTUATION, span,
                                        fe->final_name, strlen(fe->final_name));
}

/* Puts pad, blank, bos and eos around and between the symbols from first on. */
static bool wrap(struct taco_analysis *a, uint32_t first) {
    struct taco_builder *b = &a->builder;
    const struct taco_front_end *fe = a->front_end;
    bool pads = fe->pad_ends != TACO_NO_SYMBOL, blanks = fe->blank != TACO_NO_SYMBOL;
    bool bos = fe->bos != TACO_NO_SYMBOL, eos = fe->eos != TACO_NO_SYMBOL;
    if (!pads && !blanks && !bos && !eos)
        return true;
    uint32_t n = b->n_symbols - first;
    uint32_t inner = n + 2 * (uint32_t)pads;
    uint32_t all = (blanks ? 2 * inner + 1 : inner) + (uint32_t)bos + (uint32_t)eos;
    if (!taco_vector_reserve(&b->symbols, &b->cap_symbols, first, all,
                             sizeof *b->symbols))
        return false;
    struct taco_symbol *s = b->symbols + first; /* [all], n of them set */
    struct taco_span left = s[0].span, right = s[n - 1].span;
    left.end = left.begin;
    left.end_cp = left.begin_cp;
    right.begin = right.end;
    right.begin_cp = right.end_cp;
    /* From the back, so that no symbol is written over before it has been read. */
    uint32_t to = all;
    struct taco_symbol filler = {
        .word = TACO_NO_WORD, .spoken = TACO_NO_WORD, .span = right};
    if (eos) {
        filler.id = fe->eos;
        s[--to] = filler;
    }
    for (uint32_t k = inner; k-- > 0;) {
        struct taco_symbol symbol = filler;
        bool pad = pads && (k == 0 || k == inner - 1);
        if (pad) {
            symbol.id = fe->pad_ends;
            symbol.span = k == 0 ? left : right;
        } else {
            symbol = s[k - pads];
        }
        if (blanks) {
            filler.id = fe->blank;
            s[--to] = filler;
        }
        s[--to] = symbol;
        filler.span = symbol.span;
        filler.span.end = filler.span.begin;
        filler.span.end_cp = filler.span.begin_cp;
    }
    filler.span = left;
    if (blanks) {
        filler.id = fe->blank;
        s[--to] = filler;
    }
    if (bos) {
        filler.id = fe->bos;
        s[--to] = filler;
    }
    b->n_symbols = first + all;
    return true;
}

/* Fills the ranges of words and spoken words from the symbols of the chunk. */
static void count(struct taco_builder *b, struct taco_builder_mark mark) {
    for (uint32_t i = mark.n_words; i < b->n_words; i++)
        b->words[i].n_symbols = b->words[i].n_spoken = 0;
    for (uint32_t i = mark.n_spoken; i < b->n_spoken; i++) {
        b->spoken[i].n_symbols = 0;
        struct taco_word *word = &b->words[b->spoken[i].word];
        if (!word->n_spoken++)
            word->first_spoken = i;
    }
    for (uint32_t i = mark.n_symbols; i < b->n_symbols; i++) {
        const struct taco_symbol *s = &b->symbols[i];
        if (s->word != TACO_NO_WORD) {
            struct taco_word *word = &b->words[s->word];
            if (!word->n_symbols)
                word->first_symbol = i;
            word->n_symbols = i + 1 - word->first_symbol;
        }
        if (s->spoken != TACO_NO_WORD) {
            struct taco_spoken_word *spoken = &b->spoken[s->spoken];
            if (!spoken->n_symbols)
                spoken->first_symbol = i;
            spoken->n_symbols = i + 1 - spoken->first_symbol;
        }
    }
    /* Those without any begin where the next one does. */
    uint32_t symbol = b->n_symbols, spoken = b->n_spoken;
    for (uint32_t i = b->n_spoken; i-- > mark.n_spoken;) {
        if (!b->spoken[i].n_symbols)
            b->spoken[i].first_symbol = symbol;
        symbol = b->spoken[i].first_symbol;
    }
    symbol = b->n_symbols;
    for (uint32_t i = b->n_words; i-- > mark.n_words;) {
        if (!b->words[i].n_symbols)
            b->words[i].first_symbol = symbol;
        if (!b->words[i].n_spoken)
            b->words[i].first_spoken = spoken;
        symbol = b->words[i].first_symbol;
        spoken = b->words[i].first_spoken;
    }
}

/* -- sentences ------------------------------------------------------------------- */

struct pending {
    float pause; /* after the last chunk, if another one follows */
    bool any;    /* a chunk has been made */
};

/* Speaks tokens [from, to) as a chunk, if that has a word and fits. *n_symbols is what
 * came of it: 0 if there is nothing to speak; more than fits: the builder is as before.
 */
static enum taco_status speak(struct taco_analysis *a, uint32_t from, uint32_t to,
                              bool cut, bool must_fit, struct pending *pending,
                              uint32_t *n_symbols) {
    struct taco_builder *b = &a->builder;
    struct taco_builder_mark mark = taco_builder_mark(b);
    *n_symbols = 0;
    a->n_phones = 0;
    if (taco_is_cancelled(a->options->cancel))
        return taco_error_set(a->err, TACO_ERR_CANCELLED, NULL,
                              "the text is no longer wanted");
    enum taco_status status = a->front_end->ops->speak(a, from, to);
    if (status != TACO_OK)
        return status;
    bool spoken = false;
    for (uint32_t i = mark.n_symbols; i < b->n_symbols && !spoken; i++)
        spoken = b->symbols[i].spoken != TACO_NO_WORD;
    if (!spoken) { /* notes stay */
        b->n_words = mark.n_words;
        b->n_spoken = mark.n_spoken;
        b->n_symbols = mark.n_symbols;
        return TACO_OK;
    }
    if (!add_final(a, mark.n_symbols, a->tokens.at[to - 1].end, cut) ||
        !wrap(a, mark.n_symbols))
        return taco_analysis_no_memory(a);
    *n_symbols = b->n_symbols - mark.n_symbols;
    if (*n_symbols > a->options->max_symbols && must_fit) {
        taco_builder_rewind(b, mark);
        return TACO_OK;
    }
    count(b, mark);
    if (pending->any)
        b->chunks[b->n_chunks - 1].pause = pending->pause;
    struct taco_chunk chunk = {
        .span = taco_analysis_span(a, a->tokens.at[from].begin, a->tokens.at[to - 1].end),
        .first_symbol = mark.n_symbols,
        .n_symbols = *n_symbols,
        .first_word = mark.n_words,
        .n_words = b->n_words - mark.n_words,
        .speed = 1,
        .volume = 1,
    };
    if (!taco_builder_add_chunk(b, &chunk))
        return taco_analysis_no_memory(a);
    pending->any = true;
    pending->pause = 0;
    return TACO_OK;
}

/* Silence at a cut inside a sentence: half of what stands between sentences after a punctuation mark,
 * none between words. */
static float cut_pause(const struct taco_analysis *a, uint32_t before) {
    return cut_class(a, before) <= CUT_COMMA ? a->options->sentence_pause / 2 : 0;
}

static enum taco_status speak_sentence(struct taco_analysis *a, uint32_t from,
                                       uint32_t to, struct pending *pending) {
    uint32_t most = a->options->max_symbols;
    /* Symbols a code point, to be corrected by what the first try shows. */
    double density = a->front_end->blank == TACO_NO_SYMBOL ? 1 : 2;
    while (from < to) {
        uint32_t code_points = a->tokens.at[to - 1].end - a->tokens.at[from].begin;
        uint32_t end = to, n_symbols = 0;
        bool tried = false;
        enum taco_status status;
        while (true) {
            double estimate =
                density * (double)(a->tokens.at[end - 1].end - a->tokens.at[from].begin);
            if (tried || estimate > 1.5 * most) {
                /* Equal parts, so that no short one is left over. */
                double parts = density * code_points / most;
                uint32_t n = parts <= 1 ? 2 : (uint32_t)parts + 1;
                uint32_t limit = (uint32_t)(0.95 * most / density);
                uint32_t next = best_cut(a, from, end, code_points / n, limit);
                end = next < end ? next : end - (end > from + 1);
            }
            bool single = end == from + 1;
            status = speak(a, from, end, end < to, !single, pending, &n_symbols);
            if (status != TACO_OK)
                return status;
            if (n_symbols <= most || single)
                break;
            uint32_t seen = a->tokens.at[end - 1].end - a->tokens.at[from].begin;
            density = (double)n_symbols / (double)seen;
            code_points = seen;
            tried = true;
        }
        if (end < to) {
            if (n_symbols) {
                struct taco_span span = taco_analysis_span(a, a->tokens.at[end].begin,
                                                           a->tokens.at[end].begin);
                if (!taco_builder_add_note(&a->builder, TACO_NOTE_SPLIT, span, "", 0))
                    return taco_analysis_no_memory(a);
                pending->pause = cut_pause(a, end);
            }
        }
        from = end;
    }
    return TACO_OK;
}

enum taco_status taco_chunks_make(struct taco_analysis *a) {
    struct pending pending = {0, false};
    for (uint32_t from = 0; from < a->tokens.n;) {
        uint32_t to = from + 1;
        while (a->tokens.at[to - 1].ends == TACO_END_NONE)
            to++;
        enum taco_status status = speak_sentence(a, from, to, &pending);
        if (status != TACO_OK)
            return status;
        float pause = a->tokens.at[to - 1].ends == TACO_END_PARAGRAPH
                          ? a->options->paragraph_pause
                          : a->options->sentence_pause;
        if (pending.pause < pause)
            pending.pause = pause;
        from = to;
    }
    if (!pending.any && !a->options->allow_silence)
        return taco_error_set(a->err, TACO_ERR_NOTHING_TO_SPEAK, "text",
                              "the text has no word that this voice can speak");
    return TACO_OK;
}
