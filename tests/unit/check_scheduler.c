/* The decoder's batch as the engine runs it: the same bits in any company and with any number
 * of threads; rows join midway; jobs are cancelled, time out, take turns. */
#include "support/jobs.h"
#include "support/numbers.h"
#include "support/runner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct taco_voice *voice;

static void open_voice(void) {
    voice = test_open_voice(NULL, 1);
}

static void close_voice(void) {
    test_close_voice(voice);
}

static struct taco_engine *make_engine(int n_threads, int max_rows) {
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = n_threads;
    options.max_rows = max_rows;
    struct taco_engine *engine;
    ck_assert_int_eq(taco_engine_create(&engine, &options, NULL), TACO_OK);
    return engine;
}

/* n sentences of a few words each, from the seed; free(). */
static char *make_text(uint64_t seed, int n) {
    char *text = calloc((size_t)n * 64 + 1, 1), *end = text;
    for (int i = 0; i < n; i++) {
        for (size_t words = 1 + test_random_below(&seed, 5); words > 0; words--) {
            for (size_t letters = 1 + test_random_below(&seed, 7); letters > 0; letters--)
                *end++ = (char)('a' + test_random_below(&seed, 26));
            *end++ = ' ';
        }
        end[-1] = '.';
        *end++ = ' ';
    }
    return text;
}

enum { N_JOBS = 32 };

/* All of N_JOBS requests, each spoken alone. */
static void speak_alone(char *texts[N_JOBS], const struct taco_result *alone[N_JOBS]) {
    struct taco_engine *engine = make_engine(1, 1);
    for (int i = 0; i < N_JOBS; i++) {
        texts[i] = make_text((uint64_t)i + 1, 1 + i % 3);
        struct taco_request request = test_request(texts[i]);
        request.seed = (uint64_t)i;
        request.max_frames = 60;
        alone[i] = test_speak(engine, voice, &request);
    }
    taco_engine_destroy(engine);
}

START_TEST(company_and_threads_do_not_change_a_bit) {
    static const struct {
        int n_threads, max_rows;
    } engines[] = {{1, 64}, {2, 64}, {3, 5}, {8, 64}};
    char *texts[N_JOBS];
    const struct taco_result *alone[N_JOBS];
    speak_alone(texts, alone);
    for (size_t e = 0; e < sizeof engines / sizeof *engines; e++) {
        struct taco_engine *engine = make_engine(engines[e].n_threads, engines[e].max_rows);
        struct test_outcome outcomes[N_JOBS];
        for (int i = 0; i < N_JOBS; i++) {
            struct taco_request request = test_request(texts[i]);
            request.seed = (uint64_t)i;
            request.max_frames = 60;
            request.client = (uint64_t)(i % 4);
            test_outcome_init(&outcomes[i]);
            test_job_run(engine, voice, &request, &outcomes[i]);
            if (i % 8 == 7)
                usleep(1000); /* some join while others are midway */
        }
        for (int i = 0; i < N_JOBS; i++) {
            test_outcome_wait(&outcomes[i]);
            ck_assert_int_eq(outcomes[i].status, TACO_OK);
            ck_assert(test_results_equal(alone[i], outcomes[i].result, false));
        }
        taco_engine_destroy(engine);
        for (int i = 0; i < N_JOBS; i++) {
            ck_assert_int_eq(outcomes[i].n_done, 1);
            ck_assert(!outcomes[i].overlapped);
            test_outcome_free(&outcomes[i]);
        }
    }
    for (int i = 0; i < N_JOBS; i++) {
        taco_result_unref(alone[i]);
        free(texts[i]);
    }
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scheduler");
    TCase *tc = tcase_create("scheduler");
    tcase_add_checked_fixture(tc, open_voice, close_voice);
    tcase_add_test(tc, company_and_threads_do_not_change_a_bit);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
