/* Counts of what the daemon has done, for GET /metrics and GET /v1/status.
 *
 * Every count is an exact integer and atomic; what is measured in seconds is summed up in
 * nanoseconds. What others count already (the engine, the kept results) is asked of them when
 * it is told. All functions are thread-safe. */
#ifndef TACO_SERVER_METRICS_H
#define TACO_SERVER_METRICS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/result.h>
#include <taco/status.h>

struct taco_route;

/* Upper bounds of the buckets in seconds or, of the real-time factor, without a unit. */
#define TACO_MAX_BUCKETS 16
struct taco_buckets {
    size_t n;
    double bounds[TACO_MAX_BUCKETS]; /* [n], rising; one more bucket has no bound */
};
extern const struct taco_buckets taco_buckets_latency, taco_buckets_factor;

struct taco_histogram {
    atomic_ullong counts[TACO_MAX_BUCKETS + 1]; /* [n + 1], of each bucket alone */
    atomic_ullong sum;                          /* billionths */
};

/* How speech is sent. */
enum taco_delivery { TACO_DELIVERY_WHOLE, TACO_DELIVERY_STREAM };

#define TACO_STATUSES 600 /* HTTP statuses are below; 0 stands for no answer */

/* What one row of the table of routes was asked for; the last one is for what none is. */
struct taco_route_metrics {
    atomic_ullong statuses[TACO_STATUSES];
    struct taco_histogram duration;
};

struct taco_metrics {
    double start;      /* seconds of taco_clock_now */
    double start_time; /* seconds since 1970 */
    size_t n_routes;
    struct taco_route_metrics *routes; /* [n_routes + 1] */
    size_t n_errors;
    atomic_ullong *errors; /* [n_errors], as in the table of error codes */
    atomic_ullong text_bytes;
    struct taco_histogram first_audio[2]; /* [enum taco_delivery] */
    struct taco_histogram real_time_factor;
    atomic_ullong connections; /* all that there have been */
    atomic_llong open_connections;
    atomic_llong requests; /* going on now */
};

/* TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_metrics_create(struct taco_metrics **metrics,
                                                     struct taco_error *err);
void taco_metrics_destroy(struct taco_metrics *metrics); /* NULL is allowed */

/* A request is over. route NULL: no route was its; status 0: nothing was answered. */
void taco_metrics_request(struct taco_metrics *metrics, const struct taco_route *route,
                          unsigned status, double seconds);

/* An error was sent to a client. */
void taco_metrics_error(struct taco_metrics *metrics, int code);

/* Speech begins to reach the client so long after the request came. */
void taco_metrics_first_audio(struct taco_metrics *metrics, enum taco_delivery delivery,
                              double seconds);

/* Speech has been made. */
void taco_metrics_result(struct taco_metrics *metrics, const struct taco_result *result);

/* Seconds since the daemon began. */
double taco_metrics_uptime(const struct taco_metrics *metrics);

/* Bytes of memory that the process occupies; 0: the system does not tell. */
uint64_t taco_resident_bytes(void);

void taco_histogram_add(struct taco_histogram *histogram,
                        const struct taco_buckets *buckets, double value);

#endif
