/* What a request may cost: seconds of audio and bytes of memory, and who waits for them. */
#include "support/jobs.h"
#include "support/runner.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/audio.h>
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

static struct taco_engine *make_engine(size_t max_memory, double max_audio) {
    struct taco_engine_options options = taco_engine_options_default();
    struct taco_engine *engine;
    options.n_threads = 2;
    options.max_memory = max_memory;
    options.max_audio = max_audio;
    ck_assert_int_eq(taco_engine_create(&engine, &options, NULL), TACO_OK);
    return engine;
}

/* -- seconds of audio ---------------------------------------------------------------- */

/* n paragraphs of one letter with pauses of 10 seconds between them, at a quarter of the
 * speed, which slows speech down and not the pauses. */
static struct taco_request many_pauses(char *text, int n) {
    text[0] = '\0';
    for (int i = 0; i < n; i++)
        strcat(text, "a\n\n");
    struct taco_request request = test_request(text);
    request.max_frames = 1;
    request.vocoder.n_iter = 0;
    request.text_options.paragraph_pause = 10;
    request.speed = 0.25f;
    return request;
}

START_TEST(pauses_count_as_audio) {
    char text[64];
    struct taco_request request = many_pauses(text, 4); /* 30 seconds and a few frames */
    struct taco_engine *engine = make_engine(0, 29.9);
    const struct taco_result *result;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, &err),
                     TACO_ERR_TEXT_TOO_LONG);
    ck_assert_str_eq(err.param, "max_audio");
    ck_assert_str_eq(err.message,
                     "the audio may last 29.9 seconds, the text's pauses alone 30.0");
    request.max_audio = 1000; /* cannot raise the engine's limit */
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, NULL),
                     TACO_ERR_TEXT_TOO_LONG);
    taco_engine_destroy(engine);

    engine = make_engine(0, 0);
    request.max_audio = 29; /* can lower it, and set one where there is none */
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, NULL),
                     TACO_ERR_TEXT_TOO_LONG);
    request.max_audio = 0;
    result = test_speak(engine, voice, &request);
    uint64_t n_spoken = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        n_spoken += result->chunks[i].n_samples;
    ck_assert_uint_eq(result->n_samples - n_spoken, 30 * (uint64_t)result->sample_rate);
    /* What was spoken counts as well, and exactly. */
    double seconds = (double)result->n_samples / result->sample_rate;
    request.max_audio = seconds;
    taco_result_unref(result);
    taco_result_unref(test_speak(engine, voice, &request));
    request.max_audio = seconds - 0.001;
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, NULL),
                     TACO_ERR_TEXT_TOO_LONG);
    taco_engine_destroy(engine);
}
END_TEST

START_TEST(decoding_ends_at_the_limit) {
    struct taco_engine *engine = make_engine(0, 1);
    for (int streaming = 0; streaming < 2; streaming++) {
        struct taco_request request = test_request("this does not end.");
        request.max_frames = 20000;
        request.streaming = streaming != 0;
        struct test_outcome outcome;
        struct taco_job *job = test_job_begin(engine, endless, &request, &outcome);
        test_check_ended(&outcome, TACO_ERR_TEXT_TOO_LONG);
        uint32_t n_done, n_all;
        uint64_t n_frames;
        taco_job_progress(job, &n_done, &n_all, &n_frames);
        int per_second =
            taco_voice_info(endless)->sample_rate / taco_voice_info(endless)->hop_length;
        ck_assert_uint_lt(n_frames, (uint64_t)per_second + 50);
        taco_job_release(job);
        test_outcome_free(&outcome);
    }
    taco_engine_destroy(engine);
}
END_TEST

/* Bytes of the process that are in memory. */
static long resident(void) {
    long pages = 0, in_memory = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fscanf(file, "%ld %ld", &pages, &in_memory), 2);
    fclose(file);
    return in_memory * sysconf(_SC_PAGESIZE);
}

START_TEST(silence_takes_no_memory) {
    enum { N = 300 };
    char text[3 * N + 1];
    struct taco_request request = many_pauses(text, N);
    struct taco_engine *engine = make_engine(64 << 20, 3600);
    long before = resident();
    const struct taco_result *result = test_speak(engine, voice, &request);
    double sum = 0;
    for (uint64_t i = 0; i < result->n_samples; i++)
        sum += fabs((double)result->samples[i]);
    ck_assert_double_lt(sum, INFINITY);
    size_t all = result->n_samples * sizeof(float);
    ck_assert_uint_gt(all, 100 << 20);
    ck_assert_uint_lt(taco_result_bytes(result), all / 20);
#ifndef __SANITIZE_THREAD__ /* which takes memory of its own for every sample that is read */
    ck_assert_int_lt(resident() - before, (long)(all / 4));
#endif
    (void)before;
    taco_result_unref(result);
    taco_engine_destroy(engine);
}
END_TEST

/* -- memory -------------------------------------------------------------------------- */

/* What becomes of the request in an engine of so much memory. */
static enum taco_status speak_within(size_t max_memory,
                                     const struct taco_request *request) {
    struct taco_engine *engine = make_engine(max_memory, 0);
    const struct taco_result *result;
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status = taco_engine_speak(engine, voice, request, &result, &err);
    if (status != TACO_OK)
        ck_assert_ptr_nonnull(strstr(err.message, "memory"));
    taco_result_unref(result);
    taco_engine_destroy(engine);
    return status;
}

/* The least memory, to a sixteenth, in which the request can be spoken. */
static size_t least_memory(const struct taco_request *request) {
    size_t low = 1 << 16, high = 1 << 30;
    ck_assert_int_eq(speak_within(low, request), TACO_ERR_TEXT_TOO_LONG);
    ck_assert_int_eq(speak_within(high, request), TACO_OK);
    while (high - low > high / 16) {
        size_t middle = low + (high - low) / 2;
        enum taco_status status = speak_within(middle, request);
        ck_assert(status == TACO_OK || status == TACO_ERR_TEXT_TOO_LONG);
        *(status == TACO_OK ? &high : &low) = middle;
    }
    return high;
}

START_TEST(long_texts_wait_for_each_other) {
    enum { N = 6 };
    char *text = test_make_text(3, 12);
    struct taco_request request = test_request(text);
    request.max_frames = 200;
    request.answer.per_symbol = 1e5;
    struct taco_engine *engine = make_engine(least_memory(&request), 0);
    struct test_outcome outcomes[N];
    for (int i = 0; i < N; i++) {
        request.client = (uint64_t)(1 + i % 2);
        taco_job_release(test_job_begin(engine, voice, &request, &outcomes[i]));
    }
    for (int i = 0; i < N; i++) {
        test_check_ended(&outcomes[i], TACO_OK);
        test_outcome_free(&outcomes[i]);
    }
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

START_TEST(short_texts_pass_long_ones) {
    struct taco_request brief = test_request("be quick.");
    brief.max_frames = 20;
    char *text = test_make_text(3, 12);
    struct taco_request huge = test_request(text);
    huge.max_frames = 20000;
    struct taco_engine *engine = make_engine(256 << 20, 0);
    struct test_outcome running[4], outcome;
    struct taco_job *jobs[4];
    for (int i = 0; i < 4; i++)
        jobs[i] = test_job_begin(engine, endless, &huge, &running[i]);
    for (int i = 0; i < 3; i++) {
        taco_job_release(test_job_begin(engine, endless, &brief, &outcome));
        test_check_ended(&outcome, TACO_OK);
        test_outcome_free(&outcome);
    }
    for (int i = 0; i < 4; i++) {
        taco_job_cancel(jobs[i]);
        test_check_ended(&running[i], TACO_ERR_CANCELLED);
        taco_job_release(jobs[i]);
        test_outcome_free(&running[i]);
    }
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

START_TEST(a_result_counts_until_its_job_is_released) {
    struct taco_request request = test_request("this is kept.");
    request.max_frames = 20;
    request.answer.per_second = 1e9; /* 100 MB: no other has room beside it */
    struct taco_engine *engine = make_engine(200 << 20, 0);
    struct test_outcome first, second, third;
    struct taco_job *job = test_job_begin(engine, endless, &request, &first);
    test_check_ended(&first, TACO_OK);
    request.timeout = 0.05;
    taco_job_release(test_job_begin(engine, endless, &request, &second));
    test_check_ended(&second, TACO_ERR_TIMEOUT);
    request.timeout = 0;
    struct taco_job *waiting = test_job_begin(engine, endless, &request, &third);
    ck_assert(!test_outcome_wait_for(&third, 0.05));
    taco_job_release(job);
    test_check_ended(&third, TACO_OK);
    test_outcome_free(&first);
    test_outcome_free(&second);
    test_outcome_free(&third);
    /* A job that has ended may outlive its engine. */
    taco_engine_destroy(engine);
    taco_job_release(waiting);
}
END_TEST

START_TEST(waiting_texts_are_bounded) {
    char *text = malloc(40001);
    for (int i = 0; i < 40000; i++)
        text[i] = "hi. "[i % 4];
    text[40000] = '\0';
    struct taco_request request = test_request(text);
    request.answer.per_symbol = 1000;
    /* Room for three and a half texts that wait. */
    struct taco_engine *engine = make_engine((size_t)8 * 40016 * 256 * 7 / 2, 0);
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
    struct taco_job *jobs[4];
    struct taco_error err = TACO_ERROR_INIT;
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(
            taco_job_create(&jobs[i], engine, voice, &request, &callbacks, NULL),
            TACO_OK);
    ck_assert_int_eq(taco_job_create(&jobs[3], engine, voice, &request, &callbacks, &err),
                     TACO_ERR_BUSY);
    ck_assert_ptr_nonnull(strstr(err.message, "try again"));
    taco_job_release(jobs[0]);
    ck_assert_int_eq(taco_job_create(&jobs[3], engine, voice, &request, &callbacks, NULL),
                     TACO_OK);
    for (int i = 1; i < 4; i++)
        taco_job_release(jobs[i]);
    test_outcome_free(&outcome);
    taco_engine_destroy(engine);
    free(text);
}
END_TEST

/* -- cancellation -------------------------------------------------------------------- */

/* Minutes of work for the vocoder, each sentence by itself. */
START_TEST(a_deadline_ends_the_vocoder) {
    struct taco_engine *engine = make_engine(0, 0);
    struct taco_request request = test_request("this does not end.");
    request.max_frames = 5000;
    request.speed = 0.25f;
    request.vocoder.n_iter = 1000;
    struct test_outcome outcome;
    struct taco_job *job = test_job_begin(engine, endless, &request, &outcome);
    uint64_t n_frames = 0;
    uint32_t n_done, n_all;
    while (n_frames < 5000) {
        usleep(1000);
        taco_job_progress(job, &n_done, &n_all, &n_frames);
    }
    usleep(50000);
    taco_job_cancel(job);
    ck_assert(test_outcome_wait_for(&outcome, 20));
    test_check_ended(&outcome, TACO_ERR_CANCELLED);
    taco_job_release(job);
    test_outcome_free(&outcome);
    taco_engine_destroy(engine);
}
END_TEST

/* Says stop at the call after n_left others. */
static int count_down(void *n_left) {
    return (*(int *)n_left)-- <= 0;
}

static int swallow(void *user, const void *bytes, size_t size) {
    (void)bytes;
    *(size_t *)user += size;
    return 0;
}

START_TEST(encoding_is_cancelled_in_any_block) {
    enum { N = 200000 };
    float *samples = calloc(N, sizeof *samples);
    static const enum taco_audio_format formats[] = {TACO_AUDIO_WAV, TACO_AUDIO_FLAC,
                                                     TACO_AUDIO_OPUS, TACO_AUDIO_MP3};
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        struct taco_audio_options options = taco_audio_options_default();
        options.format = formats[f];
        options.sample_rate = 48000;
        int n_calls = 1 << 30, start = n_calls;
        struct taco_cancel cancel = {count_down, &n_calls};
        options.cancel = &cancel;
        void *bytes;
        size_t size;
        ck_assert_int_eq(
            taco_audio_encode(samples, N, 16000, &options, &bytes, &size, NULL), TACO_OK);
        free(bytes);
        n_calls = start - n_calls;
        ck_assert_int_ge(n_calls,
                         3 * N / 4096); /* a look for every block of the output */
        for (int stop = 0; stop < n_calls; stop += 1 + n_calls / 5) {
            int n_left = stop;
            cancel.user = &n_left;
            struct taco_error err = TACO_ERROR_INIT;
            ck_assert_int_eq(
                taco_audio_encode(samples, N, 16000, &options, &bytes, &size, &err),
                TACO_ERR_CANCELLED);
            ck_assert_ptr_null(bytes);
            ck_assert_int_eq(err.status, TACO_ERR_CANCELLED);
            ck_assert_int_eq(n_left, -1); /* not asked again */
        }
    }
    free(samples);
}
END_TEST

START_TEST(the_cost_of_audio_is_an_upper_bound) {
    enum { N = 160000 };
    float *noise = malloc(N * sizeof *noise);
    unsigned state = 1;
    for (int i = 0; i < N; i++) {
        state = state * 1664525 + 1013904223;
        noise[i] = (float)(state >> 8) / (float)(1 << 24) * 2 - 1;
    }
    for (int f = TACO_AUDIO_WAV; f <= TACO_AUDIO_AU; f++) {
        struct taco_audio_options options = taco_audio_options_default();
        struct taco_audio_writer *writer;
        size_t size = 0;
        options.format = (enum taco_audio_format)f;
        ck_assert_int_eq(taco_audio_options_check(&options, 16000, N, NULL), TACO_OK);
        ck_assert_int_eq(
            taco_audio_writer_open(&writer, 16000, N, &options, swallow, &size, NULL),
            TACO_OK);
        ck_assert_int_eq(taco_audio_writer_write(writer, noise, N, NULL), TACO_OK);
        ck_assert_int_eq(taco_audio_writer_finish(writer, NULL), TACO_OK);
        double bound = 10 * taco_audio_cost(&options, 16000).per_second;
        ck_assert_double_gt(bound, (double)size);
    }
    free(noise);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("bounds");
    TCase *tc = tcase_create("bounds");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, open_voices, close_voices);
    tcase_add_test(tc, pauses_count_as_audio);
    tcase_add_test(tc, decoding_ends_at_the_limit);
    tcase_add_test(tc, silence_takes_no_memory);
    tcase_add_test(tc, long_texts_wait_for_each_other);
    tcase_add_test(tc, short_texts_pass_long_ones);
    tcase_add_test(tc, a_result_counts_until_its_job_is_released);
    tcase_add_test(tc, waiting_texts_are_bounded);
    tcase_add_test(tc, a_deadline_ends_the_vocoder);
    tcase_add_test(tc, encoding_is_cancelled_in_any_block);
    tcase_add_test(tc, the_cost_of_audio_is_an_upper_bound);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
