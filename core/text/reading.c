#include "text/reading.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/reading_rules.h"
#include <string.h>

/* -- the window ------------------------------------------------------------------ */

static void window_add(struct taco_reader *r, uint32_t code_point, uint32_t token) {
    if (r->length + 1 >= TACO_WINDOW)
        return;
    uint32_t cp = r->code_points->at[code_point].cp;
    char sign = taco_reading_window_sign(cp);
    char c = sign                     ? sign
             : taco_cp_is_white(cp)   ? ' '
             : cp >= ' ' && cp < 0x7F ? (char)cp
             : taco_cp_is_letter(cp)  ? TACO_CHAR_FOREIGN
                                      : TACO_SIGN_OTHER[0];
    r->code_point[r->length] = code_point;
    r->token_of[r->length] = token;
    r->window[r->length++] = c;
    r->window[r->length] = '\0';
}

static void open_window(struct taco_reader *r, uint32_t token) {
    r->token = token;
    r->length = 0;
    memset(r->ends_word, 0, sizeof r->ends_word);
    for (uint32_t i = token; i < r->to && i < token + TACO_WINDOW_TOKENS; i++) {
        const struct taco_token *t = &r->tokens->at[i];
        if (i > token && t->kind == TACO_TOKEN_PHONES)
            break;
        uint32_t g = i == token ? t->core : t->begin;
        if (i > token && !t->glued)
            window_add(r, g - 1, i);
        for (; g < t->core_end; g++)
            window_add(r, g, i);
        bool word = t->kind == TACO_TOKEN_WORD;
        r->ends_word[r->length] = word;
        for (; g < t->end; g++) {
            window_add(r, g, i);
            r->ends_word[r->length] = word;
        }
    }
}

/* -- items ----------------------------------------------------------------------- */

static struct taco_item *add_item(struct taco_reader *r, const char *text, size_t n,
                                  enum taco_reading reading, uint32_t token,
                                  uint32_t begin, uint32_t end) {
    struct taco_items *items = r->items;
    uint32_t at = items->strings.n;
    if (!taco_vector_reserve(&items->at, &items->capacity, items->n, 1,
                             sizeof *items->at) ||
        !taco_string_add(&items->strings, text, n) ||
        !taco_string_add_char(&items->strings, '\0')) {
        r->no_memory = true;
        return NULL;
    }
    /* In order: what a rule puts behind the words it turned round belongs to the last. */
    if (items->n) {
        const struct taco_item *last = &items->at[items->n - 1];
        if (token < last->token)
            token = last->token;
        if (begin < last->begin)
            begin = last->begin;
    }
    /* Words of punctuation, a minus between spaces, belong to the word before it. */
    while (token > r->token && r->tokens->at[token].kind == TACO_TOKEN_PUNCTUATION)
        token--;
    const struct taco_token *t = &r->tokens->at[token];
    if (begin < t->core)
        begin = t->core;
    if (begin >= t->core_end) /* punctuation behind the word */
        begin = t->core_end - 1;
    if (end > t->core_end)
        end = t->core_end;
    if (end <= begin) /* turned round: what is left of the word */
        end = t->core_end;
    items->at[items->n] = (struct taco_item){
        .text = at, .token = token, .begin = begin, .end = end, .reading = reading};
    return &items->at[items->n++];
}

struct taco_item *taco_reader_add(struct taco_reader *reader, const char *text, size_t n,
                                  enum taco_reading reading, struct taco_part part) {
    return add_item(reader, text, n, reading, reader->token_of[part.begin],
                    reader->code_point[part.begin], reader->code_point[part.end - 1] + 1);
}

void taco_reader_words(struct taco_reader *reader, const char *words,
                       struct taco_part part) {
    while (*words) {
        size_t n = strcspn(words, " ");
        taco_reader_add(reader, words, n, TACO_READ_WORD, part);
        words += n;
        words += *words == ' ';
    }
}

void taco_reader_pause(struct taco_reader *reader) {
    if (reader->items->n)
        reader->items->at[reader->items->n - 1].pause = true;
}

void taco_reader_plural(struct taco_reader *reader) {
    if (reader->items->n)
        reader->items->at[reader->items->n - 1].plural = true;
}

/* Letters, apostrophes and hyphens: the words between the hyphens. */
static bool add_hyphenated(struct taco_reader *r, struct taco_part part) {
    for (uint32_t i = part.begin; i < part.end; i++)
        if (!taco_char_is_word(r->window[i]) && r->window[i] != '-')
            return false;
    for (uint32_t i = part.begin; i < part.end;) {
        uint32_t end = taco_reader_run(r, i, part.end, taco_char_is_word);
        if (end > i)
            taco_reader_word(r, (struct taco_part){i, end});
        i = end + 1;
    }
    return true;
}

/* A part on its own: the window is cut behind it, so that nothing reads beyond. */
void taco_reader_piece(struct taco_reader *r, struct taco_part part) {
    char cut = r->window[part.end];
    bool ends = r->ends_word[part.end];
    r->window[part.end] = '\0';
    r->ends_word[part.end] = true;
    uint32_t length = r->length;
    r->length = part.end;
    if (r->depth++ < 3 && taco_rules_apply(r, part.begin) == part.end)
        part.begin = part.end;
    else if (part.begin < part.end && !add_hyphenated(r, part))
        taco_reader_mixed(r, part);
    r->depth--;
    r->length = length;
    r->window[part.end] = cut;
    r->ends_word[part.end] = ends;
}

/* 1980s-: the hyphen at i stands between decades. */
static bool ends_decade(const struct taco_reader *r, uint32_t begin, uint32_t i) {
    return i > begin + 1 && r->window[i - 1] == 's' &&
           taco_char_is_digit(r->window[i - 2]) && taco_char_is_digit(r->window[i + 1]);
}

/* What hyphens join, each on its own: mid-1980s. 4-413-te-b-1-5 is a code, without ranges. */
static void add_pieces(struct taco_reader *r, struct taco_part part) {
    uint32_t digits = taco_reader_run(r, part.begin, part.end, taco_char_is_digit);
    bool code = digits > part.begin && r->window[digits] == '-', joined = false;
    for (uint32_t i = part.begin + 1; i < part.end && r->normalise && !code; i++)
        if (r->window[i] == '-' && taco_char_is_letter(r->window[i - 1]) &&
            !ends_decade(r, part.begin, i)) {
            taco_reader_piece(r, (struct taco_part){part.begin, i});
            part.begin = i + 1;
            joined = true;
        }
    if (joined && part.begin < part.end)
        taco_reader_piece(r, part);
    else
        taco_reader_mixed(r, part);
}

bool taco_reader_quoted(const struct taco_reader *r, uint32_t at) {
    uint32_t cp = r->code_point[at];
    return cp > 0 && r->code_points->at[cp - 1].cp == '\'';
}

/* '90s: the apostrophe at i stands for the century. */
static bool is_elision(const struct taco_code_point *at, uint32_t i, uint32_t end) {
    return i + 3 < end && taco_cp_is_digit(at[i + 1].cp) &&
           taco_cp_is_digit(at[i + 2].cp) && at[i + 3].cp == 's';
}

/* Does a quote behind this code point begin a quotation? */
static bool opens_quotation(uint32_t before) {
    return taco_cp_is_white(before) ||
           (taco_cp_is_punctuation(before) &&
            !(before < 0x80 && strchr(".,;:?!)]", (int)before)));
}

bool taco_reader_quote_open(const struct taco_reader *r, uint32_t mark) {
    enum { BACK = 400 };
    const struct taco_code_point *at = r->code_points->at;
    uint32_t end = r->tokens->at[r->token].core;
    bool open = false;
    for (uint32_t i = end > BACK ? end - BACK : 0; i < end; i++) {
        if (at[i].cp == TACO_CP_PARAGRAPH)
            open = false;
        if (at[i].cp != mark)
            continue;
        uint32_t before = i > 0 ? at[i - 1].cp : TACO_CP_SPACE;
        bool inside = mark == '\'' && taco_cp_is_letter(before) && i + 1 < end &&
                      taco_cp_is_letter(at[i + 1].cp);
        if (!inside && !(mark == '\'' && is_elision(at, i, end)))
            open = opens_quotation(before);
    }
    return open;
}

/* -- tokens ---------------------------------------------------------------------- */

/* A word of the user's lexicon, as it stands or with an 's behind it. */
static bool add_own(struct taco_reader *r, const struct taco_token *token) {
    uint32_t n = token->core_end - token->core;
    if (!r->lexicon || n >= TACO_WINDOW)
        return false;
    const char *w = r->window;
    const struct taco_lexicon_entry *entry = taco_lexicon_find(r->lexicon, w, n);
    if (!entry && token->abbreviation)
        entry = taco_lexicon_find(r->lexicon, w, n - 1);
    bool owned = !entry && n > 2 && w[n - 2] == '\'' && taco_char_lower(w[n - 1]) == 's';
    if (owned)
        entry = taco_lexicon_find(r->lexicon, w, n - 2);
    if (!entry)
        return false;
    struct taco_part part = {0, owned ? n - 2 : n};
    if (entry->alias) {
        for (const char *a = entry->alias; *a;) {
            size_t length = strcspn(a, " ");
            taco_reader_add(r, a, length, TACO_READ_PLAIN, part);
            a += length + (a[length] == ' ');
        }
    } else {
        struct taco_item *item =
            taco_reader_add(r, entry->word, strlen(entry->word), TACO_READ_PHONES, part);
        if (item)
            item->entry = entry;
    }
    if (owned)
        taco_reader_words(r, "'s", (struct taco_part){n - 2, n});
    return true;
}

/* "U.S.", "e.g.", "J.": the names of the letters; words of letters and full stops that
 * are no abbreviation, "node.js", are for taco_reader_mixed. */
static bool add_dotted(struct taco_reader *r, const struct taco_token *token,
                       struct taco_part part) {
    uint32_t letters = 0, longest = 0, run = 0;
    for (uint32_t i = part.begin; i < part.end; i++) {
        char c = r->window[i];
        if (!taco_char_is_letter(c) && c != '.')
            return false;
        run = c == '.' ? 0 : run + 1;
        letters += c != '.';
        longest = run > longest ? run : longest;
    }
    if (longest > (token->abbreviation ? 2U : 1U) || letters == part.end - part.begin)
        return false;
    uint32_t before = r->items->n;
    taco_reader_part(r, TACO_READ_LETTERS, part);
    if (r->items->n > before)
        r->items->at[before].verbatim = true;
    return true;
}

static bool add_abbreviation(struct taco_reader *r, const struct taco_token *token,
                             struct taco_part part) {
    if (!token->abbreviation)
        return false;
    if (!token->abbreviation->text[0])
        return false;
    taco_reader_words(r, token->abbreviation->spoken, part);
    return true;
}

/* Letters and signs alone: characters can be taken as they stand. */
static bool is_lettering(const struct taco_reader *r, const struct taco_token *token) {
    for (uint32_t g = token->core; g < token->core_end; g++) {
        uint32_t cp = r->code_points->at[g].cp;
        if (!taco_cp_is_letter(cp) && !taco_cp_is_punctuation(cp))
            return false;
    }
    return true;
}

static void note_footnote(struct taco_reader *r, const struct taco_token *token) {
    const struct taco_code_point *at = r->code_points->at;
    struct taco_span span =
        taco_builder_span(r->builder, at[token->core].begin, at[token->core_end - 1].end);
    if (!taco_builder_add_note(r->builder, TACO_NOTE_DROPPED, span, "", 0))
        r->no_memory = true;
}

static uint32_t read_token(struct taco_reader *r, uint32_t i) {
    const struct taco_token *token = &r->tokens->at[i];
    if (token->kind == TACO_TOKEN_PUNCTUATION)
        return 1;
    if (taco_token_is_footnote(r->tokens, r->code_points, i)) {
        note_footnote(r, token);
        return 1;
    }
    open_window(r, i);
    uint32_t n = token->core_end - token->core;
    if (token->kind == TACO_TOKEN_PHONES) {
        struct taco_item *item =
            add_item(r, "", 0, TACO_READ_PHONES, i, token->core, token->core_end);
        if (item)
            item->rule = "phones";
        return 1;
    }
    struct taco_part part = {0, n < TACO_WINDOW ? n : TACO_WINDOW - 1};
    /* {T AA1 M}s: several of them. */
    if (token->glued && i > r->from && token[-1].kind == TACO_TOKEN_PHONES && n == 1 &&
        r->window[0] == 's') {
        struct taco_item *item = taco_reader_add(r, "'s", 2, TACO_READ_WORD, part);
        if (item) {
            item->verbatim = true;
            item->rule = "phones";
        }
        return 1;
    }
    uint32_t before = r->items->n;
    if (add_own(r, token)) {
        for (uint32_t k = before; k < r->items->n; k++)
            r->items->at[k].rule = "lexicon";
        return 1;
    }
    uint32_t end = r->normalise ? taco_rules_apply(r, 0) : 0;
    uint32_t used = end ? r->token_of[end - 1] - i + 1 : 1;
    const char *rule = "word";
    if (!end) {
        if (r->normalise && add_abbreviation(r, token, part))
            rule = "abbreviation";
        else if (!add_hyphenated(r, part))
            rule = add_dotted(r, token, part) ? "letters" : "mixed";
        if (strcmp(rule, "mixed") == 0)
            add_pieces(r, part);
    }
    for (uint32_t k = before; k < r->items->n; k++) {
        if (!r->items->at[k].rule)
            r->items->at[k].rule = rule;
        r->items->at[k].verbatim = r->items->at[k].verbatim &&
                                   is_lettering(r, &r->tokens->at[r->items->at[k].token]);
    }
    return used;
}

static void remember(struct taco_reader *r, uint32_t i) {
    const struct taco_token *token = &r->tokens->at[i];
    r->before[0] = '\0';
    if (token->kind != TACO_TOKEN_WORD || token->end != token->core_end ||
        token->core_end - token->core >= sizeof r->before)
        return;
    uint32_t n = taco_code_points_copy(r->code_points, token->core, token->core_end,
                                       r->before, sizeof r->before);
    if (token->abbreviation)
        r->before[--n] = '\0';
    for (uint32_t k = 0; k < n; k++)
        r->before[k] = taco_char_lower(r->before[k]);
}

enum taco_status taco_reading_make(struct taco_items *items,
                                   const struct taco_code_points *code_points,
                                   const struct taco_tokens *tokens, uint32_t from,
                                   uint32_t to, const struct taco_lexicon *lexicon,
                                   bool normalise, struct taco_builder *builder,
                                   struct taco_error *err) {
    items->n = 0;
    taco_string_clear(&items->strings);
    struct taco_reader r = {.items = items,
                            .code_points = code_points,
                            .tokens = tokens,
                            .lexicon = lexicon,
                            .normalise = normalise,
                            .builder = builder,
                            .from = from,
                            .to = to};
    for (uint32_t i = from; i < to && !r.no_memory;) {
        i += read_token(&r, i);
        remember(&r, i - 1);
    }
    return r.no_memory ? taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory")
                       : TACO_OK;
}

void taco_items_free(struct taco_items *items) {
    taco_free(items->at);
    taco_string_free(&items->strings);
    *items = (struct taco_items){0};
}
