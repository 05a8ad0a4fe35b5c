/* A whole job, a whole voice, every written form, with every single allocation failing in
 * turn: an error is told, done comes exactly once, nothing leaks (AddressSanitizer
 * looks), and the next try with memory succeeds. */
#include "base/memory.h"
#include "support/jobs.h"
#include "support/runner.h"
#include "support/voice_file.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond what any of these takes: the loop must end by itself. */
enum { MOST = 200000 };

/* Every n at first, then in growing steps: late allocations are many of the same kind. */
static long next(long n) {
    return n < 400 ? n + 1 : n + n / 50;
}

START_TEST(a_voice_opens_or_tells) {
    struct test_voice file;
    size_t size;
    test_voice_init(&file, NULL, 1);
    void *bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    enum taco_status status = TACO_ERR_NO_MEMORY;
    for (long n = 1; status != TACO_OK; n = next(n)) {
        ck_assert_int_lt(n, MOST);
        struct taco_voice *voice;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(n);
        status = taco_voice_open_memory(&voice, bytes, size, NULL, &err);
        taco_memory_fail_at(0);
        ck_assert_msg(status == TACO_OK || status == TACO_ERR_NO_MEMORY, "n = %ld: %s", n,
                      err.message);
        ck_assert_int_eq(voice != NULL, status == TACO_OK);
        taco_voice_close(voice);
    }
    free(bytes);
}
END_TEST

START_TEST(an_engine_is_made_or_tells) {
    enum taco_status status = TACO_ERR_NO_MEMORY;
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = 3;
    for (long n = 1; status != TACO_OK; n++) {
        ck_assert_int_lt(n, 100);
        struct taco_engine *engine;
        taco_memory_fail_at(n);
        status = taco_engine_create(&engine, &options, NULL);
        taco_memory_fail_at(0);
        ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
        taco_engine_destroy(engine);
    }
}
END_TEST

static const struct kind {
    bool streaming;
    int max_attempts;
    float speed;
} kinds[] = {{false, 1, 1}, {true, 1, 1}, {false, 2, 1.5f}, {true, 1, 0.8f}};

/* One thread, so that allocations come in much the same order every time. */
START_TEST(a_job_ends_once_whatever_fails) {
    struct taco_voice *voice = test_open_voice(NULL, 1);
    struct taco_request request = test_request("first of all. second.");
    request.max_frames = 40;
    request.streaming = kinds[_i].streaming;
    request.max_attempts = kinds[_i].max_attempts;
    request.speed = kinds[_i].speed;
    int n_refused = 0, n_failed = 0;
    bool spoken = false;
    for (long n = 1; !spoken; n = next(n)) {
        ck_assert_int_lt(n, MOST);
        struct taco_engine_options options = taco_engine_options_default();
        options.n_threads = 1;
        options.max_rows = 2;
        struct taco_engine *engine;
        ck_assert_int_eq(taco_engine_create(&engine, &options, NULL), TACO_OK);
        struct test_outcome outcome;
        test_outcome_init(&outcome);
        struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_job *job;
        taco_memory_fail_at(n);
        enum taco_status status =
            taco_job_create(&job, engine, voice, &request, &callbacks, &err);
        if (status == TACO_OK) {
            taco_job_start(job);
            taco_job_release(job);
            test_outcome_wait(&outcome);
            status = outcome.status;
            n_failed += status != TACO_OK;
        } else {
            n_refused++;
        }
        /* The engine lives on. */
        taco_memory_fail_at(0);
        ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
        spoken = status == TACO_OK;
        if (n % 16 == 1)
            taco_result_unref(test_speak(engine, voice, &request));
        taco_engine_destroy(engine);
        ck_assert_int_le(outcome.n_done, 1);
        test_outcome_free(&outcome);
    }
    ck_assert_int_gt(n_refused, 1);
    ck_assert_int_gt(n_failed, 10);
    test_close_voice(voice);
}
END_TEST

/* Jansson's memory is made to come through the same door. */
START_TEST(a_form_is_written_or_tells) {
    json_set_alloc_funcs(taco_malloc, taco_free);
    struct taco_voice *voice = test_open_voice(NULL, 1);
    struct taco_engine *engine;
    ck_assert_int_eq(taco_engine_create(&engine, NULL, NULL), TACO_OK);
    struct taco_request request = test_request("ab. c");
    request.max_frames = 6;
    const struct taco_result *result = test_speak(engine, voice, &request);
    struct taco_format_options options = taco_format_options_default();
    for (options.matrix = 0; options.matrix <= TACO_MATRIX_F16; options.matrix++) {
        enum taco_status status = TACO_ERR_NO_MEMORY;
        for (long n = 1; status != TACO_OK; n = next(n)) {
            ck_assert_int_lt(n, MOST);
            char *bytes;
            size_t size;
            taco_memory_fail_at(n);
            status = taco_result_write(result, (enum taco_result_format)_i, &options,
                                       &bytes, &size, NULL);
            taco_memory_fail_at(0);
            ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
            ck_assert_int_eq(bytes != NULL, status == TACO_OK);
            free(bytes);
        }
    }
    taco_result_unref(result);
    taco_engine_destroy(engine);
    test_close_voice(voice);
}
END_TEST

START_TEST(a_self_test_ends_or_tells) {
    struct taco_voice *voice = test_open_voice(NULL, 1);
    enum taco_status status = TACO_ERR_NO_MEMORY;
    for (long n = 1; status == TACO_ERR_NO_MEMORY; n = n < 60 ? n + 1 : n + 7) {
        ck_assert_int_lt(n, MOST);
        char *report;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(n);
        status = taco_voice_check(voice, &report, &err);
        taco_memory_fail_at(0);
        ck_assert_msg(status == TACO_OK || status == TACO_ERR_NO_MEMORY, "n = %ld: %s", n,
                      err.message);
        free(report);
    }
    test_close_voice(voice);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("nomem");
    TCase *tc = tcase_create("nomem");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_voice_opens_or_tells);
    tcase_add_test(tc, an_engine_is_made_or_tells);
    tcase_add_loop_test(tc, a_job_ends_once_whatever_fails, 0,
                        sizeof kinds / sizeof *kinds);
    tcase_add_loop_test(tc, a_form_is_written_or_tells, 0, TACO_FORMAT_MEL_PNG + 1);
    tcase_add_test(tc, a_self_test_ends_or_tells);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
