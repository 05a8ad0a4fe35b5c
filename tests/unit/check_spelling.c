/* Words or letters: taco_spelling_read by itself, and the phones of names and initialisms. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"
#include "text/spelling.h"

/* Parts of the word, blanks between; letters in capitals, with a small s for a plural. */
static const struct {
    const char *word, *parts;
} parts[] = {
    {"hello", "hello"},
    {"Hello", "hello"},
    {"NASA", "nasa"},
    {"UCLA", "UCLA"},
    {"FAQ", "FAQ"},
    {"MIT", "MIT"},
    {"URL", "URL"},
    {"FYI", "FYI"},
    {"API", "API"},
    {"CEOs", "CEOs"},
    {"IDs", "IDs"},
    {"GPUs", "GPUs"},
    {"GitHub", "github"},
    {"iPhone", "iphone"},
    {"iFoo", "I foo"},
    {"ChatGPT", "chat GPT"},
    {"JSONParser", "json parser"},
    {"McKinsey", "mckinsey"},
    {"Hmm", "hmm"},
    {"Hmmmmm", "hmm"},
    {"Shhhh", "shh"},
    {"Ohhh", "ohh"},
    {"Nooooo", "no"},
    {"Psst", "psst"},
    {"xkcd", "XKCD"},
    {"Rhythm", "rhythm"},
    {"AMAZING", "amazing"},
    {"BLORPED", "blorped"},
    {"XQKLMNB", "XQKLMNB"},
    {"websites", "websites"},
    {"LED", "LED"},
    {"IT", "IT"},
};

START_TEST(words_or_letters) {
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        struct taco_spelling_part p[TACO_SPELLING_PARTS_MAX];
        uint32_t n = taco_spelling_read(parts[i].word, strlen(parts[i].word), false, p);
        char out[256] = "";
        size_t at = 0;
        for (uint32_t k = 0; k < n; k++) {
            if (p[k].letters)
                for (char *c = p[k].text; *c; c++)
                    *c = (char)(*c & ~32);
            at += (size_t)snprintf(out + at, sizeof out - at, "%s%s%s", k ? " " : "",
                                   p[k].text, p[k].plural ? "s" : "");
        }
        ck_assert_msg(strcmp(out, parts[i].parts) == 0, "%s is %s, want %s",
                      parts[i].word, out, parts[i].parts);
    }
}
END_TEST

START_TEST(bounds) {
    struct taco_spelling_part p[TACO_SPELLING_PARTS_MAX];
    ck_assert_uint_eq(taco_spelling_read("a", 1, false, p), 0);
    ck_assert_uint_eq(taco_spelling_read("a1", 2, false, p), 0);
    ck_assert_uint_eq(taco_spelling_read("", 0, false, p), 0);
    char word[80];
    for (size_t i = 0; i < sizeof word; i++)
        word[i] = i % 2 ? 'b' : 'A';
    ck_assert_uint_eq(taco_spelling_read(word, 63, false, p), TACO_SPELLING_PARTS_MAX);
    ck_assert_uint_eq(taco_spelling_read(word, 64, false, p), 0);
    memset(word, 'z', sizeof word);
    ck_assert_uint_eq(taco_spelling_read(word, 63, false, p), 1);
}
END_TEST

START_TEST(headlines) {
    struct taco_spelling_part p[TACO_SPELLING_PARTS_MAX];
    ck_assert_uint_eq(taco_spelling_read("IT", 2, true, p), 1);
    ck_assert(!p[0].letters);
    ck_assert(taco_spelling_shouts("THIS", 4));
    ck_assert(!taco_spelling_shouts("URL", 3));
    ck_assert(!taco_spelling_shouts("This", 4));
}
END_TEST

static const struct {
    const char *source, *symbols;
} phones[] = {
    {"Nvidia", "EH0|N|V|IH1|D|IY0|AH0|."},
    {"Haydn", "HH|AY1|D|AH0|N|."},
    {"Tchaikovsky", "CH|AY0|K|AA1|F|S|K|IY0|."},
    {"JSON", "JH|EY1|S|AH0|N|."},
    {"Wi-Fi", "W|IY1| |F|AY1|."},
    {"GitHub", "G|IH1|T|HH|AH1|B|."},
    {"ChatGPT", "CH|AE1|T| |JH|IY1| |P|IY1| |T|IY1|."},
    {"CEOs", "S|IY1| |IY1| |OW1|Z|."},
    {"NASA", "N|AE1|S|AH0|."},
    {"tr\xC3\xA8s", "T|R|EY1|."},
    {"ghouls", "G|UW1|L|Z|."},
    {"I'm", "AY1|M|."},
    {"isn't", "IH1|Z|AH0|N|T|."},
    {"LOOK AT IT", "L|UH1|K| |AE1|T| |IH1|T|."},
};

START_TEST(names) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    for (size_t i = 0; i < sizeof phones / sizeof *phones; i++) {
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        const char *source = phones[i].source;
        ck_assert(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                  TACO_OK);
        char *symbols = test_chunk_symbols(fe, text, 0);
        ck_assert_msg(strcmp(symbols, phones[i].symbols) == 0, "%s\n  is   %s\n  want %s",
                      source, symbols, phones[i].symbols);
        free(symbols);
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("spelling");
    TCase *tcase = tcase_create("spelling");
    tcase_add_test(tcase, words_or_letters);
    tcase_add_test(tcase, bounds);
    tcase_add_test(tcase, headlines);
    tcase_add_test(tcase, names);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
