/* taco_callbacks.chunk: every chunk once, in order, after its samples, with the times that
 * the result has. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/jobs.h"
#include "support/runner.h"

#define MAX_TIMES 400

struct told {
    struct test_outcome outcome;  /* first: its callbacks get the same pointer */
    uint32_t n_chunks, refuse_at; /* refuse_at: the chunk whose callback says stop, + 1 */
    uint64_t n_samples[16], first_sample[16];
    size_t heard[16]; /* samples delivered before the callback */
    uint32_t n_symbols, n_words, n_spoken, n_characters;
    struct taco_times symbols[MAX_TIMES], words[MAX_TIMES], spoken[MAX_TIMES],
        characters[MAX_TIMES];
};

static struct taco_engine *engine;
static struct taco_voice *voice;

static void open_all(void) {
    ck_assert_int_eq(taco_engine_create(&engine, NULL, NULL), TACO_OK);
    voice = test_open_voice(NULL, 1);
}

static void close_all(void) {
    taco_engine_destroy(engine);
    test_close_voice(voice);
}

static void append(struct taco_times *to, uint32_t *n, const struct taco_times *times,
                   uint32_t n_times) {
    ck_assert_uint_le(*n + n_times, MAX_TIMES);
    if (n_times > 0)
        memcpy(to + *n, times, n_times * sizeof *times);
    *n += n_times;
}

static int on_chunk(void *user, const struct taco_spoken_chunk *chunk) {
    struct told *told = user;
    const struct taco_chunk *c = &chunk->text->chunks[chunk->index];
    uint32_t i = told->n_chunks++;
    ck_assert_uint_eq(chunk->index, i);
    ck_assert_uint_lt(i, 16);
    ck_assert(!told->outcome.in_callback);
    told->heard[i] = told->outcome.n_samples;
    told->n_samples[i] = chunk->n_samples;
    told->first_sample[i] = chunk->first_sample;
    ck_assert_uint_eq(chunk->region.begin_cp, told->n_characters);
    ck_assert_uint_eq(chunk->first_spoken, told->n_spoken);
    append(told->symbols, &told->n_symbols, chunk->symbols, c->n_symbols);
    append(told->words, &told->n_words, chunk->words, c->n_words);
    append(told->spoken, &told->n_spoken, chunk->spoken, chunk->n_spoken);
    append(told->characters, &told->n_characters, chunk->characters,
           chunk->region.end_cp - chunk->region.begin_cp);
    return told->refuse_at == chunk->index + 1;
}

static void run(struct told *told, const struct taco_request *request) {
    test_outcome_init(&told->outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(&told->outcome);
    callbacks.chunk = on_chunk;
    struct taco_job *job;
    ck_assert_int_eq(taco_job_create(&job, engine, voice, request, &callbacks, NULL),
                     TACO_OK);
    taco_job_start(job);
    taco_job_release(job);
    test_outcome_wait(&told->outcome);
}

static void same_times(const struct taco_times *a, const struct taco_times *b,
                       uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        ck_assert_double_eq_tol(a[i].start, b[i].start, 1e-9);
        ck_assert_double_eq_tol(a[i].end, b[i].end, 1e-9);
    }
}

static void check_against(const struct told *told, const struct taco_result *result) {
    const struct taco_text *text = result->text;
    ck_assert_uint_eq(told->n_chunks, result->n_chunks);
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        ck_assert_uint_eq(told->first_sample[i], result->chunks[i].first_sample);
        ck_assert_uint_eq(told->n_samples[i], result->chunks[i].n_samples);
        ck_assert_uint_eq(told->heard[i], told->first_sample[i] + told->n_samples[i]);
    }
    ck_assert_uint_eq(told->n_symbols, text->n_symbols);
    ck_assert_uint_eq(told->n_words, text->n_words);
    ck_assert_uint_eq(told->n_spoken, text->n_spoken);
    ck_assert_uint_eq(told->n_characters, taco_result_n_characters(result));
    same_times(told->symbols, result->symbols, text->n_symbols);
    same_times(told->words, result->words, text->n_words);
    same_times(told->spoken, result->spoken, text->n_spoken);
    for (uint32_t i = 0; i < told->n_characters; i++) {
        ck_assert(told->characters[i].start <= told->characters[i].end);
        ck_assert(i == 0 || told->characters[i - 1].end <= told->characters[i].start);
    }
    /* Inside words they are the result's; between chunks they may share a gap otherwise. */
    struct taco_times *whole = malloc(told->n_characters * sizeof *whole);
    taco_result_characters(result, whole);
    for (uint32_t w = 0; w < text->n_words; w++) {
        const struct taco_span *span = &text->words[w].span;
        same_times(told->characters + span->begin_cp, whole + span->begin_cp,
                   span->end_cp - span->begin_cp);
    }
    free(whole);
}

/* Speaks the request: what is told of its chunks must be what the result says. */
static void run_and_check(const struct taco_request *request) {
    struct told *told = calloc(1, sizeof *told);
    run(told, request);
    ck_assert_int_eq(told->outcome.status, TACO_OK);
    check_against(told, told->outcome.result);
    test_outcome_free(&told->outcome);
    free(told);
}

START_TEST(times_are_those_of_the_result) {
    static const char *const texts[] = {"one.", "one two. three, four! five?",
                                        "  n\xc3\xa9 one.\n\ntwo  three. \n"};
    static const float speeds[] = {1.0f, 2.0f, 0.7f};
    struct taco_request request = test_request(texts[_i % 3]);
    request.max_frames = 40;
    request.speed = speeds[_i / 3];
    request.streaming = true;
    run_and_check(&request);
}
END_TEST

/* Attempts are judged when they are whole, so such chunks are not decoded as a stream. */
START_TEST(chunks_that_are_not_streamed_themselves) {
    struct taco_request request = test_request("one two. three four. five.");
    request.max_frames = 30;
    request.max_attempts = 2;
    request.streaming = true;
    run_and_check(&request);
}
END_TEST

START_TEST(without_streaming_there_are_none) {
    struct told *told = calloc(1, sizeof *told);
    struct taco_request request = test_request("one two. three four.");
    request.max_frames = 30;
    run(told, &request);
    ck_assert_int_eq(told->outcome.status, TACO_OK);
    ck_assert_uint_eq(told->n_chunks, 0);
    test_outcome_free(&told->outcome);
    free(told);
}
END_TEST

START_TEST(the_callback_may_say_stop) {
    struct told *told = calloc(1, sizeof *told);
    struct taco_request request = test_request("one two. three four. five. six.");
    request.max_frames = 30;
    request.streaming = true;
    told->refuse_at = 2;
    run(told, &request);
    ck_assert_int_eq(told->outcome.status, TACO_ERR_CANCELLED);
    ck_assert_uint_eq(told->n_chunks, 2);
    ck_assert_uint_eq(told->outcome.n_samples, told->heard[1]);
    test_outcome_free(&told->outcome);
    free(told);
}
END_TEST

/* Speaking a text in parts gives the samples of the whole, pauses aside. */
START_TEST(parts_are_those_of_the_whole) {
    struct taco_request request = test_request("one two. three four. five six seven.");
    request.max_frames = 30;
    request.streaming = _i;
    const struct taco_result *whole = test_speak(engine, voice, &request);
    ck_assert_uint_eq(whole->n_chunks, 3);
    static const char *const parts[] = {"one two.", "three four. five six seven."};
    size_t at = 0;
    for (int i = 0; i < 2; i++) {
        request.text = parts[i];
        request.text_length = strlen(parts[i]);
        request.first_chunk = i;
        const struct taco_result *part = test_speak(engine, voice, &request);
        ck_assert_uint_le(at + part->n_samples, whole->n_samples);
        ck_assert_mem_eq(whole->samples + at, part->samples,
                         part->n_samples * sizeof *part->samples);
        at += part->n_samples + (i == 0 ? (size_t)lround(0.2 * part->sample_rate) : 0);
        taco_result_unref(part);
    }
    ck_assert_uint_eq(at, whole->n_samples);
    taco_result_unref(whole);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("engine chunks");
    TCase *tc = tcase_create("chunks");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_all, close_all);
    tcase_add_loop_test(tc, times_are_those_of_the_result, 0, 9);
    tcase_add_test(tc, chunks_that_are_not_streamed_themselves);
    tcase_add_test(tc, without_streaming_there_are_none);
    tcase_add_test(tc, the_callback_may_say_stop);
    tcase_add_loop_test(tc, parts_are_those_of_the_whole, 0, 2);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
