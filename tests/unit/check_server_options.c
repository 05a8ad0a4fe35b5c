/* server/config/options.h: flags, environment, configuration file, and what wins. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <jansson.h>

#include "base/memory.h"
#include "config/option_table.h"
#include "config/options.h"
#include "speech/field_flags.h"
#include "support/files.h"
#include "support/runner.h"

static struct taco_options options;
static struct taco_speech speech;
static struct taco_error err;

static void setup(void) {
    options = (struct taco_options){0};
    err = (struct taco_error)TACO_ERROR_INIT;
    taco_speech_init(&speech);
}

static void teardown(void) {
    taco_options_free(&options);
    taco_speech_free(&speech);
}

/* Reads words, separated by spaces, as the command's arguments. */
static enum taco_status read_words(enum taco_command command, const char *words) {
    char line[512], *argv[32] = {NULL}, *rest = line;
    teardown();
    setup();
    snprintf(line, sizeof line, "%s", words);
    int argc = 0;
    while ((argv[argc] = strsep(&rest, " ")) != NULL)
        argc++;
    struct taco_field_flags fields = {&speech, TACO_FIELD_SAY};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    return taco_options_read(&options, command, argc, argv,
                             command == TACO_COMMAND_SAY ? &flags : NULL, &err);
}

START_TEST(wrong_flags_are_refused_and_named) {
    static const struct {
        enum taco_command command;
        const char *words, *named;
    } cases[] = {
        {TACO_COMMAND_SERVE, "serve --prot 1", "--prot"},
        {TACO_COMMAND_SERVE, "serve --port", "--port"},
        {TACO_COMMAND_SERVE, "serve --port x", "--port"},
        {TACO_COMMAND_SERVE, "serve --port=65536", "65535"},
        {TACO_COMMAND_SERVE, "serve --port -1", "--port"},
        {TACO_COMMAND_SERVE, "serve -p", "-p"},
        {TACO_COMMAND_SERVE, "serve -Z", "-Z"},
        {TACO_COMMAND_SERVE, "serve --cache-bytes 1T", "--cache-bytes"},
        {TACO_COMMAND_SERVE, "serve --timeout 0", "--timeout"},
        {TACO_COMMAND_SERVE, "serve --timeout nan", "--timeout"},
        {TACO_COMMAND_SERVE, "serve --precision f64", "f32"},
        {TACO_COMMAND_SERVE, "serve --log-level loud", "debug"},
        {TACO_COMMAND_SERVE, "serve --help=perhaps", "--help"},
        {TACO_COMMAND_SERVE, "serve --seed 7", "--seed"},
        {TACO_COMMAND_SERVE, "serve -o x", "-o"},
        {TACO_COMMAND_SAY, "say --port 1", "--port"},
        {TACO_COMMAND_SAY, "say --seed x", "seed"},
        {TACO_COMMAND_SAY, "say --seed 1 --seed 2", "seed"},
        {TACO_COMMAND_SAY, "say --format xyz", "xyz"},
        {TACO_COMMAND_SAY, "say --text x", "--text"},
        {TACO_COMMAND_INFO, "info --threads 2", "--threads"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        enum taco_status status = read_words(cases[i].command, cases[i].words);
        ck_assert_msg(status == TACO_ERR_INVALID_ARGUMENT, "%s: %d", cases[i].words,
                      status);
        ck_assert_msg(strstr(err.message, cases[i].named) != NULL, "%s: %s",
                      cases[i].words, err.message);
    }
}
END_TEST

START_TEST(flags_are_read) {
    ck_assert_int_eq(
        read_words(TACO_COMMAND_SERVE,
                   "serve -p 0 --host ::1 --host unix:/tmp/x --voice a=b "
                   "--cache-bytes=2M --timeout 1.5 --print-config --no-help rest"),
        TACO_OK);
    ck_assert_int_eq(options.port, 0);
    ck_assert_uint_eq(options.host.n, 2); /* the default has given way */
    ck_assert_str_eq(options.host.items[0], "::1");
    ck_assert_str_eq(options.host.items[1], "unix:/tmp/x");
    ck_assert_str_eq(options.voice.items[0], "a=b");
    ck_assert_uint_eq(options.cache_bytes, 2 << 20);
    ck_assert(options.timeout == 1.5 && options.print_config && !options.help);
    ck_assert_str_eq(options.arguments.items[0], "rest");

    ck_assert_int_eq(
        read_words(TACO_COMMAND_SAY,
                   "say -o out.wav -a x.svg --alignment y.json --seed 7 --strict "
                   "--no-final-punctuation --stream=false -v Hello -- -x"),
        TACO_OK);
    ck_assert_str_eq(options.output, "out.wav");
    ck_assert_uint_eq(options.alignment.n, 2);
    ck_assert(options.verbose && !options.quiet);
    ck_assert(speech.request.has_seed && speech.request.seed == 7 &&
              speech.request.strict);
    ck_assert(!speech.request.text_options.final_punctuation &&
              !speech.request.streaming);
    ck_assert_uint_eq(options.arguments.n, 2);
    ck_assert_str_eq(options.arguments.items[1], "-x");
    ck_assert_int_eq(read_words(TACO_COMMAND_SAY, "say --stream Hello"), TACO_OK);
    ck_assert(speech.request.streaming);
    ck_assert_str_eq(options.arguments.items[0], "Hello");
}
END_TEST

START_TEST(defaults_are_those_of_the_help) {
    ck_assert_int_eq(read_words(TACO_COMMAND_SERVE, "serve"), TACO_OK);
    ck_assert_int_eq(options.port, 8020);
    ck_assert_uint_eq(options.host.n, 1);
    ck_assert_str_eq(options.host.items[0], "127.0.0.1");
    ck_assert_uint_eq(options.cache_bytes, 256 << 20);
    ck_assert_ptr_null(options.config);
    char *help = NULL;
    size_t size;
    FILE *out = open_memstream(&help, &size);
    taco_options_print_help(out, TACO_COMMAND_SERVE, NULL);
    fclose(out);
    for (const struct taco_option *o = taco_option_table; o->name; o++) {
        char flag[64];
        taco_option_flag(o->name, flag, sizeof flag);
        if (o->commands & TACO_COMMAND_SERVE)
            ck_assert_msg(strstr(help, flag) != NULL, "%s", flag);
    }
    ck_assert_ptr_nonnull(strstr(help, "Default: 8020."));
    for (char *line = help, *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        ck_assert_msg(end - line <= 80, "%.*s", (int)(end - line), line);
    free(help);
}
END_TEST

static char config[64];

static void write_config(const char *json) {
    test_temp_file(config, json, strlen(json));
    setenv("TACO_CONFIG", config, 1);
}

static void forget_config(void) {
    unlink(config);
    unsetenv("TACO_CONFIG");
}

START_TEST(wrong_files_are_refused_and_named) {
    static const struct {
        const char *json;
        enum taco_status status;
        const char *named;
    } cases[] = {
        {"", TACO_ERR_FORMAT, "line"},
        {"[]", TACO_ERR_FORMAT, "object"},
        {"{\"port\": 1, \"port\": 2}", TACO_ERR_FORMAT, "port"},
        {"{\"prot\": 1}", TACO_ERR_FORMAT, "prot"},
        {"{\"cache-bytes\": 1}", TACO_ERR_FORMAT, "cache-bytes"},
        {"{\"config\": \"x\"}", TACO_ERR_FORMAT, "config"},
        {"{\"print_config\": true}", TACO_ERR_FORMAT, "print_config"},
        {"{\"port\": \"8020\"}", TACO_ERR_FORMAT, "port"},
        {"{\"port\": 1.5}", TACO_ERR_FORMAT, "port"},
        {"{\"port\": 70000}", TACO_ERR_INVALID_ARGUMENT, "port"},
        {"{\"voices\": [\"x\"]}", TACO_ERR_FORMAT, "voices"},
        {"{\"host\": [1]}", TACO_ERR_FORMAT, "host"},
        {"{\"cache_bytes\": \"lots\"}", TACO_ERR_INVALID_ARGUMENT, "cache_bytes"},
        {"{\"precision\": \"f64\"}", TACO_ERR_INVALID_ARGUMENT, "precision"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_config(cases[i].json);
        enum taco_status status = read_words(TACO_COMMAND_SERVE, "serve");
        forget_config();
        ck_assert_msg(status == cases[i].status, "%s: %d: %s", cases[i].json, status,
                      err.message);
        ck_assert_msg(strstr(err.message, cases[i].named) != NULL, "%s: %s",
                      cases[i].json, err.message);
    }
    ck_assert_int_eq(read_words(TACO_COMMAND_SERVE, "serve --config /nonexistent/x.json"),
                     TACO_ERR_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(err.message, "/nonexistent/x.json"));
}
END_TEST

START_TEST(flags_win_over_the_environment_and_that_over_the_file) {
    write_config(
        "{\"port\": 1, \"queue\": 2, \"rows\": 3, \"host\": [\"a\", \"b\"], "
        "\"voice\": [\"x=1\", \"y=2\"], \"timeout\": 7, \"cache_bytes\": \"1K\", "
        "\"shutdown_timeout\": 0.5, \"voices\": null}");
    setenv("TACO_QUEUE", "20", 1);
    setenv("TACO_ROWS", "30", 1);
    setenv("TACO_HOST", "c,d,e", 1);
    setenv("TACO_SHUTDOWN_TIMEOUT", "", 1); /* as if it were not there */
    enum taco_status status =
        read_words(TACO_COMMAND_SERVE, "serve --rows 40 --voice z=3");
    unsetenv("TACO_QUEUE");
    unsetenv("TACO_ROWS");
    unsetenv("TACO_HOST");
    unsetenv("TACO_SHUTDOWN_TIMEOUT");
    forget_config();
    ck_assert_msg(status == TACO_OK, "%s", err.message);
    ck_assert_int_eq(options.port, 1);
    ck_assert_int_eq(options.queue, 20);
    ck_assert_int_eq(options.rows, 40);
    ck_assert_uint_eq(options.host.n, 3);
    ck_assert_str_eq(options.host.items[2], "e");
    ck_assert_uint_eq(options.voice.n, 1);
    ck_assert_str_eq(options.voice.items[0], "z=3");
    ck_assert(options.timeout == 7 && options.cache_bytes == 1024 &&
              options.shutdown_timeout == 0.5);
    ck_assert_ptr_null(options.voices);
}
END_TEST

START_TEST(a_wrong_environment_is_named) {
    setenv("TACO_PORT", "tcp://10.0.0.1:80", 1);
    enum taco_status status = read_words(TACO_COMMAND_SERVE, "serve");
    unsetenv("TACO_PORT");
    ck_assert_int_eq(status, TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "TACO_PORT"));
}
END_TEST

START_TEST(what_is_printed_can_be_read_again) {
    ck_assert_int_eq(
        read_words(
            TACO_COMMAND_SERVE,
            "serve --port 99 --voice a=b --cache-bytes 3M --shutdown-timeout 1.25"),
        TACO_OK);
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ck_assert_int_eq(taco_options_print_config(out, &options, &err), TACO_OK);
    fclose(out);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
    ck_assert_ptr_nonnull(root);
    ck_assert_int_eq(json_integer_value(json_object_get(root, "port")), 99);
    ck_assert_ptr_null(json_object_get(root, "print_config"));
    json_decref(root);
    write_config(text);
    free(text);
    ck_assert_int_eq(read_words(TACO_COMMAND_SERVE, "serve"), TACO_OK);
    forget_config();
    ck_assert_int_eq(options.port, 99);
    ck_assert_str_eq(options.voice.items[0], "a=b");
    ck_assert(options.cache_bytes == 3 << 20 && options.shutdown_timeout == 1.25);
}
END_TEST

START_TEST(no_memory_at_any_allocation) {
    setenv("TACO_HOST", "a,b", 1);
    char words[] = "serve", flag[] = "--voice", value[] = "x=y", rest[] = "rest";
    char *argv[] = {words, flag, value, rest, NULL};
    for (long n = 1;; n++) {
        teardown();
        setup();
        taco_memory_fail_at(n);
        enum taco_status status =
            taco_options_read(&options, TACO_COMMAND_SERVE, 4, argv, NULL, &err);
        long made = taco_memory_count();
        taco_memory_fail_at(0);
        if (made < n) {
            ck_assert_int_eq(status, TACO_OK);
            break;
        }
        ck_assert_int_eq(status, TACO_ERR_NO_MEMORY);
    }
    unsetenv("TACO_HOST");
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server options");
    TCase *tc = tcase_create("options");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, wrong_flags_are_refused_and_named);
    tcase_add_test(tc, flags_are_read);
    tcase_add_test(tc, defaults_are_those_of_the_help);
    tcase_add_test(tc, wrong_files_are_refused_and_named);
    tcase_add_test(tc, flags_win_over_the_environment_and_that_over_the_file);
    tcase_add_test(tc, a_wrong_environment_is_named);
    tcase_add_test(tc, what_is_printed_can_be_read_again);
    tcase_add_test(tc, no_memory_at_any_allocation);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
