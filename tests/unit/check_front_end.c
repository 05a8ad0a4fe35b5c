/* Front ends: configs, errors of texts, lexicon, coverage, no memory. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "support/files.h"
#include "support/runner.h"
#include "support/texts.h"

static enum taco_status create(json_t *text, struct taco_error *err) {
    struct taco_front_end *front_end = NULL;
    enum taco_status status = taco_front_end_create(&front_end, text, "en-US", err);
    ck_assert_int_eq(status == TACO_OK, front_end != NULL);
    taco_front_end_destroy(front_end);
    json_decref(text);
    return status;
}

/* The config with key set to the JSON value (NULL: taken away) is refused. */
static void refused(enum test_text_config which, const char *key, const char *value,
                    enum taco_status want, const char *param) {
    struct taco_error err = TACO_ERROR_INIT;
    json_t *text = test_text_config(which);
    if (value)
        json_object_set_new(text, key, json_loads(value, JSON_DECODE_ANY, NULL));
    else
        json_object_del(text, key);
    ck_assert_msg(create(text, &err) == want, "%s = %s: %s", key, value, err.message);
    ck_assert_int_eq(err.status, want);
    ck_assert_str_eq(err.param, param);
    ck_assert_msg(strstr(err.message, param), "%s", err.message);
}

START_TEST(config_refused) {
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(create(json_array(), &err), TACO_ERR_FORMAT);
    ck_assert_str_eq(err.param, "text");
    ck_assert_int_eq(create(json_array(), NULL), TACO_ERR_FORMAT);
    refused(TEST_TEXT_SLT, "front_end", NULL, TACO_ERR_FORMAT, "text.front_end");
    refused(TEST_TEXT_SLT, "front_end", "7", TACO_ERR_FORMAT, "text.front_end");
    refused(TEST_TEXT_SLT, "front_end", "\"kana\"", TACO_ERR_UNSUPPORTED,
            "text.front_end");
    refused(TEST_TEXT_SLT, "surprise", "1", TACO_ERR_FORMAT, "text.surprise");
    refused(TEST_TEXT_SLT, "symbols", NULL, TACO_ERR_FORMAT, "text.symbols");
    refused(TEST_TEXT_SLT, "symbols", "[]", TACO_ERR_FORMAT, "text.symbols");
    refused(TEST_TEXT_SLT, "symbols", "[\"a\", 1]", TACO_ERR_FORMAT, "text.symbols");
    refused(TEST_TEXT_SLT, "symbols", "[\"a\", \"a\"]", TACO_ERR_FORMAT, "text.symbols");
    refused(TEST_TEXT_SLT, "symbols", "[\"a\", \"\"]", TACO_ERR_FORMAT, "text.symbols");
    refused(TEST_TEXT_SLT, "punctuation", "\"%\"", TACO_ERR_FORMAT, "text.punctuation");
    refused(TEST_TEXT_SLT, "conventions", "\"other\"", TACO_ERR_FORMAT,
            "text.conventions");
    refused(TEST_TEXT_SLT, "case", "true", TACO_ERR_FORMAT, "text.case");
    refused(TEST_TEXT_SLT, "bos", "\"%\"", TACO_ERR_FORMAT, "text.bos");
    refused(TEST_TEXT_SLT, "final_punctuation", "\"%\"", TACO_ERR_FORMAT,
            "text.final_punctuation");
    refused(TEST_TEXT_CHARACTERS, "arpabet_prefix",
            "\"0123456789012345678901234567890123456789\"", TACO_ERR_FORMAT,
            "text.arpabet_prefix");
    refused(TEST_TEXT_CHARACTERS, "front_end", "\"arpabet\"", TACO_ERR_FORMAT,
            "text.symbols");
    refused(TEST_TEXT_IPA, "espeak_voice", "\"no-such-voice\"", TACO_ERR_UNSUPPORTED,
            "text.espeak_voice");
    refused(TEST_TEXT_IPA, "espeak_voice", "\"\"", TACO_ERR_UNSUPPORTED,
            "text.espeak_voice");
    taco_front_end_destroy(NULL);
}
END_TEST

START_TEST(facts) {
    static const char *const names[] = {"arpabet",    "arpabet",    "characters",
                                        "characters", "characters", "characters",
                                        "ipa"};
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++) {
        struct taco_front_end *front_end = test_front_end((enum test_text_config)i);
        ck_assert_str_eq(taco_front_end_name(front_end), names[i]);
        int n = taco_front_end_n_symbols(front_end);
        ck_assert_int_gt(n, 30);
        for (int k = 0; k < n; k++)
            ck_assert_int_ne(taco_front_end_symbols(front_end)[k][0], '\0');
        taco_front_end_destroy(front_end);
    }
}
END_TEST

/* Analyses with front_end; the status must be as wanted. */
static struct taco_error analyse(const struct taco_front_end *front_end, const char *text,
                                 size_t length, const struct taco_text_options *options,
                                 enum taco_status want) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text *out = (struct taco_text *)&err;
    enum taco_status status =
        taco_front_end_analyse(front_end, text, length, options, &out, &err);
    ck_assert_msg(status == want, "\"%s\": %s, want %s: %s", text,
                  taco_status_name(status), taco_status_name(want), err.message);
    ck_assert_int_eq(err.status, want);
    if (status != TACO_OK)
        ck_assert_ptr_null(out);
    taco_text_destroy(out);
    if (status != TACO_OK) /* no error wanted: no crash */
        ck_assert_int_eq(
            taco_front_end_analyse(front_end, text, length, options, &out, NULL), want);
    return err;
}

START_TEST(options_refused) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    static const struct {
        const char *param;
        float sentence_pause, paragraph_pause;
        uint32_t max_symbols, max_bytes;
    } cases[] = {
        {"sentence_pause", -0.1F, 0.6F, 180, 100},
        {"sentence_pause", 10.1F, 0.6F, 180, 100},
        {"sentence_pause", NAN, 0.6F, 180, 100},
        {"paragraph_pause", 0.2F, INFINITY, 180, 100},
        {"paragraph_pause", 0.2F, -1, 180, 100},
        {"max_symbols", 0.2F, 0.6F, 19, 100},
        {"max_symbols", 0.2F, 0.6F, 2001, 100},
        {"max_bytes", 0.2F, 0.6F, 180, 0},
        {"max_bytes", 0.2F, 0.6F, 180, UINT32_MAX},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_text_options options = taco_text_options_default();
        options.sentence_pause = cases[i].sentence_pause;
        options.paragraph_pause = cases[i].paragraph_pause;
        options.max_symbols = cases[i].max_symbols;
        options.max_bytes = cases[i].max_bytes;
        struct taco_error err =
            analyse(fe, "Hello.", 6, &options, TACO_ERR_INVALID_ARGUMENT);
        ck_assert_str_eq(err.param, cases[i].param);
    }
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(texts_refused) {
    struct taco_text_options options = taco_text_options_default();
    options.max_bytes = 40;
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++) {
        struct taco_front_end *fe = test_front_end((enum test_text_config)i);
        struct taco_error err;
        analyse(fe, NULL, 0, &options, TACO_ERR_EMPTY_TEXT);
        analyse(fe, "", 0, &options, TACO_ERR_EMPTY_TEXT);
        analyse(fe, " \t\r\n\xC2\xA0\xE2\x80\x8B", 9, &options, TACO_ERR_EMPTY_TEXT);
        analyse(fe, "...", 3, &options, TACO_ERR_NOTHING_TO_SPEAK);
        analyse(fe, "\xF0\x9F\x98\x80", 4, &options, TACO_ERR_NOTHING_TO_SPEAK);
        analyse(fe, "- \xE2\x80\x94 (?!)\n\n\"\"", 13, &options,
                TACO_ERR_NOTHING_TO_SPEAK);
        err = analyse(fe, "ab\0c", 4, &options, TACO_ERR_INVALID_UTF8);
        ck_assert_int_eq(err.offset, 2);
        err = analyse(fe, "abc\xFF", 4, &options, TACO_ERR_INVALID_UTF8);
        ck_assert_int_eq(err.offset, 3);
        err = analyse(fe, "\xED\xA0\x80", 3, &options, TACO_ERR_INVALID_UTF8);
        ck_assert_int_eq(err.offset, 0);
        err = analyse(fe, "cut \xE2\x82", 6, &options, TACO_ERR_INVALID_UTF8);
        ck_assert_int_eq(err.offset, 4);
        err = analyse(fe, "\xC0\x80", 2, &options, TACO_ERR_INVALID_UTF8);
        ck_assert_int_eq(err.offset, 0);
        analyse(fe, "0123456789012345678901234567890123456789a", 41, &options,
                TACO_ERR_TEXT_TOO_LONG);
        options.strict = true;
        err = analyse(fe, "Say {XX AA}.", 12, &options, TACO_ERR_UNKNOWN_PHONE);
        ck_assert_int_eq(err.offset, 5);
        ck_assert_ptr_nonnull(strstr(err.message, "XX"));
        taco_front_end_destroy(fe);
    }
}
END_TEST

static char *spoken_words(const struct taco_front_end *fe, const char *source) {
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                      TACO_OK,
                  "%s: %s", source, err.message);
    size_t size = 1, n = 0;
    for (uint32_t i = 0; i < text->n_spoken; i++)
        size += strlen(text->spoken[i].text) + 1;
    char *out = malloc(size);
    ck_assert_ptr_nonnull(out);
    out[0] = '\0';
    for (uint32_t i = 0; i < text->n_spoken; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "",
                              text->spoken[i].text);
    taco_text_destroy(text);
    return out;
}

START_TEST(braces) {
    struct taco_front_end *slt = test_front_end(TEST_TEXT_SLT);
    struct taco_front_end *plain = test_front_end(TEST_TEXT_CHARACTERS);
    struct taco_text_options strict = taco_text_options_default();
    strict.strict = true;
    struct taco_error err = analyse(plain, "a {HH}", 6, &strict, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 3);
    ck_assert_ptr_nonnull(strstr(err.message, "no phones"));
    err = analyse(slt, "{HH {AH0} L}", 12, &strict, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 4);
    err = analyse(slt, "{HH AH3}", 8, &strict, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 4);
    err = analyse(slt, "{HH1}", 5, &strict, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 1);
    err = analyse(slt, "\xC3\xA9 {\xC3\xA9}", 7, &strict, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 4);
    /* Without strict they are text. */
    static const struct {
        const char *source, *spoken;
    } texts[] = {
        {"Hello {name}, hi", "hello name hi"},
        {"\\frac{1}{2}", "backslash frac one two"},
        {"{\"a\": 1, \"b\": [2, 3]}", "a one b two three"},
        {"if (x) { return 1; }", "if x return one"},
        {"{HH AH0 L OW9}", "h h a h zero l o w nine"},
        {"{{user}} and {T UW1}", "user and {t uw1}"},
        {"Hi {HH {AH0} L}", "hi h h {ah0} l"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *spoken = spoken_words(slt, texts[i].source);
        ck_assert_str_eq(spoken, texts[i].spoken);
        free(spoken);
    }
    analyse(plain, "a {HH}", 6, NULL, TACO_OK);
    /* Braces that hold nothing or do not close are signs. */
    analyse(slt, "open { brace", 12, NULL, TACO_OK);
    analyse(slt, "closed } brace {} here { }", 26, NULL, TACO_OK);
    analyse(slt, "{HH AH0 L OW1", 13, NULL, TACO_OK);
    analyse(slt, "{}", 2, NULL, TACO_ERR_NOTHING_TO_SPEAK);
    taco_front_end_destroy(slt);
    taco_front_end_destroy(plain);
}
END_TEST

static char *speak(const struct taco_front_end *fe, const char *source) {
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                      TACO_OK,
                  "%s: %s", source, err.message);
    char *symbols = test_chunk_symbols(fe, text, 0);
    taco_text_destroy(text);
    return symbols;
}

static void speaks(const struct taco_front_end *fe, const char *source,
                   const char *want) {
    char *symbols = speak(fe, source);
    ck_assert_str_eq(symbols, want);
    free(symbols);
}

START_TEST(lexicon) {
    static const char words[] =
        "# a comment\n;;; another\n\nTACOD  T AE1 K OW0 D IY2 # ours\n"
        "tomato T AH0 M AA1 T OW0\r\nTOMATO(2) T AH0 M EY1 T OW0\n"
        "tomato B\nSQL S IY1 K W AH0 L\nc++ S IY1\n";
    char path[64];
    test_temp_file(path, words, sizeof words - 1);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_front_end *slt = test_front_end(TEST_TEXT_SLT);
    ck_assert_msg(taco_front_end_load_lexicon(slt, path, &err) == TACO_OK, "%s",
                  err.message);
    speaks(slt, "Tacod!", "T|AE1|K|OW0|D|IY1|!"); /* a second mark is a first here */
    speaks(slt, "The tomato's SQL.",
           "DH|AH0| |T|AH0|M|AA1|T|OW0| |Z| |S|IY1|K|W|AH0|L|.");
    speaks(slt, "tacod-tacod", "T|AE1|K|OW0|D|IY1| |T|AE1|K|OW0|D|IY1|.");
    speaks(slt, "C++", "S|IY1|.");
    struct taco_front_end *nvidia = test_front_end(TEST_TEXT_NVIDIA);
    ck_assert_int_eq(taco_front_end_load_lexicon(nvidia, path, &err), TACO_OK);
    speaks(nvidia, "a tomato", "a| |@T|@AH0|@M|@AA1|@T|@OW0|.");
    struct taco_front_end *plain = test_front_end(TEST_TEXT_CHARACTERS);
    ck_assert_int_eq(taco_front_end_load_lexicon(plain, path, &err),
                     TACO_ERR_UNSUPPORTED);
    taco_front_end_destroy(plain);
    taco_front_end_destroy(nvidia);

    /* A bad file leaves the lexicon as it was. */
    static const struct {
        const char *bytes;
        long line;
    } bad[] = {{"a AA1\nb QQ\n", 2}, {"lonely\n", 1}, {"x B1\n", 1}, {"x AA4\n", 1}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char bad_path[64];
        test_temp_file(bad_path, bad[i].bytes, strlen(bad[i].bytes));
        err = (struct taco_error)TACO_ERROR_INIT;
        ck_assert_int_eq(taco_front_end_load_lexicon(slt, bad_path, &err),
                         TACO_ERR_FORMAT);
        ck_assert_int_eq(err.offset, bad[i].line);
        unlink(bad_path);
    }
    char long_line[2000];
    memset(long_line, 'a', sizeof long_line);
    char long_path[64];
    test_temp_file(long_path, long_line, sizeof long_line);
    ck_assert_int_eq(taco_front_end_load_lexicon(slt, long_path, NULL), TACO_ERR_FORMAT);
    unlink(long_path);
    speaks(slt, "tacod", "T|AE1|K|OW0|D|IY1|.");
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_front_end_load_lexicon(slt, "no/such/file", &err),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.message, "no/such/file"));
    ck_assert_int_eq(taco_front_end_load_lexicon(slt, ".", NULL), TACO_ERR_FORMAT);
    taco_front_end_destroy(slt);
    unlink(path);
}
END_TEST

static void options_speak(struct taco_front_end *fe, const char *lines,
                          const char *source, const char *want) {
    struct taco_text_options options = taco_text_options_default();
    options.lexicon = lines;
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), &options, &text,
                                         &err) == TACO_OK,
                  "%s: %s", source, err.message);
    char *symbols = test_chunk_symbols(fe, text, 0);
    ck_assert_str_eq(symbols, want);
    free(symbols);
    taco_text_destroy(text);
}

/* The lexicon of one text: phones and other words, ahead of the voice's lexicon. */
START_TEST(own_lexicon) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    options_speak(fe, "gnocchi = N Y AO1 K IY0\n", "Gnocchi!", "N|Y|AO1|K|IY0|!");
    options_speak(fe, "gnocchi N Y AO1 K IY0", "gnocchi", "N|Y|AO1|K|IY0|.");
    options_speak(fe, "# names\nW3C = world wide web\n\nx = AA1", "The W3C.",
                  "DH|AH0| |W|ER1|L|D| |W|AY1|D| |W|EH1|B|.");
    options_speak(fe, "tv = TELLY", "TV's", "T|EH1|L|IY0|Z|.");
    options_speak(fe, "cat = dog\ncat = cow", "cat", "D|AO1|G|.");
    options_speak(fe, "read = R EH1 D", "I will read", "AY1| |W|IH1|L| |R|EH1|D|.");
    char path[64];
    test_temp_file(path, "tacod T AE1 K\nother AA1\n", 24);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_front_end_load_lexicon(fe, path, &err), TACO_OK);
    unlink(path);
    options_speak(fe, "tacod = D OW1", "tacod other", "D|OW1| |AA1|.");
    options_speak(fe, NULL, "tacod other", "T|AE1|K| |AA1|.");
    taco_front_end_destroy(fe);

    /* Voices of characters: other words alone. */
    fe = test_front_end(TEST_TEXT_CHARACTERS);
    options_speak(fe, "W3C = world web", "W3C", "w|o|r|l|d| |w|e|b|.");
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(own_lexicon_refused) {
    char long_line[2048], many[16384] = "";
    memset(long_line, 'a', sizeof long_line - 1);
    long_line[sizeof long_line - 1] = '\0';
    size_t n = 0;
    for (int i = 0; i <= 1000; i++)
        n += (size_t)snprintf(many + n, sizeof many - n, "w%d = dog\n", i);
    static char huge[(64 << 10) + 2];
    memset(huge, '\n', sizeof huge - 1);
    const struct {
        enum test_text_config config;
        const char *lexicon, *what; /* what is part of the message */
        enum taco_status status;
    } cases[] = {
        {TEST_TEXT_PHONES, "a = AA1\nzap = Z-AE1", "'Z-AE1' of 'zap'",
         TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_PHONES, "zap =", "'zap ='", TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_PHONES, "zap ZZ AE1", "'ZZ' of 'zap'", TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_PHONES, long_line, "longer than", TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_PHONES, many, "1000 words", TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_PHONES, huge, "65536 are allowed", TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_CHARACTERS, "zap = Z AE1 P", "of 'zap' is no phone of this voice",
         TACO_ERR_INVALID_ARGUMENT},
        {TEST_TEXT_IPA, "zap = dog", "no use", TACO_ERR_UNSUPPORTED},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_front_end *fe = test_front_end(cases[i].config);
        struct taco_text_options options = taco_text_options_default();
        options.lexicon = cases[i].lexicon;
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_front_end_analyse(fe, "zap", 3, &options, &text, &err),
                         cases[i].status);
        ck_assert_int_eq(err.status, cases[i].status);
        ck_assert_str_eq(err.param, "lexicon");
        ck_assert_msg(strstr(err.message, cases[i].what), "%s", err.message);
        taco_front_end_destroy(fe);
    }
}
END_TEST

START_TEST(coverage) {
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++) {
        struct taco_front_end *fe = test_front_end((enum test_text_config)i);
        char *report = NULL;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_msg(taco_front_end_coverage(fe, &report, &err) == TACO_OK, "%d: %s\n%s",
                      i, err.message, report);
        ck_assert_ptr_nonnull(strstr(report, "symbols that the front end makes: "));
        free(report);
        taco_front_end_destroy(fe);
    }
    /* Without a phone and without letters. */
    static const char *const lacking[][2] = {
        {"{\"front_end\": \"arpabet\", \"symbols\": [\" \", \".\", \"AA1\", \"B\"]}",
         "ZH"},
        {"{\"front_end\": \"characters\", \"symbols\": [\" \", \".\", \"a\", \"b\"]}",
         "z"},
        {"{\"front_end\": \"ipa\", \"symbols\": [\" \", \".\", \"a\"], \"espeak_voice\": "
         "\"en-us\"}",
         "ˈ"}};
    for (size_t i = 0; i < sizeof lacking / sizeof *lacking; i++) {
        json_t *text = json_loads(lacking[i][0], 0, NULL);
        struct taco_front_end *fe;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_front_end_create(&fe, text, "en", &err), TACO_OK);
        char *report = NULL;
        ck_assert_int_eq(taco_front_end_coverage(fe, &report, &err), TACO_ERR_FORMAT);
        const char *missing = strstr(report, "missing in the voice: ");
        ck_assert_ptr_nonnull(missing);
        ck_assert_ptr_nonnull(strstr(missing, lacking[i][1]));
        free(report);
        taco_front_end_destroy(fe);
        json_decref(text);
    }
}
END_TEST

/* The n-th allocation fails, for every n: a clean TACO_ERR_NO_MEMORY. */
START_TEST(no_memory) {
    static const char source[] =
        "Dr. Café {HH AH0} paid $5.50 for well-known books 😀 on 12/25/2021, didn't "
        "he?\n\n"
        "It is a long, long sentence which must be cut into several parts, and so it is";
    static const char words[] = "paid P EY1 D\n";
    char path[64];
    test_temp_file(path, words, sizeof words - 1);
    struct taco_text_options options = taco_text_options_default();
    options.max_symbols = 60;
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++) {
        const char *text_of =
            i == TEST_TEXT_SLT || i == TEST_TEXT_PHONES || i == TEST_TEXT_NVIDIA
                ? source
                : source + sizeof "Dr. Café {HH AH0}";
        json_t *config = test_text_config((enum test_text_config)i);
        const char *language = test_text_language((enum test_text_config)i);
        enum taco_status status = TACO_ERR_NO_MEMORY;
        for (long n = 1; status != TACO_OK; n++) {
            struct taco_error err = TACO_ERROR_INIT;
            struct taco_front_end *fe = NULL;
            struct taco_text *text = NULL;
            char *report = NULL;
            taco_memory_fail_at(n);
            status = taco_front_end_create(&fe, config, language, &err);
            if (status == TACO_OK && i <= TEST_TEXT_NVIDIA)
                status = taco_front_end_load_lexicon(fe, path, &err);
            if (status == TACO_OK)
                status = taco_front_end_analyse(fe, text_of, strlen(text_of), &options,
                                                &text, &err);
            if (status == TACO_OK)
                status = taco_front_end_coverage(fe, &report, &err);
            taco_memory_fail_at(0);
            ck_assert_msg(status == TACO_OK || status == TACO_ERR_NO_MEMORY,
                          "%d, %ld: %s", i, n, err.message);
            ck_assert_int_eq(err.status, status);
            free(report);
            taco_text_destroy(text);
            taco_front_end_destroy(fe);
            ck_assert_int_lt(n, 3000);
        }
        json_decref(config);
    }
    unlink(path);
}
END_TEST

START_TEST(names) {
    ck_assert_str_eq(taco_note_kind_name(TACO_NOTE_DROPPED), "dropped_characters");
    ck_assert_str_eq(taco_note_kind_name(TACO_NOTE_REPLACED), "replaced_characters");
    ck_assert_str_eq(taco_note_kind_name(TACO_NOTE_FINAL_PUNCTUATION),
                     "final_punctuation_added");
    ck_assert_str_eq(taco_note_kind_name(TACO_NOTE_SPLIT), "sentence_split");
    struct taco_text_options options = taco_text_options_default();
    ck_assert(options.final_punctuation);
    ck_assert_uint_eq(options.max_symbols, 180);
    ck_assert_uint_eq(options.max_bytes, 1 << 20);
    taco_text_destroy(NULL);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("front_end");
    TCase *tcase = tcase_create("front_end");
    tcase_add_test(tcase, config_refused);
    tcase_add_test(tcase, facts);
    tcase_add_test(tcase, options_refused);
    tcase_add_test(tcase, texts_refused);
    tcase_add_test(tcase, braces);
    tcase_add_test(tcase, lexicon);
    tcase_add_test(tcase, own_lexicon);
    tcase_add_test(tcase, own_lexicon_refused);
    tcase_add_test(tcase, coverage);
    tcase_add_test(tcase, no_memory);
    tcase_add_test(tcase, names);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
