/* What Flite says for each word of standard input, one a line: "word 1 ph ph ph", in
 * CMUdict's names; 1: from its lexicon, 0: by its letter-to-sound rules, 2: its lexicon has
 * several, by part of speech. */
#include <flite/flite.h>
#include <stdio.h>
#include <string.h>

cst_lexicon *cmu_lex_init(void);

static int source(cst_lexicon *lexicon, const char *word, const cst_val *phones,
                  cst_features *features) {
    static const char *const parts[] = {"nn", "vb", "jj", "dt", "rb", "in"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        cst_val *other = lex_lookup(lexicon, word, parts[i], features);
        int same = 1;
        const cst_val *a = phones, *b = other;
        for (; a && b; a = val_cdr(a), b = val_cdr(b))
            same = same && strcmp(val_string(val_car(a)), val_string(val_car(b))) == 0;
        same = same && !a && !b;
        delete_val(other);
        if (!same)
            return 2;
    }
    return in_lex(lexicon, word, NULL, features);
}

int main(void) {
    char word[256];
    flite_init();
    cst_lexicon *lexicon = cmu_lex_init();
    cst_features *features = new_features();
    while (fgets(word, sizeof word, stdin)) {
        word[strcspn(word, "\n")] = '\0';
        cst_val *phones = lex_lookup(lexicon, word, NULL, features);
        printf("%s %d", word, source(lexicon, word, phones, features));
        for (const cst_val *p = phones; p; p = val_cdr(p)) {
            const char *name = val_string(val_car(p));
            if (strncmp(name, "ax", 2) == 0)
                printf(" ah%s", name + 2);
            else
                printf(" %s", name);
        }
        putchar('\n');
        delete_val(phones);
    }
    delete_features(features);
    return 0;
}
