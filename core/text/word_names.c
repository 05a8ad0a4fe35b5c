/* What the words that Flite made are called. */
#include "text/analysis.h"
#include <string.h>

static bool is_clitic(const char *name) {
    return strcmp(name, "'s") == 0 || strcmp(name, "'ll") == 0 ||
           strcmp(name, "'ve") == 0 || strcmp(name, "'d") == 0;
}

uint32_t taco_word_joined(const struct taco_analysis *a, uint32_t i) {
    const struct taco_flite_word *word = &a->flite.words[i];
    uint32_t token = a->items.at[word->token].token, n = 1;
    while (i + n < a->flite.n_words && a->items.at[word[n].token].token == token &&
           is_clitic(a->flite.strings.bytes + word[n].name))
        n++;
    return n;
}

/* Is name what the source has, but for apostrophes and capitals? Read and lead, which
 * Flite spells by their sound, count. */
static bool is_spelling(const struct taco_analysis *a, const struct taco_item *item,
                        const char *name) {
    static const char *const sounds[] = {"red", "reed", "led", "leed"};
    for (size_t i = 0; i < sizeof sounds / sizeof *sounds; i++)
        if (strcmp(sounds[i], name) == 0)
            return true;
    for (uint32_t g = item->begin; g < item->end; g++) {
        uint32_t cp = a->code_points.at[g].cp;
        if (cp == '\'')
            continue;
        if (taco_cp_is_upper(cp))
            cp |= 32;
        if (*name == '\'')
            name++;
        if (cp != (unsigned char)*name)
            return !*name; /* the rest is an s that Flite has as a word of its own */
        name++;
    }
    return !*name; /* "st" is not what is said for "street" */
}

/* What a word is called: the source's own letters where Flite has changed them only to
 * look them up ("dont"); with an s that Flite has as a word of its own. */
bool taco_word_name(struct taco_analysis *a, uint32_t i, uint32_t n_joined) {
    const struct taco_flite_word *word = &a->flite.words[i];
    const struct taco_item *item = &a->items.at[word->token];
    taco_string_clear(&a->text);
    bool alone =
        item->reading == TACO_READ_PLAIN && item->verbatim &&
        (i == 0 || word[-1].token != word->token) &&
        (i + n_joined == a->flite.n_words || word[n_joined].token != word->token);
    if (alone)
        alone = is_spelling(a, item, a->flite.strings.bytes + word->name);
    bool braces = item->reading == TACO_READ_PHONES && !item->entry;
    if (alone || braces) {
        for (uint32_t g = item->begin; g < item->end; g++) {
            uint32_t cp = a->code_points.at[g].cp;
            if (taco_cp_is_upper(cp))
                cp |= 32;
            if (taco_cp_is_white(cp))
                cp = ' ';
            if (!taco_string_add_cp(&a->text, cp))
                return false;
        }
        if (alone)
            return true;
    } else if (!taco_string_add(&a->text, a->flite.strings.bytes + word->name,
                                strlen(a->flite.strings.bytes + word->name))) {
        return false;
    }
    for (uint32_t k = 1; k < n_joined; k++) {
        const char *name = a->flite.strings.bytes + word[k].name;
        bool quoted = false; /* is the apostrophe the writer's? */
        for (uint32_t g = item->begin; g < item->end; g++)
            quoted = quoted || a->code_points.at[g].cp == '\'';
        if (strcmp(name, "'s") == 0 && !quoted &&
            item->reading != TACO_READ_WORD) { /* fifties, fourths */
            struct taco_string *t = &a->text;
            if (t->n > 1 && t->bytes[t->n - 1] == 'y') {
                t->n--;
                name = "ies";
            } else if (t->n && strchr("xs", t->bytes[t->n - 1])) {
                name = "es";
            } else if (t->n > 3 && strcmp(t->bytes + t->n - 4, "half") == 0) {
                t->n--;
                name = "ves";
            } else {
                name = "s";
            }
        }
        if (!taco_string_add(&a->text, name, strlen(name)))
            return false;
    }
    return true;
}
