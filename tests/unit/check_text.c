/* What holds of every analysis, over texts made of what has been trouble; threads. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support/runner.h"
#include "support/texts.h"

/* Sanitizers are slow. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { N_TEXTS = 15000 };
#else
enum { N_TEXTS = 100000 };
#endif
enum { N_THREADS = 4, N_TEXTS_THREAD = 150, TEXT_SIZE = 700 };

/* Options that vary with i. */
static struct taco_text_options vary(uint32_t i) {
    struct taco_text_options options = taco_text_options_default();
    options.max_symbols = 20 + i % 200;
    options.final_punctuation = i % 3;
    return options;
}

static void try_text(const struct taco_front_end *fe, uint32_t i, const char *source,
                     size_t length) {
    struct taco_text_options options = vary(i);
    struct taco_text *text;
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status =
        taco_front_end_analyse(fe, source, length, &options, &text, &err);
    switch (status) {
    case TACO_OK:
        break;
    case TACO_ERR_INVALID_UTF8:
    case TACO_ERR_UNKNOWN_PHONE:
        ck_assert_msg(err.offset >= 0 && err.offset < (long)length, "[%s]: offset %ld",
                      source, err.offset);
        return;
    case TACO_ERR_EMPTY_TEXT:
    case TACO_ERR_NOTHING_TO_SPEAK:
        return;
    default:
        ck_abort_msg("[%s]: %s: %s", source, taco_status_name(status), err.message);
    }
    const char *problem = test_text_problem(fe, text, source, length, &options);
    ck_assert_msg(!problem, "text %u, config %s [%s]: %s", i, taco_front_end_name(fe),
                  source, problem);
    taco_text_destroy(text);
}

/* TACO_TEST_TEXTS says how many, for long runs. */
static uint32_t how_many(void) {
    const char *value = getenv("TACO_TEST_TEXTS");
    return value ? (uint32_t)strtoul(value, NULL, 10) : N_TEXTS;
}

START_TEST(random_texts) {
    struct taco_front_end *fe[TEST_TEXT_CONFIGS];
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++)
        fe[i] = test_front_end((enum test_text_config)i);
    uint64_t state = 20210101;
    uint32_t n = how_many();
    for (uint32_t i = 0; i < n; i++) {
        char text[TEXT_SIZE];
        size_t length = test_random_text(&state, text, sizeof text);
        /* eSpeak NG is the slowest by far: it sees one text in forty. */
        int which = i % 40 == 0 ? TEST_TEXT_IPA : (int)(i % TEST_TEXT_IPA);
        try_text(fe[which], i, text, length);
    }
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++)
        taco_front_end_destroy(fe[i]);
}
END_TEST

static bool same(const struct taco_text *a, const struct taco_text *b) {
    if (a->n_symbols != b->n_symbols || a->n_words != b->n_words ||
        a->n_chunks != b->n_chunks)
        return false;
    for (uint32_t i = 0; i < a->n_symbols; i++)
        if (a->symbols[i].id != b->symbols[i].id ||
            a->symbols[i].word != b->symbols[i].word)
            return false;
    return true;
}

struct shared {
    struct taco_front_end *fe[TEST_TEXT_CONFIGS];
    struct taco_text *want[N_TEXTS_THREAD]; /* NULL: an error */
};

static struct taco_text *analyse_one(const struct shared *shared, uint32_t i) {
    uint64_t state = i + 1;
    char source[TEXT_SIZE];
    size_t length = test_random_text(&state, source, sizeof source);
    struct taco_text_options options = vary(i);
    struct taco_text *text = NULL;
    enum taco_status status = taco_front_end_analyse(
        shared->fe[i % TEST_TEXT_CONFIGS], source, length, &options, &text, NULL);
    return status == TACO_OK ? text : NULL;
}

static void *run(void *arg) {
    const struct shared *shared = arg;
    long wrong = 0;
    for (uint32_t i = 0; i < N_TEXTS_THREAD; i++) {
        struct taco_text *text = analyse_one(shared, i);
        if (!text != !shared->want[i] || (text && !same(text, shared->want[i])))
            wrong++;
        taco_text_destroy(text);
    }
    return (void *)wrong;
}

/* Many threads on the same front ends get what one got. */
START_TEST(threads) {
    static struct shared shared;
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++)
        shared.fe[i] = test_front_end((enum test_text_config)i);
    for (uint32_t i = 0; i < N_TEXTS_THREAD; i++)
        shared.want[i] = analyse_one(&shared, i);
    pthread_t thread[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&thread[i], NULL, run, &shared), 0);
    for (int i = 0; i < N_THREADS; i++) {
        void *wrong;
        pthread_join(thread[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    for (uint32_t i = 0; i < N_TEXTS_THREAD; i++)
        taco_text_destroy(shared.want[i]);
    for (int i = 0; i < TEST_TEXT_CONFIGS; i++)
        taco_front_end_destroy(shared.fe[i]);
}
END_TEST

/* A long text takes time in proportion to its length, and all of it is spoken. */
START_TEST(long_text) {
    enum { N = 3000 };
    static const char sentence[] = "In 1984 it cost $5.50, didn't it? ";
    size_t length = N * (sizeof sentence - 1);
    char *source = malloc(length + 1);
    ck_assert_ptr_nonnull(source);
    for (size_t i = 0; i < N; i++)
        memcpy(source + i * (sizeof sentence - 1), sentence, sizeof sentence);
    struct taco_front_end *fe = test_front_end(TEST_TEXT_SLT);
    struct taco_text *text;
    ck_assert_int_eq(taco_front_end_analyse(fe, source, length, NULL, &text, NULL),
                     TACO_OK);
    ck_assert_uint_eq(text->n_chunks, N);
    ck_assert_uint_eq(text->n_words, 7 * N);
    ck_assert_uint_eq(text->n_symbols % N, 0);
    taco_text_destroy(text);
    taco_front_end_destroy(fe);
    free(source);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("text");
    TCase *tcase = tcase_create("text");
    tcase_add_test(tcase, random_texts);
    tcase_add_test(tcase, threads);
    tcase_add_test(tcase, long_text);
    tcase_set_timeout(tcase, 600);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
