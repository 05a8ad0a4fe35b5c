/* server/http/metrics.h: what is counted where. */
#include <check.h>

#include "base/memory.h"
#include "http/error_code.h"
#include "http/metrics.h"
#include "http/routes.h"
#include "support/runner.h"

static struct taco_metrics *create(void) {
    struct taco_metrics *m;
    ck_assert_int_eq(taco_metrics_create(&m, NULL), TACO_OK);
    return m;
}

START_TEST(no_memory) {
    taco_metrics_destroy(NULL);
    for (long n = 1; n <= 3; n++) {
        struct taco_metrics *m = (void *)8;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(n);
        ck_assert_int_eq(taco_metrics_create(&m, &err), TACO_ERR_NO_MEMORY);
        taco_memory_fail_at(0);
        ck_assert_ptr_null(m);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
    }
}
END_TEST

START_TEST(buckets_hold_their_bounds) {
    const struct taco_buckets buckets = {3, {0.5, 1, 2}};
    struct taco_histogram h = {0};
    static const double values[] = {0, 0.5, 0.51, 1, 2, 2.01, 1e6, -1};
    static const unsigned long long counts[] = {3, 2, 1, 2};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        taco_histogram_add(&h, &buckets, values[i]);
    for (size_t i = 0; i <= buckets.n; i++)
        ck_assert_uint_eq(atomic_load(&h.counts[i]), counts[i]);
    ck_assert_double_eq_tol((double)atomic_load(&h.sum), (6.02 + 1e6) * 1e9, 1e3);
}
END_TEST

START_TEST(the_buckets_rise) {
    const struct taco_buckets *all[] = {&taco_buckets_latency, &taco_buckets_factor};
    for (size_t k = 0; k < 2; k++) {
        ck_assert(all[k]->n > 5 && all[k]->n <= TACO_MAX_BUCKETS);
        for (size_t i = 1; i < all[k]->n; i++)
            ck_assert(all[k]->bounds[i] > all[k]->bounds[i - 1]);
    }
}
END_TEST

START_TEST(requests_by_route_and_status) {
    struct taco_metrics *m = create();
    ck_assert_uint_eq(m->n_routes, taco_n_routes);
    const struct taco_route *route = &taco_routes[2];
    ck_assert_uint_eq(taco_route_index(route), 2);
    taco_metrics_request(m, route, 200, 0.02);
    taco_metrics_request(m, route, 200, 0.02);
    taco_metrics_request(m, route, 599, 0.02);
    taco_metrics_request(m, NULL, 404, 1000);
    taco_metrics_request(m, NULL, 600, 0); /* a status that HTTP does not have is none */
    ck_assert_uint_eq(atomic_load(&m->routes[2].statuses[200]), 2);
    ck_assert_uint_eq(atomic_load(&m->routes[2].statuses[599]), 1);
    ck_assert_uint_eq(atomic_load(&m->routes[m->n_routes].statuses[404]), 1);
    ck_assert_uint_eq(atomic_load(&m->routes[m->n_routes].statuses[0]), 1);
    ck_assert_uint_eq(atomic_load(&m->routes[2].duration.counts[2]), 3);
    ck_assert_uint_eq(
        atomic_load(&m->routes[m->n_routes].duration.counts[taco_buckets_latency.n]), 1);
    taco_metrics_destroy(m);
}
END_TEST

START_TEST(errors_by_code) {
    struct taco_metrics *m = create();
    for (size_t i = 0; i < taco_error_code_count(); i++) {
        ck_assert_uint_eq(taco_error_code_index(taco_error_code_at(i)->code), i);
        taco_metrics_error(m, taco_error_code_at(i)->code);
        ck_assert_uint_eq(atomic_load(&m->errors[i]), 1);
    }
    taco_metrics_error(m, 12345); /* an unknown one is an internal error */
    ck_assert_uint_eq(atomic_load(&m->errors[0]), 2);
    ck_assert_str_eq(taco_error_code_at(0)->name, "internal");
    taco_metrics_destroy(m);
}
END_TEST

START_TEST(the_process) {
    struct taco_metrics *m = create();
    ck_assert(m->start_time > 1.6e9);
    double uptime = taco_metrics_uptime(m);
    ck_assert(uptime >= 0);
    ck_assert(taco_metrics_uptime(m) >= uptime);
    ck_assert_uint_gt(taco_resident_bytes(), 100000);
    taco_metrics_destroy(m);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server_metrics");
    TCase *tc = tcase_create("metrics");
    tcase_add_test(tc, no_memory);
    tcase_add_test(tc, buckets_hold_their_bounds);
    tcase_add_test(tc, the_buckets_rise);
    tcase_add_test(tc, requests_by_route_and_status);
    tcase_add_test(tc, errors_by_code);
    tcase_add_test(tc, the_process);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
