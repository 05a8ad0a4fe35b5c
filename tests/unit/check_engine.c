/* The engine as its callers see it: arguments, results, statistics. */
#include "support/jobs.h"
#include "support/runner.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct taco_voice *voice;
static struct taco_engine *engine;

static void open_all(void) {
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = 2;
    voice = test_open_voice(NULL, 1);
    ck_assert_int_eq(taco_engine_create(&engine, &options, NULL), TACO_OK);
}

static void close_all(void) {
    taco_engine_destroy(engine);
    test_close_voice(voice);
}

/* -- arguments ----------------------------------------------------------------------- */

START_TEST(engine_options_have_ranges) {
    static const struct {
        const char *param;
        struct taco_engine_options options;
    } bad[] = {
        {"n_threads", {.n_threads = -1, .max_rows = 1, .max_jobs = 1}},
        {"n_threads", {.n_threads = 257, .max_rows = 1, .max_jobs = 1}},
        {"max_rows", {.max_rows = 0, .max_jobs = 1}},
        {"max_rows", {.max_rows = 65, .max_jobs = 1}},
        {"max_jobs", {.max_rows = 1, .max_jobs = 0}},
        {"max_jobs", {.max_rows = 1, .max_jobs = 65537}},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct taco_error err = TACO_ERROR_INIT;
        struct taco_engine *made = (void *)8;
        ck_assert_int_eq(taco_engine_create(&made, &bad[i].options, &err),
                         TACO_ERR_INVALID_ARGUMENT);
        ck_assert_ptr_null(made);
        ck_assert_str_eq(err.param, bad[i].param);
    }
    struct taco_engine *made;
    ck_assert_int_eq(taco_engine_create(&made, NULL, NULL), TACO_OK);
    taco_engine_destroy(made);
    taco_engine_destroy(NULL);
}
END_TEST

/* What create says of the request, and that it says the same through speak. */
static void check_refused(const struct taco_request *request, enum taco_status status,
                          const char *param) {
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_job *job = (void *)8;
    const struct taco_result *result = (void *)8;
    ck_assert_int_eq(taco_job_create(&job, engine, voice, request, &callbacks, &err),
                     status);
    ck_assert_ptr_null(job);
    ck_assert_int_eq(err.status, status);
    ck_assert_str_eq(err.param, param);
    ck_assert_int_eq(taco_engine_speak(engine, voice, request, &result, NULL), status);
    ck_assert_ptr_null(result);
    ck_assert_int_eq(outcome.n_done, 0);
    test_outcome_free(&outcome);
}

START_TEST(bad_requests_are_refused_at_once) {
    struct taco_request request = test_request("hello.");
    request.speed = 9;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "speed");
    request = test_request("hello.");
    request.speaker = 1;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "speaker");
    request = test_request("hello.");
    request.text = NULL;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "text");
    check_refused(&(struct taco_request){0}, TACO_ERR_INVALID_ARGUMENT, "speed");
    request = test_request("");
    check_refused(&request, TACO_ERR_EMPTY_TEXT, "text");
    request = test_request(" \n\t ");
    check_refused(&request, TACO_ERR_EMPTY_TEXT, "text");
    request = test_request("caf\xE9.");
    check_refused(&request, TACO_ERR_INVALID_UTF8, "text");
    request = test_request("hello.");
    request.text_options.max_bytes = 5;
    check_refused(&request, TACO_ERR_TEXT_TOO_LONG, "text");
    request = test_request("hello.");
    struct taco_job *job;
    ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, NULL, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    struct taco_callbacks none = {.done = NULL};
    ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, &none, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    taco_job_release(NULL);
    taco_result_unref(NULL);
}
END_TEST

/* Options of a later version are refused, not ignored. */
START_TEST(reserved_members_are_zeros) {
    struct taco_request request = test_request("hello.");
    request.reserved[0] = 1;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "reserved");
    request = test_request("hello.");
    request.vocoder.reserved[TACO_RESERVED - 1] = 1;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "reserved");
    request = test_request("hello.");
    request.text_options.reserved[3] = 1;
    check_refused(&request, TACO_ERR_INVALID_ARGUMENT, "reserved");
    struct taco_engine_options options = taco_engine_options_default();
    struct taco_engine *made;
    options.reserved[1] = 1;
    ck_assert_int_eq(taco_engine_create(&made, &options, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
    struct taco_voice_options opening = taco_voice_options_default();
    struct taco_voice *opened;
    opening.reserved[2] = 1;
    ck_assert_int_eq(taco_voice_open(&opened, "models/heart.safetensors", &opening, NULL),
                     TACO_ERR_INVALID_ARGUMENT);
}
END_TEST

/* A text without a word, where that is allowed: every form of its result is there. */
START_TEST(silence_is_a_result) {
    struct taco_request request = test_request("\xF0\x9F\x98\x80 ---");
    request.text_options.allow_silence = true;
    const struct taco_result *result = test_speak(engine, voice, &request);
    ck_assert_uint_eq(result->n_chunks, 0);
    ck_assert_uint_eq(result->n_samples, 3200); /* 0.2 s */
    for (size_t i = 0; i < result->n_samples; i++)
        ck_assert(result->samples[i] == 0);
    ck_assert(result->diagnostics.ok && result->diagnostics.coverage == 1);
    ck_assert_uint_eq(result->text->n_notes, 1);
    ck_assert_uint_gt(taco_result_bytes(result), 0);
    for (int form = TACO_FORMAT_ALIGNMENT_JSON; form <= TACO_FORMAT_MEL_PNG; form++) {
        struct taco_format_options options = taco_format_options_default();
        options.matrix = TACO_MATRIX_ARRAYS;
        struct taco_error err = TACO_ERROR_INIT;
        char *bytes;
        size_t size;
        ck_assert_msg(taco_result_write(result, (enum taco_result_format)form, &options,
                                        &bytes, &size, &err) == TACO_OK,
                      "%d: %s", form, err.message);
        ck_assert(!strstr(bytes, "nan"));
        free(bytes);
    }
    taco_result_unref(result);

    /* Streamed, the same samples; refused, it ends as any job does. */
    struct test_outcome outcome;
    request.streaming = true;
    for (int refused = 0; refused < 2; refused++) {
        test_outcome_init(&outcome);
        outcome.cancel_after = (size_t)refused;
        struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
        struct taco_job *job;
        ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, &callbacks, NULL),
                         TACO_OK);
        taco_job_start(job);
        taco_job_release(job);
        test_outcome_wait(&outcome);
        ck_assert_int_eq(outcome.status, refused ? TACO_ERR_CANCELLED : TACO_OK);
        ck_assert_uint_eq(outcome.n_samples, refused ? 1024 : 3200);
        test_outcome_free(&outcome);
    }
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_uint_eq(stats.jobs_done, 2);
    ck_assert_uint_eq(stats.jobs_cancelled, 1);
    ck_assert_int_eq(stats.jobs_running, 0);
}
END_TEST

/* Silence before the first chunk and after the last, whole and streamed. */
START_TEST(silence_around_the_speech) {
    struct taco_request request =
        test_request("<speak><break time=\"500ms\"/>one.<break time=\"1s\"/></speak>");
    request.text_options.input = TACO_INPUT_SSML;
    const struct taco_result *result = test_speak(engine, voice, &request);
    ck_assert_uint_eq(result->n_chunks, 1);
    ck_assert_uint_eq(result->chunks[0].first_sample, 8000);
    ck_assert_uint_eq(result->n_samples, 8000 + result->chunks[0].n_samples + 16000);
    ck_assert(result->words[0].start >= 0.5);
    for (size_t i = 0; i < 8000; i++)
        ck_assert(result->samples[i] == 0);
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    request.streaming = true;
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
    struct taco_job *job;
    ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, &callbacks, NULL),
                     TACO_OK);
    taco_job_start(job);
    taco_job_release(job);
    test_outcome_wait(&outcome);
    ck_assert_uint_eq(outcome.n_samples, outcome.result->n_samples);
    ck_assert_uint_eq(outcome.result->chunks[0].first_sample, 8000);
    test_outcome_free(&outcome);
    taco_result_unref(result);
}
END_TEST

START_TEST(bad_texts_are_told_later) {
    static const struct {
        const char *text;
        enum taco_status status;
    } cases[] = {{"...", TACO_ERR_NOTHING_TO_SPEAK},
                 {"\xF0\x9F\x98\x80", TACO_ERR_NOTHING_TO_SPEAK}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct taco_request request = test_request(cases[i].text);
        const struct taco_result *result = (void *)8;
        struct taco_error err = TACO_ERROR_INIT;
        ck_assert_int_eq(taco_engine_speak(engine, voice, &request, &result, &err),
                         cases[i].status);
        ck_assert_ptr_null(result);
        ck_assert_int_eq(err.status, cases[i].status);
    }
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_uint_eq(stats.jobs_failed, 2);
}
END_TEST

/* -- results ------------------------------------------------------------------------- */

START_TEST(a_result_fits_together) {
    struct taco_request request = test_request("one sentence. another. and a third one");
    const struct taco_result *result = test_speak(engine, voice, &request);
    const struct taco_text *text = result->text;
    ck_assert_ptr_eq(result->voice, voice);
    ck_assert_str_eq(text->source, request.text);
    ck_assert_uint_eq(result->n_chunks, text->n_chunks);
    ck_assert_uint_ge(result->n_chunks, 2);
    ck_assert_uint_ge(text->n_notes, 1);
    ck_assert_int_eq(text->notes[text->n_notes - 1].kind, TACO_NOTE_FINAL_PUNCTUATION);
    ck_assert_int_eq(result->sample_rate, 16000);
    ck_assert_uint_eq(result->seed, 7);
    uint64_t at = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *c = &result->chunks[i];
        ck_assert_uint_eq(c->first_sample, at);
        ck_assert_uint_eq(c->n_samples, c->n_frames * 80);
        ck_assert_uint_eq(c->n_frames, c->n_steps);
        ck_assert_uint_eq(c->n_symbols, text->chunks[i].n_symbols);
        ck_assert_uint_eq(c->seed, 7);
        for (uint32_t t = 0; t < c->n_steps; t++) {
            double sum = 0;
            for (uint32_t j = 0; j < c->n_symbols; j++)
                sum += c->alignment[t * c->n_symbols + j];
            ck_assert_double_eq_tol(sum, 1, 1e-4);
            ck_assert(c->gate[t] >= 0 && c->gate[t] <= 1);
            /* The gate fires at the last step only. */
            bool fired = c->stop_reason == TACO_STOP_GATE && t + 1 == c->n_steps;
            ck_assert_int_eq(c->gate[t] > 0.5f, fired);
        }
        at += c->n_samples;
        uint64_t pause = (uint64_t)lround(text->chunks[i].pause * 16000);
        for (uint64_t k = at; k < at + pause; k++)
            ck_assert(result->samples[k] == 0);
        at += i + 1 < result->n_chunks ? pause : 0;
    }
    ck_assert_uint_eq(result->n_samples, at);
    ck_assert_double_eq(result->symbols[text->n_symbols - 1].end, at / 16000.0);
    const struct taco_stage_times *t = &result->times;
    ck_assert(t->text > 0 && t->encoder > 0 && t->decoder > 0 && t->postnet > 0 &&
              t->vocoder > 0 && t->queued >= 0 && t->total >= t->queued);
    ck_assert_uint_gt(taco_result_bytes(result), at * sizeof(float));
    ck_assert_uint_lt(taco_result_bytes(result), at * sizeof(float) + 1000000);
    /* Counted references. */
    ck_assert_ptr_eq(taco_result_ref(result), result);
    taco_result_unref(result);
    ck_assert_uint_eq(result->seed, 7);
    taco_result_unref(result);
}
END_TEST

START_TEST(a_seed_is_drawn_when_none_is_given) {
    struct taco_request request = test_request("hello.");
    request.max_frames = 20;
    request.has_seed = false;
    const struct taco_result *first = test_speak(engine, voice, &request);
    const struct taco_result *second = test_speak(engine, voice, &request);
    ck_assert_uint_ne(first->seed, second->seed);
    ck_assert_uint_le(first->seed, TACO_SEED_MAX);
    request.has_seed = true;
    request.seed = first->seed;
    const struct taco_result *again = test_speak(engine, voice, &request);
    ck_assert(test_results_equal(first, again, false));
    taco_result_unref(first);
    taco_result_unref(second);
    taco_result_unref(again);
}
END_TEST

START_TEST(speed_halves_the_duration) {
    struct taco_request request = test_request("quite a sentence. and one more.");
    request.text_options.sentence_pause = 0; /* speed does not change pauses */
    const struct taco_result *plain = test_speak(engine, voice, &request);
    static const float speeds[] = {2, 0.5f, 1.3f, 0.25f, 4};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        request.speed = speeds[i];
        const struct taco_result *other = test_speak(engine, voice, &request);
        ck_assert_double_eq_tol((double)other->n_samples * (double)speeds[i],
                                (double)plain->n_samples,
                                2.5 * 80 * (double)speeds[i] * other->n_chunks);
        /* The alignment is that of the decoder, the times are those of the audio. */
        ck_assert_uint_eq(other->chunks[0].n_steps, plain->chunks[0].n_steps);
        ck_assert_mem_eq(other->chunks[0].alignment, plain->chunks[0].alignment,
                         (size_t)plain->chunks[0].n_steps * plain->chunks[0].n_symbols *
                             sizeof(float));
        uint32_t last = other->text->n_words - 1;
        ck_assert_double_eq_tol(other->words[last].end * (double)speeds[i],
                                plain->words[last].end, 0.03 * (double)speeds[i]);
        taco_result_unref(other);
    }
    taco_result_unref(plain);
}
END_TEST

START_TEST(volume_scales_and_clips) {
    struct taco_request request = test_request("some sound.");
    request.max_frames = 30;
    const struct taco_result *plain = test_speak(engine, voice, &request);
    request.volume = 0;
    const struct taco_result *silent = test_speak(engine, voice, &request);
    request.volume = 0.5f;
    const struct taco_result *half = test_speak(engine, voice, &request);
    ck_assert_uint_eq(plain->n_samples, silent->n_samples);
    for (uint64_t i = 0; i < plain->n_samples; i++) {
        ck_assert(silent->samples[i] == 0);
        ck_assert(fabsf(plain->samples[i]) <= 1);
        if (plain->n_clipped == 0)
            ck_assert(half->samples[i] == 0.5f * plain->samples[i]);
    }
    taco_result_unref(plain);
    taco_result_unref(silent);
    taco_result_unref(half);
}
END_TEST

/* A voice that is far too loud, so that everything clips. */
START_TEST(clipped_samples_are_counted) {
    struct taco_voice *loud = test_open_voice("{'audio': {'log_gain': 4}}", 1);
    struct taco_request request = test_request("loud.");
    request.max_frames = 30;
    request.volume = 4;
    const struct taco_result *result = test_speak(engine, loud, &request);
    uint64_t at_limit = 0;
    for (uint64_t i = 0; i < result->n_samples; i++) {
        ck_assert(fabsf(result->samples[i]) <= 1);
        at_limit += fabsf(result->samples[i]) == 1;
    }
    ck_assert_uint_eq(result->n_clipped, at_limit);
    ck_assert_uint_gt(at_limit, 100);
    taco_result_unref(result);
    taco_engine_forget(engine, loud);
    test_close_voice(loud);
}
END_TEST

START_TEST(the_frame_limit_grows_with_the_text) {
    /* Six frames a symbol and twenty, and neither gate nor rest ends it. */
    struct taco_voice *endless = test_open_voice("{'model': {'min_steps': 1000}}", 2);
    struct taco_request request = test_request("ab.");
    const struct taco_result *result = test_speak(engine, endless, &request);
    const struct taco_chunk_result *chunk = &result->chunks[0];
    if (chunk->stop_reason == TACO_STOP_MAX_FRAMES)
        ck_assert_uint_eq(chunk->n_frames, 6 * chunk->n_symbols + 20);
    ck_assert_int_ne(chunk->stop_reason, TACO_STOP_GATE);
    ck_assert_uint_le(chunk->n_frames, 6 * chunk->n_symbols + 20);
    taco_result_unref(result);
    request.max_frames = 7;
    result = test_speak(engine, endless, &request);
    ck_assert_uint_eq(result->chunks[0].n_frames, 7);
    ck_assert_int_eq(result->chunks[0].stop_reason, TACO_STOP_MAX_FRAMES);
    ck_assert(!result->diagnostics.ok);
    taco_result_unref(result);
    taco_engine_forget(engine, endless);
    test_close_voice(endless);
}
END_TEST

START_TEST(steps_of_several_frames_and_speakers) {
    struct taco_voice *other = test_open_voice(
        "{'speakers': ['ann', 'bob'], 'model': {'speaker_mode': 'concat', "
        "'speaker_embedding_dim': 4, 'n_frames_per_step': 3, 'gate_dim': 3, "
        "'firing_frame': 'drop', 'postnet_n_convolutions': 0}}",
        3);
    struct taco_request request = test_request("two speakers.");
    request.max_frames = 40;
    const struct taco_result *ann = test_speak(engine, other, &request);
    request.speaker = 1;
    const struct taco_result *bob = test_speak(engine, other, &request);
    request.streaming = true;
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    test_job_run(engine, other, &request, &outcome);
    test_outcome_wait(&outcome);
    ck_assert_int_eq(outcome.status, TACO_OK);
    ck_assert(test_results_equal(bob, outcome.result, true));
    const struct taco_chunk_result *a = &ann->chunks[0], *b = &bob->chunks[0];
    ck_assert(a->n_frames == 3 * a->n_steps || a->n_frames == 3 * (a->n_steps - 1));
    ck_assert(memcmp(a->mel, b->mel, 16 * sizeof(float)) != 0);
    taco_result_unref(ann);
    taco_result_unref(bob);
    test_outcome_free(&outcome);
    taco_engine_forget(engine, other);
    test_close_voice(other);
}
END_TEST

/* A gate that fires at the first step, whose frame is not even appended: silence, not a
 * crash. */
START_TEST(a_chunk_may_have_no_frame) {
    struct taco_voice *mute = test_open_voice(
        "{'model': {'firing_frame': 'drop', 'gate_threshold': 0.0001}}", 1);
    for (int streaming = 0; streaming < 2; streaming++) {
        struct taco_request request = test_request("nothing. at all.");
        request.gate_threshold = 0.01f;
        request.streaming = streaming;
        struct test_outcome outcome;
        test_outcome_init(&outcome);
        test_job_run(engine, mute, &request, &outcome);
        test_outcome_wait(&outcome);
        ck_assert_int_eq(outcome.status, TACO_OK);
        char *bytes;
        size_t size;
        for (int form = 0; form <= TACO_FORMAT_MEL_PNG; form++) {
            ck_assert_int_eq(
                taco_result_write(outcome.result, form, NULL, &bytes, &size, NULL),
                TACO_OK);
            free(bytes);
        }
        test_outcome_free(&outcome);
    }
    taco_engine_forget(engine, mute);
    test_close_voice(mute);
}
END_TEST

/* -- books --------------------------------------------------------------------------- */

START_TEST(statistics_add_up) {
    struct taco_request request = test_request("one. two. three.");
    request.max_frames = 30;
    double seconds = 0;
    uint64_t frames = 0;
    for (int i = 0; i < 3; i++) {
        const struct taco_result *result = test_speak(engine, voice, &request);
        seconds += (double)result->n_samples / 16000;
        for (uint32_t c = 0; c < result->n_chunks; c++)
            frames += result->chunks[c].n_steps;
        taco_result_unref(result);
    }
    struct test_outcome outcome;
    test_outcome_init(&outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(&outcome);
    struct taco_job *job;
    ck_assert_int_eq(taco_job_create(&job, engine, voice, &request, &callbacks, NULL),
                     TACO_OK);
    ck_assert_uint_eq(taco_job_seed(job), 7);
    uint32_t n_done = 9, n_all = 9;
    uint64_t n_frames = 9;
    taco_job_progress(job, &n_done, &n_all, &n_frames);
    ck_assert(n_done == 0 && n_all == 0 && n_frames == 0);
    struct taco_engine_stats stats;
    taco_engine_stats(engine, &stats);
    ck_assert_uint_eq(stats.jobs_done, 3);
    ck_assert_int_eq(stats.jobs_queued, 1);
    ck_assert_int_eq(stats.jobs_running, 0);
    ck_assert_int_eq(stats.rows_active, 0);
    ck_assert_uint_eq(stats.frames, frames);
    ck_assert_uint_le(stats.decoder_steps, frames);
    ck_assert_double_eq_tol(stats.audio_seconds, seconds, 1e-9);
    ck_assert(stats.times.decoder > 0 && stats.times.total > 0);
    taco_job_release(job);
    taco_engine_stats(engine, &stats);
    ck_assert_int_eq(stats.jobs_queued, 0);
    test_outcome_free(&outcome);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("engine");
    TCase *tc = tcase_create("engine");
    tcase_set_timeout(tc, 120);
    tcase_add_checked_fixture(tc, open_all, close_all);
    tcase_add_test(tc, engine_options_have_ranges);
    tcase_add_test(tc, bad_requests_are_refused_at_once);
    tcase_add_test(tc, reserved_members_are_zeros);
    tcase_add_test(tc, bad_texts_are_told_later);
    tcase_add_test(tc, silence_is_a_result);
    tcase_add_test(tc, silence_around_the_speech);
    tcase_add_test(tc, a_result_fits_together);
    tcase_add_test(tc, a_seed_is_drawn_when_none_is_given);
    tcase_add_test(tc, speed_halves_the_duration);
    tcase_add_test(tc, volume_scales_and_clips);
    tcase_add_test(tc, clipped_samples_are_counted);
    tcase_add_test(tc, the_frame_limit_grows_with_the_text);
    tcase_add_test(tc, steps_of_several_frames_and_speakers);
    tcase_add_test(tc, a_chunk_may_have_no_frame);
    tcase_add_test(tc, statistics_add_up);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
