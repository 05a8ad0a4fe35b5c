/* Homographs by their context, in sentences that are neither in the training data nor in
 * models/homographs/extra.tsv. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"
#include "text/homograph.h"

/* A sentence, and the phones of its homograph with the spaces beside them. */
static const struct {
    const char *sentence, *phones;
} cases[] = {
    {"She read the whole book last night.", "| |R|EH1|D| |"},
    {"I will read it tomorrow.", "| |R|IY1|D| |"},
    {"To read is to learn.", "| |R|IY1|D| |"},
    {"He has already read your letter.", "| |R|EH1|D| |"},
    {"The pipes contain lead.", "| |L|EH1|D|."},
    {"Who will lead the expedition?", "| |L|IY1|D| |"},
    {"The doctor dressed his wound.", "| |W|UW1|N|D|."},
    {"The river wound through the valley.", "| |W|AW1|N|D| |"},
    {"A cold wind blew from the north.", "| |W|IH1|N|D| |"},
    {"Dr. Smith lives here.", "| |L|IH1|V|Z| |"},
    {"They saved hundreds of lives.", "| |L|AY1|V|Z|."},
    {"We live in a small town.", "| |L|IH1|V| |"},
    {"The concert was broadcast live.", "| |L|AY1|V|."},
    {"Could you close the window?", "| |K|L|OW1|Z| |"},
    {"Our house is close to the river.", "| |K|L|OW1|S| |"},
    {"He tried to record the song.", "| |R|IH0|K|AO1|R|D| |"},
    {"It was a new world record.", "| |R|EH1|K|ER0|D|."},
    {"Nobody will object to this.", "| |AH0|B|JH|EH1|K|T| |"},
    {"It was a strange object.", "| |AA1|B|JH|EH0|K|T|."},
    {"Please excuse my late reply.", "| |IH0|K|S|K|Y|UW1|Z| |"},
    {"That is no excuse.", "| |IH0|K|S|K|Y|UW1|S|."},
    {"I sent them my resume last week.", "| |R|EH1|Z|AH0|M|EY1| |"},
    {"Work will resume next week.", "| |R|IH0|Z|UW1|M| |"},
    {"It took one minute.", "| |M|IH1|N|AH0|T|."},
    {"She plays bass in a jazz band.", "| |B|EY1|S| |"},
    {"We must refuse the offer.", "| |R|IH0|F|Y|UW1|Z| |"},
    /* with a possessive, a hyphen, capitals, at the beginning */
    {"The wind's howling kept us awake.", "| |W|IH1|N|D|Z| |"},
    {"A live-action film.", "| |L|AY1|V| |"},
    {"Use the other door.", "Y|UW1|Z| |"},
    {"What is the use of it?", "| |Y|UW1|S| |"},
};

START_TEST(by_context) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        const char *source = cases[i].sentence;
        ck_assert(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                  TACO_OK);
        char *symbols = test_chunk_symbols(fe, text, 0);
        ck_assert_msg(strstr(symbols, cases[i].phones), "%s\n  is   %s\n  want %s",
                      source, symbols, cases[i].phones);
        free(symbols);
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
}
END_TEST

/* homographs.inc: in order, so that every word is found, and all phones known. */
START_TEST(table_is_sound) {
    static const char *const words[] = {
#define SENSE(name, phones) phones
#define HOMOGRAPH(kind, word, ...) word,
#include "text/homographs.inc"
#undef HOMOGRAPH
    };
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        ck_assert_msg(taco_homograph_is(words[i], strlen(words[i])), "%s", words[i]);
        ck_assert(i == 0 || strcmp(words[i - 1], words[i]) < 0);
        struct taco_code_points none = {0};
        struct taco_phone phones[TACO_HOMOGRAPH_PHONES_MAX];
        uint32_t n =
            taco_homograph_choose(words[i], strlen(words[i]), &none, 0, 0, 0, 0, phones);
        ck_assert_msg(n > 1, "%s", words[i]);
    }
    ck_assert(taco_homograph_is("READ", 4));
    ck_assert(!taco_homograph_is("rea", 3));
    ck_assert(!taco_homograph_is("reads", 5));
    ck_assert(!taco_homograph_is("", 0));
    taco_front_end_destroy(fe);
}
END_TEST

/* A sentence of homographs alone takes time in proportion: each looks at ten words. */
START_TEST(many) {
    enum { N = 2000 };
    char *source = malloc(N * 5 + 1);
    for (size_t i = 0; i < N; i++)
        memcpy(source + i * 5, "read ", 6);
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert(taco_front_end_analyse(fe, source, N * 5, NULL, &text, &err) == TACO_OK);
    ck_assert_uint_eq(text->n_words, N);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
    free(source);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("homograph");
    TCase *tcase = tcase_create("homograph");
    tcase_add_test(tcase, by_context);
    tcase_add_test(tcase, table_is_sound);
    tcase_add_test(tcase, many);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
