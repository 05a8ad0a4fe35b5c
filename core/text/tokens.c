#include "text/tokens.h"

#include "base/error.h"
#include "base/memory.h"
#include <string.h>

/* {…} may not be longer than this, or it is no pronunciation. */
enum { PHONES_MAX = 400 };

struct cutter {
    const struct taco_code_points *code_points;
    struct taco_tokens *tokens;
    const struct taco_code_point *at; /* [n] */
    uint32_t n;
    const struct taco_token_rules *rules;
    bool no_memory;
    bool glued, line; /* of the next token */
};

static void add(struct cutter *c, struct taco_token token) {
    struct taco_tokens *t = c->tokens;
    if (!taco_vector_reserve(&t->at, &t->capacity, t->n, 1, sizeof *t->at)) {
        c->no_memory = true;
        return;
    }
    token.glued = c->glued;
    token.line = c->line;
    t->at[t->n++] = token;
    c->glued = true;
    c->line = false;
}

static uint32_t cp_at(const struct cutter *c, uint32_t i, uint32_t end) {
    return i < end ? c->at[i].cp : 0;
}

static bool is_word(uint32_t cp) {
    return cp && !taco_cp_is_white(cp) && !taco_cp_is_punctuation(cp);
}

static bool is_ascii_word(uint32_t cp) {
    return taco_cp_is_digit(cp) || taco_cp_is_upper(cp) || taco_cp_is_lower(cp);
}

/* Where a pronunciation that begins at i ends: behind its '}', or 0 if there is none. */
static uint32_t phones_end(const struct cutter *c, uint32_t i) {
    bool content = false;
    for (uint32_t j = i + 1; j < c->n && j - i < PHONES_MAX; j++) {
        uint32_t cp = c->at[j].cp;
        if (cp == '}')
            return content && c->rules->is_pronunciation(c->rules->user, i + 1, j) ? j + 1
                                                                                   : 0;
        if (cp == TACO_CP_PARAGRAPH)
            return 0;
        content = content || !taco_cp_is_white(cp);
    }
    return 0;
}

/* A punctuation mark that belongs to what follows it: minus five, point five. */
static bool begins_number(const struct cutter *c, uint32_t i, uint32_t end) {
    uint32_t cp = c->at[i].cp, next = cp_at(c, i + 1, end);
    if ((cp != '-' && cp != '.') || (i > 0 && c->at[i - 1].cp == cp))
        return false;
    if (taco_cp_is_digit(next))
        return true;
    return cp == '-' && ((next == '.' && taco_cp_is_digit(cp_at(c, i + 2, end))) ||
                         (is_word(next) && !is_ascii_word(next) &&
                          taco_cp_is_digit(cp_at(c, i + 2, end))));
}

static bool is_address(const struct cutter *c, uint32_t begin, uint32_t end) {
    for (uint32_t i = begin; i < end; i++) {
        if (c->at[i].cp == '@' && i > begin && is_ascii_word(cp_at(c, i + 1, end)))
            return true;
        if (c->at[i].cp == ':' && cp_at(c, i + 1, end) == '/' &&
            cp_at(c, i + 2, end) == '/')
            return true;
    }
    return end - begin > 4 && (c->at[begin].cp | 32) == 'w' &&
           (c->at[begin + 1].cp | 32) == 'w' && (c->at[begin + 2].cp | 32) == 'w' &&
           c->at[begin + 3].cp == '.';
}

/* "end.1": the number of a footnote behind the word [core, i) and its full stop. */
static bool is_footnote(const struct cutter *c, uint32_t core, uint32_t i, uint32_t end) {
    for (uint32_t j = core; j < i; j++)
        if (!taco_cp_is_lower(c->at[j].cp))
            return false;
    for (uint32_t j = i + 1; j < end; j++)
        if (!taco_cp_is_digit(c->at[j].cp))
            return false;
    return c->rules->english && i - core >= 3 && end - i <= 4;
}

/* "end.Next" and "Mr.Brown" are two words, "node.js" and "U.S" are one. */
static bool stop_inside(const struct cutter *c, uint32_t core, uint32_t i, uint32_t end) {
    uint32_t before = c->at[i - 1].cp, next = cp_at(c, i + 1, end);
    if (taco_cp_is_digit(next) && !taco_cp_is_punctuation(before))
        return !is_footnote(c, core, i, end);
    if (!is_ascii_word(before) || !is_ascii_word(next))
        return false;
    if (!c->rules->english || !taco_cp_is_upper(next))
        return true;
    if (i - core >= 2 && taco_cp_is_lower(before) &&
        taco_cp_is_lower(cp_at(c, i + 2, end))) {
        for (uint32_t j = core; j < i; j++)
            if (c->at[j].cp == '.')
                return true;
        return false;
    }
    return true;
}

/* Is the punctuation mark at i a part of the word that began at core? */
static bool inside(const struct cutter *c, uint32_t core, uint32_t i, uint32_t end,
                   bool address) {
    uint32_t next = cp_at(c, i + 1, end);
    uint32_t after = i + 1;
    while (after < end && taco_cp_is_punctuation(c->at[after].cp))
        after++;
    if (after == end)
        return false; /* punctuation alone up to the white space */
    if (address)
        return true;
    uint32_t before = c->at[i - 1].cp;
    bool digits = taco_cp_is_digit(before) && taco_cp_is_digit(next);
    switch (c->at[i].cp) {
    case '\'':
    case '-':
        return is_word(next);
    case '.':
        return stop_inside(c, core, i, end);
    case ',':
        return digits;
    case ':':
        return digits || next == '/';
    default:
        /* Signs of other scripts that stand inside words, such as the Catalan dot. */
        return c->at[i].cp == 0xB7;
    }
}

static bool is_opening(uint32_t cp) {
    return cp == '(' || cp == '[' || cp == '{';
}

/* Cuts a run [i, end) without white space into words with their punctuation. */
static void cut_run(struct cutter *c, uint32_t i, uint32_t end) {
    bool address = is_address(c, i, end);
    while (i < end) {
        uint32_t core = i;
        while (core < end && taco_cp_is_punctuation(c->at[core].cp) &&
               !begins_number(c, core, end))
            core++;
        if (core == end) {
            add(c, (struct taco_token){i, end, end, end, .kind = TACO_TOKEN_PUNCTUATION});
            return;
        }
        uint32_t stop = core + 1;
        while (stop < end && stop - core < TACO_TOKEN_MAX &&
               (!taco_cp_is_punctuation(c->at[stop].cp) ||
                inside(c, core, stop, end, address)))
            stop++;
        if (stop - core == TACO_TOKEN_MAX && stop < end) {
            uint32_t cut = stop;
            while (cut > core + TACO_TOKEN_MAX / 2 && is_ascii_word(c->at[cut - 1].cp))
                cut--;
            if (cut > core + TACO_TOKEN_MAX / 2)
                stop = cut;
            /* Never between two letters that one character of the source became. */
            while (stop > core + 1 && c->at[stop].begin == c->at[stop - 1].begin)
                stop--;
        }
        uint32_t tail = stop;
        while (tail < end && taco_cp_is_punctuation(c->at[tail].cp) &&
               !is_opening(c->at[tail].cp) &&
               !(tail > stop && begins_number(c, tail, end)))
            tail++;
        /* A quote right before a letter opens the next word. */
        if (tail < end && tail > stop &&
            (c->at[tail - 1].cp == '"' || c->at[tail - 1].cp == '\''))
            tail--;
        add(c, (struct taco_token){i, core, stop, tail, .kind = TACO_TOKEN_WORD});
        i = tail;
    }
}

static void cut_phones(struct cutter *c, uint32_t i, uint32_t end) {
    uint32_t tail = end;
    while (tail < c->n && taco_cp_is_punctuation(c->at[tail].cp) &&
           !is_opening(c->at[tail].cp))
        tail++;
    if (tail < c->n && tail > end && is_word(c->at[tail].cp))
        tail = end; /* {T AA1}-like */
    add(c, (struct taco_token){i, i, end, tail, .kind = TACO_TOKEN_PHONES});
}

/* -- abbreviations --------------------------------------------------------------- */

static const struct taco_abbreviation initial = {"", NULL, TACO_ABBREVIATION_SELDOM,
                                                 TACO_PLACE_ANY};
/* e.g. and i.e. */
static const struct taco_abbreviation latin = {"", NULL, TACO_ABBREVIATION_NEVER,
                                               TACO_PLACE_ANY};
static const struct taco_abbreviation acronym = {"", NULL, TACO_ABBREVIATION_SELDOM,
                                                 TACO_PLACE_ANY};
/* a.m. and p.m. */
static const struct taco_abbreviation day_half = {"", NULL, TACO_ABBREVIATION_CAPITAL,
                                                  TACO_PLACE_ANY};

uint32_t taco_code_points_copy(const struct taco_code_points *code_points, uint32_t begin,
                               uint32_t end, char *out, uint32_t size) {
    uint32_t n = 0;
    for (uint32_t i = begin; i < end && n + 1 < size; i++) {
        uint32_t cp = code_points->at[i].cp;
        out[n++] = cp >= ' ' && cp < 0x7F ? (char)cp : '\1';
    }
    out[n] = '\0';
    return n;
}

static uint32_t first_cp(const struct cutter *c, uint32_t token) {
    const struct taco_tokens *t = c->tokens;
    return token < t->n && t->at[token].kind == TACO_TOKEN_WORD
               ? c->at[t->at[token].core].cp
               : 0;
}

/* One capital and a full stop. */
static bool is_letter_stop(const struct cutter *c, uint32_t token) {
    const struct taco_tokens *t = c->tokens;
    if (token >= t->n || t->at[token].kind != TACO_TOKEN_WORD)
        return false;
    const struct taco_token *k = &t->at[token];
    return taco_cp_is_upper(c->at[k->core].cp) && cp_at(c, k->core + 1, k->end) == '.' &&
           k->core_end - k->core <= 2;
}

static bool is_one_of(const char *text, const char *const *words) {
    for (; *words; words++)
        if (strcmp(text, *words) == 0)
            return true;
    return false;
}

/* Does a name stand at token, not a word that begins a sentence? */
static bool names_follow(const struct cutter *c, uint32_t token) {
    static const char *const starters[] = {
        "A",    "An",  "And",  "At",    "But",  "He",   "I",   "In", "It",   "On",  "She",
        "That", "The", "Then", "There", "They", "This", "Was", "We", "When", "You", NULL};
    if (!taco_cp_is_upper(first_cp(c, token)))
        return false;
    char word[8];
    const struct taco_token *k = &c->tokens->at[token];
    taco_code_points_copy(c->code_points, k->core, k->core_end, word, sizeof word);
    return !is_one_of(word, starters);
}

static bool is_roman(const struct cutter *c, uint32_t token) {
    if (!first_cp(c, token))
        return false;
    const struct taco_token *k = &c->tokens->at[token];
    for (uint32_t i = k->core; i < k->core_end; i++)
        if (c->at[i].cp >= 0x80 || !strchr("IVXLC", (int)c->at[i].cp))
            return false;
    return true;
}

static bool place_fits(const struct cutter *c, uint32_t token,
                       enum taco_abbreviation_place p) {
    const struct taco_tokens *t = c->tokens;
    uint32_t self = first_cp(c, token), next = first_cp(c, token + 1);
    const struct taco_token *before = token > 0 ? &t->at[token - 1] : NULL;
    switch (p) {
    case TACO_PLACE_ANY:
        return true;
    case TACO_PLACE_BEFORE_NUMBER:
        return taco_cp_is_digit(next);
    case TACO_PLACE_AFTER_NUMBER:
        return before && before->kind == TACO_TOKEN_WORD &&
               before->end == before->core_end &&
               taco_cp_is_digit(c->at[before->core_end - 1].cp);
    case TACO_PLACE_BEFORE_NAME:
        return taco_cp_is_upper(self) && taco_cp_is_upper(next);
    case TACO_PLACE_AFTER_STREET:
        return taco_cp_is_upper(self) && before && before->end == before->core_end &&
               taco_cp_is_upper(c->at[before->core].cp) && !names_follow(c, token + 1);
    case TACO_PLACE_BETWEEN_NAMES:
        return taco_cp_is_lower(self) && taco_cp_is_upper(next) && token > 0 &&
               taco_cp_is_upper(first_cp(c, token - 1));
    case TACO_PLACE_BEFORE_ROMAN:
        return is_roman(c, token + 1);
    case TACO_PLACE_AFTER_NAME:
        return taco_cp_is_upper(self) && token > 0 &&
               taco_cp_is_upper(first_cp(c, token - 1));
    }
    return false;
}

/* "J." of a name, not the letter that something is called by. */
static bool is_initial(const struct cutter *c, uint32_t token) {
    static const char *const classes[] = {
        "appendix", "block",     "building", "class",  "exhibit", "gate",    "grade",
        "group",    "hepatitis", "level",    "option", "part",    "plan",    "point",
        "room",     "section",   "side",     "step",   "type",    "vitamin", NULL};
    const struct taco_tokens *t = c->tokens;
    if (!is_letter_stop(c, token) || !taco_cp_is_upper(first_cp(c, token + 1)))
        return false;
    bool chain =
        is_letter_stop(c, token + 1) || (token > 0 && is_letter_stop(c, token - 1));
    if (chain)
        return true;
    if (token > 0) {
        char before[16];
        uint32_t n =
            taco_code_points_copy(c->code_points, t->at[token - 1].core,
                                  t->at[token - 1].core_end, before, sizeof before);
        for (uint32_t i = 0; i < n; i++)
            if (taco_cp_is_upper((unsigned char)before[i]))
                before[i] = (char)(before[i] | 32);
        if (is_one_of(before, classes))
            return false;
    }
    return c->at[t->at[token].core].cp != 'I' ||
           (token > 0 && taco_cp_is_upper(first_cp(c, token - 1)));
}

/* Letters with full stops between them: "U.S", "e.g", "Ph.D". */
static const struct taco_abbreviation *dotted(const char *core) {
    static const char *const never[] = {"e.g", "i.e", "E.g", "I.e", "E.G", "I.E", NULL};
    static const char *const degrees[] = {"Ph.D", "Ed.D", "M.Sc", "B.Sc", "Ph.Ds", NULL};
    static const char *const halves[] = {"a.m", "p.m", "A.M", "P.M", NULL};
    if (is_one_of(core, never))
        return &latin;
    if (is_one_of(core, halves))
        return &day_half;
    if (is_one_of(core, degrees))
        return &acronym;
    size_t n = strlen(core);
    if (n < 3 || n % 2 == 0)
        return NULL;
    for (size_t i = 0; i < n; i++)
        if (i % 2 ? core[i] != '.' : !taco_cp_is_letter((unsigned char)core[i]))
            return NULL;
    return &acronym;
}

/* "3s." before "6d.", and "6d." behind "3s.": shillings and pence. */
static bool is_old_money(const struct cutter *c, uint32_t token) {
    const struct taco_tokens *t = c->tokens;
    const struct taco_token *k = &t->at[token];
    uint32_t letter = c->at[k->core_end - 1].cp;
    if (!taco_cp_is_digit(c->at[k->core].cp) || (letter != 's' && letter != 'd'))
        return false;
    uint32_t other = letter == 's' ? token + 1 : token - 1;
    if (other >= t->n || t->at[other].kind != TACO_TOKEN_WORD)
        return false;
    const struct taco_token *o = &t->at[other];
    uint32_t end = o->core_end - (letter == 'd' && o->abbreviation);
    return taco_cp_is_digit(c->at[o->core].cp) && o->core < end &&
           c->at[end - 1].cp == (letter == 's' ? 'd' : 's');
}

/* "$50/sq." before "ft.". */
static bool is_per_square(const char *core) {
    const char *slash = strrchr(core, '/');
    return slash && (strcmp(slash, "/sq") == 0 || strcmp(slash, "/cu") == 0);
}

/* Gives the full stop behind an abbreviation to the word. */
static void find_abbreviations(struct cutter *c) {
    for (uint32_t i = 0; i < c->tokens->n; i++) {
        struct taco_token *k = &c->tokens->at[i];
        if (k->kind != TACO_TOKEN_WORD || cp_at(c, k->core_end, k->end) != '.' ||
            cp_at(c, k->core_end + 1, k->end) == '.')
            continue;
        char core[16];
        if (k->core_end - k->core >= sizeof core)
            continue;
        taco_code_points_copy(c->code_points, k->core, k->core_end, core, sizeof core);
        const struct taco_abbreviation *found = dotted(core);
        if (!found && is_initial(c, i))
            found = &initial;
        if (!found && is_old_money(c, i))
            found = &acronym;
        if (!found && is_per_square(core))
            found = &latin;
        if (!found) {
            found = taco_abbreviation_find(core);
            while (found && !place_fits(c, i, found->place))
                found = taco_abbreviation_next(found);
        }
        if (found) {
            k->abbreviation = found;
            k->core_end++;
        }
    }
}

bool taco_token_is_footnote(const struct taco_tokens *tokens,
                            const struct taco_code_points *code_points, uint32_t i) {
    const struct taco_code_point *at = code_points->at;
    const struct taco_token *token = &tokens->at[i], *before = token - 1;
    if (i == 0 || !token->glued || token->kind != TACO_TOKEN_WORD ||
        before->kind != TACO_TOKEN_WORD || token->core_end - token->core > 3)
        return false;
    for (uint32_t k = token->core; k < token->core_end; k++)
        if (!taco_cp_is_digit(at[k].cp))
            return false;
    bool bracket = token->core == token->begin + 1 && at[token->begin].cp == '[';
    bool word = before->core_end - before->core >= 3 &&
                taco_cp_is_lower(at[before->core_end - 1].cp);
    uint32_t last = at[before->end - 1].cp;
    bool stop =
        before->end > before->core_end && (last == '.' || last == '!' || last == '?');
    return bracket ? word || stop : word && stop && token->begin == token->core;
}

enum taco_status taco_tokens_read(struct taco_tokens *tokens,
                                  const struct taco_code_points *code_points,
                                  const struct taco_token_rules *rules,
                                  struct taco_error *err) {
    struct cutter c = {.code_points = code_points,
                       .tokens = tokens,
                       .at = code_points->at,
                       .n = code_points->n,
                       .rules = rules};
    for (uint32_t i = 0; i < c.n && !c.no_memory;) {
        uint32_t cp = c.at[i].cp;
        if (taco_cp_is_white(cp)) {
            c.glued = false;
            c.line = c.line || cp != TACO_CP_SPACE;
            i++;
            continue;
        }
        uint32_t end = cp == '{' ? phones_end(&c, i) : 0;
        if (end) {
            cut_phones(&c, i, end);
            i = tokens->n ? tokens->at[tokens->n - 1].end : c.n;
            continue;
        }
        end = i + 1;
        while (end < c.n && !taco_cp_is_white(c.at[end].cp) &&
               !(c.at[end].cp == '{' && phones_end(&c, end)))
            end++;
        cut_run(&c, i, end);
        i = end;
    }
    if (c.no_memory)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    if (rules->english)
        find_abbreviations(&c);
    return TACO_OK;
}

void taco_tokens_free(struct taco_tokens *tokens) {
    taco_free(tokens->at);
    *tokens = (struct taco_tokens){NULL, 0, 0};
}
