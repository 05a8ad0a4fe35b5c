#include "text/flite_insert.h"

#include "text/dictionary.h"
#include <string.h>

/* Phones as Flite's lexicon lists them: "ae1", "ax", "k". */
static cst_val *phone_list(const struct taco_phone *phones, uint32_t n) {
    cst_val *list = NULL;
    for (uint32_t i = n; i-- > 0;) {
        char name[8];
        taco_phone_to_flite(phones[i], name);
        list = cons_val(string_val(name), list);
    }
    return list;
}

static cst_val *look_up(const cst_utterance *utterance, const cst_lexicon *lexicon,
                        cst_item *word, const struct taco_pronunciation *own) {
    const char *name = item_feat_string(word, "name");
    if (own->n)
        return phone_list(own->phones, own->n);
    struct taco_phone phones[TACO_DICTIONARY_PHONES_MAX];
    uint32_t n = taco_dictionary_find(name, strlen(name), phones);
    if (n)
        return phone_list(phones, n);
    return lex_lookup(lexicon, name, ffeature_string(word, "pos"), utterance->features);
}

struct relations {
    cst_relation *syllables, *structure, *segments;
};

/* Appends a word's phones, cut into syllables as the lexicon does it. A syllable is
 * stressed if one of its phones is. */
static void append(struct relations *r, const cst_lexicon *lexicon, cst_item *word,
                   const cst_val *phones) {
    cst_item *parent = relation_append(r->structure, word), *syllable = NULL;
    bool stressed = false;
    for (const cst_val *p = phones; p; p = val_cdr(p)) {
        if (!syllable) {
            syllable = item_add_daughter(parent, relation_append(r->syllables, NULL));
            stressed = false;
        }
        char name[16];
        snprintf(name, sizeof name, "%s", val_string(val_car(p)));
        size_t n = strlen(name);
        if (n && (name[n - 1] == '0' || name[n - 1] == '1')) {
            stressed = stressed || name[n - 1] == '1';
            name[n - 1] = '\0';
        }
        cst_item *segment =
            item_add_daughter(syllable, relation_append(r->segments, NULL));
        item_set_string(segment, "name", name);
        if (lexicon->syl_boundary(segment, val_cdr(p)) || !val_cdr(p)) {
            item_set_string(syllable, "stress", stressed ? "1" : "0");
            syllable = NULL;
        }
    }
}

void taco_flite_insert(cst_utterance *utterance, const cst_lexicon *lexicon,
                       const struct taco_pronunciation *own) {
    struct relations r = {utt_relation_create(utterance, "Syllable"),
                          utt_relation_create(utterance, "SylStructure"),
                          utt_relation_create(utterance, "Segment")};
    uint32_t i = 0;
    for (cst_item *word = relation_head(utt_relation(utterance, "Word")); word;
         word = item_next(word), i++) {
        cst_val *phones = look_up(utterance, lexicon, word, &own[i]);
        append(&r, lexicon, word, phones);
        delete_val(phones);
    }
}
