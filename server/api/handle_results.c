/* GET /v1/speech/{id} and what hangs below it: results that are kept. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workers.h"
#include "config/options.h"
#include "http/conditional.h"
#include "http/media_type.h"
#include "http/problem.h"
#include "http/reply.h"
#include "speech/budget.h"
#include "speech/negotiate.h"
#include "speech/payload.h"
#include "speech/request.h"
#include "speech/speech_state.h"

/* The last piece of the path, "alignment.svg", and what it is. */
static const struct form {
    const char *name;
    enum taco_result_format format;
} forms[] = {
    {"alignment", TACO_FORMAT_ALIGNMENT_JSON},
    {"alignment.json", TACO_FORMAT_ALIGNMENT_JSON},
    {"alignment.svg", TACO_FORMAT_ALIGNMENT_SVG},
    {"alignment.png", TACO_FORMAT_ALIGNMENT_PNG},
    {"alignment.npy", TACO_FORMAT_ALIGNMENT_NPY},
    {"alignment.srt", TACO_FORMAT_SRT},
    {"alignment.vtt", TACO_FORMAT_VTT},
    {"alignment.TextGrid", TACO_FORMAT_TEXTGRID},
    {"mel", TACO_FORMAT_MEL_NPY},
    {"mel.npy", TACO_FORMAT_MEL_NPY},
    {"mel.png", TACO_FORMAT_MEL_PNG},
};

/* What a client wants of a kept result; the exchange's state while a worker makes it. */
struct want {
    struct taco_exchange *x;
    struct taco_kept *kept; /* a reference */
    struct taco_speech speech;
    enum taco_response_form response;
    const struct form *form; /* NULL: the audio */
    struct taco_payload payload;
    int problem;
    struct taco_error err;
    struct taco_task task;
};

static void free_want(void *state) {
    struct want *w = state;
    taco_kept_release(w->kept);
    taco_free(w->payload.bytes);
    taco_speech_free(&w->speech);
    taco_free(w);
}

/* -- making it, on a worker of the server -------------------------------------------- */

/* The audio in the form that is wanted; kept->audio is it if that was so encoded. */
static int make_audio(struct want *w) {
    const struct taco_audio_options *options = &w->speech.audio;
    const struct taco_result *result = w->kept->result;
    void *audio = NULL;
    size_t size = 0;
    int problem = taco_encode_result(result, options, &audio, &size, &w->err);
    if (!problem && w->response == TACO_RESPONSE_AUDIO) {
        w->payload.bytes = audio;
        w->payload.size = size;
        taco_audio_type_of(result, options, w->payload.media_type,
                           sizeof w->payload.media_type);
        return 0;
    }
    if (!problem)
        problem = taco_payload_make(&w->payload, w->response, w->kept->id, result,
                                    options, audio, size, w->speech.matrix, &w->err);
    taco_free(audio);
    return problem;
}

static int make_form(struct want *w) {
    struct taco_format_options options = taco_format_options_default();
    options.matrix = w->speech.matrix;
    options.id = w->kept->id;
    char *bytes;
    enum taco_status status = taco_result_write(
        w->kept->result, w->form->format, &options, &bytes, &w->payload.size, &w->err);
    if (status == TACO_OK)
        w->payload.bytes = bytes;
    snprintf(w->payload.media_type, sizeof w->payload.media_type, "%s",
             taco_result_media_type(w->form->format));
    return status;
}

static void make(struct taco_task *task, int worker) {
    (void)worker;
    struct want *w = (struct want *)(void *)((char *)task - offsetof(struct want, task));
    struct taco_exchange *x = w->x;
    w->problem = w->form ? make_form(w) : make_audio(w);
    if (!w->problem)
        taco_etag_of(w->payload.bytes, w->payload.size, w->payload.etag);
    taco_exchange_resume(x);
    taco_exchange_end(x);
}

/* Short work: it ends by itself. */
static void cancel(struct taco_exchange *x) {
    (void)x;
}

static enum MHD_Result on_resumed(struct taco_exchange *x) {
    struct want *w = x->state;
    if (w->problem)
        return taco_reply_problem(x, w->problem, &w->err);
    struct taco_part part = taco_part_select(x, w->payload.etag, w->payload.size, true);
    if (part.status == MHD_HTTP_RANGE_NOT_SATISFIABLE)
        return taco_part_refuse(x, &part);
    void *bytes = w->payload.bytes;
    w->payload.bytes = NULL; /* the response's now */
    struct MHD_Response *response =
        taco_part_response(x, &part, w->payload.etag, true, bytes, taco_free, bytes);
    if (response) {
        const char *ending = w->form ? taco_result_extension(w->form->format)
                                     : taco_speech_ending(w->response, &w->speech.audio);
        taco_speech_headers(x, response, w->kept->id, w->kept->result->seed, ending, true,
                            NULL);
        taco_speech_result_headers(response, w->kept->result);
        if (w->form && w->form->format == TACO_FORMAT_ALIGNMENT_SVG)
            /* It holds text of the client: no script may run in it. */
            taco_response_header(
                response, "Content-Security-Policy",
                "default-src 'none'; style-src 'unsafe-inline'; sandbox");
    }
    return taco_reply(x, part.status, response, w->payload.media_type);
}

static enum MHD_Result start(struct want *w) {
    struct taco_exchange *x = w->x;
    int problem =
        taco_budget_take(x, w->kept->result, w->form ? NULL : &w->speech.audio, &w->err);
    if (problem)
        return taco_reply_problem(x, problem, &w->err);
    if (!taco_exchange_begin(x, cancel))
        return taco_reply_problem(x, TACO_PROBLEM_SHUTTING_DOWN, NULL);
    x->resumed = on_resumed;
    w->task.run = make;
    taco_exchange_suspend(x);
    taco_workers_add(x->server->workers, &w->task);
    return MHD_YES;
}

/* -- finding it ---------------------------------------------------------------------- */

static int find_kept(struct taco_exchange *x, struct taco_kept **kept,
                     struct taco_error *err) {
    const char *id = x->arguments[0];
    switch (taco_results_get(x->server->results, id, kept)) {
    case TACO_RESULTS_KEPT:
        snprintf(x->id, sizeof x->id, "%s", (*kept)->id);
        return 0;
    case TACO_RESULTS_PENDING:
        return taco_problem_set(err, TACO_PROBLEM_NOT_READY, "id",
                                "the speech of '%s' is still being made", id);
    case TACO_RESULTS_GONE:
        return taco_problem_set(
            err, TACO_PROBLEM_GONE, "id",
            "the result '%s' had to make room for newer ones (--keep-bytes "
            "%llu): ask for the speech again, with the same seed",
            id, (unsigned long long)x->server->options->keep_bytes);
    default:
        return taco_problem_set(err, TACO_PROBLEM_NOT_FOUND, "id",
                                "there is no result '%s'", id);
    }
}

/* Makes the state, finds the result and reads the query. */
static int prepare(struct taco_exchange *x, const struct form *form, struct want **want,
                   struct taco_error *err) {
    struct want *w = *want = taco_calloc(1, sizeof *w);
    if (!w)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    w->x = x;
    w->form = form;
    w->err = (struct taco_error)TACO_ERROR_INIT;
    taco_speech_init(&w->speech);
    x->state = w;
    x->state_free = free_want;
    unsigned use = !form                                        ? TACO_FIELD_AUDIO
                   : form->format == TACO_FORMAT_ALIGNMENT_JSON ? TACO_FIELD_ALIGNMENT
                                                                : 0;
    int problem = find_kept(x, &w->kept, err);
    struct taco_native_fields fields = {&w->speech, use};
    const struct taco_request_reader reader = {NULL, "", taco_request_set_native,
                                               &fields};
    return problem ? problem : taco_request_read_query(&reader, x->query, err);
}

enum MHD_Result taco_handle_kept_audio(struct taco_exchange *x) {
    struct taco_error err = TACO_ERROR_INIT;
    struct want *w;
    int problem = prepare(x, NULL, &w, &err);
    if (problem)
        return taco_reply_problem(x, problem, &err);
    struct taco_kept *kept = w->kept;
    struct taco_audio_options *wanted = &w->speech.audio;
    const char *accept = taco_exchange_header(x, MHD_HTTP_HEADER_ACCEPT);
    char type[96];
    taco_audio_type_of(kept->result, &kept->options, type, sizeof type);
    /* Without a word to the contrary it comes as it was asked for. */
    if (!w->speech.has_format && taco_accept_quality(accept, type) > 0) {
        w->speech.has_format = true;
        wanted->format = kept->options.format;
        if (!wanted->sample_rate)
            wanted->sample_rate = kept->options.sample_rate;
        if (!wanted->bit_rate)
            wanted->bit_rate = kept->options.bit_rate;
    }
    problem = taco_negotiate(accept, &w->speech, &w->response, &err);
    if (!problem && w->response == TACO_RESPONSE_EVENTS)
        problem = taco_problem_set(&err, TACO_PROBLEM_NOT_ACCEPTABLE, "Accept",
                                   "what is finished has no events");
    if (!problem)
        problem = taco_speech_check_audio(&w->speech, kept->result->voice, &err);
    if (problem)
        return taco_reply_problem(x, problem, &err);
    bool same = kept->audio && wanted->format == kept->options.format &&
                wanted->sample_rate == kept->options.sample_rate &&
                wanted->bit_rate == kept->options.bit_rate;
    if (!same || w->response != TACO_RESPONSE_AUDIO)
        return start(w);
    struct taco_part part = taco_part_select(x, kept->etag, kept->audio_size, true);
    if (part.status == MHD_HTTP_RANGE_NOT_SATISFIABLE)
        return taco_part_refuse(x, &part);
    struct MHD_Response *response =
        taco_part_response(x, &part, kept->etag, true, kept->audio, taco_kept_release_any,
                           taco_kept_ref(kept));
    if (response) {
        taco_speech_headers(x, response, kept->id, kept->result->seed,
                            taco_audio_format_name(kept->options.format), true, NULL);
        taco_speech_result_headers(response, kept->result);
    }
    return taco_reply(x, part.status, response, type);
}

static const struct form *find_form(const char *name) {
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].name, name) == 0)
            return &forms[i];
    return NULL;
}

bool taco_kept_form_exists(const struct taco_exchange *x) {
    return find_form(x->arguments[1]) != NULL;
}

enum MHD_Result taco_handle_kept_form(struct taco_exchange *x) {
    struct taco_error err = TACO_ERROR_INIT;
    struct want *w;
    int problem = prepare(x, find_form(x->arguments[1]), &w, &err);
    return problem ? taco_reply_problem(x, problem, &err) : start(w);
}
