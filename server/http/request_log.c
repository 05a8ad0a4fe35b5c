#include "http/request_log.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "config/options.h"
#include "http/error_code.h"
#include "http/exchange.h"
#include "http/log_lines.h"
#include "http/metrics.h"
#include "http/routes.h"

static bool is_request_id(const char *value) {
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789._-";
    size_t length = strlen(value);
    return length > 0 && length <= TACO_MAX_REQUEST_ID &&
           strspn(value, allowed) == length;
}

void taco_request_log_begin(struct taco_exchange *x, const char *method) {
    struct taco_access_record *record = &x->record;
    const char *given = taco_exchange_header(x, "X-Request-Id");
    if (given && is_request_id(given))
        snprintf(record->request_id, sizeof record->request_id, "%s", given);
    else
        taco_id_draw(record->request_id);
    snprintf(record->method, sizeof record->method, "%s", method);
    taco_make_printable(record->method, sizeof record->method, '?');
}

void taco_request_log_error(struct taco_exchange *x, int code) {
    x->record.error = taco_error_code_info(code)->name;
    taco_metrics_error(x->server->metrics, code);
}

void taco_request_log_result(struct taco_exchange *x, const struct taco_result *result) {
    struct taco_access_record *record = &x->record;
    record->is_spoken = true;
    record->stop_reason = TACO_STOP_GATE;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        record->n_frames += result->chunks[i].n_frames;
        if (result->chunks[i].stop_reason > record->stop_reason)
            record->stop_reason = result->chunks[i].stop_reason;
    }
    record->audio_seconds = (double)result->n_samples / result->sample_rate;
    taco_metrics_result(x->server->metrics, result);
}

void taco_request_log_end(struct taco_exchange *x, enum MHD_RequestTerminationCode code) {
    x->record.milliseconds = taco_exchange_age(x);
    x->record.is_completed = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;
    /* Whether the library or we see first that the client has gone is the same to him who
     * reads the log. */
    bool is_gone =
        !x->record.is_completed && code != MHD_REQUEST_TERMINATED_DAEMON_SHUTDOWN;
    if (is_gone && !x->status && x->stage == TACO_EXCHANGE_HANDLED) {
        x->status = taco_error_code_info(TACO_CODE_CLIENT_CLOSED)->http_status;
        if (!x->record.error)
            taco_request_log_error(x, TACO_CODE_CLIENT_CLOSED);
    }
}

/* The path as it may be shown; "-" if there is none. In a line of text it is one word, which
 * cannot pass for the status behind it. */
static void copy_path(const struct taco_exchange *x, bool word, char out[204]) {
    snprintf(out, 204, "%.200s", x->path ? x->path : "-");
    taco_make_printable(out, 204, ' ');
    for (char *c = out; word && *c; c++)
        if (*c == ' ')
            *c = '?';
}

static json_t *fields_of(const struct taco_exchange *x, const char *path) {
    const struct taco_access_record *record = &x->record;
    json_t *fields = json_pack(
        "{s:s*, s:s*, s:s, s:s*, s:s, s:o*, s:I, s:f, s:b, s:s*, s:s*, s:s*, s:s*, s:o*}",
        "request_id", *record->request_id ? record->request_id : NULL, "key",
        *x->key ? x->key : NULL, "method", *record->method ? record->method : "-",
        "route", x->route ? x->route->pattern : NULL, "path", path, "status",
        x->status ? json_integer(x->status) : NULL, "bytes",
        (json_int_t)atomic_load(&x->n_sent), "milliseconds", record->milliseconds,
        "completed", (int)record->is_completed, "error", record->error, "cache",
        record->cache, "id", *x->id ? x->id : NULL, "voice",
        *record->voice ? record->voice : NULL, "seed",
        record->has_seed ? json_integer((json_int_t)record->seed) : NULL);
    if (fields && record->is_spoken)
        json_object_update_new(
            fields, json_pack("{s:I, s:f, s:s}", "frames", (json_int_t)record->n_frames,
                              "audio_seconds", record->audio_seconds, "stop_reason",
                              taco_stop_reason_name(record->stop_reason)));
    if (fields && record->text) /* left out if it is not UTF-8: then it was refused */
        json_object_set_new(fields, "text", json_string(record->text));
    return fields;
}

/* As a string of JSON, so that it stays one line. */
static bool add_text(struct taco_bytes *line, const char *text) {
    json_t *string = json_string(text);
    char *quoted = string ? json_dumps(string, JSON_ENCODE_ANY) : NULL;
    json_decref(string);
    if (quoted)
        taco_make_printable(quoted, strlen(quoted) + 2, '?');
    bool ok = !quoted || taco_bytes_printf(line, " text=%s", quoted);
    taco_free(quoted); /* Jansson takes its memory from taco_malloc */
    return ok;
}

static bool format_text(const struct taco_exchange *x, const char *path,
                        struct taco_bytes *line) {
    const struct taco_access_record *record = &x->record;
    char status[16] = "-";
    if (x->status)
        snprintf(status, sizeof status, "%u", x->status);
    bool ok =
        taco_bytes_printf(line, "%s %s %s %llu bytes %.1f ms%s%s%s%s",
                          *record->method ? record->method : "-", path, status,
                          (unsigned long long)atomic_load(&x->n_sent),
                          record->milliseconds, *x->id ? " id=" : "", x->id,
                          *record->request_id ? " request_id=" : "", record->request_id);
    if (x->route && strchr(x->route->pattern, '{'))
        ok = ok && taco_bytes_printf(line, " route=%s", x->route->pattern);
    if (*x->key)
        ok = ok && taco_bytes_printf(line, " key=%s", x->key);
    if (record->error)
        ok = ok && taco_bytes_printf(line, " error=%s", record->error);
    if (record->cache)
        ok = ok && taco_bytes_printf(line, " cache=%s", record->cache);
    if (*record->voice)
        ok = ok && taco_bytes_printf(line, " voice=%s", record->voice);
    if (record->has_seed)
        ok =
            ok && taco_bytes_printf(line, " seed=%llu", (unsigned long long)record->seed);
    if (record->is_spoken)
        ok = ok && taco_bytes_printf(line, " frames=%llu audio=%.3fs stop=%s",
                                     (unsigned long long)record->n_frames,
                                     record->audio_seconds,
                                     taco_stop_reason_name(record->stop_reason));
    if (record->text)
        ok = ok && add_text(line, record->text);
    if (!record->is_completed)
        ok = ok && taco_bytes_printf(line, " (not completed)");
    return ok;
}

/* Machines ask these every few seconds. */
static bool is_probe(const struct taco_exchange *x) {
    return x->route && (x->route->flags & TACO_ROUTE_PROBE);
}

void taco_request_log_write(const struct taco_exchange *x) {
    const struct taco_options *options = x->server->options;
    char path[204];
    struct taco_bytes line = {NULL, 0, 0};
    enum taco_log_level level = is_probe(x) ? TACO_LOG_DEBUG : TACO_LOG_INFO;
    if (!taco_log_lines_wanted(options, level))
        return;
    bool json = strcmp(options->log_format, "json") == 0;
    copy_path(x, !json, path);
    if (json)
        taco_log_lines_write(options, level, "request", fields_of(x, path));
    else if (format_text(x, path, &line))
        taco_log_lines_write(options, level, line.bytes, NULL);
    taco_bytes_free(&line);
}
