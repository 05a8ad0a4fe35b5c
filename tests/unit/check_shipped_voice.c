/* The shipped voice on ordinary sentences: the attention reads them from beginning to end, the
 * diagnostics say so, and the times are those of speech. */
#include "support/files.h"
#include "support/runner.h"

#include <stdlib.h>
#include <string.h>
#include <taco/engine.h>

static struct taco_voice *voice;
static struct taco_engine *engine;

static void open_all(void) {
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_voice_open(&voice, "models/heart.safetensors", NULL, &err) ==
                      TACO_OK,
                  "%s", err.message);
    ck_assert_int_eq(taco_engine_create(&engine, NULL, NULL), TACO_OK);
}

static void close_all(void) {
    taco_engine_destroy(engine);
    taco_voice_close(voice);
}

static const struct taco_result *speak(const char *text, uint64_t seed) {
    struct taco_request request = taco_request_default();
    struct taco_error err = TACO_ERROR_INIT;
    const struct taco_result *result;
    request.text = text;
    request.text_length = strlen(text);
    request.has_seed = true;
    request.seed = seed;
    ck_assert_msg(taco_engine_speak(engine, voice, &request, &result, &err) == TACO_OK,
                  "%s", err.message);
    return result;
}

static void check_speech(const struct taco_result *result) {
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *c = &result->chunks[i];
        const struct taco_diagnostics *d = &c->diagnostics;
        ck_assert_msg(d->ok && d->coverage >= 0.9f && d->focus > 0.7f,
                      "chunk %u: coverage %g, focus %g, %u and %u jumps, stop %s", i,
                      (double)d->coverage, (double)d->focus, d->backward_jumps,
                      d->forward_jumps, taco_stop_reason_name(c->stop_reason));
        ck_assert_int_eq(c->stop_reason, TACO_STOP_GATE);
        ck_assert_float_gt(d->frames_per_symbol, 3);
        ck_assert_float_lt(d->frames_per_symbol, 20);
    }
    ck_assert(result->diagnostics.ok);
    /* A spoken word lasts, and not for long. */
    for (uint32_t i = 0; i < result->text->n_spoken; i++) {
        double seconds = result->spoken[i].end - result->spoken[i].start;
        ck_assert_msg(seconds > 0.01 && seconds <= 1.5, "\"%s\" lasts %g s",
                      result->text->spoken[i].text, seconds);
    }
}

START_TEST(the_twenty_sentences_are_read_well) {
    size_t size;
    char *text = test_read_file("tests/bench/sentences.txt", &size);
    ck_assert_ptr_nonnull(text);
    const struct taco_result *result = speak(text, (uint64_t)_i);
    ck_assert_uint_eq(result->n_chunks, 20);
    check_speech(result);
    taco_result_unref(result);
    free(text);
}
END_TEST

START_TEST(ordinary_texts_are_read_well) {
    static const char *const texts[] = {
        "Hello, world. It costs $25.50.",
        "Dr. Smith met J. R. R. Tolkien at 9:30 a.m., 98.6 degrees, e.g. in the U.S. "
        "capital.",
        "I love fruits like apple, banana, watermelon, grape, orange.",
        "Yes. Why not? The price will be $100 after 9:30PM.",
        "banana",
    };
    const struct taco_result *result = speak(texts[_i], 1);
    check_speech(result);
    taco_result_unref(result);
}
END_TEST

/* What is cut off is told. */
START_TEST(a_cut_is_not_ok) {
    struct taco_request request = taco_request_default();
    const struct taco_result *result;
    request.text = "This sentence is cut off after a few frames.";
    request.text_length = strlen(request.text);
    request.max_frames = 60;
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, NULL), TACO_OK);
    ck_assert(!result->diagnostics.ok);
    ck_assert_int_eq(result->chunks[0].stop_reason, TACO_STOP_MAX_FRAMES);
    ck_assert_float_lt(result->diagnostics.coverage, 0.9f);
    taco_result_unref(result);
    request.strict = true;
    request.max_attempts = 2;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, &err),
                     TACO_ERR_ALIGNMENT);
    ck_assert_ptr_nonnull(strstr(err.message, "2 attempts"));
}
END_TEST

START_TEST(its_self_test_passes) {
    char *report;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_msg(taco_voice_check(voice, &report, &err) == TACO_OK, "%s", err.message);
    ck_assert_ptr_nonnull(strstr(report, "from beginning to end"));
    free(report);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("shipped_voice");
    TCase *tc = tcase_create("shipped_voice");
    tcase_set_timeout(tc, 300);
    tcase_add_checked_fixture(tc, open_all, close_all);
    tcase_add_loop_test(tc, the_twenty_sentences_are_read_well, 0, 2);
    tcase_add_loop_test(tc, ordinary_texts_are_read_well, 0, 5);
    tcase_add_test(tc, a_cut_is_not_ok);
    tcase_add_test(tc, its_self_test_passes);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
