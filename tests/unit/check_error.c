/* base/error.h and the names of include/taco/status.h. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "support/runner.h"

START_TEST(null_is_allowed) {
    ck_assert_int_eq(taco_error_set(NULL, TACO_ERR_IO, "x", "y"), TACO_ERR_IO);
    ck_assert_int_eq(taco_error_set_at(NULL, TACO_ERR_FORMAT, NULL, 3, "y"),
                     TACO_ERR_FORMAT);
}
END_TEST

START_TEST(the_first_error_wins) {
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_error_set(&err, TACO_ERR_SHAPE, "w", "%d of %s", 3, "four"),
                     TACO_ERR_SHAPE);
    ck_assert_int_eq(taco_error_set_at(&err, TACO_ERR_IO, "other", 9, "later"),
                     TACO_ERR_IO);
    ck_assert_int_eq(err.status, TACO_ERR_SHAPE);
    ck_assert_str_eq(err.param, "w");
    ck_assert_str_eq(err.message, "3 of four");
    ck_assert_int_eq(err.offset, -1);
}
END_TEST

START_TEST(offset_and_no_param) {
    struct taco_error err = TACO_ERROR_INIT;
    taco_error_set_at(&err, TACO_ERR_INVALID_UTF8, NULL, 17, "byte");
    ck_assert_str_eq(err.param, "");
    ck_assert_int_eq(err.offset, 17);
}
END_TEST

/* What is too long is cut, and never inside a character. */
START_TEST(long_texts_are_cut_between_characters) {
    static const char *const characters[] = {"a", "\xC3\xA4", "\xE2\x82\xAC",
                                             "\xF0\x9F\x8D\x8B"};
    const char *character = characters[_i];
    size_t width = strlen(character);
    for (size_t shift = 0; shift < width; shift++) {
        char text[600] = "";
        memset(text, 'x', shift);
        for (size_t n = shift; n + width < 500; n += width)
            memcpy(text + n, character, width + 1);
        struct taco_error err = TACO_ERROR_INIT;
        taco_error_set(&err, TACO_ERR_FORMAT, text, "%s", text);
        const char *fields[] = {err.param, err.message};
        const size_t rooms[] = {sizeof err.param, sizeof err.message};
        for (int f = 0; f < 2; f++) {
            size_t n = strlen(fields[f]);
            ck_assert_uint_lt(n, rooms[f]);
            ck_assert_uint_gt(n + width, rooms[f] - 1);
            ck_assert_uint_eq((n - shift) % width, 0);
            ck_assert_mem_eq(fields[f], text, n);
        }
    }
}
END_TEST

/* Messages quote strangers. */
START_TEST(messages_are_printable_utf8) {
    static const struct {
        const char *quoted, *plain;
    } cases[] = {
        {"caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8D\x8B",
         "caf\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x8D\x8B"},
        {"\x1B[31m\n\t\x7F", "?[31m???"}, /* controls */
        {"\xC2\x9B[31m\xC2\xA0",
         "??[31m\xC2\xA0"},            /* of the second set, and its neighbour */
        {"\xC3\xA9\xC3", "\xC3\xA9?"}, /* cut */
        {"\xE2\x82 \xF0\x9F\x8D", "?? ???"},
        {"\x80\xFF\xFE", "???"},                               /* nowhere in UTF-8 */
        {"\xC0\xAF\xE0\x80\xAF\xF0\x80\x80\xAF", "?????????"}, /* overlong */
        {"\xED\x9F\xBF\xED\xA0\x80", "\xED\x9F\xBF???"},       /* surrogates */
        {"\xF4\x8F\xBF\xBF\xF4\x90\x80\x80", "\xF4\x8F\xBF\xBF????"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_error err = TACO_ERROR_INIT;
        taco_error_set(&err, TACO_ERR_FORMAT, cases[i].quoted, "'%s'", cases[i].quoted);
        char wanted[64];
        snprintf(wanted, sizeof wanted, "'%s'", cases[i].plain);
        ck_assert_str_eq(err.message, wanted);
        ck_assert_str_eq(err.param, cases[i].plain);
    }
    /* A precision that cuts a character in the middle of a message. */
    struct taco_error err = TACO_ERROR_INIT;
    taco_error_set(&err, TACO_ERR_FORMAT, NULL, "'%.4s' is wrong", "a\xC3\xA9\xC3\xA9");
    ck_assert_str_eq(err.message, "'a\xC3\xA9?' is wrong");
}
END_TEST

START_TEST(every_status_has_a_name) {
    for (int s = TACO_OK; s >= TACO_ERR_INTERNAL; s--) {
        const char *name = taco_status_name((enum taco_status)s);
        ck_assert_str_ne(name, "unknown");
        for (int other = s + 1; other <= 0; other++)
            ck_assert_str_ne(name, taco_status_name((enum taco_status)other));
    }
    ck_assert_str_eq(taco_status_name(TACO_OK), "ok");
    ck_assert_str_eq(taco_status_name(TACO_ERR_EMPTY_TEXT), "empty_text");
    ck_assert_str_eq(taco_status_name((enum taco_status)(TACO_ERR_INTERNAL - 1)),
                     "unknown");
    ck_assert_str_eq(taco_status_name((enum taco_status)1), "unknown");
    ck_assert_int_ge((int)strcspn(taco_version(), "."), 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("error");
    TCase *tc = tcase_create("error");
    tcase_add_test(tc, null_is_allowed);
    tcase_add_test(tc, the_first_error_wins);
    tcase_add_test(tc, offset_and_no_param);
    tcase_add_loop_test(tc, long_texts_are_cut_between_characters, 0, 4);
    tcase_add_test(tc, messages_are_printable_utf8);
    tcase_add_test(tc, every_status_has_a_name);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
