/* What every request for speech has in common, whoever read it. */
#include "speech/speech_state.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "config/options.h"
#include "http/base_path.h"
#include "http/error_code.h"
#include "http/metrics.h"
#include "http/reply.h"

static void free_state(void *state) {
    struct taco_speech_state *s = state;
    taco_turns_leave(s->x->server->turns, &s->turn);
    taco_speech_stream_free(s->stream);
    taco_audio_writer_abort(s->writer);
    taco_bytes_free(&s->audio);
    taco_job_release(s->job);
    taco_result_unref(s->result);
    taco_cached_release(s->cached);
    taco_cached_release(s->hit);
    taco_free(s->payload.bytes);
    taco_speech_free(&s->speech);
    taco_free(s->own);
    taco_budget_close(&s->budget);
    taco_free(s);
}

struct taco_speech_state *taco_speech_state_create(struct taco_exchange *x,
                                                   const struct taco_compat *compat) {
    struct taco_speech_state *s = taco_calloc(1, sizeof *s);
    if (!s)
        return NULL;
    s->x = x;
    s->compat = compat;
    s->err = (struct taco_error)TACO_ERROR_INIT;
    s->deadline = x->start + x->server->options->timeout;
    atomic_init(&s->stopping, false);
    taco_budget_open(&s->budget, &x->server->budget, x->server->options->response_bytes);
    taco_speech_init(&s->speech);
    s->speech.request.text_options.allow_silence = compat->allows_silence;
    s->speech.request.text_options.input = compat->input;
    x->state = s;
    x->state_free = free_state;
    return s;
}

void taco_speech_ignore(struct taco_speech_state *s, const char *name) {
    static const char more[] = "...";
    size_t n = strlen(s->ignored);
    for (const char *c = name; *c; c++)
        if ((unsigned char)*c <= ' ' || (unsigned char)*c >= 0x7F || *c == ',')
            return; /* it cannot stand in a header */
    if (n >= 3 && strcmp(s->ignored + n - 3, more) == 0)
        return;
    if (n + strlen(name) + sizeof ", , ..." > sizeof s->ignored)
        name = more;
    snprintf(s->ignored + n, sizeof s->ignored - n, "%s%s", n ? ", " : "", name);
}

/* The server's limits are the most that a request may ask for. */
static int apply_limits(const struct taco_server *server, struct taco_speech *speech,
                        struct taco_error *err) {
    struct taco_request *request = &speech->request;
    if (request->text_length > server->options->max_text)
        return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                              "the text has %zu bytes, at most %llu are spoken at once",
                              request->text_length,
                              (unsigned long long)server->options->max_text);
    if (request->timeout > server->options->timeout)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "timeout",
                              "timeout is %g seconds: this server allows at most %g",
                              request->timeout, server->options->timeout);
    if (request->timeout == 0)
        request->timeout = server->options->timeout;
    if (request->text_options.max_bytes < request->text_length)
        request->text_options.max_bytes = (uint32_t)request->text_length;
    return 0;
}

int taco_speech_unknown_voice(const struct taco_exchange *x, enum taco_error_code code,
                              const char *param, const char *name,
                              struct taco_error *err) {
    char names[128];
    taco_voices_list(x->voices, names, sizeof names);
    return taco_error_code_set(err, code, param,
                               "there is no voice '%.64s': there are %s", name, names);
}

int taco_speech_find_voice(struct taco_speech_state *s, const char *name) {
    s->voice = taco_voices_find(s->x->voices, name);
    if (s->voice) {
        snprintf(s->x->record.voice, sizeof s->x->record.voice, "%s", s->voice->name);
        return 0;
    }
    return taco_speech_unknown_voice(s->x, TACO_CODE_UNKNOWN_VOICE, "voice", name,
                                     &s->err);
}

int taco_speech_check_all(struct taco_speech_state *s) {
    struct taco_error *err = &s->err;
    int code = apply_limits(s->x->server, &s->speech, err);
    if (!code)
        code = taco_speech_check(&s->speech, s->voice->voice, err);
    if (!code)
        code = taco_speech_check_audio(&s->speech, s->voice->voice, err);
    return code;
}

/* A player asks for one address piece by piece, Safari's first for bytes 0 to 1. The pieces
 * must be of the same audio, though nobody has given a seed: so the seed is one that is
 * drawn for this client and this run of the daemon, and the cache has the rest. A client
 * that begins elsewhere may be resuming a download of other audio. */
static void fix_seed(struct taco_speech_state *s) {
    const struct taco_exchange *x = s->x;
    struct taco_request *request = &s->speech.request;
    const char *range = taco_exchange_header(x, MHD_HTTP_HEADER_RANGE);
    if (request->has_seed || request->streaming || !range ||
        strncasecmp(range, "bytes=", 6) != 0 ||
        strcmp(x->method, MHD_HTTP_METHOD_GET) != 0)
        return;
    uint64_t seed;
    memcpy(&seed, &x->server->metrics->start_time, sizeof seed);
    seed = (seed ^ x->client) * UINT64_C(0x9E3779B97F4A7C15);
    request->has_seed = true;
    request->seed = (seed ^ seed >> 32) & TACO_SEED_MAX;
    s->is_piece = strncmp(range + 6, "0-", 2) != 0;
}

enum MHD_Result taco_speech_start(struct taco_speech_state *s, int code) {
    struct taco_exchange *x = s->x;
    taco_bytes_free(&x->body); /* the speech has its own copy of the text */
    if (atomic_load(&x->server->draining))
        return taco_reply_error(x, TACO_CODE_SHUTTING_DOWN, NULL);
    if (code)
        return taco_speech_reply_error(s, code);
    atomic_fetch_add_explicit(&x->server->metrics->text_bytes,
                              s->speech.request.text_length, memory_order_relaxed);
    taco_id_draw(x->id); /* an answer from the cache has the id of the result */
    struct taco_request *request = &s->speech.request;
    s->deadline = x->start + request->timeout;
    request->client = x->client;
    if (!request->has_seed && x->server->options->default_seed >= 0) {
        request->has_seed = true;
        request->seed = (uint64_t)x->server->options->default_seed;
    }
    fix_seed(s);
    if (x->server->options->log_text)
        x->record.text = taco_strdup(s->speech.text);
    return request->streaming ? taco_speech_stream_start(s) : taco_speech_whole_start(s);
}

/* The most memory that the answer may take, which the engine counts towards --max-memory:
 * audio, its base64, and the entries and matrices of the alignment JSON. */
static struct taco_cost cost_of(const struct taco_speech_state *s) {
    const struct taco_audio_options *audio = &s->speech.audio;
    struct taco_cost cost =
        taco_audio_cost(audio, taco_voice_info(s->voice->voice)->sample_rate);
    if (s->form == TACO_RESPONSE_AUDIO)
        return cost;
    cost.per_second *= 1 + 4 / 3.0;
    cost.per_symbol = 1000;
    cost.per_weight = s->speech.matrix == TACO_MATRIX_ARRAYS ? 2 * 9
                      : s->speech.matrix == TACO_MATRIX_F16  ? 2 * 8 / 3.0
                                                             : 0;
    return cost;
}

enum taco_status taco_speech_create_job(struct taco_speech_state *s,
                                        const struct taco_callbacks *callbacks) {
    struct taco_exchange *x = s->x;
    s->speech.request.answer = cost_of(s);
    enum taco_status status = taco_job_create(&s->job, x->server->engine, s->voice->voice,
                                              &s->speech.request, callbacks, &s->err);
    if (status)
        return status;
    x->record.has_seed = true;
    x->record.seed = taco_job_seed(s->job);
    return TACO_OK;
}

void taco_speech_cancel(struct taco_exchange *x) {
    struct taco_speech_state *s = x->state;
    atomic_store(&s->stopping, true);
    if (s->job)
        taco_job_cancel(s->job);
}

int taco_speech_stopped(struct taco_speech_state *s) {
    if (atomic_load(&s->stopping))
        return taco_error_set(&s->err, TACO_ERR_CANCELLED, NULL,
                              "the request was cancelled");
    if (taco_clock_now() > s->deadline)
        return taco_error_set(&s->err, TACO_ERR_TIMEOUT, NULL,
                              "the answer was not finished in time");
    return 0;
}

int taco_speech_enter(struct taco_speech_state *s,
                      enum MHD_Result (*resumed)(struct taco_exchange *x),
                      void (*cancel)(struct taco_exchange *x)) {
    struct taco_exchange *x = s->x;
    enum taco_status status =
        taco_turns_enter(x->server->turns, x->client, &s->turn, &s->err);
    if (status)
        return status;
    if (!taco_exchange_begin(x, cancel))
        return TACO_CODE_SHUTTING_DOWN;
    x->resumed = resumed;
    return 0;
}

enum MHD_Result taco_speech_go(struct taco_speech_state *s) {
    taco_exchange_suspend(s->x);
    /* Either may resume the connection before it returns. */
    if (s->job)
        taco_job_start(s->job);
    else
        taco_speech_work(s);
    return MHD_YES;
}

void taco_speech_work(struct taco_speech_state *s) {
    struct taco_server *server = s->x->server;
    s->task.priority = taco_turns_priority(server->turns, &s->turn);
    taco_workers_add(server->workers, &s->task);
}

struct taco_speech_state *taco_speech_of_task(struct taco_task *task) {
    return (struct taco_speech_state *)(void *)((char *)task -
                                                offsetof(struct taco_speech_state, task));
}

enum MHD_Result taco_speech_reply_error(struct taco_speech_state *s, int code) {
    if (code == TACO_ERR_CANCELLED && atomic_load(&s->x->is_left))
        return taco_reply_error(s->x, TACO_CODE_CLIENT_CLOSED, NULL);
    const struct taco_compat *d = s->compat;
    const struct {
        const char *native, *theirs;
    } names[] = {{"text", d->text}, {"format", d->format}, {"speaker", d->speaker}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].theirs && strcmp(s->err.param, names[i].native) == 0) {
            snprintf(s->err.param, sizeof s->err.param, "%s", names[i].theirs);
            break;
        }
    return taco_reply_error(s->x, code, &s->err);
}

void taco_speech_own_headers(const struct taco_speech_state *s,
                             struct MHD_Response *response) {
    if (*s->ignored)
        taco_response_header(response, "X-Taco-Ignored", "%s", s->ignored);
    if (s->cache)
        taco_response_header(response, "X-Cache", "%s", s->cache);
    if (s->compat->headers)
        s->compat->headers(s, response);
}

void taco_speech_result_headers(struct MHD_Response *response,
                                const struct taco_result *result) {
    const struct taco_text *text = result->text;
    char flaws[96] = "";
    for (int i = 0; i < TACO_N_FLAWS; i++)
        if (result->diagnostics.flaws >> i & 1) {
            size_t n = strlen(flaws);
            snprintf(flaws + n, sizeof flaws - n, "%s%s", n ? ", " : "",
                     taco_flaw_name((enum taco_flaw)(1 << i)));
        }
    if (*flaws)
        taco_response_header(response, "X-Taco-Flaws", "%s", flaws);
    int attempts = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        if (result->chunks[i].attempts > attempts)
            attempts = result->chunks[i].attempts;
    if (attempts > 1)
        taco_response_header(response, "X-Taco-Attempts", "%d", attempts);
    uint32_t n_dropped = 0;
    for (uint32_t i = 0; i < text->n_notes; i++)
        if (text->notes[i].kind == TACO_NOTE_DROPPED)
            n_dropped += text->notes[i].span.end_cp - text->notes[i].span.begin_cp;
    if (n_dropped)
        taco_response_header(response, "X-Taco-Dropped", "%u", (unsigned)n_dropped);
}

void taco_speech_headers(const struct taco_exchange *x, struct MHD_Response *response,
                         const char *id, uint64_t seed, const char *ending,
                         bool alignment, const struct taco_stage_times *times) {
    taco_response_header(response, "X-Taco-Id", "%s", id);
    taco_response_header(response, "X-Taco-Seed", "%llu", (unsigned long long)seed);
    taco_response_header(response, MHD_HTTP_HEADER_CONTENT_DISPOSITION,
                         "inline; filename=\"%s.%s\"", id, ending);
    if (alignment)
        taco_response_header(response, "Link",
                             "<%s/v1/speech/%s/alignment>; rel=\"alignment\"; "
                             "type=\"application/json\"",
                             taco_base_path(x->server->options), id);
    if (times)
        taco_response_header(response, "Server-Timing",
                             "queued;dur=%.2f, text;dur=%.2f, encoder;dur=%.2f, "
                             "decoder;dur=%.2f, postnet;dur=%.2f, vocoder;dur=%.2f, "
                             "total;dur=%.2f",
                             times->queued * 1e3, times->text * 1e3, times->encoder * 1e3,
                             times->decoder * 1e3, times->postnet * 1e3,
                             times->vocoder * 1e3, times->total * 1e3);
}

const char *taco_speech_ending(enum taco_response_form form,
                               const struct taco_audio_options *audio) {
    return form == TACO_RESPONSE_AUDIO       ? taco_audio_format_name(audio->format)
           : form == TACO_RESPONSE_MULTIPART ? "multipart"
           : form == TACO_RESPONSE_EVENTS    ? "events"
                                             : "json";
}
