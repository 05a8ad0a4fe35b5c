/* Jobs for tests: a small voice opened in memory, and callbacks that keep what they get.
 */
#ifndef TACO_TESTS_JOBS_H
#define TACO_TESTS_JOBS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/engine.h>

/* Overrides of a voice whose sentences end at the frame limit only. */
#define TEST_ENDLESS                                                                     \
    "{'model': {'gate_threshold': 0.99999, 'max_frames_base': 20000, 'min_steps': "      \
    "1000}}"

/* A voice of random weights (support/voice_file.h) with the overrides; test_close_voice
 * ends it. What goes wrong ends the program. */
struct taco_voice *test_open_voice(const char *overrides, uint64_t seed);
void test_close_voice(struct taco_voice *voice);

/* What became of a job. */
struct test_outcome {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int n_done; /* calls of the done callback */
    enum taco_status status;
    struct taco_error err;
    const struct taco_result *result; /* a reference of its own */
    float *samples;                   /* [n_samples] that the audio callback got */
    size_t n_samples, n_calls;
    size_t
        cancel_after; /* samples after which the audio callback asks to stop; 0: never */
    bool in_callback; /* to see that no two run at once */
    bool overlapped;
};

void test_outcome_init(struct test_outcome *outcome);
/* Waits for done. */
void test_outcome_wait(struct test_outcome *outcome);
/* False if done has not come after so many seconds. */
bool test_outcome_wait_for(struct test_outcome *outcome, double seconds);
void test_outcome_free(struct test_outcome *outcome);
/* Callbacks that write to it. */
struct taco_callbacks test_outcome_callbacks(struct test_outcome *outcome);

/* Looks that the job has ended, once, with that status, and told why if it failed. */
void test_check_ended(struct test_outcome *outcome, enum taco_status status);

/* taco_engine_destroy ends it. */
struct taco_engine *test_make_engine(int n_threads, int max_rows, int max_jobs);

/* n sentences of a few words each, from the seed; free(). */
char *test_make_text(uint64_t seed, int n);

/* A request for text with a seed of 7; the text is borrowed. */
struct taco_request test_request(const char *text);

/* Creates, starts and releases a job; the outcome has been initialised. The program ends
 * when the job cannot be created. */
void test_job_run(struct taco_engine *engine, const struct taco_voice *voice,
                  const struct taco_request *request, struct test_outcome *outcome);

/* Creates and starts a job, which the caller releases; initialises the outcome. */
struct taco_job *test_job_begin(struct taco_engine *engine,
                                const struct taco_voice *voice,
                                const struct taco_request *request,
                                struct test_outcome *outcome);

/* Speaks and waits; unref. The program ends when it fails. */
const struct taco_result *test_speak(struct taco_engine *engine,
                                     const struct taco_voice *voice,
                                     const struct taco_request *request);

/* Whether two results have the same bits: chunks, mel, gate, alignment and, unless
 * without_audio, samples. Prints what differs. */
bool test_results_equal(const struct taco_result *a, const struct taco_result *b,
                        bool without_audio);

#endif
