#include "text/homograph_features.h"

#include <stdio.h>
#include <string.h>

#include "text/ascii.h"

/* -- the words --------------------------------------------------------------------- */

static char plain(uint32_t cp) {
    return cp > ' ' && cp < 0x7F ? (char)cp : '\x7F';
}

/* Reads the word at *i; false if only white space is left before end. */
static bool next_word(const struct taco_code_points *code_points, uint32_t *i,
                      uint32_t end, struct taco_context_word *word) {
    const struct taco_code_point *at = code_points->at;
    while (*i < end && taco_cp_is_white(at[*i].cp))
        ++*i;
    if (*i >= end)
        return false;
    char first = plain(at[*i].cp);
    uint32_t stop = *i + 1;
    if (taco_char_is_digit(first))
        while (stop < end && taco_char_is_digit(plain(at[stop].cp)))
            stop++;
    bool joined = !taco_char_is_letter(first);
    while (!taco_char_is_digit(first) && stop < end && taco_char_is_letter(first)) {
        char c = plain(at[stop].cp);
        if (!joined && c == '\'' && stop + 1 < end &&
            taco_char_is_letter(plain(at[stop + 1].cp)))
            joined = true;
        else if (!taco_char_is_letter(c))
            break;
        stop++;
    }
    int n = 0;
    for (; *i < stop; ++*i)
        if (n + 1 < TACO_CONTEXT_WORD) {
            char c = plain(at[*i].cp);
            word->text[n] = c;
            word->lower[n++] = taco_char_is_upper(c) ? (char)(c | 32) : c;
        }
    word->text[n] = word->lower[n] = '\0';
    return true;
}

void taco_context_read(struct taco_context *context,
                       const struct taco_code_points *code_points, uint32_t begin,
                       uint32_t end, uint32_t at, uint32_t at_end) {
    struct taco_context_word *words = context->words, word;
    int n = 0;
    for (uint32_t i = begin; next_word(code_points, &i, at, &word);) {
        if (n == TACO_CONTEXT_SIDE)
            memmove(words, words + 1, (size_t)--n * sizeof *words);
        words[n++] = word;
    }
    context->at = n;
    uint32_t i = at;
    n += next_word(code_points, &i, at_end, &words[n]);
    for (i = at_end; n <= context->at + TACO_CONTEXT_SIDE &&
                     next_word(code_points, &i, end, &words[n]);)
        n++;
    context->n = n;
}

/* -- classes ------------------------------------------------------------------------ */

static const struct {
    const char *name, *words;
} classes[] = {
    {"TO", "to"},
    {"MD", "will would can could shall should may might must cannot can't won't couldn't "
           "wouldn't shouldn't didn't doesn't don't"},
    {"DO", "do does did"},
    {"BE", "is are was were be been being am isn't wasn't aren't weren't"},
    {"HV", "have has had having haven't hasn't hadn't"},
    {"DT", "the a an"},
    {"DD", "this that these those"},
    {"PP", "my your his its our their her whose"},
    {"QT",
     "some any no every each all both many much few several more most other another "
     "such same own enough"},
    {"PS", "i he she we they you who it"},
    {"PO", "him me us them himself herself itself themselves myself yourself"},
    {"CC", "and or but nor"},
    {"NT", "not never"},
    {"WH", "which what when where why how if because while although though since unless "
           "until as than"},
    {"IN",
     "of in on at by for with from into about against between through during before "
     "after above below over under within without among across toward towards upon "
     "via per near behind along around onto off out up down"},
    {"NU", "one two three four five six seven eight nine ten hundred thousand million "
           "first second third"},
    {"RB", "also then now often always usually sometimes still already just only very so "
           "too even thus therefore however finally again later soon here there well"},
};

/* A closed class of words, or NULL. */
static const char *closed_class(const char *lower) {
    size_t n = strlen(lower);
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        for (const char *w = classes[i].words; w; w = strchr(w, ' ')) {
            w += *w == ' ';
            if (strncmp(w, lower, n) == 0 && (w[n] == ' ' || !w[n]))
                return classes[i].name;
        }
    return NULL;
}

static const char *ending(const char *lower) {
    static const char *const endings[] = {
        "ing",  "ed",   "ly",  "tion", "sion", "ment", "ness", "ity", "ous", "ful", "ive",
        "able", "ible", "al",  "ic",   "ary",  "ant",  "ent",  "ate", "ize", "ise", "ify",
        "er",   "or",   "est", "ism",  "ist",  "ship", "ss",   "us",  "is",  "s",   "y"};
    size_t n = strlen(lower);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t k = strlen(endings[i]);
        if (n > k + 1 && strcmp(lower + n - k, endings[i]) == 0)
            return endings[i];
    }
    return NULL;
}

/* A part of speech as far as the form tells it. */
static void name_class(const struct taco_context_word *word, bool at_start,
                       char out[12]) {
    char first = word->text[0];
    const char *closed = closed_class(word->lower);
    const char *end = closed ? NULL : ending(word->lower);
    if (closed)
        snprintf(out, 12, "%s", closed);
    else if (taco_char_is_digit(first))
        snprintf(out, 12, "%s", strlen(word->text) == 4 ? "CD4" : "CD");
    else if (!taco_char_is_letter(first))
        snprintf(out, 12, "%s", strchr(".,;:()-'\"&$%", first) ? word->text : "?");
    else
        snprintf(out, 12, "%s%s%s", taco_char_is_upper(first) && !at_start ? "N" : "",
                 end ? "-" : "x", end ? end : "");
}

/* -- features ----------------------------------------------------------------------- */

enum { REACH = 3 };

struct sight {
    const char *word[2 * REACH + 1]; /* lower case; [REACH] is the homograph */
    char of_class[2 * REACH + 1][12];
};

static void look(const struct taco_context *c, struct sight *s) {
    for (int k = 0; k <= 2 * REACH; k++) {
        int i = c->at + k - REACH;
        if (i < 0 || i >= c->n) {
            s->word[k] = i < 0 ? "<s>" : "</s>";
            snprintf(s->of_class[k], sizeof s->of_class[k], "%s", s->word[k]);
        } else {
            s->word[k] = c->words[i].lower;
            name_class(&c->words[i], i == 0, s->of_class[k]);
        }
    }
}

static const char *tail(const char *word, size_t n) {
    size_t length = strlen(word);
    return length > n ? word + length - n : word;
}

void taco_context_features(const struct taco_context *c,
                           void (*take)(void *user, const char *feature, bool around),
                           void *user) {
    struct sight s;
    look(c, &s);
    const char *const *w = s.word + REACH;
    char(*k)[12] = s.of_class + REACH;
    char f[3 * TACO_CONTEXT_WORD];
    take(user, "b", false);
    const char *own = c->words[c->at].text;
    bool capitals = true;
    for (const char *p = own; *p; p++)
        capitals = capitals && !(*p >= 'a' && *p <= 'z');
    snprintf(f, sizeof f, "cap%s%d",
             capitals                     ? "A"
             : taco_char_is_upper(own[0]) ? "C"
                                          : "l",
             c->at > 0);
    take(user, f, false);
    for (int i = -REACH; i <= REACH; i++) {
        if (i == 0)
            continue;
        snprintf(f, sizeof f, "w%d=%s", i, w[i]);
        take(user, f, false);
        snprintf(f, sizeof f, "c%d=%s", i, k[i]);
        take(user, f, false);
    }
    for (int i = -1; i <= 1; i += 2) {
        snprintf(f, sizeof f, "s%d=%s", i, tail(w[i], 3));
        take(user, f, false);
        snprintf(f, sizeof f, "t%d=%s", i, tail(w[i], 2));
        take(user, f, false);
    }
    const struct {
        const char *name, *a, *b;
    } pairs[] = {{"a", k[-1], k[1]}, {"d", k[-2], k[-1]}, {"e", k[1], k[2]},
                 {"f", w[-1], w[1]}, {"g", w[-2], w[-1]}, {"h", w[1], w[2]},
                 {"i", w[-1], k[1]}, {"j", k[-1], w[1]},  {"k", w[-2], k[-1]},
                 {"l", k[1], w[2]}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        snprintf(f, sizeof f, "%s=%s,%s", pairs[i].name, pairs[i].a, pairs[i].b);
        take(user, f, false);
    }
    snprintf(f, sizeof f, "m=%s,%s,%s", k[-2], k[-1], k[1]);
    take(user, f, false);
    snprintf(f, sizeof f, "n=%s,%s,%s", k[-1], k[1], k[2]);
    take(user, f, false);
    snprintf(f, sizeof f, "o=%s,%s,%s", k[-3], k[-2], k[-1]);
    take(user, f, false);
    /* The nearest word before that tells verbs from nouns. */
    for (int i = c->at - 1; i >= 0 && i >= c->at - 6; i--) {
        const char *name = closed_class(c->words[i].lower);
        if (!name || !strstr("MD TO DO BE HV DT PS", name))
            continue;
        snprintf(f, sizeof f, "p=%s", name);
        take(user, f, false);
        break;
    }
    for (int i = 0; i < c->n; i++) {
        bool seen = i == c->at || !taco_char_is_letter(c->words[i].text[0]);
        for (int j = 0; j < i && !seen; j++)
            seen = j != c->at && strcmp(c->words[i].lower, c->words[j].lower) == 0;
        if (seen)
            continue;
        snprintf(f, sizeof f, "B=%s", c->words[i].lower);
        take(user, f, true);
    }
}
