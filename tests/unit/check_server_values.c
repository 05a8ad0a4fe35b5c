/* server/: numbers, bytes, percent-encoding, media types, error codes. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "config/number.h"
#include "http/conditional.h"
#include "http/error_code.h"
#include "http/etag.h"
#include "http/media_type.h"
#include "http/urlencoded.h"
#include "support/runner.h"

/* -- numbers ----------------------------------------------------------------------------
 */

START_TEST(what_is_no_number_is_refused) {
    static const char *const bad[] = {
        "",     " ",  "1 ",   " 1",    "+1",   "-",   "01",   "1.",  ".5",    "1e",
        "1e+",  "0x", "0x10", "nan",   "NaN",  "inf", "-inf", "1,5", "1e999", "--1",
        "1.5.", "1f", "1_",   "1e1.5", "\xd9", "١",   "1\n2", "1\t", "\x01",  "Infinity"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double number = 7;
        int64_t integer = 7;
        ck_assert_msg(!taco_parse_number(bad[i], &number), "'%s'", bad[i]);
        ck_assert_msg(!taco_parse_integer(bad[i], &integer), "'%s'", bad[i]);
        ck_assert(number == 7 && integer == 7);
    }
    int64_t integer;
    ck_assert(!taco_parse_integer("1.0", &integer));
    ck_assert(!taco_parse_integer("1e3", &integer));
    ck_assert(!taco_parse_integer("9223372036854775808", &integer));
    ck_assert(!taco_parse_integer("-9223372036854775809", &integer));
    bool boolean;
    ck_assert(!taco_parse_boolean("", &boolean));
    ck_assert(!taco_parse_boolean("True", &boolean));
    ck_assert(!taco_parse_boolean("2", &boolean));
    uint64_t bytes;
    static const char *const bad_bytes[] = {"",
                                            "K",
                                            "-1",
                                            "1k",
                                            "1KB",
                                            "1 M",
                                            "1.5M",
                                            "18446744073709551616",
                                            "17179869184G"};
    for (size_t i = 0; i < sizeof bad_bytes / sizeof *bad_bytes; i++)
        ck_assert_msg(!taco_parse_bytes(bad_bytes[i], &bytes), "'%s'", bad_bytes[i]);
}
END_TEST

START_TEST(numbers_are_read) {
    int64_t integer;
    ck_assert(taco_parse_integer("0", &integer) && integer == 0);
    ck_assert(taco_parse_integer("-0", &integer) && integer == 0);
    ck_assert(taco_parse_integer("9223372036854775807", &integer) &&
              integer == INT64_MAX);
    ck_assert(taco_parse_integer("-9223372036854775808", &integer) &&
              integer == INT64_MIN);
    double number;
    ck_assert(taco_parse_number("-0.5e1", &number) && number == -5);
    ck_assert(taco_parse_number("1E-2", &number) && number == 0.01);
    ck_assert(taco_parse_number("10", &number) && number == 10);
    bool boolean = false;
    ck_assert(taco_parse_boolean("true", &boolean) && boolean);
    ck_assert(taco_parse_boolean("0", &boolean) && !boolean);
    ck_assert(taco_parse_boolean("1", &boolean) && boolean);
    ck_assert(taco_parse_boolean("off", &boolean) && !boolean);
    uint64_t bytes;
    ck_assert(taco_parse_bytes("0", &bytes) && bytes == 0);
    ck_assert(taco_parse_bytes("64K", &bytes) && bytes == 65536);
    ck_assert(taco_parse_bytes("3MiB", &bytes) && bytes == 3 << 20);
    ck_assert(taco_parse_bytes("17179869183G", &bytes) &&
              bytes == UINT64_MAX - (1u << 30) + 1);
}
END_TEST

/* -- bytes --------------------------------------------------------------------------- */

START_TEST(base64_is_that_of_rfc_4648) {
    static const char *const pairs[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"},
                                           {"\xff\xef\xfe", "/+/+"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        struct taco_bytes b = {NULL, 0, 0};
        ck_assert(taco_bytes_add(&b, "<", 1));
        ck_assert(taco_bytes_base64(&b, pairs[i][0], strlen(pairs[i][0])));
        ck_assert_str_eq(b.bytes + 1, pairs[i][1]);
        ck_assert_uint_eq(b.size, 1 + strlen(pairs[i][1]));
        taco_bytes_free(&b);
        ck_assert_ptr_null(b.bytes);
    }
}
END_TEST

START_TEST(bytes_grow_and_survive_a_lack_of_memory) {
    struct taco_bytes b = {NULL, 0, 0};
    for (int i = 0; i < 3000; i++)
        ck_assert(taco_bytes_printf(&b, "%d,", i % 10));
    ck_assert_uint_eq(b.size, 6000);
    ck_assert_int_eq(b.bytes[5998], '9');
    ck_assert_int_eq(b.bytes[6000], '\0');
    static char big[100000];
    taco_memory_fail_at(1);
    ck_assert(!taco_bytes_add(&b, big, sizeof big));
    ck_assert(!taco_bytes_base64(&b, big, sizeof big));
    ck_assert(!taco_bytes_printf(&b, "%*s", 50000, ""));
    taco_memory_fail_at(0);
    ck_assert_uint_eq(b.size, 6000);
    volatile size_t huge = SIZE_MAX;
    ck_assert(!taco_bytes_add(&b, big, huge));
    ck_assert(!taco_bytes_base64(&b, big, huge));
    taco_bytes_free(&b);
}
END_TEST

/* -- percent-encoding ---------------------------------------------------------------- */

struct pairs {
    char text[256];
    int stop_at;
};

static int collect(void *user, const char *name, size_t name_length, const char *value,
                   size_t value_length, struct taco_error *err) {
    (void)err;
    struct pairs *p = user;
    ck_assert_int_eq(name[name_length], '\0');
    ck_assert_int_eq(value[value_length], '\0');
    size_t n = strlen(p->text);
    snprintf(p->text + n, sizeof p->text - n, "[%s|%s]", name, value);
    return --p->stop_at == 0 ? TACO_CODE_WRONG_TYPE : 0;
}

static int read_pairs(struct pairs *p, const char *query, struct taco_error *err) {
    *p = (struct pairs){"", 0};
    return taco_urlencoded_read(query, strlen(query), collect, p, err);
}

START_TEST(broken_encodings_are_refused) {
    static const char *const bad[] = {"a=%",   "a=%4",    "a=%g0", "a=%0g",
                                      "%zz=1", "a=1&b=%", "a=%%20"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct pairs p;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_msg(read_pairs(&p, bad[i], &err) == TACO_CODE_BAD_ENCODING, "%s",
                      bad[i]);
        ck_assert_str_ne(err.message, "");
        ck_assert_str_eq(err.param, i == 4 ? "" : i == 5 ? "b" : "a");
    }
    struct pairs p = {"", 2};
    ck_assert_int_eq(taco_urlencoded_read("a=1&b=2&c=3", 11, collect, &p, NULL),
                     TACO_CODE_WRONG_TYPE);
    ck_assert_str_eq(p.text, "[a|1][b|2]");
    taco_memory_fail_at(1);
    ck_assert_int_eq(taco_urlencoded_read("a=1", 3, collect, &p, NULL),
                     TACO_ERR_NO_MEMORY);
    taco_memory_fail_at(0);
}
END_TEST

START_TEST(pairs_are_read) {
    static const char *const cases[][2] = {
        {"", ""},
        {"&&", ""},
        {"a", "[a|]"},
        {"a=", "[a|]"},
        {"=b", "[|b]"},
        {"a=1&&b=2&", "[a|1][b|2]"},
        {"a=b=c", "[a|b=c]"},
        {"a=x+y%20z%2B", "[a|x y z+]"},
        {"na%6De=%C3%A9%c3%a9", "[name|éé]"},
        {"a=1;b=2", "[a|1;b=2]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct pairs p;
        ck_assert_int_eq(read_pairs(&p, cases[i][0], NULL), 0);
        ck_assert_str_eq(p.text, cases[i][1]);
    }
    size_t length;
    char out[8];
    ck_assert_int_eq(taco_percent_decode("a%00b", 5, true, NULL, out, &length, NULL), 0);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(out, "a\0b", 4);
    ck_assert_int_eq(taco_percent_decode("a+b", 3, false, NULL, out, &length, NULL), 0);
    ck_assert_str_eq(out, "a+b");
}
END_TEST

START_TEST(plain_text_is_not_taken_for_a_form) {
    static const char *const forms[] = {"text=Hello", "text=", "a1=b",
                                        "_=", "seed=1&text=x y z"};
    static const char *const texts[] = {"",          "Hello, world. It costs $25.50.",
                                        "E = mc2",   "=",
                                        "2=2",       "Tom & Jerry",
                                        "100% sure", "a-b=c"};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        ck_assert_msg(taco_urlencoded_looks_like(forms[i], strlen(forms[i])), "%s",
                      forms[i]);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        ck_assert_msg(!taco_urlencoded_looks_like(texts[i], strlen(texts[i])), "%s",
                      texts[i]);
}
END_TEST

/* -- media types --------------------------------------------------------------------- */

START_TEST(content_types_are_read) {
    static const char *const cases[][3] = {
        {"text/plain", "text/plain", ""},
        {"Text/PLAIN; Charset=UTF-8", "text/plain", "utf-8"},
        {" application/json ;charset=\"utf-8\" ", "application/json", "utf-8"},
        {"text/plain; x=y; charset=latin1", "text/plain", "latin1"},
        {"text/plain;", "text/plain", ""},
        {"", "", ""},
        {"text", "", ""},
        {"text/", "", ""},
        {"/plain", "", ""},
        {"text/plain junk", "", ""},
        {"text/plain, text/html", "", ""},
        {"text/plain; charset=\"utf-8", "text/plain", "utf-8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_media_type type = taco_media_type_read(cases[i][0]);
        ck_assert_str_eq(type.name, cases[i][1]);
        ck_assert_str_eq(type.charset, cases[i][2]);
    }
    char longest[400] = "text/";
    memset(longest + 5, 'x', sizeof longest - 6);
    ck_assert_str_eq(taco_media_type_read(longest).name, "");
}
END_TEST

START_TEST(accept_is_weighed) {
    static const struct {
        const char *accept, *type;
        int quality;
    } cases[] = {
        {NULL, "audio/wav", 1000},
        {"", "audio/wav", 1000},
        {"*/*", "audio/wav", 1000},
        {"audio/*", "audio/wav", 1000},
        {"audio/*", "application/json", 0},
        {"AUDIO/WAV", "audio/wav", 1000},
        {"audio/wav;q=0.5", "audio/wav", 500},
        {"audio/wav ; q=0.125 , */*;q=0.1", "audio/wav", 125},
        {"*/*;q=0.1, audio/wav", "audio/wav", 1000},
        {"audio/wav;q=0, */*", "audio/wav", 0},
        {"audio/*;q=0.3, audio/wav;q=0.7, */*;q=0.9", "audio/flac", 300},
        {"text/html, application/xhtml+xml, */*;q=0.8", "audio/wav", 800},
        {"audio/wav;q=2", "audio/wav", 0},
        {"audio/wav;q=x, */*;q=0.2", "audio/wav", 200},
        {"audio/wav;level=1;q=0.4", "audio/wav", 400},
        {"nonsense, ,;;q, audio/wav", "audio/wav", 1000},
        {"audio/ogg", "audio/ogg;codecs=opus", 1000},
        {"audio", "audio/wav", 0},
        {"*", "audio/wav", 0},
        {"a/*", "audio/wav", 0},
        {"audio/wav;q=1.001", "audio/wav", 0},
        {"audio/wav;q=0.9999", "audio/wav", 999},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        ck_assert_msg(taco_accept_quality(cases[i].accept, cases[i].type) ==
                          cases[i].quality,
                      "%s: %d", cases[i].accept,
                      taco_accept_quality(cases[i].accept, cases[i].type));
}
END_TEST

START_TEST(only_a_range_that_names_a_type_counts_for_its_other_names) {
    ck_assert_int_eq(taco_accept_names(NULL, "audio/mp3"), 0);
    ck_assert_int_eq(taco_accept_names("*/*, audio/*", "audio/mp3"), 0);
    ck_assert_int_eq(taco_accept_names("audio/mp3;q=0.5, */*", "audio/mp3"), 500);
}
END_TEST

/* -- parts --------------------------------------------------------------------------- */

START_TEST(tags_are_found_in_lists) {
    char tag[TACO_ETAG_SIZE], other[TACO_ETAG_SIZE];
    taco_etag_of("abc", 3, tag);
    taco_etag_of("abd", 3, other);
    ck_assert_str_ne(tag, other);
    taco_etag_of("", 0, other);
    ck_assert_str_eq(other, "\"0000000000000000-0\"");
    char list[256];
    static const char *const with[] = {"%s",       "W/%s",           "\"x\",%s",
                                       " , %s , ", "\"a, b\" ,\t%s", "\"\", W/\"\", %s"};
    for (size_t i = 0; i < sizeof with / sizeof *with; i++) {
        snprintf(list, sizeof list, with[i], tag);
        ck_assert_msg(taco_etag_is_in(list, tag), "%s", list);
        ck_assert_msg(!taco_etag_is_in(list, other), "%s", list);
    }
    ck_assert(taco_etag_is_in("*", tag) && taco_etag_is_in(" * ", tag));
    static const char *const without[] = {"",   ",",     "*x",  "W/",
                                          "\"", "\"abc", "abc", "w/\"a\""};
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        ck_assert_msg(!taco_etag_is_in(without[i], tag), "%s", without[i]);
}
END_TEST

START_TEST(ranges_are_cut_to_what_there_is) {
    static const struct {
        const char *range;
        size_t total;
        unsigned status;
        size_t first, size;
    } cases[] = {
        {NULL, 10, 200, 0, 10},
        {"bytes=0-", 10, 206, 0, 10},
        {"bytes=9-", 10, 206, 9, 1},
        {"bytes=10-", 10, 416, 0, 0},
        {"bytes=3-4", 10, 206, 3, 2},
        {"bytes=4-3", 10, 200, 0, 10},
        {"bytes=-3", 10, 206, 7, 3},
        {"bytes=-30", 10, 206, 0, 10},
        {"bytes=-0", 10, 416, 0, 0},
        {"bytes=0-0", 1, 206, 0, 1},
        {"bytes=0-", 0, 416, 0, 0},
        {"bytes=-1", 0, 416, 0, 0},
        {"bytes=18446744073709551615-", 10, 416, 0, 0},
        {"bytes=18446744073709551616-18446744073709551617", 10, 416, 0, 0},
        {"bytes=1-18446744073709551616", 10, 206, 1, 9},
        {"bytes=1-2,4-5", 10, 200, 0, 10},
        {"items=1-2", 10, 200, 0, 10},
        {"bytes=-", 10, 200, 0, 10},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_part part = taco_range_apply(cases[i].range, cases[i].total);
        ck_assert_msg(part.status == cases[i].status && part.first == cases[i].first &&
                          part.size == cases[i].size && part.total == cases[i].total,
                      "%s of %zu: %u, %zu bytes from %zu", cases[i].range, cases[i].total,
                      part.status, part.size, part.first);
    }
}
END_TEST

START_TEST(every_error_code_has_a_status_and_a_name) {
    for (int p = TACO_ERR_INTERNAL; p <= TACO_CODE_SHUTTING_DOWN; p++) {
        const struct taco_error_code_info *info = taco_error_code_info(p);
        ck_assert_uint_ge(info->http_status, 400);
        ck_assert_uint_le(info->http_status, 504);
        ck_assert_str_ne(info->message, "");
        if (p > 0)
            ck_assert_int_eq(info->code, p);
        for (int other = p + 1; other <= TACO_CODE_SHUTTING_DOWN; other++)
            if (taco_error_code_info(other) != info)
                ck_assert_str_ne(info->name, taco_error_code_info(other)->name);
    }
    ck_assert_uint_eq(taco_error_code_info(9999)->http_status, 500);
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_error_code_set(&err, TACO_CODE_GONE, "id", "%d", 5),
                     TACO_CODE_GONE);
    ck_assert_str_eq(err.message, "5");
    ck_assert_int_eq(taco_error_code_set(NULL, TACO_CODE_GONE, "id", "%d", 5),
                     TACO_CODE_GONE);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server values");
    TCase *tc = tcase_create("values");
    tcase_add_test(tc, what_is_no_number_is_refused);
    tcase_add_test(tc, numbers_are_read);
    tcase_add_test(tc, base64_is_that_of_rfc_4648);
    tcase_add_test(tc, bytes_grow_and_survive_a_lack_of_memory);
    tcase_add_test(tc, broken_encodings_are_refused);
    tcase_add_test(tc, pairs_are_read);
    tcase_add_test(tc, plain_text_is_not_taken_for_a_form);
    tcase_add_test(tc, content_types_are_read);
    tcase_add_test(tc, accept_is_weighed);
    tcase_add_test(tc, only_a_range_that_names_a_type_counts_for_its_other_names);
    tcase_add_test(tc, tags_are_found_in_lists);
    tcase_add_test(tc, ranges_are_cut_to_what_there_is);
    tcase_add_test(tc, every_error_code_has_a_status_and_a_name);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
