#include "support/jobs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/numbers.h"
#include "support/voice_file.h"

static _Noreturn void give_up(const char *what, const struct taco_error *err) {
    fprintf(stderr, "test job: %s: %s\n", what, err ? err->message : "");
    abort();
}

/* -- voices -----------------------------------------------------------------------------
 */

/* The bytes must stay while the voice is open. */
static struct {
    struct taco_voice *voice;
    void *bytes;
} open_voices[16];

struct taco_voice *test_open_voice(const char *overrides, uint64_t seed) {
    size_t i = 0, size;
    while (open_voices[i].voice)
        if (++i == sizeof open_voices / sizeof *open_voices)
            give_up("too many voices are open", NULL);
    struct test_voice file;
    test_voice_init(&file, overrides, seed);
    open_voices[i].bytes = test_voice_bytes(&file, &size);
    test_voice_free(&file);
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_voice_open_memory(&open_voices[i].voice, open_voices[i].bytes, size, NULL,
                               &err) != TACO_OK)
        give_up("voice", &err);
    return open_voices[i].voice;
}

void test_close_voice(struct taco_voice *voice) {
    size_t i = 0;
    while (open_voices[i].voice != voice)
        i++;
    taco_voice_close(voice);
    free(open_voices[i].bytes);
    open_voices[i].voice = NULL;
}

/* -- outcomes ------------------------------------------------------------------------ */

void test_outcome_init(struct test_outcome *outcome) {
    memset(outcome, 0, sizeof *outcome);
    pthread_mutex_init(&outcome->lock, NULL);
    pthread_cond_init(&outcome->ended, NULL);
}

bool test_outcome_wait_for(struct test_outcome *outcome, double seconds) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)seconds;
    until.tv_nsec += (long)(1e9 * (seconds - (double)(time_t)seconds));
    if (until.tv_nsec >= 1000000000L) {
        until.tv_nsec -= 1000000000L;
        until.tv_sec++;
    }
    int state = 0;
    pthread_mutex_lock(&outcome->lock);
    while (outcome->n_done == 0 && state != ETIMEDOUT)
        state = pthread_cond_timedwait(&outcome->ended, &outcome->lock, &until);
    bool done = outcome->n_done > 0;
    pthread_mutex_unlock(&outcome->lock);
    return done;
}

void test_outcome_wait(struct test_outcome *outcome) {
    if (!test_outcome_wait_for(outcome, 300))
        give_up("no end after 300 seconds", NULL);
}

void test_outcome_free(struct test_outcome *outcome) {
    taco_result_unref(outcome->result);
    free(outcome->samples);
    pthread_cond_destroy(&outcome->ended);
    pthread_mutex_destroy(&outcome->lock);
}

static void enter(struct test_outcome *outcome) {
    pthread_mutex_lock(&outcome->lock);
    outcome->overlapped = outcome->overlapped || outcome->in_callback;
    outcome->in_callback = true;
    pthread_mutex_unlock(&outcome->lock);
}

static int on_audio(void *user, const float *samples, size_t n) {
    struct test_outcome *outcome = user;
    enter(outcome);
    float *all = realloc(outcome->samples, (outcome->n_samples + n) * sizeof *all);
    if (!all)
        give_up("no memory", NULL);
    memcpy(all + outcome->n_samples, samples, n * sizeof *all);
    pthread_mutex_lock(&outcome->lock);
    outcome->samples = all;
    outcome->n_samples += n;
    outcome->n_calls++;
    outcome->in_callback = false;
    bool stop = outcome->cancel_after > 0 && outcome->n_samples >= outcome->cancel_after;
    pthread_mutex_unlock(&outcome->lock);
    return stop;
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct test_outcome *outcome = user;
    enter(outcome);
    pthread_mutex_lock(&outcome->lock);
    outcome->in_callback = false;
    outcome->n_done++;
    outcome->status = status;
    if (err)
        outcome->err = *err;
    if (result && !outcome->result)
        outcome->result = taco_result_ref(result);
    pthread_cond_broadcast(&outcome->ended);
    pthread_mutex_unlock(&outcome->lock);
}

struct taco_callbacks test_outcome_callbacks(struct test_outcome *outcome) {
    return (struct taco_callbacks){.user = outcome, .audio = on_audio, .done = on_done};
}

/* -- jobs ---------------------------------------------------------------------------- */

struct taco_request test_request(const char *text) {
    struct taco_request request = taco_request_default();
    request.text = text;
    request.text_length = strlen(text);
    request.has_seed = true;
    request.seed = 7;
    request.vocoder.n_iter = 2;
    return request;
}

void test_job_run(struct taco_engine *engine, const struct taco_voice *voice,
                  const struct taco_request *request, struct test_outcome *outcome) {
    struct taco_callbacks callbacks = test_outcome_callbacks(outcome);
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_job *job;
    if (taco_job_create(&job, engine, voice, request, &callbacks, &err) != TACO_OK)
        give_up("create", &err);
    taco_job_start(job);
    taco_job_release(job);
}

const struct taco_result *test_speak(struct taco_engine *engine,
                                     const struct taco_voice *voice,
                                     const struct taco_request *request) {
    const struct taco_result *result;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_engine_speak(engine, voice, request, &result, &err) != TACO_OK)
        give_up("speak", &err);
    return result;
}

/* -- comparison ---------------------------------------------------------------------- */

static bool same(const char *what, uint32_t chunk, const float *a, const float *b,
                 size_t n) {
    if (memcmp(a, b, n * sizeof *a) == 0)
        return true;
    size_t i = 0;
    while (memcmp(&a[i], &b[i], sizeof *a) == 0)
        i++;
    printf("chunk %u: %s differs first at %zu of %zu: %.9g, %.9g\n", chunk, what, i, n,
           (double)a[i], (double)b[i]);
    return false;
}

bool test_results_equal(const struct taco_result *a, const struct taco_result *b,
                        bool without_audio) {
    size_t n_mels = (size_t)taco_voice_info(a->voice)->n_mels;
    if (a->n_chunks != b->n_chunks || a->n_samples != b->n_samples ||
        a->seed != b->seed) {
        printf("%u and %u chunks, %llu and %llu samples\n", a->n_chunks, b->n_chunks,
               (unsigned long long)a->n_samples, (unsigned long long)b->n_samples);
        return false;
    }
    for (uint32_t i = 0; i < a->n_chunks; i++) {
        const struct taco_chunk_result *x = &a->chunks[i], *y = &b->chunks[i];
        if (x->n_steps != y->n_steps || x->n_frames != y->n_frames ||
            x->n_symbols != y->n_symbols || x->seed != y->seed ||
            x->attempts != y->attempts || x->stop_reason != y->stop_reason ||
            x->first_sample != y->first_sample || x->n_samples != y->n_samples) {
            printf("chunk %u: %u and %u steps\n", i, x->n_steps, y->n_steps);
            return false;
        }
        if (!same("mel", i, x->mel, y->mel, x->n_frames * n_mels) ||
            !same("gate", i, x->gate, y->gate, x->n_steps) ||
            !same("alignment", i, x->alignment, y->alignment,
                  (size_t)x->n_steps * x->n_symbols))
            return false;
    }
    return without_audio || same("audio", 0, a->samples, b->samples, a->n_samples);
}

struct taco_engine *test_make_engine(int n_threads, int max_rows, int max_jobs) {
    struct taco_engine_options options = taco_engine_options_default();
    options.n_threads = n_threads;
    options.max_rows = max_rows;
    options.max_jobs = max_jobs;
    struct taco_engine *engine;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_engine_create(&engine, &options, &err) != TACO_OK)
        give_up("taco_engine_create", &err);
    return engine;
}

char *test_make_text(uint64_t seed, int n) {
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

void test_check_ended(struct test_outcome *outcome, enum taco_status status) {
    test_outcome_wait(outcome);
    bool failed = status != TACO_OK;
    if (outcome->status != status || outcome->n_done != 1 || outcome->overlapped ||
        (outcome->result == NULL) != failed)
        give_up(taco_status_name(outcome->status), &outcome->err);
    if (failed && (outcome->err.status != status || strlen(outcome->err.message) <= 10))
        give_up("a failure that is not told", &outcome->err);
}

struct taco_job *test_job_begin(struct taco_engine *engine,
                                const struct taco_voice *voice,
                                const struct taco_request *request,
                                struct test_outcome *outcome) {
    test_outcome_init(outcome);
    struct taco_callbacks callbacks = test_outcome_callbacks(outcome);
    struct taco_job *job;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_job_create(&job, engine, voice, request, &callbacks, &err) != TACO_OK)
        give_up("taco_job_create", &err);
    taco_job_start(job);
    return job;
}
