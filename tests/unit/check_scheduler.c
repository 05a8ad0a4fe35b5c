/* The decoder's batch as the engine runs it: the same bits in any company and with any
 * number of threads; rows join midway; jobs are cancelled, time out. */
#include "support/jobs.h"
#include "support/numbers.h"
#include "support/runner.h"

#include <stdio.h>
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

/* -- bits ---------------------------------------------------------------------------- */

enum { N_JOBS = 32 };

/* All of N_JOBS requests, each spoken alone. */
static void speak_alone(char *texts[N_JOBS], const struct taco_result *alone[N_JOBS]) {
    struct taco_engine *engine = test_make_engine(1, 1, 1);
    for (int i = 0; i < N_JOBS; i++) {
        texts[i] = test_make_text((uint64_t)i + 1, 1 + i % 3);
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
        struct taco_engine *engine =
            test_make_engine(engines[e].n_threads, engines[e].max_rows, N_JOBS);
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
            ck_assert(test_results_equal(alone[i], outcomes[i].result, false));
        }
        taco_engine_destroy(engine);
        for (int i = 0; i < N_JOBS; i++) {
            test_check_ended(&outcomes[i], TACO_OK);
            test_outcome_free(&outcomes[i]);
        }
    }
    for (int i = 0; i < N_JOBS; i++) {
        taco_result_unref(alone[i]);
        free(texts[i]);
    }
}
END_TEST

/* Two voices have a batch each; neither changes the other. */
START_TEST(voices_share_an_engine) {
    struct taco_engine *engine = test_make_engine(2, 8, 8);
    struct taco_request request = test_request("one text. two sentences.");
    request.max_frames = 80;
    const struct taco_result *first = test_speak(engine, voice, &request);
    const struct taco_result *second = test_speak(engine, endless, &request);
    struct test_outcome outcomes[8];
    for (int i = 0; i < 8; i++) {
        test_outcome_init(&outcomes[i]);
        test_job_run(engine, i % 2 ? endless : voice, &request, &outcomes[i]);
    }
    for (int i = 0; i < 8; i++) {
        test_check_ended(&outcomes[i], TACO_OK);
        ck_assert(test_results_equal(i % 2 ? second : first, outcomes[i].result, false));
        test_outcome_free(&outcomes[i]);
    }
    taco_result_unref(first);
    taco_result_unref(second);
    /* Forgetting is allowed at any time without jobs, also twice, also of strangers. */
    taco_engine_forget(engine, endless);
    taco_engine_forget(engine, endless);
    taco_result_unref(test_speak(engine, endless, &request));
    taco_engine_destroy(engine);
}
END_TEST

/* -- streaming ----------------------------------------------------------------------- */

START_TEST(streaming_changes_the_delivery_and_nothing_else) {
    static const float speeds[] = {1.0f, 0.7f, 1.9f};
    char *text = test_make_text(3, 5);
    struct taco_engine *engine = test_make_engine(1 + _i % 3, 8, 8);
    struct taco_request request = test_request(text);
    request.speed = speeds[_i / 3];
    request.volume = 1.5f;
    request.max_frames = 90;
    request.vocoder.phase = _i % 2 ? TACO_PHASE_RANDOM : TACO_PHASE_PGHI;
    const struct taco_result *whole = test_speak(engine, voice, &request);
    request.streaming = true;
    struct test_outcome outcome, again;
    test_outcome_init(&outcome);
    test_outcome_init(&again);
    test_job_run(engine, voice, &request, &outcome);
    test_job_run(engine, voice, &request, &again);
    test_check_ended(&outcome, TACO_OK);
    test_check_ended(&again, TACO_OK);
    ck_assert(test_results_equal(whole, outcome.result, true));
    ck_assert(test_results_equal(outcome.result, again.result, false));
    /* What was heard is what the result holds, pauses and all. */
    ck_assert_uint_eq(outcome.n_samples, outcome.result->n_samples);
    ck_assert_mem_eq(outcome.samples, outcome.result->samples,
                     outcome.n_samples * sizeof *outcome.samples);
    ck_assert_uint_gt(outcome.n_calls, 5);
    test_outcome_free(&outcome);
    test_outcome_free(&again);
    taco_result_unref(whole);
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

/* Without dropout the seed has no other effect than on the phases. */
START_TEST(random_phases_follow_the_seed) {
    struct taco_voice *still = test_open_voice("{'model': {'prenet_dropout': 0}}", 1);
    struct taco_engine *engine = test_make_engine(1, 2, 2);
    struct taco_request request = test_request("once. once.");
    request.streaming = _i;
    request.vocoder.phase = TACO_PHASE_RANDOM;
    request.max_frames = 30;
    struct test_outcome outcomes[3];
    for (int i = 0; i < 3; i++) {
        request.seed = (uint64_t)i % 2;
        test_outcome_init(&outcomes[i]);
        test_job_run(engine, still, &request, &outcomes[i]);
        test_check_ended(&outcomes[i], TACO_OK);
    }
    const struct taco_result *a = outcomes[0].result, *b = outcomes[1].result;
    size_t bytes = a->n_samples * sizeof *a->samples;
    ck_assert_uint_eq(a->n_samples, b->n_samples);
    ck_assert_uint_gt(a->n_samples, 0);
    ck_assert_mem_eq(a->chunks[0].mel, b->chunks[0].mel,
                     a->chunks[0].n_frames * 16 * sizeof(float));
    ck_assert(memcmp(a->samples, b->samples, bytes) != 0);
    ck_assert_mem_eq(a->samples, outcomes[2].result->samples, bytes);
    /* nor are they the same in every chunk */
    const struct taco_chunk_result *chunks = a->chunks;
    ck_assert_uint_eq(a->n_chunks, 2);
    ck_assert(memcmp(a->samples, a->samples + chunks[1].first_sample,
                     chunks[1].n_samples * sizeof *a->samples) != 0);
    for (int i = 0; i < 3; i++)
        test_outcome_free(&outcomes[i]);
    taco_engine_destroy(engine);
    test_close_voice(still);
}
END_TEST

START_TEST(first_sound_comes_before_the_row_has_ended) {
    struct taco_engine *engine = test_make_engine(1, 2, 2);
    struct taco_request request = test_request("this sentence goes on and on.");
    request.streaming = true;
    request.max_frames = 20000;
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    outcome.cancel_after = 1;
    test_job_run(engine, endless, &request, &outcome);
    test_check_ended(&outcome, TACO_ERR_CANCELLED);
    ck_assert_uint_eq(outcome.n_calls, 1);
    ck_assert_uint_lt(outcome.n_samples, 20000 * 80);
    test_outcome_free(&outcome);
    taco_engine_destroy(engine);
}
END_TEST

/* What may yet be decoded again is not heard: it comes whole, and sounds as without
 * streaming. */
START_TEST(attempts_are_not_heard) {
    struct taco_engine *engine = test_make_engine(2, 8, 8);
    struct taco_request request = test_request("one sentence. and another one.");
    request.max_frames = 60;
    request.max_attempts = 3;
    const struct taco_result *whole = test_speak(engine, voice, &request);
    request.streaming = true;
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    test_job_run(engine, voice, &request, &outcome);
    test_check_ended(&outcome, TACO_OK);
    ck_assert(test_results_equal(whole, outcome.result, false));
    ck_assert_uint_eq(outcome.n_samples, whole->n_samples);
    ck_assert_mem_eq(outcome.samples, whole->samples, outcome.n_samples * sizeof(float));
    test_outcome_free(&outcome);
    taco_result_unref(whole);
    taco_engine_destroy(engine);
}
END_TEST

/* -- attempts ------------------------------------------------------------------------ */

/* Random weights attend to nothing in particular: every attempt fails. */
START_TEST(a_failed_attention_is_tried_again_with_the_next_seed) {
    struct taco_engine *engine = test_make_engine(1, 2, 2);
    struct taco_request request = test_request("a sentence of some length, no less.");
    request.max_frames = 50;
    request.seed = TACO_SEED_MAX; /* the next one is 0 */
    request.max_attempts = 4;
    const struct taco_result *tried = test_speak(engine, voice, &request);
    const struct taco_chunk_result *chunk = &tried->chunks[0];
    ck_assert(!chunk->diagnostics.ok);
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_uint_eq(stats.rows_judged, 4);
    ck_assert_uint_eq(stats.rows_retried, 3);
    uint64_t n_flaws = 0;
    for (int i = 0; i < TACO_N_FLAWS; i++)
        n_flaws += stats.flaws[i];
    ck_assert(n_flaws >= 4 && n_flaws <= 4 * TACO_N_FLAWS);
    ck_assert_int_eq(chunk->attempts, 4);
    for (int i = 0; i < 4; i++) { /* two seeds, then two more with a window */
        const struct taco_attempt *attempt = &chunk->tried[i];
        ck_assert_uint_eq(attempt->seed, (TACO_SEED_MAX + (uint64_t)i) & TACO_SEED_MAX);
        ck_assert_int_eq(attempt->window_back, i < 2 ? 0 : 2);
        ck_assert_int_eq(attempt->window_forward, i < 2 ? 0 : 6);
        ck_assert_uint_ne(attempt->flaws, 0);
    }
    ck_assert(chunk->seed == TACO_SEED_MAX || chunk->seed <= 2);
    ck_assert_uint_eq(tried->seed, TACO_SEED_MAX);
    /* The attempt that was kept is that of its seed, and no other covered more. */
    for (uint64_t i = 0; i < 4; i++) {
        request.max_attempts = 1;
        request.seed = chunk->tried[i].seed;
        request.window_back = chunk->tried[i].window_back;
        request.window_forward = chunk->tried[i].window_forward;
        const struct taco_result *one = test_speak(engine, voice, &request);
        ck_assert_int_eq(one->chunks[0].attempts, 1);
        ck_assert_uint_eq(one->chunks[0].diagnostics.flaws, chunk->tried[i].flaws);
        if (one->chunks[0].seed == chunk->seed) {
            ck_assert_uint_eq(one->n_samples, tried->n_samples);
            ck_assert_mem_eq(one->samples, tried->samples,
                             one->n_samples * sizeof *one->samples);
        }
        ck_assert(one->chunks[0].diagnostics.coverage <= chunk->diagnostics.coverage);
        taco_result_unref(one);
    }
    taco_result_unref(tried);

    request.strict = true;
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    test_job_run(engine, voice, &request, &outcome);
    test_check_ended(&outcome, TACO_ERR_ALIGNMENT);
    test_outcome_free(&outcome);
    taco_engine_destroy(engine);
}
END_TEST

/* -- cancelling ---------------------------------------------------------------------- */

/* The outcome is initialised here; the job is to be released. */
START_TEST(a_job_is_cancelled_before_it_starts) {
    struct taco_engine *engine = test_make_engine(1, 1, 1);
    struct taco_request request = test_request("never spoken.");
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
    struct taco_job *job;
    ck_assert_int_eq(taco_job_create(&job, engine, endless, &request, &callbacks, NULL),
                     TACO_OK);
    taco_job_cancel(job);
    taco_job_cancel(job);
    usleep(2000);
    ck_assert_int_eq(outcome.n_done, 0); /* done is for jobs that were started */
    taco_job_start(job);
    test_check_ended(&outcome, TACO_ERR_CANCELLED);
    taco_job_cancel(job); /* no effect any more */
    taco_job_release(job);
    taco_engine_destroy(engine);
    ck_assert_int_eq(outcome.n_done, 1);
    test_outcome_free(&outcome);
}
END_TEST

/* At any moment: the delays sweep over text, encoder, rows, vocoder. */
START_TEST(a_job_is_cancelled_at_any_time) {
    struct taco_engine *engine = test_make_engine(1 + _i % 2, 4, 8);
    char *text = test_make_text(5, 6);
    struct taco_request request = test_request(text);
    request.streaming = _i / 2 % 2;
    request.max_frames = 400;
    for (int i = 0; i < 40; i++) {
        struct test_outcome outcome;
        struct taco_job *job = test_job_begin(engine, endless, &request, &outcome);
        usleep((useconds_t)(i * i * 20));
        taco_job_cancel(job);
        test_outcome_wait(&outcome);
        test_check_ended(&outcome, outcome.result ? TACO_OK : TACO_ERR_CANCELLED);
        taco_job_release(job);
        test_outcome_free(&outcome);
    }
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_int_eq(stats.jobs_queued + stats.jobs_running, 0);
    ck_assert_uint_eq(stats.jobs_done + stats.jobs_cancelled, 40);
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

/* One that waits for a place behind a long one leaves at once. */
START_TEST(a_waiting_job_is_cancelled) {
    struct taco_engine *engine = test_make_engine(1, 1, 4);
    struct taco_request request = test_request("the first one goes on and on.");
    struct test_outcome first, second;
    struct taco_job *long_one = test_job_begin(engine, endless, &request, &first);
    struct taco_job *waiting = test_job_begin(engine, endless, &request, &second);
    usleep(5000);
    taco_job_cancel(waiting);
    test_check_ended(&second, TACO_ERR_CANCELLED);
    taco_job_cancel(long_one);
    test_outcome_wait(&first);
    taco_job_release(waiting);
    taco_job_release(long_one);
    taco_engine_destroy(engine);
    test_outcome_free(&first);
    test_outcome_free(&second);
}
END_TEST

START_TEST(an_engine_ends_with_jobs_in_flight) {
    char *text = test_make_text(6, 8);
    struct taco_request request = test_request(text);
    for (int i = 0; i < 12; i++) {
        struct taco_engine *engine = test_make_engine(1 + i % 3, 4, 16);
        struct test_outcome outcomes[8];
        for (int k = 0; k < 8; k++) {
            request.streaming = k % 2;
            taco_job_release(test_job_begin(engine, endless, &request, &outcomes[k]));
        }
        usleep((useconds_t)(i * i * 100));
        taco_engine_destroy(engine);
        for (int k = 0; k < 8; k++) {
            ck_assert_int_eq(outcomes[k].n_done, 1);
            ck_assert(outcomes[k].status == TACO_ERR_CANCELLED ||
                      outcomes[k].status == TACO_OK);
            test_outcome_free(&outcomes[k]);
        }
    }
    free(text);
}
END_TEST

/* The vocoder of the costly job would hold the only worker for seconds. */
START_TEST(a_costly_job_lets_a_small_one_pass) {
    struct taco_engine *engine = test_make_engine(1, 2, 4);
    struct taco_request request = test_request("this one takes its time.");
    request.max_frames = 400;
    request.speed = 0.25f;
    request.vocoder.n_iter = 1000;
    struct test_outcome costly, small;
    struct taco_job *job = test_job_begin(engine, endless, &request, &costly);
    struct taco_engine_stats stats = {0};
    while (!stats.rows_judged) { /* its row has ended: the rest is the vocoder's */
        usleep(1000);
        taco_engine_stats(engine, &stats);
    }
    request = test_request("one small one.");
    request.max_frames = 20;
    request.vocoder.n_iter = 0;
    taco_job_release(test_job_begin(engine, endless, &request, &small));
    test_check_ended(&small, TACO_OK);
    ck_assert_int_eq(costly.n_done, 0);
    taco_job_cancel(job);
    test_check_ended(&costly, TACO_ERR_CANCELLED);
    taco_job_release(job);
    taco_engine_destroy(engine);
    test_outcome_free(&costly);
    test_outcome_free(&small);
}
END_TEST

/* -- time ---------------------------------------------------------------------------- */

START_TEST(a_deadline_ends_what_runs_and_what_waits) {
    struct taco_engine *engine = test_make_engine(1, 1, 4);
    char *text = test_make_text(8, 200);
    struct taco_request request = test_request(text);
    request.max_frames = 20000;
    request.timeout = 0.05;
    struct test_outcome running, waiting, patient;
    taco_job_release(test_job_begin(engine, endless, &request, &running));
    taco_job_release(test_job_begin(engine, endless, &request, &waiting));
    request.timeout = 0;
    struct taco_job *job = test_job_begin(engine, endless, &request, &patient);
    test_check_ended(&running, TACO_ERR_TIMEOUT);
    test_check_ended(&waiting, TACO_ERR_TIMEOUT);
    ck_assert_str_eq(waiting.err.param, "timeout");
    ck_assert_int_eq(patient.n_done, 0);
    taco_job_cancel(job);
    test_check_ended(&patient, TACO_ERR_CANCELLED);
    taco_job_release(job);
    test_outcome_free(&running);
    test_outcome_free(&waiting);
    test_outcome_free(&patient);
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

/* -- callbacks ----------------------------------------------------------------------- */

struct chain {
    struct taco_engine *engine;
    struct test_outcome outcome;
    int left;
};

/* Starts the next job from the done callback of the one before. */
static void start_next(void *user, enum taco_status status, const struct taco_error *err,
                       const struct taco_result *result) {
    struct chain *chain = user;
    struct taco_callbacks callbacks = {.user = chain, .done = start_next};
    if (--chain->left == 0) {
        struct taco_callbacks last = test_outcome_callbacks(&chain->outcome);
        last.done(last.user, status, err, result);
        return;
    }
    struct taco_request request = test_request("one after the other.");
    request.max_frames = 20;
    struct taco_job *job;
    ck_assert_int_eq(
        taco_job_create(&job, chain->engine, voice, &request, &callbacks, NULL), TACO_OK);
    taco_job_start(job);
    taco_job_release(job);
}

START_TEST(done_may_start_the_next_job) {
    struct chain chain = {.engine = test_make_engine(1, 1, 1), .left = 5};
    test_outcome_init(&chain.outcome);
    start_next(&chain, TACO_OK, NULL, NULL);
    test_check_ended(&chain.outcome, TACO_OK);
    taco_engine_destroy(chain.engine);
    test_outcome_free(&chain.outcome);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("scheduler");
    TCase *tc = tcase_create("scheduler");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, open_voices, close_voices);
    tcase_add_test(tc, company_and_threads_do_not_change_a_bit);
    tcase_add_test(tc, voices_share_an_engine);
    tcase_add_loop_test(tc, streaming_changes_the_delivery_and_nothing_else, 0, 9);
    tcase_add_loop_test(tc, random_phases_follow_the_seed, 0, 2);
    tcase_add_test(tc, first_sound_comes_before_the_row_has_ended);
    tcase_add_test(tc, attempts_are_not_heard);
    tcase_add_test(tc, a_failed_attention_is_tried_again_with_the_next_seed);
    tcase_add_test(tc, a_job_is_cancelled_before_it_starts);
    tcase_add_loop_test(tc, a_job_is_cancelled_at_any_time, 0, 4);
    tcase_add_test(tc, a_waiting_job_is_cancelled);
    tcase_add_test(tc, an_engine_ends_with_jobs_in_flight);
    tcase_add_test(tc, a_costly_job_lets_a_small_one_pass);
    tcase_add_test(tc, a_deadline_ends_what_runs_and_what_waits);
    tcase_add_test(tc, done_may_start_the_next_job);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
