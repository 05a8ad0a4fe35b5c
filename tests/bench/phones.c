/* The phones of each word: for every line of standard input one line of
 * "begin-end:PH PH ...", bytes of the line, separated by tabs; "!" and the error where the
 * line cannot be spoken. Phones of the conventions that the default voice has. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/texts.h"

static void print_word(const struct taco_front_end *fe, const struct taco_text *text,
                       const struct taco_word *word, const char *before) {
    const char *const *names = taco_front_end_symbols(fe);
    printf("%s%u-%u:", before, (unsigned)word->span.begin, (unsigned)word->span.end);
    const char *gap = "";
    for (uint32_t i = 0; i < text->n_symbols; i++) {
        const struct taco_symbol *symbol = &text->symbols[i];
        if (symbol->word != (uint32_t)(word - text->words))
            continue;
        printf("%s%s", gap, names[symbol->id]);
        gap = " ";
    }
}

int main(void) {
    static char line[1 << 16];
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    while (fgets(line, sizeof line, stdin)) {
        size_t n = strcspn(line, "\n");
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        if (taco_front_end_analyse(fe, line, n, NULL, &text, &err) != TACO_OK) {
            printf("!%s\n", err.message);
            continue;
        }
        for (uint32_t i = 0; i < text->n_words; i++)
            print_word(fe, text, &text->words[i], i ? "\t" : "");
        putchar('\n');
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
    return 0;
}
