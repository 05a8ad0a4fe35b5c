/* Where sentences end, where over-long ones are cut, and the silence between. */
#include <check.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"

static struct taco_front_end *fe;

static void start(void) {
    fe = test_front_end(TEST_TEXT_CHARACTERS);
}

static void stop(void) {
    taco_front_end_destroy(fe);
}

static struct taco_text *analyse(const char *source,
                                 const struct taco_text_options *options) {
    struct taco_text_options defaults = taco_text_options_default();
    if (!options)
        options = &defaults;
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), options, &text,
                                         &err) == TACO_OK,
                  "%s: %s", source, err.message);
    const char *problem = test_text_problem(fe, text, source, strlen(source), options);
    ck_assert_msg(!problem, "%s: %s", source, problem);
    return text;
}

/* '|' stands where a chunk must end. */
static bool splits(const char *marked) {
    char source[1024], is[1200];
    size_t n = 0, length = 0;
    for (const char *p = marked; *p; p++)
        if (*p != '|')
            source[n++] = *p;
    source[n] = '\0';
    struct taco_text *text = analyse(source, NULL);
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        uint32_t from = i ? text->chunks[i - 1].span.end : 0;
        uint32_t to = i + 1 < text->n_chunks ? text->chunks[i].span.end : (uint32_t)n;
        length +=
            (size_t)snprintf(is + length, sizeof is - length, "%.*s%s", (int)(to - from),
                             source + from, i + 1 < text->n_chunks ? "|" : "");
    }
    taco_text_destroy(text);
    if (strcmp(is, marked) == 0)
        return true;
    fprintf(stderr, "is   %s\nwant %s\n", is, marked);
    return false;
}

static const char *const texts[] = {
    "Hello.| World.| Again!| And again?| Yes",
    "Dr. Smith met J. R. R. Tolkien at 9:30 a.m., 98.6 degrees, e.g. in the U.S. "
    "capital.",
    "Mr. Brown, Mrs. Jones, Ms. Lee and Prof. X are St. Mary's.",
    "See http://example.com/a.b?c.d or www.x.org today",
    "It is 3.5 or .5 or v1.2.3.| Next.",
    "He left at 5 p.m.| She stayed.| At 5 p.m. Monday it rained.| At 5 p.m. EST it "
    "did.",
    "The U.S. Army came.| He lives in the U.S.| The end.| the U.S. is big.",
    "Acme Inc. is old.| Acme Inc.| The firm.| Acme Inc. Chairman X.",
    "Apples, pears, etc. are fruit.| Apples, etc.| We like them.",
    "See No. 5 there.| No.| I say no.| No.| I mean it.",
    "Approx. 5 cm. of it vs. that, i.e. this, e.g. that.",
    "Wait... what?| Wait...| What?| Wait\xE2\x80\xA6 what?",
    "\"Stop!\" he said.| \"Stop!\"| He left.| 'Go?' she asked.",
    "(Really?)| It is.| (It is.)| Yes.",
    "Who?!| Me!!!| Oh.",
    "hello there.| how are you?| fine",
    "One line\nstill the same.| Two",
    "Head|\n\nBody of it|\n\n\nEnd",
    "List:|\n- one|\n- two|\n* three|\n4. four|\n5) five",
    "1. First of all.| Then",
    "went.|He came.",
    "He is J.| The other is K. Smith.",
    "Vitamin C.| He took plan B.| Then so do I.| Yes.",
    "George W. Bush and Michael J. Fox.",
    "Ph.D. students.| He has a Ph.D.| The other has none.",
    "Version 2.| Is it?| Jan. 5 and Dec. 25.",
};

START_TEST(sentences) {
    size_t right = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        right += splits(texts[i]);
    ck_assert_uint_eq(right, sizeof texts / sizeof *texts);
}
END_TEST

/* Writes a text one byte at a time, taking off each sentence as soon as its end is certain.
 * Every cut must be where the whole text has one. *n_late counts the bytes of the next
 * sentence that had to come first. */
static bool written(const char *marked, size_t *n_cuts, size_t *n_late) {
    const char *border = strchr(marked, '|');
    char text[1024];
    size_t n = 0;
    bool ok = true;
    for (const char *p = marked; *p && ok; p++) {
        if (*p == '|')
            continue;
        text[n++] = *p;
        if ((p[1] & 0xC0) == 0x80)
            continue; /* in the middle of a character */
        struct taco_sentence sentence;
        struct taco_error err = TACO_ERROR_INIT;
        if (taco_front_end_first_sentence(fe, text, n, &sentence, &err) != TACO_OK)
            return false;
        if (sentence.end == 0)
            continue;
        const char *end = p + 1 - (n - sentence.end); /* in marked, '|' counted below */
        if (border && border < p)
            end--;
        ok = border && end == border;
        if (!ok)
            fprintf(stderr, "cut at %zu of '%.*s'\n", sentence.end, (int)n, text);
        ++*n_cuts;
        *n_late += n - sentence.end;
        memmove(text, text + sentence.end, n -= sentence.end);
        border = border ? strchr(border + 1, '|') : NULL;
    }
    return ok;
}

/* A cut of the whole text that looks back or ahead over lines is not seen while writing. */
START_TEST(sentences_while_they_are_written) {
    size_t n_cuts = 0, n_late = 0, n_borders = 0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        ck_assert_msg(written(texts[i], &n_cuts, &n_late), "%s", texts[i]);
        for (const char *p = texts[i]; *p; p++)
            n_borders += *p == '|';
    }
    ck_assert_msg(n_cuts == n_borders, "%zu of %zu", n_cuts, n_borders);
    ck_assert_uint_le(n_late, 4 * n_cuts);
}
END_TEST

START_TEST(the_end_is_certain_at_once) {
    static const struct {
        const char *text;
        size_t end;
        bool paragraph;
    } cases[] = {
        {"", 0, false},
        {" \n", 0, false},
        {"Hello world", 0, false},
        {"Hello world.", 0, false},
        {"Hello world. ", 12, false},
        {"  Hello world! ", 14, false},
        {"\n\nHello world?\n", 14, true},
        {"Hello world\n", 0, false},
        {"Hello world\n\n", 11, false},
        {"It costs 3.", 0, false},
        {"Acme Inc. ", 0, false},
        {"Acme Inc. The", 0, false},
        {"Acme Inc. The ", 9, false},
        {"At 5 p.m. Mon", 0, false},
        {"At 5 p.m. Monday", 0, false},
        {"Wait... ", 0, false},
        {"Wait... W", 7, false},
        {"See www.E", 0, false},
        {"See www.Example.com today. ", 26, false},
        {"caf\xC3\xA9. ", 6, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_sentence sentence;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_front_end_first_sentence(
                             fe, cases[i].text, strlen(cases[i].text), &sentence, &err),
                         TACO_OK);
        ck_assert_msg(sentence.end == cases[i].end &&
                          sentence.paragraph == cases[i].paragraph,
                      "'%s': %zu", cases[i].text, sentence.end);
    }
}
END_TEST

START_TEST(what_is_no_text_has_no_first_sentence) {
    struct taco_sentence sentence;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(
        taco_front_end_first_sentence(fe, "One. \xFFTwo.", 10, &sentence, &err),
        TACO_ERR_INVALID_UTF8);
    ck_assert_uint_eq(err.offset, 5);
    err = (struct taco_error)TACO_ERROR_INIT;
    char *text = calloc(1, TACO_FIRST_SENTENCE_BYTES + 1);
    memset(text, 'a', TACO_FIRST_SENTENCE_BYTES + 1);
    ck_assert_int_eq(taco_front_end_first_sentence(fe, text, TACO_FIRST_SENTENCE_BYTES,
                                                   &sentence, &err),
                     TACO_OK);
    ck_assert_uint_eq(sentence.end, 0);
    ck_assert_int_eq(taco_front_end_first_sentence(
                         fe, text, TACO_FIRST_SENTENCE_BYTES + 1, &sentence, &err),
                     TACO_ERR_TEXT_TOO_LONG);
    free(text);
}
END_TEST

START_TEST(pauses) {
    struct taco_text_options options = taco_text_options_default();
    options.sentence_pause = 0.25F;
    options.paragraph_pause = 1.5F;
    struct taco_text *text =
        analyse("One. Two.\n\n...\n\nThree? \xF0\x9F\x98\x80. Four.", &options);
    ck_assert_uint_eq(text->n_chunks, 4);
    ck_assert_float_eq(text->chunks[0].pause, 0.25F);
    ck_assert_float_eq(text->chunks[1].pause, 1.5F); /* what has no word adds nothing */
    ck_assert_float_eq(text->chunks[2].pause, 0.25F);
    ck_assert_float_eq(text->chunks[3].pause, 0);
    taco_text_destroy(text);
    text = analyse("a\r\n\r\nb\xE2\x80\xA9"
                   "c\n \t\nd\r\re",
                   &options);
    ck_assert_uint_eq(text->n_chunks, 5);
    for (int i = 0; i < 4; i++)
        ck_assert_float_eq(text->chunks[i].pause, 1.5F);
    taco_text_destroy(text);
}
END_TEST

static uint32_t count_notes(const struct taco_text *text, enum taco_note_kind kind) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < text->n_notes; i++)
        n += text->notes[i].kind == kind;
    return n;
}

START_TEST(long_sentences) {
    static const char clauses[] =
        "This sentence is rather long, because it goes on and on; it has clauses, which "
        "are "
        "set off by commas, and others that are not but could be if somebody wanted it "
        "to be "
        "easier to read than it is now that it has become so long (which nobody does).";
    struct taco_text_options options = taco_text_options_default();
    options.max_symbols = 100;
    struct taco_text *text = analyse(clauses, &options);
    ck_assert_uint_ge(text->n_chunks, 3);
    ck_assert_uint_le(text->n_chunks, 5);
    ck_assert_uint_eq(count_notes(text, TACO_NOTE_SPLIT), text->n_chunks - 1);
    ck_assert_uint_eq(count_notes(text, TACO_NOTE_FINAL_PUNCTUATION), 0);
    /* Cut behind a sign, the last piece no scrap; every piece ends as a sentence does. */
    ck_assert_int_eq(clauses[text->chunks[0].span.end - 1], ';');
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        const struct taco_chunk *c = &text->chunks[i];
        ck_assert_uint_le(c->n_symbols, 100);
        ck_assert_uint_ge(c->n_symbols, 20);
        int32_t last = text->symbols[c->first_symbol + c->n_symbols - 1].id;
        int32_t before = text->symbols[c->first_symbol + c->n_symbols - 2].id;
        ck_assert_str_eq(taco_front_end_symbols(fe)[last], ".");
        ck_assert_int_ne(before, last);
        ck_assert(!strchr(",;: ", taco_front_end_symbols(fe)[before][0]));
    }
    ck_assert_float_eq(text->chunks[0].pause, options.sentence_pause / 2);
    taco_text_destroy(text);

    /* Without a sign: between words, and without a silence. */
    char words[4001] = "";
    for (int i = 0; i < 400; i++)
        memcpy(words + 10 * i, "wordy text", 10);
    for (int i = 1; i < 400; i++)
        words[10 * i] = ' ';
    words[4000] = '\0';
    for (uint32_t most = 20; most <= 2000; most += 396) {
        options.max_symbols = most;
        text = analyse(words, &options);
        ck_assert_uint_ge(text->n_chunks, 4000 / most);
        ck_assert_uint_le(text->n_chunks, 4000 / most * 2 + 2);
        for (uint32_t i = 0; i < text->n_chunks; i++)
            ck_assert_float_eq(text->chunks[i].pause, 0);
        taco_text_destroy(text);
    }

    /* One endless word, one endless number: cut, and nothing lost. */
    char endless[3001];
    memset(endless, 'x', 3000);
    endless[3000] = '\0';
    options.max_symbols = 50;
    text = analyse(endless, &options);
    ck_assert_uint_ge(text->n_words, 3000 / 64);
    taco_text_destroy(text);
    memset(endless, '7', 3000);
    text = analyse(endless, &options);
    ck_assert_uint_eq(text->n_spoken, 3000);
    taco_text_destroy(text);
}
END_TEST

START_TEST(final_punctuation) {
    struct taco_text_options options = taco_text_options_default();
    struct taco_text *text = analyse("banana", NULL);
    ck_assert_uint_eq(text->n_symbols, 7);
    ck_assert_uint_eq(text->n_notes, 1);
    ck_assert_int_eq(text->notes[0].kind, TACO_NOTE_FINAL_PUNCTUATION);
    ck_assert_uint_eq(text->notes[0].span.begin, 6);
    ck_assert_uint_eq(text->notes[0].span.end, 6);
    ck_assert_uint_eq(text->symbols[6].word, TACO_NO_WORD);
    taco_text_destroy(text);
    options.final_punctuation = false;
    text = analyse("banana", &options);
    ck_assert_uint_eq(text->n_symbols, 6);
    ck_assert_uint_eq(text->n_notes, 0);
    taco_text_destroy(text);
    static const char *const have[] = {"No.",   "No!",   "No?", "No.\"",
                                       "(No.)", "No...", "No?!"};
    for (size_t i = 0; i < sizeof have / sizeof *have; i++) {
        text = analyse(have[i], NULL);
        ck_assert_uint_eq(count_notes(text, TACO_NOTE_FINAL_PUNCTUATION), 0);
        taco_text_destroy(text);
    }
    static const char *const lack[] = {"No,", "No;", "No -", "No --", "No:"};
    for (size_t i = 0; i < sizeof lack / sizeof *lack; i++) {
        text = analyse(lack[i], NULL);
        ck_assert_uint_eq(count_notes(text, TACO_NOTE_FINAL_PUNCTUATION), 1);
        ck_assert_uint_eq(text->n_symbols, 3);
        taco_text_destroy(text);
    }
}
END_TEST

START_TEST(notes) {
    struct taco_text *text =
        analyse("caf\xC3\xA9 \xF0\x9F\x98\x80\xF0\x9F\x98\x80 * \x01 end.", NULL);
    ck_assert_uint_eq(text->n_notes, 4);
    ck_assert_int_eq(text->notes[0].kind, TACO_NOTE_REPLACED);
    ck_assert_str_eq(text->notes[0].text, "e");
    for (int i = 1; i < 4; i++) {
        ck_assert_int_eq(text->notes[i].kind, TACO_NOTE_DROPPED);
        ck_assert_str_eq(text->notes[i].text, "");
    }
    /* Neighbours are one note. */
    ck_assert_uint_eq(text->notes[1].span.begin, 6);
    ck_assert_uint_eq(text->notes[1].span.end, 14);
    taco_text_destroy(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("split");
    TCase *tcase = tcase_create("split");
    tcase_add_checked_fixture(tcase, start, stop);
    tcase_add_test(tcase, sentences);
    tcase_add_test(tcase, sentences_while_they_are_written);
    tcase_add_test(tcase, the_end_is_certain_at_once);
    tcase_add_test(tcase, what_is_no_text_has_no_first_sentence);
    tcase_add_test(tcase, pauses);
    tcase_add_test(tcase, long_sentences);
    tcase_add_test(tcase, final_punctuation);
    tcase_add_test(tcase, notes);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
