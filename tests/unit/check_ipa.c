/* IPA by eSpeak NG: words by their place, signs, braces, other languages and scripts. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"
#include "text/espeak.h"

static struct taco_text *analyse(const struct taco_front_end *fe, const char *source) {
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                      TACO_OK,
                  "%s: %s", source, err.message);
    struct taco_text_options options = taco_text_options_default();
    const char *problem = test_text_problem(fe, text, source, strlen(source), &options);
    ck_assert_msg(!problem, "%s: %s", source, problem);
    return text;
}

/* The names of a word's symbols, side by side. */
static void word_symbols(const struct taco_front_end *fe, const struct taco_text *text,
                         uint32_t word, char *out, size_t size) {
    const struct taco_word *w = &text->words[word];
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < w->n_symbols; i++)
        n += (size_t)snprintf(
            out + n, size - n, "%s",
            taco_front_end_symbols(fe)[text->symbols[w->first_symbol + i].id]);
    ck_assert_uint_lt(n, size);
}

/* Each word has the phonemes that eSpeak NG gives it alone. */
START_TEST(words) {
    static const char source[] = "Hello, world! Green ideas sleep; (never) mind.";
    struct taco_front_end *fe = test_front_end(TEST_TEXT_IPA);
    struct taco_text *text = analyse(fe, source);
    ck_assert_uint_eq(text->n_words, 7);
    ck_assert_uint_eq(text->n_chunks, 2);
    for (uint32_t i = 0; i < text->n_words; i++) {
        char is[64], word[16];
        struct taco_string ipa = {NULL, 0, 0};
        struct taco_span span = text->words[i].span;
        snprintf(word, sizeof word, "%.*s", (int)(span.end - span.begin),
                 source + span.begin);
        word_symbols(fe, text, i, is, sizeof is);
        ck_assert_int_eq(taco_espeak_ipa("en-us", word, &ipa, NULL), TACO_OK);
        ck_assert_str_eq(is, ipa.bytes);
        taco_string_free(&ipa);
        ck_assert_uint_eq(text->words[i].n_spoken, 1);
    }
    ck_assert_str_eq(text->spoken[text->words[0].first_spoken].text, "hello");
    char *symbols = test_chunk_symbols(fe, text, 0);
    ck_assert_ptr_nonnull(strstr(symbols, "|,| |w|"));
    ck_assert_str_eq(symbols + strlen(symbols) - 2, "|!");
    free(symbols);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

/* Numbers are several spoken words: each belongs to its word of the source. */
START_TEST(numbers) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_IPA);
    struct taco_text *text = analyse(fe, "We saw 21 of the 300 birds.");
    ck_assert_uint_eq(text->n_words, 7);
    char is[128];
    word_symbols(fe, text, 2, is, sizeof is);
    ck_assert_msg(strstr(is, "tw") && strstr(is, "\xCA\x8Cn"), "%s", is); /* twenty-one */
    word_symbols(fe, text, 5, is, sizeof is);
    ck_assert_msg(strstr(is, "\xCE\xB8\xC9\xB9"), "%s", is); /* three */
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(braces) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_IPA);
    struct taco_text *text = analyse(fe, "Say {h \xC9\x99 l\xCB\x88o\xCA\x8A}, now");
    char is[64];
    word_symbols(fe, text, 1, is, sizeof is);
    ck_assert_str_eq(is, "h\xC9\x99l\xCB\x88o\xCA\x8A");
    taco_text_destroy(text);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text_options strict = taco_text_options_default();
    strict.strict = true;
    ck_assert_int_eq(taco_front_end_analyse(fe, "a {h % l}", 9, &strict, &text, &err),
                     TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 5);
    text = analyse(fe, "a {h % l}");
    ck_assert_uint_eq(text->n_words, 4);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

static struct taco_front_end *with_voice(const char *voice, const char *language) {
    json_t *config = test_text_config(TEST_TEXT_IPA);
    if (voice)
        json_object_set_new(config, "espeak_voice", json_string(voice));
    else
        json_object_del(config, "espeak_voice");
    struct taco_front_end *fe = NULL;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_create(&fe, config, language, &err) == TACO_OK, "%s",
                  err.message);
    json_decref(config);
    return fe;
}

/* Two languages in turns; the voice defaults to the language. */
START_TEST(languages) {
    struct taco_front_end *german = with_voice("de", "x"),
                          *english = with_voice("en-us", "x");
    struct taco_front_end *french = with_voice(NULL, "fr");
    char first[64], is[64];
    struct taco_text *text = analyse(german, "Stra\xC3\x9F"
                                             "e");
    word_symbols(german, text, 0, first, sizeof first);
    ck_assert_msg(strstr(first, "\xCA\x83t"), "%s", first);
    taco_text_destroy(text);
    text = analyse(english, "street");
    word_symbols(english, text, 0, is, sizeof is);
    ck_assert_msg(strstr(is, "st"), "%s", is);
    taco_text_destroy(text);
    text = analyse(german, "Stra\xC3\x9F"
                           "e");
    word_symbols(german, text, 0, is, sizeof is);
    ck_assert_str_eq(is, first);
    taco_text_destroy(text);
    text = analyse(french, "bonjour");
    word_symbols(french, text, 0, is, sizeof is);
    ck_assert_msg(strstr(is, "u\xCB\x90") || strstr(is, "u"), "%s", is);
    taco_text_destroy(text);
    taco_front_end_destroy(french);
    taco_front_end_destroy(english);
    taco_front_end_destroy(german);
}
END_TEST

/* Letters of a script that is not the language's: written in Latin letters or dropped, with
 * a note; the language's own stay. */
START_TEST(scripts) {
    struct taco_front_end *english = test_front_end(TEST_TEXT_IPA);
    struct taco_text *text =
        analyse(english, "\xD0\x94\xD0\xB0 \xE4\xBD\xA0\xE5\xA5\xBD \xE0\xA4\x95 end");
    ck_assert_uint_eq(text->n_words, 2);
    ck_assert_uint_ge(text->n_notes, 3);
    ck_assert_int_eq(text->notes[0].kind, TACO_NOTE_REPLACED);
    ck_assert_str_eq(text->notes[0].text, "Da");
    ck_assert_int_eq(text->notes[1].kind, TACO_NOTE_DROPPED);
    taco_text_destroy(text);
    taco_front_end_destroy(english);
    struct taco_front_end *russian = with_voice("ru", "ru");
    text = analyse(russian, "\xD0\x94\xD0\xB0, yes \xE2\x82\xAC"
                            "5");
    ck_assert_uint_eq(text->n_words, 3);
    char is[64];
    word_symbols(russian, text, 0, is, sizeof is);
    ck_assert_msg(strstr(is, "d"), "%s", is);
    taco_text_destroy(text);
    taco_front_end_destroy(russian);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("ipa");
    TCase *tcase = tcase_create("ipa");
    tcase_add_test(tcase, words);
    tcase_add_test(tcase, numbers);
    tcase_add_test(tcase, braces);
    tcase_add_test(tcase, languages);
    tcase_add_test(tcase, scripts);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
