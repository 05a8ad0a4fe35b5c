/* tacod batch: speaks the lines of a list into a folder. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <taco/engine.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workers.h"
#include "cli/batch_list.h"
#include "cli/batch_output.h"
#include "cli/command.h"
#include "cli/progress.h"
#include "config/options.h"
#include "speech/field_flags.h"
#include "voices/voices.h"

/* Threads that encode and write. */
#define N_WRITERS 2
#define MAX_VOICES 16
#define PROGRESS_SECONDS 0.5

/* A voice that lines have named, opened once. */
struct voice {
    char *name; /* NULL: the default one */
    struct taco_voice *voice;
};

struct batch {
    struct taco_options options;
    struct taco_speech speech; /* of the command line */
    struct taco_batch_list list;
    struct taco_batch_output *output;
    struct taco_engine *engine;
    struct taco_workers *writers;
    struct voice voices[MAX_VOICES];
    size_t n_voices;
    size_t n_before; /* done by a run before */
    struct taco_progress progress;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    /* Under the lock. */
    size_t in_flight, n_spoken, n_failed, n_flawed;
    double seconds;          /* of speech */
    struct taco_error fatal; /* what ends the run: the disk is full, ... */
};

/* One line on its way. */
struct item_job {
    struct taco_task write; /* on a thread that writes */
    struct batch *batch;
    const struct taco_batch_item *item;
    struct taco_speech speech;
    const struct taco_result *result; /* or NULL and why */
    struct taco_error why;
};

static void print_help(void) {
    fputs(
        "usage: tacod batch [OPTION]... LIST -o FOLDER\n\n"
        "Speaks every line of LIST (- for standard input) into FOLDER. A line is an id, "
        "a\n"
        "tab or '|', and the text; or a JSON object with \"id\", \"text\" and options of "
        "its\nown, such as \"seed\" and \"speed\". FOLDER gets wavs/, alignments/, "
        "manifest.jsonl,\nmetadata.csv (the form of LJ Speech) and failures.jsonl.\n\n"
        "The same command goes on where a run was ended, and tries again what "
        "failed.\n\n",
        stdout);
    struct taco_field_flags fields = {.use = TACO_FIELD_BATCH};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    taco_options_print_help(stdout, TACO_COMMAND_BATCH, &flags);
    fputs("\nExit codes: 0 all lines are done, 1 failure, 2 wrong option, 3 some lines "
          "cannot be\nspoken: failures.jsonl lists them.\n",
          stdout);
}

/* -- one line ------------------------------------------------------------------------ */

static void job_free(struct item_job *job) {
    taco_result_unref(job->result);
    taco_speech_free(&job->speech);
    taco_free(job);
}

static void fail_item(struct batch *batch, const struct taco_batch_item *item,
                      const struct taco_error *why) {
    struct taco_error err = TACO_ERROR_INIT;
    enum taco_status status = taco_batch_output_fail(batch->output, item, why, &err);
    pthread_mutex_lock(&batch->lock);
    batch->n_failed++;
    if (status && !batch->fatal.status)
        batch->fatal = err;
    pthread_mutex_unlock(&batch->lock);
}

/* A defect of one line lets the others go on; a full disk does not. */
static bool is_fatal(enum taco_status status) {
    return status == TACO_ERR_IO || status == TACO_ERR_NO_MEMORY ||
           status == TACO_ERR_INTERNAL;
}

static void write_item(struct taco_task *task, int worker) {
    (void)worker;
    struct item_job *job = (struct item_job *)(void *)task;
    struct batch *batch = job->batch;
    if (job->result)
        job->why.status = taco_batch_output_write(batch->output, job->item, &job->speech,
                                                  job->result, &job->why);
    bool fatal = is_fatal(job->why.status);
    if (job->why.status && !fatal && job->why.status != TACO_ERR_CANCELLED)
        fail_item(batch, job->item, &job->why);
    pthread_mutex_lock(&batch->lock);
    if (fatal && !batch->fatal.status)
        batch->fatal = job->why;
    if (!job->why.status) {
        batch->n_spoken++;
        batch->n_flawed += !job->result->diagnostics.ok;
        batch->seconds += (double)job->result->n_samples / job->result->sample_rate;
    }
    batch->in_flight--;
    pthread_cond_signal(&batch->changed);
    pthread_mutex_unlock(&batch->lock);
    job_free(job);
}

static void on_done(void *user, enum taco_status status, const struct taco_error *err,
                    const struct taco_result *result) {
    struct item_job *job = user;
    if (status == TACO_OK)
        job->result = taco_result_ref(result);
    else
        job->why = *err;
    taco_workers_add(job->batch->writers, &job->write);
}

static enum taco_status find_voice(struct batch *batch, const char *name,
                                   const struct taco_voice **voice,
                                   struct taco_error *err) {
    for (size_t i = 0; i < batch->n_voices; i++) {
        const char *known = batch->voices[i].name;
        if (known == name || (known && name && strcmp(known, name) == 0)) {
            *voice = batch->voices[i].voice;
            return TACO_OK;
        }
    }
    if (batch->n_voices == MAX_VOICES)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "voice",
                              "more than %d voices in one list", MAX_VOICES);
    struct voice *new = &batch->voices[batch->n_voices];
    char *copy = name ? taco_strdup(name) : NULL;
    if (name && !copy)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "voice", "no memory for a voice");
    enum taco_status status =
        taco_voice_open_named(&new->voice, name, &batch->options, err);
    if (status) {
        taco_free(copy);
        return status;
    }
    new->name = copy;
    *voice = new->voice;
    batch->n_voices++;
    return TACO_OK;
}

/* Begins an item. TACO_ERR_BUSY: no place now. Other failures are the item's own. */
static enum taco_status begin(struct batch *batch, const struct taco_batch_item *item,
                              struct taco_error *err) {
    struct item_job *job = taco_calloc(1, sizeof *job);
    if (!job)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a request");
    job->batch = batch;
    job->item = item;
    job->why = (struct taco_error)TACO_ERROR_INIT;
    job->write.run = write_item;
    const struct taco_voice *voice = NULL;
    const struct taco_callbacks callbacks = {.user = job, .done = on_done};
    struct taco_job *running = NULL;
    /* Codes of the server's own (a wrong type, an unknown speaker) count as wrong options. */
    bool ok = taco_batch_request(&job->speech, &batch->speech, item, err) == 0 &&
              find_voice(batch, job->speech.voice, &voice, err) == TACO_OK &&
              taco_speech_check(&job->speech, voice, err) == 0 &&
              taco_speech_check_audio(&job->speech, voice, err) == 0 &&
              taco_job_create(&running, batch->engine, voice, &job->speech.request,
                              &callbacks, err) == TACO_OK;
    if (!ok) {
        job_free(job);
        return err->status ? err->status : TACO_ERR_INVALID_ARGUMENT;
    }
    pthread_mutex_lock(&batch->lock);
    batch->in_flight++;
    pthread_mutex_unlock(&batch->lock);
    taco_job_start(running);
    taco_job_release(running);
    return TACO_OK;
}

/* -- the list ------------------------------------------------------------------------ */

static void print_progress(const struct batch *batch) {
    size_t done = batch->n_before + batch->n_spoken + batch->n_failed;
    char what[96];
    snprintf(what, sizeof what, "%zu of %zu, %zu failed", done, batch->list.n,
             batch->n_failed);
    taco_progress_show(&batch->progress, (double)batch->n_before, (double)done,
                       (double)batch->list.n, batch->seconds, what);
}

/* Waits until fewer than n items are in flight, or something fatal has happened. */
static bool wait_below(struct batch *batch, size_t n) {
    pthread_mutex_lock(&batch->lock);
    while (batch->in_flight >= n && !batch->fatal.status) {
        struct timespec next;
        clock_gettime(CLOCK_REALTIME, &next);
        next.tv_nsec += (long)(PROGRESS_SECONDS * 1e9);
        next.tv_sec += next.tv_nsec / 1000000000;
        next.tv_nsec %= 1000000000;
        pthread_cond_timedwait(&batch->changed, &batch->lock, &next);
        print_progress(batch);
    }
    bool go_on = !batch->fatal.status;
    pthread_mutex_unlock(&batch->lock);
    return go_on;
}

static enum taco_status speak_all(struct batch *batch, struct taco_error *err) {
    size_t limit = 2 * (size_t)batch->options.rows;
    batch->progress = taco_progress_begin(batch->options.quiet);
    for (size_t i = 0; i < batch->list.n; i++) {
        const struct taco_batch_item *item = &batch->list.items[i];
        if (taco_batch_output_has(batch->output, item)) {
            batch->n_before++;
            continue;
        }
        if (!wait_below(batch, limit))
            break;
        struct taco_error why;
        enum taco_status status;
        size_t others;
        do { /* TACO_ERR_BUSY: the memory is taken by others, which give it back */
            pthread_mutex_lock(&batch->lock);
            others = batch->in_flight;
            pthread_mutex_unlock(&batch->lock);
            why = (struct taco_error)TACO_ERROR_INIT;
            status = begin(batch, item, &why);
        } while (status == TACO_ERR_BUSY && others && wait_below(batch, others));
        if (status)
            fail_item(batch, item, &why);
    }
    wait_below(batch, 1);
    taco_progress_clear(&batch->progress);
    if (batch->fatal.status)
        return taco_error_set(err, batch->fatal.status, batch->fatal.param, "%s",
                              batch->fatal.message);
    return taco_batch_output_finish(batch->output, &batch->list, err);
}

static void print_summary(const struct batch *batch, double elapsed) {
    if (batch->options.quiet)
        return;
    fprintf(stderr,
            "%zu spoken (%.1f s of speech in %.1f s), %zu done before, %zu failed%s\n",
            batch->n_spoken, batch->seconds, elapsed, batch->n_before, batch->n_failed,
            batch->n_failed ? ": failures.jsonl lists them" : "");
    if (batch->n_flawed)
        fprintf(stderr,
                "in %zu of them the attention failed in places: \"ok\" is false in the "
                "manifest; --max-attempts 3 tries other seeds\n",
                batch->n_flawed);
}

static enum taco_status run(struct batch *batch, struct taco_error *err) {
    const struct taco_strings *arguments = &batch->options.arguments;
    if (arguments->n != 1 || !batch->options.output)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, NULL,
                              "give a list and -o FOLDER; tacod batch --help tells more");
    struct taco_engine_options engine = taco_engine_options_default();
    engine.n_threads = batch->options.threads;
    engine.max_rows = batch->options.rows;
    engine.max_jobs = 2 * batch->options.rows;
    double begun = taco_clock_now();
    enum taco_status status =
        taco_batch_list_read(&batch->list, arguments->items[0], err);
    if (!status)
        status = taco_batch_output_open(&batch->output, batch->options.output,
                                        &batch->options.alignments, &batch->speech, err);
    if (!status)
        status = taco_engine_create(&batch->engine, &engine, err);
    if (!status)
        status = taco_workers_create(&batch->writers, N_WRITERS, err);
    const struct taco_voice *voice;
    if (!status) /* a voice that cannot be opened is no fault of a line */
        status = find_voice(batch, batch->speech.voice, &voice, err);
    if (!status)
        status = speak_all(batch, err);
    if (!status)
        print_summary(batch, taco_clock_now() - begun);
    taco_engine_destroy(batch->engine);
    taco_workers_destroy(batch->writers);
    for (size_t i = 0; i < batch->n_voices; i++) {
        taco_voice_close(batch->voices[i].voice);
        taco_free(batch->voices[i].name);
    }
    taco_batch_output_close(batch->output);
    taco_batch_list_free(&batch->list);
    return status;
}

int taco_command_batch(int argc, char **argv) {
    struct batch batch = {.lock = PTHREAD_MUTEX_INITIALIZER,
                          .changed = PTHREAD_COND_INITIALIZER,
                          .fatal = TACO_ERROR_INIT};
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    taco_speech_init(&batch.speech);
    struct taco_field_flags fields = {&batch.speech, TACO_FIELD_BATCH};
    const struct taco_more_flags flags = taco_field_flags(&fields);
    enum taco_status status =
        taco_options_read(&batch.options, TACO_COMMAND_BATCH, argc, argv, &flags, &err);
    if (!status && batch.options.help)
        print_help();
    else if (status || run(&batch, &err))
        code = taco_command_fail("batch", &err);
    else if (batch.n_failed)
        code = TACO_EXIT_TEXT;
    taco_speech_free(&batch.speech);
    taco_options_free(&batch.options);
    return code;
}
