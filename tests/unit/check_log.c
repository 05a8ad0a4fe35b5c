/* base/log.h. */
#include <check.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "support/runner.h"

struct heard {
    int n;
    enum taco_log_level level;
    char line[2000];
};

static void listen(void *user, enum taco_log_level level, const char *line) {
    struct heard *heard = user;
    heard->n++; /* the log calls one at a time: no lock here */
    heard->level = level;
    strncpy(heard->line, line, sizeof heard->line - 1);
}

START_TEST(silent_without_a_sink) {
    taco_log(TACO_LOG_ERROR, "nobody %s", "hears");
    struct heard heard = {0};
    taco_log_set(listen, &heard, TACO_LOG_DEBUG);
    taco_log_set(NULL, NULL, TACO_LOG_DEBUG);
    taco_log(TACO_LOG_ERROR, "nobody");
    ck_assert_int_eq(heard.n, 0);
}
END_TEST

START_TEST(levels_above_are_left_out) {
    struct heard heard = {0};
    taco_log_set(listen, &heard, TACO_LOG_WARNING);
    taco_log(TACO_LOG_DEBUG, "no");
    taco_log(TACO_LOG_INFO, "no");
    ck_assert_int_eq(heard.n, 0);
    taco_log(TACO_LOG_WARNING, "%d", 5);
    ck_assert_int_eq(heard.n, 1);
    ck_assert_int_eq(heard.level, TACO_LOG_WARNING);
    ck_assert_str_eq(heard.line, "5");
    taco_log(TACO_LOG_ERROR, "e");
    ck_assert_int_eq(heard.n, 2);
    taco_log_set(NULL, NULL, TACO_LOG_ERROR);
}
END_TEST

START_TEST(a_line_is_one_line_and_bounded) {
    struct heard heard = {0};
    taco_log_set(listen, &heard, TACO_LOG_INFO);
    taco_log(TACO_LOG_INFO, "%s", "a\nERROR forged\r\x1b[31m\x7f \xC3\xA4");
    ck_assert_str_eq(heard.line, "a ERROR forged  [31m  \xC3\xA4");
    taco_log(TACO_LOG_INFO, "%s", "\xC2\x9B[31m \xFF\xC3");
    ck_assert_str_eq(heard.line, "  [31m   ");
    char text[3000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    taco_log(TACO_LOG_INFO, "%s", text);
    ck_assert_uint_eq(strlen(heard.line), 1023);
    taco_log_set(NULL, NULL, TACO_LOG_ERROR);
}
END_TEST

enum { N_THREADS = 4, N_LINES = 2000 };

static void *speak(void *arg) {
    for (int i = 0; i < N_LINES; i++)
        taco_log(TACO_LOG_INFO, "%p %d", arg, i);
    return NULL;
}

START_TEST(threads_take_turns) {
    struct heard heard = {0};
    taco_log_set(listen, &heard, TACO_LOG_INFO);
    pthread_t threads[N_THREADS];
    for (int i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, speak, &heard), 0);
    for (int i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(heard.n, N_THREADS * N_LINES);
    taco_log_set(NULL, NULL, TACO_LOG_ERROR);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("log");
    TCase *tc = tcase_create("log");
    tcase_add_test(tc, silent_without_a_sink);
    tcase_add_test(tc, levels_above_are_left_out);
    tcase_add_test(tc, a_line_is_one_line_and_bounded);
    tcase_add_test(tc, threads_take_turns);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
