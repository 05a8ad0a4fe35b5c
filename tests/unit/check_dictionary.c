/* The pronunciations that the library carries: the table is in order and within its bounds,
 * words are found, and no word is without a vowel but those that are said so. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "support/runner.h"
#include "text/dictionary.h"

static const char *phones_of(const char *word, char out[256]) {
    struct taco_phone phones[TACO_DICTIONARY_PHONES_MAX];
    uint32_t n = taco_dictionary_find(word, strlen(word), phones);
    size_t at = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < n; i++) {
        at += (size_t)snprintf(out + at, 256 - at, "%s%s", i ? " " : "",
                               taco_phone_name(phones[i].base));
        if (phones[i].stress >= 0)
            at += (size_t)snprintf(out + at, 256 - at, "%d", phones[i].stress);
    }
    return out;
}

/* What is wrong with the word's entry, or NULL. */
static const char *problem(const char *word) {
    struct taco_phone phones[TACO_DICTIONARY_PHONES_MAX];
    if (strspn(word, "abcdefghijklmnopqrstuvwxyz'") != strlen(word))
        return "has other characters than letters and apostrophes";
    uint32_t n = taco_dictionary_find(word, strlen(word), phones);
    if (n == 0 || n > TACO_DICTIONARY_PHONES_MAX)
        return "has no phones, or too many";
    bool vowel = false;
    for (uint32_t k = 0; k < n; k++) {
        if (phones[k].base >= taco_phone_count())
            return "has a phone that there is not";
        if (taco_phone_is_vowel(phones[k].base) != (phones[k].stress >= 0))
            return "has a stressed consonant or a vowel without a mark";
        vowel = vowel || phones[k].stress >= 0;
    }
    return vowel ? NULL : "has no vowel";
}

START_TEST(table_is_sound) {
    char word[TACO_DICTIONARY_WORD_MAX + 1], last[TACO_DICTIONARY_WORD_MAX + 1] = "";
    const char *what = NULL;
    uint32_t i = 0;
    for (; !what && taco_dictionary_word(i, word); i++) {
        what = strcmp(last, word) < 0 ? problem(word) : "stands at the wrong place";
        strcpy(last, word);
    }
    ck_assert_msg(!what, "%s %s", last, what);
    ck_assert_uint_gt(i, 110000);
    ck_assert(!taco_dictionary_word(UINT32_MAX, word));
}
END_TEST

START_TEST(words_are_found) {
    static const char *const cases[][2] = {
        {"aardvark", "AA1 R D V AA2 R K"},
        {"zwick", "Z W IH1 K"},
        {"Hello", "HH AH0 L OW1"},
        {"don't", "D OW1 N T"},
        {"nvidia", "EH0 N V IH1 D IY0 AH0"},
        {"websites", "W EH1 B S AY2 T S"},
        {"cleft", "K L EH1 F T"},
        {"", ""},
        {"'", ""},
        {"zzzzzz", ""},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", ""},
        {"hello\xFF", ""},
    };
    char out[256];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_str_eq(phones_of(cases[i][0], out), cases[i][1]);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("dictionary");
    TCase *tcase = tcase_create("dictionary");
    tcase_add_test(tcase, table_is_sound);
    tcase_add_test(tcase, words_are_found);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
