/* Marked-up text: what is spoken of it, where it stands in the source, pauses, errors. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"
#include "text/markup.h"

static const struct {
    enum taco_input input;
    const char *source, *plain;
} readings[] = {
    {TACO_INPUT_HTML, "<p>Hello <b>big</b>\n world.</p><p>Bye</p>",
     "Hello big world.\n\nBye\n\n"},
    {TACO_INPUT_HTML, "a &amp; b &lt; c &#233;&eacute;&#xE9; AT&T &nope; &#0;",
     "a & b < c \xC3\xA9\xC3\xA9\xC3\xA9 AT&T &nope; &#0;"},
    {TACO_INPUT_HTML, "a<script>if (x < 1) y();</script>b<style>p{}</style>", "a b "},
    {TACO_INPUT_HTML, "<!-- no --><!DOCTYPE html>x<br/>y", "x\ny"},
    {TACO_INPUT_HTML, "1 < 2 and <3 <img src=x alt=\"a cat\"> here",
     "1 < 2 and <3 a cat here"},
    {TACO_INPUT_HTML, "<tr><td>a</td><td>b</td></tr>", "a, b, \n\n"},
    {TACO_INPUT_HTML, "<a title='x > y'>z</a>", "z"},
    {TACO_INPUT_HTML, "<!-- open", "<!-- open"},
    {TACO_INPUT_MARKDOWN, "# Title #\nText *is* **strong**.\n\n- one\n- two",
     "Title\n\nText is strong.\n\none\n\ntwo"},
    {TACO_INPUT_MARKDOWN, "Title\n=====\nSee [the page](http://x.y/(a)) now.",
     "Title\n\nSee the page now."},
    {TACO_INPUT_MARKDOWN, "![A cat](cat.png) `code_x` snake_case 2 * 3 \\*no\\*",
     "A cat code_x snake_case 2 * 3 *no*"},
    {TACO_INPUT_MARKDOWN, "| a | b |\n|---|:-:|\n| 1 | 2 |", "a, b\n\n1, 2\n\n"},
    {TACO_INPUT_MARKDOWN, "```c\nint x;\n```\nend", "int x;\n\n\nend"},
    {TACO_INPUT_MARKDOWN, "> quoted\n1. first\n2) second\n- [x] done",
     "quoted\n\nfirst\n\nsecond\n\n done"},
    {TACO_INPUT_MARKDOWN, "wrapped\nline <https://a.b> [r]\n[r]: http://x",
     "wrapped line https://a.b [r]"},
    {TACO_INPUT_MARKDOWN, "a\n---\nb\n***\nc", "a\n\nb\n\nc"},
    {TACO_INPUT_SSML, "<speak>Hello <emphasis>you</emphasis>.</speak>", "Hello you."},
    {TACO_INPUT_SSML, "<speak><p><s>One</s> <s>two</s></p>three</speak>",
     "One\n\ntwo\n\nthree"},
    {TACO_INPUT_SSML, "<speak>a <sub alias=\"World Wide Web\">WWW</sub> b</speak>",
     "a World Wide Web b"},
    {TACO_INPUT_SSML,
     "<speak><phoneme alphabet=\"arpabet\" ph=\"HH AH0 L OW1\">x</phoneme>!</speak>",
     "{HH AH0 L OW1}!"},
    {TACO_INPUT_SSML, "<speak><say-as interpret-as=\"characters\">abc12</say-as></speak>",
     "A.B.C 1 2"},
    {TACO_INPUT_SSML,
     "<speak><say-as interpret-as=\"ordinal\">21</say-as> "
     "<say-as interpret-as=\"ordinal\">12</say-as></speak>",
     "21st 12th"},
    {TACO_INPUT_SSML, "<speak><say-as interpret-as=\"digits\">123</say-as></speak>",
     "1 2 3"},
    {TACO_INPUT_SSML, "<speak><say-as interpret-as=\"expletive\">damn</say-as></speak>",
     "bleep"},
    {TACO_INPUT_SSML, "<speak>a &amp; b <prosody rate=\"medium\">c</prosody></speak>",
     "a & b c"},
    {TACO_INPUT_SSML,
     "<?xml version=\"1.0\"?><ssml:speak xmlns:ssml=\"x\">a<ssml:mark name=\"m\"/> "
     "b</ssml:speak>",
     "a b"},
    {TACO_INPUT_SSML, "<speak>Hello <prosody rate=\"slow\">you</prosody> there.</speak>",
     "Hello \n\nyou\n\nthere."},
    {TACO_INPUT_SSML,
     "<speak><phoneme alphabet=\"ipa\" ph=\"h\xC9\x99\xCB\x88lo\xCA\x8A\">x</phoneme>"
     "</speak>",
     "{HH AH0 L OW1}"},
    {TACO_INPUT_SSML,
     "<speak><lang xml:lang=\"en-GB\">a</lang> <w role=\"x\">b</w></speak>", "a b"},
    {TACO_INPUT_SSML,
     "<maryxml version=\"0.4\"><p><s><t>a</t> <boundary duration=\"100\"/>b</s></p>"
     "</maryxml>",
     "a \n\nb\n\n"},
    {TACO_INPUT_SSML,
     "<speak>a<break time=\"0ms\"/>b<break strength=\"strong\"/>c</speak>", "a b\n\nc"},
};

START_TEST(plain_text) {
    for (size_t i = 0; i < sizeof readings / sizeof *readings; i++) {
        struct taco_markup m = {.language = "en-US", .english = true};
        struct taco_error err = TACO_ERROR_INIT;
        const char *source = readings[i].source;
        ck_assert_msg(taco_markup_read(&m, readings[i].input, source,
                                       (uint32_t)strlen(source), &err) == TACO_OK,
                      "%s: %s", source, err.message);
        ck_assert_msg(strcmp(m.text.bytes, readings[i].plain) == 0,
                      "%s\n  is   %s\n  want %s", source, m.text.bytes,
                      readings[i].plain);
        taco_markup_free(&m);
    }
}
END_TEST

static const struct {
    enum taco_input input;
    const char *source;
} detected[] = {
    {TACO_INPUT_SSML, "<speak>Hi</speak>"},
    {TACO_INPUT_SSML, " \n<speak version=\"1.1\">Hi</speak>"},
    {TACO_INPUT_SSML, "\xEF\xBB\xBF<?xml version=\"1.0\"?>\n<ssml:speak>a</ssml:speak>"},
    {TACO_INPUT_SSML, "<maryxml/>"},
    {TACO_INPUT_TEXT, "<speaker>Hi"},
    {TACO_INPUT_TEXT, "<?xml version"},
    {TACO_INPUT_TEXT, "<speak"},
    {TACO_INPUT_HTML, "<!DOCTYPE html><p>x"},
    {TACO_INPUT_HTML, "<p class=\"a\">x</P>"},
    {TACO_INPUT_HTML, "<b>x</b> and more"},
    {TACO_INPUT_TEXT, "<p>an angle, and no end"},
    {TACO_INPUT_TEXT, "a <b>bold</b> word"},
    {TACO_INPUT_TEXT, "<3 you"},
    {TACO_INPUT_TEXT, "<b-tree> and </b-tree>"},
    {TACO_INPUT_MARKDOWN, "This is **bold** text"},
    {TACO_INPUT_MARKDOWN, "**bold**"},
    {TACO_INPUT_MARKDOWN, "a\n## Title\nb"},
    {TACO_INPUT_MARKDOWN, "# Title\n\ntext"},
    {TACO_INPUT_MARKDOWN, "see [it](https://a.b)"},
    {TACO_INPUT_MARKDOWN, "a\n```c\nint\n```"},
    {TACO_INPUT_MARKDOWN, "| a | b |\n|---|:-:|\n"},
    {TACO_INPUT_MARKDOWN, "- one\n- two"},
    {TACO_INPUT_TEXT, "- one"},
    {TACO_INPUT_TEXT, "# of items: 5"},
    {TACO_INPUT_TEXT, "# of items: 5\nand so on"},
    {TACO_INPUT_TEXT, "2 ** 3 ** 4, 2**3**4, a **b"},
    {TACO_INPUT_TEXT, "array[1](2) and [x](y)"},
    {TACO_INPUT_TEXT, "--- | ---x"},
    {TACO_INPUT_TEXT, "Plain text. #1, *5*, it's 3 < 5 > 2."},
    {TACO_INPUT_TEXT, ""},
    {TACO_INPUT_TEXT, " \n"},
    {TACO_INPUT_TEXT, "<"},
    {TACO_INPUT_TEXT, "**"},
    {TACO_INPUT_TEXT, "#"},
    {TACO_INPUT_TEXT, "``"},
};

START_TEST(detection) {
    for (size_t i = 0; i < sizeof detected / sizeof *detected; i++) {
        /* In a block of its own size, so that a sanitizer sees a byte too many. */
        size_t n = strlen(detected[i].source);
        char *source = malloc(n ? n : 1);
        memcpy(source, detected[i].source, n);
        ck_assert_msg(taco_markup_detect(source, (uint32_t)n) == detected[i].input,
                      "%s: %s", detected[i].source,
                      taco_input_name(taco_markup_detect(source, (uint32_t)n)));
        free(source);
    }
}
END_TEST

static const struct {
    const char *source, *problem;
    enum taco_status status;
    long offset;
} refused[] = {
    {"<speak>a", "no element found", TACO_ERR_INVALID_ARGUMENT, 8},
    {"plain", "syntax error", TACO_ERR_INVALID_ARGUMENT, 0},
    {"<speak>a<b></speak>", "'b'", TACO_ERR_UNSUPPORTED, 8},
    {"<html>a</html>", "'html'", TACO_ERR_INVALID_ARGUMENT, 0},
    {"<speak>a<audio src=\"x\"/></speak>", "'audio'", TACO_ERR_UNSUPPORTED, 8},
    {"<speak><prosody rate=\"quick\">a</prosody></speak>", "'quick'",
     TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><prosody rate=\"9\">a</prosody></speak>", "'9'", TACO_ERR_INVALID_ARGUMENT,
     7},
    {"<speak><prosody volume=\"+6\">a</prosody></speak>", "'+6'",
     TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak>\n <p>a\n<mark/></p></speak>", "line 3, column 1: mark needs name",
     TACO_ERR_INVALID_ARGUMENT, 14},
    {"<speak><lang xml:lang=\"de\">a</lang></speak>", "'de'", TACO_ERR_UNSUPPORTED, 7},
    {"<speak><lang>a</lang></speak>", "xml:lang", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><voice name=\"x\">a</voice></speak>", "'voice'", TACO_ERR_UNSUPPORTED, 7},
    {"<speak><break time=\"11s\"/></speak>", "'11s'", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><break time=\"-1s\"/></speak>", "'-1s'", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><break strength=\"much\"/></speak>", "'much'", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><sub>x</sub></speak>", "alias", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><phoneme alphabet=\"x-sampa\" ph=\"x\">y</phoneme></speak>", "'x-sampa'",
     TACO_ERR_UNSUPPORTED, 7},
    {"<speak><phoneme ph=\"h\xC3\xB8\">y</phoneme></speak>", "\xC3\xB8",
     TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><phoneme alphabet=\"ipa\">y</phoneme></speak>", "needs ph",
     TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><phoneme alphabet=\"cmu\" ph=\" \">y</phoneme></speak>", "needs ph",
     TACO_ERR_INVALID_ARGUMENT, 7},
    {"<speak><say-as>x</say-as></speak>", "interpret-as", TACO_ERR_INVALID_ARGUMENT, 7},
    {"<!DOCTYPE s [<!ENTITY a \"b\">]><speak>&a;</speak>", "document type",
     TACO_ERR_UNSUPPORTED, 12},
};

START_TEST(bad_ssml) {
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        struct taco_markup m = {.language = "en-US", .english = true};
        struct taco_error err = TACO_ERROR_INIT;
        const char *source = refused[i].source;
        ck_assert_msg(taco_markup_read(&m, TACO_INPUT_SSML, source,
                                       (uint32_t)strlen(source),
                                       &err) == refused[i].status,
                      "%s: %d %s", source, (int)err.status, err.message);
        ck_assert_msg(strstr(err.message, refused[i].problem), "%s: %s", source,
                      err.message);
        ck_assert_msg(err.offset == refused[i].offset, "%s: %ld", source, err.offset);
        taco_markup_free(&m);
    }
    char *long_text = malloc(4096);
    size_t n = (size_t)sprintf(long_text, "<speak><say-as interpret-as=\"characters\">");
    memset(long_text + n, '?', 2000);
    sprintf(long_text + n + 2000, "</say-as></speak>");
    struct taco_markup longer = {.english = true};
    struct taco_error long_err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_markup_read(&longer, TACO_INPUT_SSML, long_text,
                                      (uint32_t)strlen(long_text), &long_err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(long_err.message, "use several"));
    taco_markup_free(&longer);
    free(long_text);
    char deep[2048] = "<speak>";
    for (int i = 0; i < 40; i++)
        memcpy(deep + strlen(deep), "<emphasis>", 11);
    struct taco_markup m = {0};
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(
        taco_markup_read(&m, TACO_INPUT_SSML, deep, (uint32_t)strlen(deep), &err),
        TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "32"));
    taco_markup_free(&m);
}
END_TEST

static struct taco_text *analyse(struct taco_front_end *fe, enum taco_input input,
                                 const char *source, struct taco_error *err) {
    struct taco_text_options options = taco_text_options_default();
    options.input = input;
    struct taco_text *text = NULL;
    if (taco_front_end_analyse(fe, source, strlen(source), &options, &text, err) ==
        TACO_OK) {
        const char *problem =
            test_text_problem(fe, text, source, strlen(source), &options);
        ck_assert_msg(!problem, "%s: %s", source, problem);
    }
    return text;
}

/* Words are found in the source as it was written; pauses lie where they were asked for. */
START_TEST(spans_and_pauses) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    struct taco_error err = TACO_ERROR_INIT;
    const char *source = "<speak>H\xC3\xA9llo <sub alias=\"two words\">2w</sub>"
                         "<break time=\"1250ms\"/>the &amp; end.</speak>";
    struct taco_text *text = analyse(fe, TACO_INPUT_SSML, source, &err);
    ck_assert_msg(text, "%s", err.message);
    static const char *const words[] = {
        /* the words of an alias share its element */
        "H\xC3\xA9llo", "<su", " alias=\"two words\">2w</sub>", "the", "&amp;", "end"};
    ck_assert_uint_eq(text->n_words, 6);
    for (uint32_t i = 0; i < text->n_words; i++) {
        struct taco_span span = text->words[i].span;
        ck_assert_uint_eq(span.end - span.begin, strlen(words[i]));
        ck_assert_int_eq(memcmp(source + span.begin, words[i], strlen(words[i])), 0);
    }
    ck_assert_uint_eq(text->words[0].span.begin_cp, 7);
    ck_assert_uint_eq(text->words[1].span.begin_cp, 13);
    ck_assert_uint_eq(text->n_chunks, 2);
    ck_assert(fabsf(text->chunks[0].pause - 1.25F) < 1e-6F);
    ck_assert_str_eq(text->source, source);
    taco_text_destroy(text);

    /* An unknown phone and an empty document are told at their places. */
    source = "<speak>a <phoneme alphabet=\"cmu\" ph=\"QQ\">b</phoneme></speak>";
    ck_assert_ptr_null(analyse(fe, TACO_INPUT_SSML, source, &err));
    ck_assert_int_eq(err.status, TACO_ERR_UNKNOWN_PHONE);
    ck_assert_int_eq(err.offset, 10); /* in the element, which begins at 9 */
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_ptr_null(analyse(fe, TACO_INPUT_HTML, "<p></p>", &err));
    ck_assert_int_eq(err.status, TACO_ERR_EMPTY_TEXT);
    taco_front_end_destroy(fe);
}
END_TEST

/* Chunks with the speed and the volume that they are asked to have. */
START_TEST(prosody) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text *text =
        analyse(fe, TACO_INPUT_SSML,
                "<speak>One <prosody rate=\"slow\" pitch=\"high\">two. Three "
                "<prosody rate=\"+100%\" volume=\"soft\">four</prosody></prosody> five."
                "<prosody rate=\"medium\"><p>six</p></prosody></speak>",
                &err);
    ck_assert_msg(text, "%s", err.message);
    static const struct {
        float speed, volume, pause;
    } chunks[] = {{1, 1, 0},       {0.75F, 1, 0.2F}, {0.75F, 1, 0},
                  {1.5F, 0.5F, 0}, {1, 1, 0.6F},     {1, 1, 0}};
    ck_assert_uint_eq(text->n_chunks, 6);
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        ck_assert_float_eq(text->chunks[i].speed, chunks[i].speed);
        ck_assert_float_eq(text->chunks[i].volume, chunks[i].volume);
        ck_assert_float_eq(text->chunks[i].pause, chunks[i].pause);
    }
    uint32_t n = 0;
    for (uint32_t i = 0; i < text->n_notes; i++)
        if (text->notes[i].kind == TACO_NOTE_IGNORED) {
            n++;
            ck_assert_str_eq(text->notes[i].text, "pitch");
            ck_assert_uint_eq(text->notes[i].span.begin, 11);
            ck_assert_uint_eq(text->notes[i].span.end, 45);
        }
    ck_assert_uint_eq(n, 1);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

/* Sentences and paragraphs have their own pauses; a break replaces them. */
START_TEST(pauses_of_elements) {
    static const struct {
        const char *source;
        float pauses[3];
    } texts[] = {
        {"<speak><p><s>a</s><s>b</s></p><p>c</p>d</speak>", {0.2F, 0.6F, 0.6F}},
        {"<speak>a<break time=\"3s\"/>b<p>c</p><break time=\"1s\"/>d</speak>",
         {3, 0.6F, 1}},
        {"<speak>a<break time=\"1s\"/><break time=\"2s\"/><break time=\"1s\"/>b"
         "<s>c</s><break strength=\"strong\"/>d</speak>",
         {2, 0.2F, 1}},
        {"<speak><s>a</s><prosody rate=\"fast\">b.</prosody> c <p>d</p></speak>",
         {0.2F, 0.2F, 0.6F}},
    };
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_text *text = analyse(fe, TACO_INPUT_SSML, texts[i].source, &err);
        ck_assert_msg(text, "%s", err.message);
        ck_assert_uint_eq(text->n_chunks, 4);
        for (uint32_t k = 0; k < 3; k++)
            ck_assert_msg(fabsf(text->chunks[k].pause - texts[i].pauses[k]) < 1e-6F,
                          "%s: %u: %g", texts[i].source, k,
                          (double)text->chunks[k].pause);
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(named_marks) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text *text = analyse(
        fe, TACO_INPUT_SSML,
        "<speak><mark name=\"a\"/>one <mark name=\"b &amp; c\"/>two<mark name=\"d\"/>"
        "<break/><mark name=\"e\"/>three<mark name=\"f\"/></speak>",
        &err);
    ck_assert_msg(text, "%s", err.message);
    static const struct {
        const char *name;
        uint32_t at, word;
        bool before_silence;
    } wanted[] = {{"a", 7, 0, false},
                  {"b & c", 27, 1, false},
                  {"d", 54, 2, true},
                  {"e", 78, 2, false},
                  {"f", 99, 3, false}};
    ck_assert_uint_eq(text->n_marks, 5);
    for (uint32_t i = 0; i < text->n_marks; i++) {
        ck_assert_str_eq(text->marks[i].name, wanted[i].name);
        ck_assert_uint_eq(text->marks[i].span.begin, wanted[i].at);
        ck_assert_uint_eq(text->marks[i].word, wanted[i].word);
        ck_assert_int_eq(text->marks[i].before_silence, wanted[i].before_silence);
    }
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

static int stop_at_once(void *user) {
    ++*(int *)user;
    return 1;
}

/* A long document is given up in the middle. */
START_TEST(cancelled) {
    enum { N = 1 << 20 };
    char *source = malloc(N + 32);
    for (int input = TACO_INPUT_HTML; input <= TACO_INPUT_SSML; input++) {
        int asked = 0;
        const struct taco_cancel cancel = {stop_at_once, &asked};
        struct taco_markup m = {.cancel = &cancel};
        struct taco_error err = TACO_ERROR_INIT;
        memcpy(source, "<speak>", 7);
        for (int i = 7; i < N; i += 8)
            memcpy(source + i, "a&amp;b\n", 8);
        memcpy(source + N, "</speak>", 9);
        ck_assert_int_eq(taco_markup_read(&m, (enum taco_input)input, source,
                                          (uint32_t)strlen(source), &err),
                         TACO_ERR_CANCELLED);
        ck_assert_int_eq(asked, 1);
        ck_assert_uint_lt(m.text.n, N / 8);
        taco_markup_free(&m);
    }
    free(source);
}
END_TEST

/* A text without a word lasts as long as its breaks, or 0.2 s. */
START_TEST(silence) {
    static const struct {
        enum taco_input input;
        const char *source;
        float lead;
        uint32_t n_notes;
    } texts[] = {
        {TACO_INPUT_TEXT, "\xF0\x9F\x91\x8D", 0.2F, 1},
        {TACO_INPUT_AUTO, "---", 0.2F, 0},
        {TACO_INPUT_SSML, "<speak>-<break time=\"2s\"/></speak>", 2, 0},
    };
    struct taco_front_end *fe = test_front_end(TEST_TEXT_PHONES);
    struct taco_text_options options = taco_text_options_default();
    options.allow_silence = true;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        options.input = texts[i].input;
        ck_assert_msg(taco_front_end_analyse(fe, texts[i].source, strlen(texts[i].source),
                                             &options, &text, &err) == TACO_OK,
                      "%s", err.message);
        ck_assert_uint_eq(text->n_chunks, 0);
        ck_assert_uint_eq(text->n_notes, texts[i].n_notes);
        ck_assert_float_eq(text->lead, texts[i].lead);
        taco_text_destroy(text);
    }
    /* Breaks before the first word and behind the last. */
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_text *text =
        analyse(fe, TACO_INPUT_SSML,
                "<speak><break time=\"1s\"/>a<break time=\"2s\"/></speak>", &err);
    ck_assert_msg(text, "%s", err.message);
    ck_assert_uint_eq(text->n_chunks, 1);
    ck_assert_float_eq(text->lead, 1);
    ck_assert_float_eq(text->chunks[0].pause, 2);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

/* Random texts with marks between: the result holds what text.h says. */
START_TEST(random_texts) {
    static const char *const marks[] = {
        "<b>",           "</p>", "<!--",   "-->", "&amp;", "&#",       "**",
        "[a](b)",        "|",    "\n- ",   "`",   "<br>",  "<script>", "\n```\n",
        "<img alt='x'>", "# ",   "\n---\n"};
    uint64_t state = 7;
    for (int i = 0; i < 300; i++) {
        char source[2048];
        size_t n = 0;
        for (int k = 0; k < 6; k++) {
            n += test_random_text(&state, source + n, 200);
            const char *mark = marks[(state >> 33) % (sizeof marks / sizeof *marks)];
            memcpy(source + n, mark, strlen(mark) + 1);
            n += strlen(mark);
        }
        struct taco_front_end *fe =
            test_front_end((enum test_text_config)(i % TEST_TEXT_CONFIGS));
        struct taco_text_options options = taco_text_options_default();
        options.input = i % 2 ? TACO_INPUT_HTML : TACO_INPUT_MARKDOWN;
        struct taco_text *text;
        struct taco_error err = TACO_ERROR_INIT;
        if (taco_front_end_analyse(fe, source, n, &options, &text, &err) == TACO_OK) {
            const char *problem = test_text_problem(fe, text, source, n, &options);
            ck_assert_msg(!problem, "%s: %s", source, problem);
            taco_text_destroy(text);
        }
        taco_front_end_destroy(fe);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("markup");
    TCase *tcase = tcase_create("markup");
    tcase_add_test(tcase, plain_text);
    tcase_add_test(tcase, detection);
    tcase_add_test(tcase, prosody);
    tcase_add_test(tcase, pauses_of_elements);
    tcase_add_test(tcase, named_marks);
    tcase_add_test(tcase, cancelled);
    tcase_add_test(tcase, silence);
    tcase_add_test(tcase, bad_ssml);
    tcase_add_test(tcase, spans_and_pauses);
    tcase_add_test(tcase, random_texts);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
