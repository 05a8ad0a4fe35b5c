/* Who gets the next place in the batch, and who is refused: turns of clients, the bound of the
 * queue and of memory. */
#include "support/jobs.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Ends by its gate now and then, and one that never does. */
static struct taco_voice *voice, *endless;

static void open_voices(void) {
    voice = test_open_voice(NULL, 1);
    endless = test_open_voice(TEST_ENDLESS, 2);
}

static void close_voices(void) {
    test_close_voice(voice);
    test_close_voice(endless);
}

/* A client with a huge text, and a short text that comes later. */
static void speak_beside_a_huge_text(uint64_t client, uint64_t later_client) {
    struct taco_engine *engine = test_make_engine(2, 4, 8);
    char *text = test_make_text(9, 300);
    struct taco_request huge = test_request(text), brief = test_request("be quick.");
    huge.max_frames = brief.max_frames = 100;
    huge.client = client;
    brief.client = later_client;
    struct test_outcome long_one, short_one;
    struct taco_job *job = test_job_begin(engine, endless, &huge, &long_one);
    uint32_t n_done = 0, n_all = 0;
    uint64_t n_frames = 0;
    while (n_done == 0) {
        usleep(100);
        taco_job_progress(job, &n_done, &n_all, &n_frames);
    }
    ck_assert_uint_ge(n_all, 200); /* some may read as abbreviations */
    taco_job_release(test_job_begin(engine, endless, &brief, &short_one));
    test_check_ended(&short_one, TACO_OK);
    taco_job_progress(job, &n_done, &n_all, &n_frames);
    ck_assert_uint_lt(n_done, 100);
    ck_assert_uint_gt(n_frames, 0);
    test_outcome_wait(&long_one);
    taco_job_progress(job, &n_done, &n_all, &n_frames);
    ck_assert_uint_eq(n_done, n_all);
    taco_job_release(job);
    test_outcome_free(&long_one);
    test_outcome_free(&short_one);
    taco_engine_destroy(engine);
    free(text);
}

START_TEST(a_huge_text_does_not_starve_a_short_one) {
    speak_beside_a_huge_text(1, 2); /* of another client, */
    speak_beside_a_huge_text(1, 1); /* of the same, */
    speak_beside_a_huge_text(0, 0); /* or of nobody known */
}
END_TEST

/* A proxy stands for many. */
START_TEST(one_client_with_many_jobs_fills_the_batch) {
    enum { N_ROWS = 8 };
    struct taco_engine *engine = test_make_engine(2, N_ROWS, N_ROWS);
    struct taco_request request = test_request("this does not end.");
    request.max_frames = 20000;
    request.client = 1;
    struct test_outcome outcomes[N_ROWS];
    struct taco_job *jobs[N_ROWS];
    for (int i = 0; i < N_ROWS; i++)
        jobs[i] = test_job_begin(engine, endless, &request, &outcomes[i]);
    struct taco_engine_stats stats = {0};
    while (stats.rows_active < N_ROWS && stats.jobs_done == 0) {
        usleep(100);
        taco_engine_stats(engine, &stats);
    }
    ck_assert_int_eq(stats.rows_active, N_ROWS);
    for (int i = 0; i < N_ROWS; i++) {
        taco_job_cancel(jobs[i]);
        test_outcome_wait(&outcomes[i]);
        taco_job_release(jobs[i]);
        test_outcome_free(&outcomes[i]);
    }
    taco_engine_destroy(engine);
}
END_TEST

START_TEST(the_queue_is_bounded) {
    struct taco_engine *engine = test_make_engine(1, 1, 2);
    struct taco_request request = test_request("this takes its time, to be sure.");
    struct test_outcome outcomes[2];
    struct taco_job *jobs[2];
    for (int i = 0; i < 2; i++)
        jobs[i] = test_job_begin(engine, endless, &request, &outcomes[i]);
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcomes[0]);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_job *third = (void *)8;
    ck_assert_int_eq(taco_job_create(&third, engine, endless, &request, &callbacks, &err),
                     TACO_ERR_BUSY);
    ck_assert_ptr_null(third);
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_uint_eq(stats.jobs_refused, 1);
    for (int i = 0; i < 2; i++) {
        taco_job_cancel(jobs[i]);
        test_outcome_wait(&outcomes[i]);
        taco_job_release(jobs[i]);
        test_outcome_free(&outcomes[i]);
    }
    /* One that is never started gives its place back. */
    for (int i = 0; i < 5; i++) {
        ck_assert_int_eq(
            taco_job_create(&third, engine, endless, &request, &callbacks, NULL),
            TACO_OK);
        taco_job_release(third);
    }
    taco_engine_destroy(engine);
}
END_TEST

START_TEST(memory_is_bounded) {
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = 1;
    options.max_memory = 3 << 20;
    struct taco_engine *engine;
    ck_assert_int_eq(taco_engine_create(&engine, &options, NULL), TACO_OK);
    char *text = test_make_text(10, 500);
    struct taco_request request = test_request(text);
    struct taco_callbacks callbacks = {.done = NULL};
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    callbacks = test_outcome_callbacks(&outcome);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_job *job;
    /* A text that never fits is refused at once, a short one is not, again and again. */
    ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, &callbacks, &err),
                     TACO_ERR_TEXT_TOO_LONG);
    ck_assert_ptr_nonnull(strstr(err.message, "memory"));
    request = test_request("brief.");
    for (int i = 0; i < 20; i++)
        taco_result_unref(test_speak(engine, voice, &request));
    test_outcome_free(&outcome);
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("admission");
    TCase *tc = tcase_create("admission");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, open_voices, close_voices);
    tcase_add_test(tc, a_huge_text_does_not_starve_a_short_one);
    tcase_add_test(tc, one_client_with_many_jobs_fills_the_batch);
    tcase_add_test(tc, the_queue_is_bounded);
    tcase_add_test(tc, memory_is_bounded);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
