#include "http/metrics.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "http/error_code.h"
#include "http/routes.h"

const struct taco_buckets taco_buckets_latency = {
    15, {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300}};
/* 1 is as fast as it is spoken. */
const struct taco_buckets taco_buckets_factor = {
    11, {0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20}};

enum taco_status taco_metrics_create(struct taco_metrics **out, struct taco_error *err) {
    struct taco_metrics *m = *out = taco_calloc(1, sizeof *m);
    if (!m)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for metrics");
    struct timespec today;
    clock_gettime(CLOCK_REALTIME, &today);
    m->start = taco_clock_now();
    m->start_time = (double)today.tv_sec + (double)today.tv_nsec / 1e9;
    m->n_routes = taco_n_routes;
    m->n_errors = taco_error_code_count();
    m->routes = taco_calloc(m->n_routes + 1, sizeof *m->routes);
    m->errors = taco_calloc(m->n_errors, sizeof *m->errors);
    if (m->routes && m->errors)
        return TACO_OK;
    taco_metrics_destroy(m);
    *out = NULL;
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for metrics");
}

void taco_metrics_destroy(struct taco_metrics *m) {
    if (!m)
        return;
    taco_free(m->routes);
    taco_free(m->errors);
    taco_free(m);
}

void taco_histogram_add(struct taco_histogram *h, const struct taco_buckets *buckets,
                        double value) {
    size_t i = 0;
    while (i < buckets->n && value > buckets->bounds[i])
        i++;
    atomic_fetch_add_explicit(&h->counts[i], 1, memory_order_relaxed);
    if (value > 0)
        atomic_fetch_add_explicit(&h->sum, (unsigned long long)(value * 1e9),
                                  memory_order_relaxed);
}

void taco_metrics_request(struct taco_metrics *m, const struct taco_route *route,
                          unsigned status, double seconds) {
    size_t i = route ? taco_route_index(route) : m->n_routes;
    atomic_fetch_add_explicit(&m->routes[i].statuses[status < TACO_STATUSES ? status : 0],
                              1, memory_order_relaxed);
    taco_histogram_add(&m->routes[i].duration, &taco_buckets_latency, seconds);
}

void taco_metrics_error(struct taco_metrics *m, int code) {
    size_t i = taco_error_code_index(code);
    atomic_fetch_add_explicit(&m->errors[i], 1, memory_order_relaxed);
}

void taco_metrics_first_audio(struct taco_metrics *m, enum taco_delivery delivery,
                              double seconds) {
    taco_histogram_add(&m->first_audio[delivery], &taco_buckets_latency, seconds);
}

void taco_metrics_result(struct taco_metrics *m, const struct taco_result *result) {
    double duration = (double)result->n_samples / result->sample_rate;
    if (duration > 0)
        taco_histogram_add(&m->real_time_factor, &taco_buckets_factor,
                           (result->times.total - result->times.queued) / duration);
}

double taco_metrics_uptime(const struct taco_metrics *m) {
    return taco_clock_now() - m->start;
}

uint64_t taco_resident_bytes(void) {
    unsigned long long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "re");
    if (!file)
        return 0;
    int n = fscanf(file, "%llu %llu", &size, &resident);
    fclose(file);
    return n == 2 ? resident * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}
