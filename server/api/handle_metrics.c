/* GET /metrics: what has been done and what is going on, for Prometheus.
 * https://prometheus.io/docs/instrumenting/exposition_formats/ (text format 0.0.4) */
#include <inttypes.h>
#include <taco/engine.h>
#include <time.h>

#include "api/handlers.h"
#include "config/options.h"
#include "http/error_code.h"
#include "http/metrics.h"
#include "http/reply.h"
#include "http/routes.h"
#include "speech/results.h"

/* The page as it grows; ok ends with the first failure. */
struct page {
    struct taco_bytes bytes;
    bool ok;
};

static void line(struct page *p, const char *format, ...) TACO_PRINTF(2, 3);
static void line(struct page *p, const char *format, ...) {
    char text[512];
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text, sizeof text, format, args);
    va_end(args);
    p->ok = p->ok && n >= 0 && (size_t)n < sizeof text &&
            taco_bytes_add(&p->bytes, text, (size_t)n) &&
            taco_bytes_add(&p->bytes, "\n", 1);
}

static void head(struct page *p, const char *name, const char *type, const char *help) {
    line(p, "# HELP %s %s", name, help);
    line(p, "# TYPE %s %s", name, type);
}

/* One sample without labels. */
static void counter(struct page *p, const char *name, const char *help, uint64_t value) {
    head(p, name, "counter", help);
    line(p, "%s %" PRIu64, name, value);
}

static void gauge(struct page *p, const char *name, const char *help, uint64_t value) {
    head(p, name, "gauge", help);
    line(p, "%s %" PRIu64, name, value);
}

/* labels: "" or "route=\"/\"". */
static void histogram(struct page *p, const char *name, const char *labels,
                      struct taco_histogram *h, const struct taco_buckets *buckets) {
    const char *comma = *labels ? "," : "";
    unsigned long long count = 0, sum = atomic_load(&h->sum);
    for (size_t i = 0; i < buckets->n; i++) {
        count += atomic_load(&h->counts[i]);
        line(p, "%s_bucket{%s%sle=\"%g\"} %llu", name, labels, comma, buckets->bounds[i],
             count);
    }
    count += atomic_load(&h->counts[buckets->n]);
    line(p, "%s_bucket{%s%sle=\"+Inf\"} %llu", name, labels, comma, count);
    const char *open = *labels ? "{" : "", *close = *labels ? "}" : "";
    line(p, "%s_sum%s%s%s %llu.%09llu", name, open, labels, close, sum / 1000000000,
         sum % 1000000000);
    line(p, "%s_count%s%s%s %llu", name, open, labels, close, count);
}

/* -- HTTP ---------------------------------------------------------------------------- */

/* method="GET",route="/v1/voices": the pattern, so that no client makes new rows. */
static void route_labels(const struct taco_metrics *m, size_t i, char *out, size_t size) {
    const struct taco_route *route = i < m->n_routes ? &taco_routes[i] : NULL;
    snprintf(out, size, "method=\"%s\",route=\"%s\"", route ? route->method : "other",
             route ? route->pattern : "other");
}

/* What has never been asked for has no rows. */
static bool is_used(const struct taco_route_metrics *route) {
    for (size_t i = 0; i < TACO_STATUSES; i++)
        if (atomic_load_explicit(&route->statuses[i], memory_order_relaxed))
            return true;
    return false;
}

static void write_requests(struct page *p, struct taco_metrics *m) {
    char labels[128];
    head(p, "tacod_requests_total", "counter",
         "Requests that are over, by route and status; code none: they never were "
         "complete, and nothing was answered.");
    for (size_t i = 0; i <= m->n_routes; i++)
        for (unsigned status = 0; status < TACO_STATUSES; status++) {
            unsigned long long n = atomic_load(&m->routes[i].statuses[status]);
            if (!n)
                continue;
            route_labels(m, i, labels, sizeof labels);
            if (status)
                line(p, "tacod_requests_total{%s,code=\"%u\"} %llu", labels, status, n);
            else
                line(p, "tacod_requests_total{%s,code=\"none\"} %llu", labels, n);
        }
    head(p, "tacod_request_duration_seconds", "histogram",
         "From the request line to the last byte of the answer.");
    for (size_t i = 0; i <= m->n_routes; i++)
        if (is_used(&m->routes[i])) {
            route_labels(m, i, labels, sizeof labels);
            histogram(p, "tacod_request_duration_seconds", labels, &m->routes[i].duration,
                      &taco_buckets_latency);
        }
    head(p, "tacod_errors_total", "counter", "Errors told to clients, by code.");
    for (size_t i = 0; i < m->n_errors; i++) {
        unsigned long long n = atomic_load(&m->errors[i]);
        if (n)
            line(p, "tacod_errors_total{code=\"%s\"} %llu", taco_error_code_at(i)->name,
                 n);
    }
    long long open = atomic_load(&m->open_connections);
    long long going_on = atomic_load(&m->requests);
    gauge(p, "tacod_requests_in_progress", "Requests that are going on.",
          (uint64_t)(going_on > 0 ? going_on : 0));
    gauge(p, "tacod_connections", "Open connections.", (uint64_t)(open > 0 ? open : 0));
    counter(p, "tacod_connections_accepted_total", "Connections that were accepted.",
            atomic_load(&m->connections));
}

/* -- speech -------------------------------------------------------------------------- */

static void write_jobs(struct page *p, const struct taco_server *server,
                       const struct taco_engine_stats *stats) {
    const struct taco_options *o = server->options;
    head(p, "tacod_speech_total", "counter",
         "Requests for speech that passed the checks, by outcome.");
    line(p, "tacod_speech_total{outcome=\"done\"} %" PRIu64, stats->jobs_done);
    line(p, "tacod_speech_total{outcome=\"failed\"} %" PRIu64, stats->jobs_failed);
    line(p, "tacod_speech_total{outcome=\"cancelled\"} %" PRIu64, stats->jobs_cancelled);
    line(p, "tacod_speech_total{outcome=\"rejected\"} %" PRIu64, stats->jobs_refused);
    gauge(p, "tacod_queue_waiting", "Requests for speech that no work has begun on.",
          (uint64_t)stats->jobs_queued);
    gauge(p, "tacod_queue_running", "Requests for speech that are being worked on.",
          (uint64_t)stats->jobs_running);
    gauge(p, "tacod_queue_limit", "Waiting and running ones that there may be.",
          (uint64_t)o->queue);
    gauge(p, "tacod_rows", "Sentences in the decoder's batch.",
          (uint64_t)stats->rows_active);
    gauge(p, "tacod_rows_limit", "Sentences that may be in it, for each voice.",
          (uint64_t)o->rows);
    counter(p, "tacod_text_bytes_total", "Text that was to be spoken.",
            atomic_load(&server->metrics->text_bytes));
}

static void write_work(struct page *p, const struct taco_engine_stats *stats) {
    const struct {
        const char *name;
        double seconds;
    } stages[] = {{"queued", stats->times.queued},   {"text", stats->times.text},
                  {"encoder", stats->times.encoder}, {"decoder", stats->times.decoder},
                  {"postnet", stats->times.postnet}, {"vocoder", stats->times.vocoder}};
    counter(p, "tacod_decoder_steps_total",
            "Decoder steps. One step serves all rows of the batch.",
            stats->decoder_steps);
    counter(p, "tacod_frames_total", "Mel frames decoded.", stats->frames);
    head(p, "tacod_audio_seconds_total", "counter", "Duration of the audio synthesised.");
    line(p, "tacod_audio_seconds_total %.6f", stats->audio_seconds);
    head(p, "tacod_stage_seconds_total", "counter",
         "Time spent in each stage, summed over requests and threads.");
    for (size_t i = 0; i < sizeof stages / sizeof *stages; i++)
        line(p, "tacod_stage_seconds_total{stage=\"%s\"} %.6f", stages[i].name,
             stages[i].seconds);
}

static void write_alignments(struct page *p, const struct taco_engine_stats *stats) {
    counter(p, "tacod_sentences_total", "Decoding attempts, one or more per sentence.",
            stats->rows_judged);
    counter(p, "tacod_retries_total", "Decoding attempts that repeat a failed one.",
            stats->rows_retried);
    head(
        p, "tacod_alignment_failures_total", "counter",
        "Decoding attempts whose attention failed, by kind. One may have several kinds.");
    for (int i = 0; i < TACO_N_FLAWS; i++)
        line(p, "tacod_alignment_failures_total{kind=\"%s\"} %" PRIu64,
             taco_flaw_name((enum taco_flaw)(1 << i)), stats->flaws[i]);
}

static void write_speed(struct page *p, struct taco_metrics *m) {
    head(p, "tacod_first_audio_seconds", "histogram",
         "From the request line until there was audio to send.");
    histogram(p, "tacod_first_audio_seconds", "delivery=\"whole\"",
              &m->first_audio[TACO_DELIVERY_WHOLE], &taco_buckets_latency);
    histogram(p, "tacod_first_audio_seconds", "delivery=\"stream\"",
              &m->first_audio[TACO_DELIVERY_STREAM], &taco_buckets_latency);
    head(p, "tacod_real_time_factor", "histogram",
         "Time that speech took, without waiting, through its duration.");
    histogram(p, "tacod_real_time_factor", "", &m->real_time_factor,
              &taco_buckets_factor);
}

/* -- memory and process -------------------------------------------------------------- */

static void write_kept(struct page *p, const struct taco_server *server) {
    struct taco_results_usage usage;
    taco_results_usage(server->results, &usage);
    gauge(p, "tacod_kept_results", "Results that GET /v1/speech/{id} returns.", usage.n);
    gauge(p, "tacod_kept_bytes", "Bytes of cached results.", usage.bytes);
    gauge(p, "tacod_kept_bytes_limit", "Bytes of cached results that there may be.",
          server->options->cache_bytes);
    gauge(p, "tacod_response_bytes",
          "Memory of answers that are being encoded or read by their clients.",
          atomic_load(&server->budget));
    gauge(p, "tacod_response_bytes_limit", "Limit on tacod_response_bytes.",
          server->options->response_bytes);
    counter(p, "tacod_cache_hits_total", "Requests that a cached result answered.",
            usage.n_hits);
    counter(p, "tacod_cache_misses_total",
            "Requests with a seed that no cached result answered.", usage.n_misses);
}

static void write_process(struct page *p, const struct taco_server *server) {
    struct timespec cpu;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
    head(p, "tacod_build_info", "gauge", "The version; the value is 1.");
    line(p, "tacod_build_info{version=\"%s\"} 1", taco_version());
    gauge(p, "tacod_ready", "1 when every voice has spoken and the daemon is not ending.",
          atomic_load(&server->ready) && !atomic_load(&server->draining));
    head(p, "process_start_time_seconds", "gauge",
         "When the daemon began, seconds since 1970.");
    line(p, "process_start_time_seconds %.3f", server->metrics->start_time);
    head(p, "process_cpu_seconds_total", "counter", "Processor time used.");
    line(p, "process_cpu_seconds_total %lld.%06ld", (long long)cpu.tv_sec,
         cpu.tv_nsec / 1000);
    gauge(p, "process_resident_memory_bytes", "Memory that the process occupies.",
          taco_resident_bytes());
}

enum MHD_Result taco_handle_metrics(struct taco_exchange *x) {
    const struct taco_server *server = x->server;
    struct page p = {.ok = true};
    struct taco_engine_stats stats;
    taco_engine_stats(server->engine, &stats);
    write_requests(&p, server->metrics);
    write_jobs(&p, server, &stats);
    write_work(&p, &stats);
    write_alignments(&p, &stats);
    write_speed(&p, server->metrics);
    write_kept(&p, server);
    write_process(&p, server);
    if (!p.ok) {
        taco_bytes_free(&p.bytes);
        return taco_reply_error(x, TACO_ERR_NO_MEMORY, NULL);
    }
    atomic_store(&x->n_sent, p.bytes.size);
    return taco_reply(x, MHD_HTTP_OK, taco_response_own(p.bytes.bytes, p.bytes.size),
                      "text/plain; version=0.0.4; charset=utf-8");
}
