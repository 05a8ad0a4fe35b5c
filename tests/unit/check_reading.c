/* The grammar: every rule reads its own example, and core/text/README.md shows it. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"
#include "support/runner.h"
#include "support/texts.h"
#include "text/grammar.h"

static struct taco_text *analyse(const struct taco_front_end *fe, const char *source,
                                 const struct taco_text_options *options) {
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_front_end_analyse(fe, source, strlen(source), options, &text,
                                         &err) == TACO_OK,
                  "%s: %s", source, err.message);
    return text;
}

static void spoken_words(const struct taco_text *text, char *out, size_t size) {
    size_t n = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < text->n_spoken; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? " " : "",
                              text->spoken[i].text);
    ck_assert_uint_lt(n, size);
}

/* Is a word of the text read by the rule? */
static bool is_read_by(const struct taco_text *text, const char *rule) {
    for (uint32_t i = 0; i < text->n_words; i++)
        if (strcmp(text->words[i].rule, rule) == 0)
            return true;
    return false;
}

START_TEST(examples) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    struct taco_rule_info rule;
    int wrong = 0;
    uint32_t i = 0;
    for (; taco_rule_at(i, &rule); i++) {
        char spoken[1024];
        struct taco_text *text = analyse(fe, rule.example, NULL);
        spoken_words(text, spoken, sizeof spoken);
        if (strcmp(spoken, rule.spoken) != 0 || !is_read_by(text, rule.name)) {
            wrong++;
            fprintf(stderr, "%s %s: %s\n  is   %s\n  want %s\n", rule.name, rule.pattern,
                    rule.example, spoken, rule.spoken);
        }
        taco_text_destroy(text);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_uint_ge(i, 80);
    taco_front_end_destroy(fe);
}
END_TEST

/* tests/bench/reading -g prints what belongs there. */
START_TEST(documented) {
    size_t size;
    char *page = test_read_file("core/text/README.md", &size);
    ck_assert_ptr_nonnull(page);
    char row[2048];
    for (uint32_t i = 0; test_grammar_row(i, row, sizeof row); i++)
        ck_assert_msg(strstr(page, row), "core/text/README.md lacks the row\n%s", row);
    for (uint32_t i = 0; taco_token_class_at(i); i++) {
        const struct taco_token_class *class = taco_token_class_at(i);
        snprintf(row, sizeof row, "| `{%s}` | %s |", class->name, class->what);
        ck_assert_msg(strstr(page, row), "core/text/README.md lacks the row\n%s", row);
    }
    free(page);
}
END_TEST

/* tests/text/readings.tsv: text and spoken words; \n and \t are escaped. */
START_TEST(as_a_person_reads) {
    size_t size;
    char *data = test_read_file("tests/text/readings.tsv", &size);
    ck_assert_ptr_nonnull(data);
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    int wrong = 0, n = 0;
    for (char *line = data, *end; *line; line = end + 1, n++) {
        end = strchr(line, '\n');
        ck_assert_ptr_nonnull(end);
        *end = '\0';
        char *want = strchr(line, '\t');
        ck_assert_ptr_nonnull(want);
        *want++ = '\0';
        for (char *c; (c = strstr(line, "\\n"));) {
            *c = '\n';
            memmove(c + 1, c + 2, strlen(c + 2) + 1);
        }
        char spoken[1024];
        struct taco_text *text = analyse(fe, line, NULL);
        spoken_words(text, spoken, sizeof spoken);
        taco_text_destroy(text);
        if (strcmp(spoken, want) == 0)
            continue;
        wrong++;
        fprintf(stderr, "%s\n  is   %s\n  want %s\n", line, spoken, want);
    }
    ck_assert_int_eq(wrong, 0);
    ck_assert_int_ge(n, 60);
    taco_front_end_destroy(fe);
    free(data);
}
END_TEST

/* Without normalisation no rule and no abbreviation is read. */
START_TEST(not_normalised) {
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    struct taco_text_options options = taco_text_options_default();
    options.normalise = false;
    static const char source[] = "On 12/25 at 9:30PM etc. we go.";
    struct taco_text *text = analyse(fe, source, &options);
    for (uint32_t i = 0; i < text->n_words; i++) {
        const char *rule = text->words[i].rule;
        ck_assert_msg(strcmp(rule, "word") == 0 || strcmp(rule, "mixed") == 0, "%s",
                      rule);
    }
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
}
END_TEST

/* Items, headings and verses are chunks of their own; wrapped prose is one. */
START_TEST(lines) {
    static const struct {
        const char *source;
        uint32_t n_chunks;
    } texts[] = {
        {"Apple\nBanana\nOrange", 3},
        {"apple\nbanana\norange", 3},
        {"green apples\nbananas\nblood oranges.", 3},
        {"apple\nbanana", 1}, /* two lines may be a wrapped phrase */
        {"the quick\nbrown fox\njumps over the dog", 1},
        {"a cup\nof tea\nwith milk", 1},
        {"an apple,\nbananas,\noranges and\nnothing more", 1},
        {"The Raven\nOnce upon a midnight dreary", 2},
        {"A sentence that was wrapped by an editor at\nBoston goes on in the next line.",
         1},
        {"a line\nbreak and more of it", 1},
        {"It ended.[4] It began.", 2},
        {"The end.1 Next one.", 2},
    };
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct taco_text *text = analyse(fe, texts[i].source, NULL);
        ck_assert_msg(text->n_chunks == texts[i].n_chunks, "%s: %u", texts[i].source,
                      (unsigned)text->n_chunks);
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
}
END_TEST

/* A text without a word: an error, or no chunks and a note. */
START_TEST(silence) {
    static const char *const sources[] = {"\xF0\x9F\x91\x8D", "---"};
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    struct taco_text_options options = taco_text_options_default();
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        struct taco_text *text;
        options.allow_silence = false;
        ck_assert_int_eq(taco_front_end_analyse(fe, sources[i], strlen(sources[i]),
                                                &options, &text, NULL),
                         TACO_ERR_NOTHING_TO_SPEAK);
        options.allow_silence = true;
        ck_assert_int_eq(taco_front_end_analyse(fe, sources[i], strlen(sources[i]),
                                                &options, &text, NULL),
                         TACO_OK);
        ck_assert_uint_eq(text->n_chunks, 0);
        ck_assert_uint_eq(text->n_symbols, 0);
        ck_assert_uint_eq(text->n_notes, i == 0);
        taco_text_destroy(text);
    }
    taco_front_end_destroy(fe);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("reading");
    TCase *tcase = tcase_create("reading");
    tcase_add_test(tcase, examples);
    tcase_add_test(tcase, documented);
    tcase_add_test(tcase, as_a_person_reads);
    tcase_add_test(tcase, not_normalised);
    tcase_add_test(tcase, lines);
    tcase_add_test(tcase, silence);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
