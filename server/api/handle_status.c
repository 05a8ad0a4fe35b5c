/* GET /v1/status: the daemon at a glance. */
#include <taco/engine.h>
#include <time.h>

#include "api/handlers.h"
#include "config/options.h"
#include "http/metrics.h"
#include "http/reply.h"
#include "speech/results.h"
#include "voices/voices.h"

static json_t *voices_json(const struct taco_voices *voices) {
    const struct taco_named_voice *voice;
    json_t *list = json_array();
    for (size_t i = 0; (voice = taco_voices_at(voices, i)) != NULL; i++)
        json_array_append_new(list, json_string(voice->name));
    return list;
}

/* RFC 3339, UTC. */
static json_t *time_json(double seconds) {
    time_t whole = (time_t)seconds;
    struct tm utc;
    char text[32];
    gmtime_r(&whole, &utc);
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
    return json_string(text);
}

static json_t *count(uint64_t n) {
    return json_integer((json_int_t)n);
}

static json_t *memory_json(const struct taco_server *server) {
    struct taco_results_usage usage;
    taco_results_usage(server->results, &usage);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "response_bytes",
                     count(atomic_load(&server->budget)), "response_bytes_limit",
                     count(server->options->response_bytes), "resident_bytes",
                     count(taco_resident_bytes()), "kept_results", count(usage.n),
                     "kept_bytes", count(usage.bytes), "kept_bytes_limit",
                     count(server->options->cache_bytes));
}

static json_t *totals_json(const struct taco_engine_stats *stats) {
    double work = stats->times.total - stats->times.queued;
    json_t *factor =
        stats->audio_seconds > 0 ? json_real(work / stats->audio_seconds) : json_null();
    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o}", "done",
                     count(stats->jobs_done), "failed", count(stats->jobs_failed),
                     "cancelled", count(stats->jobs_cancelled), "rejected",
                     count(stats->jobs_refused), "audio_seconds", stats->audio_seconds,
                     "frames", count(stats->frames), "decoder_steps",
                     count(stats->decoder_steps), "real_time_factor", factor);
}

enum MHD_Result taco_handle_status(struct taco_exchange *x) {
    const struct taco_server *server = x->server;
    const struct taco_options *o = server->options;
    struct taco_engine_stats stats;
    taco_engine_stats(server->engine, &stats);
    const char *status = atomic_load(&server->draining) ? "draining"
                         : atomic_load(&server->ready)  ? "ready"
                                                        : "starting";
    json_t *root = json_pack(
        "{s:s, s:s, s:o, s:f, s:o, s:i, s:i, s:{s:i, s:i}, s:{s:i, s:i, s:i}, "
        "s:{s:I, s:i}, s:o, s:o}",
        "status", status, "version", taco_version(), "started",
        time_json(server->metrics->start_time), "uptime",
        taco_metrics_uptime(server->metrics), "voices", voices_json(x->voices), "threads",
        taco_engine_threads(server->engine), "http_threads", o->http_threads, "rows",
        "active", stats.rows_active, "limit", o->rows, "queue", "waiting",
        stats.jobs_queued, "running", stats.jobs_running, "limit", o->queue,
        "connections", "open",
        (json_int_t)atomic_load(&server->metrics->open_connections), "limit",
        o->max_connections, "memory", memory_json(server), "totals", totals_json(&stats));
    return root ? taco_reply_json(x, MHD_HTTP_OK, root)
                : taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
}
