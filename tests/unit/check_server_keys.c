/* server/http/keys.h: what a file of keys may hold, and what opens. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "base/memory.h"
#include "http/keys.h"
#include "support/files.h"
#include "support/runner.h"

/* FIPS 180-2, appendix B: the hashes of "abc" and of 56 characters. */
#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define LONG_KEY "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"
#define LONG "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"

static struct taco_error err;
static char path[64];

static enum taco_status load(struct taco_keys **keys, const char *content) {
    err = (struct taco_error)TACO_ERROR_INIT;
    test_temp_file(path, content, strlen(content));
    enum taco_status status = taco_keys_load(keys, path, &err);
    unlink(path);
    return status;
}

START_TEST(hashes_are_those_of_the_standard) {
    char hex[2 * TACO_KEY_HASH_SIZE + 1];
    ck_assert_int_eq(taco_key_hash("abc", hex, NULL), TACO_OK);
    ck_assert_str_eq(hex, ABC);
    ck_assert_int_eq(taco_key_hash(LONG_KEY, hex, NULL), TACO_OK);
    ck_assert_str_eq(hex, LONG);
}
END_TEST

START_TEST(bad_lines_are_refused_by_their_number_and_never_quoted) {
    static const struct {
        const char *content;
        int line;
    } cases[] = {
        {"secretsecret\n", 1},
        {"alice\n", 1},
        {"# a comment\n\nalice secretsecret\n", 3},
        {"alice " ABC "0\n", 1},
        {"alice " ABC " secretsecret\n", 1},
        {"alice g" LONG, 1},
        {"alice " ABC "\nbob " LONG "\nal:ice " ABC "\n", 3},
        {".alice " ABC "\n", 1},
        {"\xc3\xa4 " ABC "\n", 1},
        {"0123456789012345678901234567890123456789012345678901234567890123 " ABC "\n", 1},
        {"alice " ABC "\nbob " ABC "\n", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_keys *keys;
        char line[32];
        ck_assert_int_eq(load(&keys, cases[i].content), TACO_ERR_FORMAT);
        ck_assert_ptr_null(keys);
        snprintf(line, sizeof line, ": line %d: ", cases[i].line);
        ck_assert_msg(strstr(err.message, line) != NULL, "%zu: %s", i, err.message);
        ck_assert_msg(!strstr(err.message, "secret"), "%zu: %s", i, err.message);
    }
}
END_TEST

START_TEST(an_endless_line_is_refused) {
    struct taco_keys *keys;
    char content[600] = "alice ";
    memset(content + 6, ' ', sizeof content - 7);
    ck_assert_int_eq(load(&keys, content), TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, ": line 1: more than"));
}
END_TEST

START_TEST(a_file_that_would_lock_everybody_out_is_refused) {
    struct taco_keys *keys;
    ck_assert_int_eq(load(&keys, ""), TACO_ERR_FORMAT);
    ck_assert_ptr_nonnull(strstr(err.message, "nobody"));
    ck_assert_int_eq(load(&keys, "# alice " ABC "\n   \n"), TACO_ERR_FORMAT);
    err = (struct taco_error)TACO_ERROR_INIT;
    ck_assert_int_eq(taco_keys_load(&keys, "/nonexistent/keys", &err),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/keys"));
    ck_assert_int_eq(taco_keys_load(&keys, "/", NULL), TACO_ERR_FORMAT);
}
END_TEST

START_TEST(keys_open_and_nothing_else_does) {
    struct taco_keys *keys;
    ck_assert_int_eq(load(&keys, "# who may\nalice " ABC "  # old\r\n\tal.i-c_e\t" LONG
                                 "\n   # the end"),
                     TACO_OK);
    ck_assert_uint_eq(taco_keys_count(keys), 2);
    ck_assert_str_eq(taco_keys_find(keys, "abc"), "alice");
    ck_assert_str_eq(taco_keys_find(keys, LONG_KEY), "al.i-c_e");
    static const char *const none[] = {"", "ab", "abcd", "ABC", "abc ", "alice", ABC};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++)
        ck_assert_ptr_null(taco_keys_find(keys, none[i]));
    char longer[TACO_MAX_KEY + 2];
    memset(longer, 'a', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    ck_assert_ptr_null(taco_keys_find(keys, longer));
    taco_keys_release(taco_keys_ref(keys));
    ck_assert_str_eq(taco_keys_find(keys, "abc"), "alice");
    taco_keys_release(keys);
    taco_keys_release(NULL);
}
END_TEST

START_TEST(a_client_may_have_many_keys) {
    enum { N = 100 };
    char content[N * 100] = "", key[16], hex[2 * TACO_KEY_HASH_SIZE + 1];
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "key %d", i);
        ck_assert_int_eq(taco_key_hash(key, hex, NULL), TACO_OK);
        size_t n = strlen(content);
        snprintf(content + n, sizeof content - n, "%s %s\n", i % 2 ? "odd" : "even", hex);
    }
    struct taco_keys *keys;
    ck_assert_int_eq(load(&keys, content), TACO_OK);
    ck_assert_uint_eq(taco_keys_count(keys), N);
    for (int i = 0; i < N; i++) {
        snprintf(key, sizeof key, "key %d", i);
        ck_assert_str_eq(taco_keys_find(keys, key), i % 2 ? "odd" : "even");
    }
    taco_keys_release(keys);
}
END_TEST

static int n_warnings;

static void count(void *user, enum taco_log_level level, const char *line) {
    (void)user;
    n_warnings += level == TACO_LOG_WARNING && strstr(line, "everybody may");
}

START_TEST(a_file_that_everybody_may_read_is_told_of) {
    static const char content[] = "alice " ABC "\n";
    static const struct {
        mode_t mode;
        int warnings;
    } cases[] = {{0600, 0}, {0640, 0}, {0644, 1}, {0602, 1}};
    taco_log_set(count, NULL, TACO_LOG_WARNING);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_keys *keys;
        test_temp_file(path, content, strlen(content));
        ck_assert_int_eq(chmod(path, cases[i].mode), 0);
        n_warnings = 0;
        ck_assert_int_eq(taco_keys_load(&keys, path, NULL), TACO_OK);
        ck_assert_int_eq(n_warnings, cases[i].warnings);
        taco_keys_release(keys);
        unlink(path);
    }
    taco_log_set(NULL, NULL, TACO_LOG_ERROR);
}
END_TEST

START_TEST(a_lack_of_memory_is_an_error) {
    struct taco_keys *keys;
    for (long n = 1; n <= 2; n++) {
        taco_memory_fail_at(n);
        enum taco_status status = load(&keys, "alice " ABC "\n");
        taco_memory_fail_at(0);
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
        ck_assert_ptr_null(keys);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server keys");
    TCase *tc = tcase_create("keys");
    tcase_add_test(tc, hashes_are_those_of_the_standard);
    tcase_add_test(tc, bad_lines_are_refused_by_their_number_and_never_quoted);
    tcase_add_test(tc, an_endless_line_is_refused);
    tcase_add_test(tc, a_file_that_would_lock_everybody_out_is_refused);
    tcase_add_test(tc, keys_open_and_nothing_else_does);
    tcase_add_test(tc, a_client_may_have_many_keys);
    tcase_add_test(tc, a_file_that_everybody_may_read_is_told_of);
    tcase_add_test(tc, a_lack_of_memory_is_an_error);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
