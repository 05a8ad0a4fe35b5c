/* Characters: the ids of NVIDIA's english_cleaners but for the differences that are listed; other
 * languages, cases and frames. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/runner.h"
#include "support/texts.h"

/* What is made of source: symbols side by side, a space between chunks, in parentheses an
 * error; ids [*n], a space's id between chunks, if they fit. */
static void analyse(const struct taco_front_end *fe, const char *source, char *out,
                    size_t size, int32_t *ids, size_t max, size_t *n) {
    struct taco_text_options options = taco_text_options_default();
    options.final_punctuation = false;
    options.max_symbols = 2000;
    struct taco_text *text;
    enum taco_status status =
        taco_front_end_analyse(fe, source, strlen(source), &options, &text, NULL);
    *n = 0;
    out[0] = '\0';
    if (status != TACO_OK) {
        snprintf(out, size, "(%s)", taco_status_name(status));
        return;
    }
    const char *problem = test_text_problem(fe, text, source, strlen(source), &options);
    ck_assert_msg(!problem, "%s: %s", source, problem);
    size_t length = 0;
    for (uint32_t c = 0; c < text->n_chunks; c++) {
        if (c) {
            ids[(*n)++] = 11;
            length += (size_t)snprintf(out + length, size - length, " ");
        }
        for (uint32_t i = 0; i < text->chunks[c].n_symbols; i++) {
            int32_t id = text->symbols[text->chunks[c].first_symbol + i].id;
            ck_assert_uint_lt(*n, max);
            ids[(*n)++] = id;
            length += (size_t)snprintf(out + length, size - length, "%s",
                                       taco_front_end_symbols(fe)[id]);
        }
    }
    ck_assert_uint_lt(length, size);
    taco_text_destroy(text);
}

struct difference {
    const char *ours; /* NULL: none is listed */
};

/* Reads tests/text/english_cleaners_differences.tsv. *data is what differences [n] point
 * into. */
static void read_differences(struct difference *differences, size_t n, char **data) {
    size_t size;
    *data = test_read_file("tests/text/english_cleaners_differences.tsv", &size);
    ck_assert_ptr_nonnull(*data);
    for (char *line = *data, *end; *line; line = end + 1) {
        end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        if (line[0] == '#')
            continue;
        char *ours = strchr(line, '\t');
        ck_assert_ptr_nonnull(ours);
        *ours++ = '\0';
        char *reason = strchr(ours, '\t');
        ck_assert_ptr_nonnull(reason);
        *reason++ = '\0';
        ck_assert_uint_gt(strlen(reason), 10);
        unsigned long i = strtoul(line, NULL, 10);
        ck_assert_uint_lt(i, n);
        differences[i].ours = ours;
    }
}

START_TEST(english_cleaners) {
    json_t *golden = json_load_file("tests/golden/text/english_cleaners.json", 0, NULL);
    ck_assert_ptr_nonnull(golden);
    const json_t *sentences = json_object_get(golden, "sentences");
    enum { N = 60 };
    ck_assert_uint_eq(json_array_size(sentences), N);
    struct difference differences[N] = {{NULL}};
    char *data;
    read_differences(differences, N, &data);
    /* The table of the test is that of the golden data. */
    struct taco_front_end *fe = test_front_end(TEST_TEXT_NVIDIA);
    const json_t *symbols = json_object_get(golden, "symbols");
    ck_assert_uint_eq(json_array_size(symbols), (size_t)taco_front_end_n_symbols(fe));
    for (size_t i = 0; i < json_array_size(symbols); i++)
        ck_assert_str_eq(json_string_value(json_array_get(symbols, i)),
                         taco_front_end_symbols(fe)[i]);

    int n_same = 0;
    for (size_t i = 0; i < N; i++) {
        const json_t *sentence = json_array_get(sentences, i);
        const char *input = json_string_value(json_object_get(sentence, "input"));
        const json_t *want = json_object_get(sentence, "ids");
        char ours[4096];
        int32_t ids[2048];
        size_t n, first = 0, last = json_array_size(want);
        analyse(fe, input, ours, sizeof ours, ids, sizeof ids / sizeof *ids, &n);
        /* White space at the ends makes the decoder run on: it is never kept. */
        while (first < last && json_integer_value(json_array_get(want, first)) == 11)
            first++;
        while (last > first && json_integer_value(json_array_get(want, last - 1)) == 11)
            last--;
        bool same = n == last - first && ours[0] != '(';
        for (size_t k = 0; same && k < n; k++)
            same = ids[k] == json_integer_value(json_array_get(want, first + k));
        n_same += same;
        if (same)
            ck_assert_msg(!differences[i].ours, "%zu is listed, but the same: %s", i,
                          ours);
        else
            ck_assert_msg(differences[i].ours && strcmp(differences[i].ours, ours) == 0,
                          "%zu: %s\n  is     %s\n  listed %s", i, input, ours,
                          differences[i].ours ? differences[i].ours : "nowhere");
    }
    ck_assert_int_ge(n_same, 25);
    taco_front_end_destroy(fe);
    free(data);
    json_decref(golden);
}
END_TEST

static void makes(enum test_text_config config, const char *source, const char *want) {
    struct taco_front_end *fe = test_front_end(config);
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), NULL, &text, &err) ==
                      TACO_OK,
                  "%s: %s", source, err.message);
    char *symbols = test_chunk_symbols(fe, text, 0);
    ck_assert_msg(strcmp(symbols, want) == 0, "%s\n  is   %s\n  want %s", source, symbols,
                  want);
    struct taco_text_options options = taco_text_options_default();
    const char *problem = test_text_problem(fe, text, source, strlen(source), &options);
    ck_assert_msg(!problem, "%s: %s", source, problem);
    free(symbols);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}

START_TEST(spans_of_letters) {
    static const char source[] = " \xE2\x80\x9CH\xC3\xA9,  \xE2\x80\x9D 5";
    struct taco_front_end *fe = test_front_end(TEST_TEXT_CHARACTERS);
    struct taco_text *text;
    ck_assert_int_eq(
        taco_front_end_analyse(fe, source, strlen(source), NULL, &text, NULL), TACO_OK);
    /* h e , space f i v e . */
    static const uint32_t begin[] = {4, 5, 7, 13, 14, 14, 14, 14, 15};
    static const uint32_t end[] = {5, 7, 8, 14, 15, 15, 15, 15, 15};
    static const uint32_t begin_cp[] = {2, 3, 4, 8, 9, 9, 9, 9, 10};
    ck_assert_uint_eq(text->n_symbols, 9);
    for (uint32_t i = 0; i < 9; i++) {
        ck_assert_uint_eq(text->symbols[i].span.begin, begin[i]);
        ck_assert_uint_eq(text->symbols[i].span.end, end[i]);
        ck_assert_uint_eq(text->symbols[i].span.begin_cp, begin_cp[i]);
    }
    ck_assert_uint_eq(text->n_notes, 2);
    ck_assert_int_eq(text->notes[0].kind, TACO_NOTE_REPLACED);
    ck_assert_str_eq(text->notes[0].text, "e");
    ck_assert_uint_eq(text->notes[0].span.begin, 5);
    ck_assert_int_eq(text->notes[1].kind, TACO_NOTE_FINAL_PUNCTUATION);
    ck_assert_str_eq(text->notes[1].text, ".");
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

START_TEST(tables) {
    makes(TEST_TEXT_CHARACTERS, "Hello, World!", "h|e|l|l|o|,| |w|o|r|l|d|!");
    makes(TEST_TEXT_CHARACTERS, "a_b ~ c^", "a| |u|n|d|e|r|s|c|o|r|e| |b| |c|.");
    makes(TEST_TEXT_CHARACTERS, "\"Hi\" [you] 25",
          "h|i| |y|o|u| |t|w|e|n|t|y|-|f|i|v|e|.");
    makes(TEST_TEXT_CHARACTERS, "555-1234",
          "f|i|v|e| |f|i|v|e| |f|i|v|e|,| |o|n|e| |t|w|o| |t|h|r|e|e| |f|o|u|r|.");
    /* Control symbols of the table are never written by a text. */
    makes(TEST_TEXT_FRAMED, "Ab ~^_", "^|_| |_|A|_|b|_|.|_| |_|~");
    makes(TEST_TEXT_FRAMED, "a", "^|_| |_|a|_|.|_| |_|~");
    makes(TEST_TEXT_FRAMED, "Mr. X", "^|_| |_|m|_|i|_|s|_|t|_|e|_|r|_| |_|X|_|.|_| |_|~");
}
END_TEST

/* No English in a language that is not. */
START_TEST(german) {
    makes(TEST_TEXT_GERMAN, "Größe 25 €", "g|r|ö|ß|e| |2|5|.");
    makes(TEST_TEXT_GERMAN, "A\xCC\x88pfel, Straße!", "ä|p|f|e|l|,| |s|t|r|a|ß|e|!");
    makes(TEST_TEXT_GERMAN, "\xEF\xAC\x81n \xE2\x80\x93 z.B.", "f|i|n| |-| |z|.|b|.");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("characters");
    TCase *tcase = tcase_create("characters");
    tcase_add_test(tcase, english_cleaners);
    tcase_add_test(tcase, spans_of_letters);
    tcase_add_test(tcase, tables);
    tcase_add_test(tcase, german);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
