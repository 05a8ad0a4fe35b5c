/* Where sentences end.
 *
 * A full stop ends one unless it belongs to an abbreviation, an initial, a number or an
 * address (the last two have no white space behind it). What follows helps: a small
 * letter after a question mark inside quotes goes on, "Inc." ends a sentence only before
 * a word that often begins one. An empty line always ends one, a line end only a short
 * line: an item of a list, a heading, a verse. */
#include "text/tokens.h"

#include <string.h>

struct context {
    const struct taco_tokens *tokens;
    const struct taco_code_points *code_points;
};

static uint32_t cp_at(const struct context *c, uint32_t i) {
    return i < c->code_points->n ? c->code_points->at[i].cp : 0;
}

/* The first letter or digit of the token, behind its opening punctuation. */
static uint32_t first_cp(const struct context *c, const struct taco_token *token) {
    return token->kind == TACO_TOKEN_WORD ? cp_at(c, token->core) : 0;
}

/* Words that begin sentences far more often than they are names. */
static bool is_starter(const struct context *c, const struct taco_token *token) {
    static const char *const starters[] = {
        "A",       "After",     "All",    "Also",  "An",    "And",    "Another", "As",
        "At",      "Because",   "Before", "But",   "By",    "During", "Each",    "Even",
        "Every",   "For",       "From",   "He",    "Her",   "Here",   "His",     "How",
        "However", "I",         "If",     "In",    "It",    "Its",    "Later",   "Let",
        "Many",    "Meanwhile", "Most",   "My",    "No",    "Now",    "On",      "Once",
        "One",     "Or",        "Our",    "She",   "Since", "So",     "Some",    "Still",
        "That",    "The",       "Their",  "Then",  "There", "These",  "They",    "This",
        "Those",   "Though",    "To",     "Today", "Under", "Until",  "We",      "What",
        "When",    "Where",     "While",  "Why",   "With",  "Yet",    "You",     "Your",
        NULL};
    char core[16];
    if (token->kind != TACO_TOKEN_WORD || token->core_end - token->core >= sizeof core)
        return false;
    uint32_t end = token->core;
    while (end < token->core_end && taco_cp_is_letter(cp_at(c, end)))
        end++; /* "It's" begins as "It" does */
    taco_code_points_copy(c->code_points, token->core, end, core, sizeof core);
    for (const char *const *s = starters; *s; s++)
        if (strcmp(*s, core) == 0)
            return true;
    return false;
}

/* What may follow a time of day: EST, Monday, May. */
static bool follows_time(const struct context *c, const struct taco_token *token) {
    static const char *const names[] = {
        "Mon",     "Tue",      "Wed",       "Thu", "Fri", "Sat",     "Sun",
        "Jan",     "Feb",      "Mar",       "Apr", "May", "Jun",     "Jul",
        "Aug",     "Sep",      "Oct",       "Nov", "Dec", "Eastern", "Pacific",
        "Central", "Mountain", "Greenwich", NULL};
    char core[16];
    uint32_t n = taco_code_points_copy(c->code_points, token->core, token->core_end, core,
                                       sizeof core);
    bool capitals = n >= 2;
    for (uint32_t i = 0; i < n; i++)
        capitals = capitals && taco_cp_is_upper((unsigned char)core[i]);
    for (const char *const *s = names; *s; s++)
        if (strncmp(*s, core, strlen(*s)) == 0)
            return true;
    return capitals;
}

static bool abbreviation_ends(const struct context *c, const struct taco_token *token,
                              const struct taco_token *next) {
    uint32_t first = first_cp(c, next);
    switch (token->abbreviation->end) {
    case TACO_ABBREVIATION_NEVER:
        return false;
    case TACO_ABBREVIATION_SELDOM:
        return is_starter(c, next) && !next->abbreviation;
    case TACO_ABBREVIATION_CAPITAL:
        return taco_cp_is_upper(first) && !follows_time(c, next);
    }
    return false;
}

/* Does an item of a list begin here: "- one", "* two", "3. three", "4) four"? */
static bool is_item(const struct context *c, const struct taco_token *token) {
    if (!token->line)
        return false;
    uint32_t n = token->end - token->begin, first = cp_at(c, token->begin);
    if (n == 1)
        return first == '-' || first == '*' || first == '+';
    uint32_t i = token->begin;
    while (i < token->end && taco_cp_is_digit(cp_at(c, i)))
        i++;
    return i > token->begin && i + 1 == token->end &&
           (cp_at(c, i) == '.' || cp_at(c, i) == ')');
}

/* Is the token the number of a list's item, so that its full stop ends nothing? */
static bool is_item_number(const struct context *c, uint32_t i) {
    const struct taco_token *token = &c->tokens->at[i];
    if (i > 0 && !token->line)
        return false;
    for (uint32_t g = token->begin; g < token->core_end; g++)
        if (!taco_cp_is_digit(cp_at(c, g)))
            return false;
    return token->core_end > token->begin && token->end == token->core_end + 1;
}

bool taco_cp_is_stop(uint32_t cp) {
    return cp == '.' || cp == '?' || cp == '!' || cp == 0x0964 || cp == 0x06D4 ||
           cp == 0x061F || cp == 0x203C || (cp >= 0x2047 && cp <= 0x2049);
}

/* The first token of the line of token i. */
static uint32_t line_start(const struct context *c, uint32_t i) {
    while (i > 0 && !c->tokens->at[i].line)
        i--;
    return i;
}

/* Words that lead on to the next word or line: "of", "and". */
static bool leads_on(const struct context *c, uint32_t i) {
    static const char *const words[] = {
        "a",    "an",    "and",   "are",  "as",   "at",   "be",  "but", "by",
        "for",  "from",  "her",   "his",  "if",   "in",   "is",  "it",  "its",
        "my",   "no",    "not",   "of",   "on",   "or",   "our", "so",  "than",
        "that", "the",   "their", "then", "this", "to",   "was", "we",  "were",
        "when", "which", "who",   "with", "you",  "your", NULL};
    const struct taco_token *t = &c->tokens->at[i];
    char core[8];
    if (t->core_end - t->core >= sizeof core)
        return false;
    taco_code_points_copy(c->code_points, t->core, t->core_end, core, sizeof core);
    for (const char *const *w = words; *w; w++)
        if (strcmp(*w, core) == 0)
            return true;
    return false;
}

/* Is the line that begins at token i an item of a list: one word or two, none of which leads
 * on, and no sign behind them but at the end of the text's last line? */
static bool is_short_line(const struct context *c, uint32_t i) {
    enum { ITEM_WORDS = 2 };
    uint32_t n = 0;
    for (uint32_t k = i; k < c->tokens->n; k++, n++) {
        const struct taco_token *t = &c->tokens->at[k];
        if (k > i && t->line)
            break;
        if (n == ITEM_WORDS || t->kind != TACO_TOKEN_WORD || leads_on(c, k))
            return false;
        if (t->end > t->core_end && k + 1 < c->tokens->n)
            return false;
    }
    return true;
}

/* Does the line end before token next although its first word would have had room: a heading,
 * an item, a verse? A line of wrapped prose is full. */
static bool breaks_line(const struct context *c, uint32_t next) {
    enum { WIDTH = 40 };
    const struct taco_token *t = &c->tokens->at[next];
    if (!t->line || next == 0)
        return false;
    uint32_t begin = c->tokens->at[line_start(c, next - 1)].begin;
    if (t->end - begin > WIDTH)
        return false;
    if (taco_cp_is_upper(first_cp(c, t)))
        return true;
    /* In small letters three short lines, one under the other, are a list. */
    uint32_t line = line_start(c, next - 1);
    if (!is_short_line(c, line) || !is_short_line(c, next))
        return false;
    if (line > 0 && is_short_line(c, line_start(c, line - 1)))
        return true;
    uint32_t after = next + 1;
    while (after < c->tokens->n && !c->tokens->at[after].line)
        after++;
    return after < c->tokens->n && is_short_line(c, after);
}

/* Does token i end a sentence, given that another token follows? */
static bool ends_sentence(const struct context *c, uint32_t i) {
    const struct taco_token *token = &c->tokens->at[i], *next = token + 1;
    if (is_item(c, next) || breaks_line(c, i + 1))
        return true;
    if (next->kind == TACO_TOKEN_PUNCTUATION && cp_at(c, next->begin) != '(' &&
        cp_at(c, next->begin) != '"')
        return false; /* more punctuation: it ends what it stands behind */
    uint32_t first = first_cp(c, next);
    if (taco_token_is_footnote(c->tokens, c->code_points, i))
        return taco_cp_is_upper(first) && token->begin > 0 &&
               taco_cp_is_stop(cp_at(c, token->begin - 1));
    if (next->glued && !(first >= 0x80 && taco_cp_is_letter(first)) &&
        !(taco_cp_is_upper(first) && next->begin == next->core))
        return false;
    uint32_t from =
        token->kind == TACO_TOKEN_PUNCTUATION ? token->begin : token->core_end;
    uint32_t stops = 0, dots = 0;
    bool asks = false, closed = false;
    for (uint32_t g = from; g < token->end; g++) {
        uint32_t cp = cp_at(c, g);
        stops += taco_cp_is_stop(cp);
        dots += cp == '.';
        asks = asks || (taco_cp_is_stop(cp) && cp != '.');
        closed = stops && !taco_cp_is_stop(cp);
    }
    bool small = taco_cp_is_lower(first);
    if (!stops)
        return token->abbreviation && token->end == token->core_end &&
               abbreviation_ends(c, token, next);
    if (token->abbreviation && !asks)
        return !small; /* a second full stop: it has been said twice */
    if (is_item_number(c, i))
        return false;
    if (small && (dots > 1 || closed))
        return false; /* "Wait... what?", "Stop!" he said. */
    return true;
}

void taco_sentences_mark(struct taco_tokens *tokens,
                         const struct taco_code_points *code_points) {
    struct context c = {tokens, code_points};
    for (uint32_t i = 0; i < tokens->n; i++) {
        struct taco_token *token = &tokens->at[i];
        if (i + 1 == tokens->n ||
            code_points->at[token[1].begin - 1].cp == TACO_CP_PARAGRAPH)
            token->ends = TACO_END_PARAGRAPH;
        else if (ends_sentence(&c, i))
            token->ends = TACO_END_SENTENCE;
    }
}
