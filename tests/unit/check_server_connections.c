/* server/http/monitor.h: who has to bring his headers in time, and who has. */
#include <check.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "http/monitor.h"
#include "support/runner.h"

/* Longer than any machine sleeps, shorter than CI's limit. */
enum { PATIENCE = 300000 };

struct pair {
    int mine, theirs;
    struct taco_connection *connection;
};

static struct pair add(struct taco_monitor *c) {
    int fds[2];
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
    struct pair pair = {fds[0], fds[1], taco_monitor_add(c, fds[1])};
    ck_assert_ptr_nonnull(pair.connection);
    return pair;
}

static void end(struct taco_monitor *c, struct pair *pair) {
    taco_monitor_remove(c, pair->connection);
    close(pair->mine);
    close(pair->theirs);
}

/* Whether the other side has been shut down within the time. */
static bool is_shut(const struct pair *pair, int milliseconds) {
    struct pollfd ready = {.fd = pair->mine, .events = POLLIN};
    char byte;
    return poll(&ready, 1, milliseconds) == 1 && read(pair->mine, &byte, 1) == 0;
}

/* One whose time has been taken from it by stop before it was over, however slow this is. */
static struct pair add_in_time(struct taco_monitor *c,
                               void (*stop)(struct taco_monitor *c,
                                            struct taco_connection *connection)) {
    for (;;) {
        struct pair pair = add(c);
        stop(c, pair.connection);
        if (stop == taco_monitor_remove)
            pair.connection = NULL;
        if (!is_shut(&pair, 0))
            return pair;
        end(c, &pair);
    }
}

static struct taco_monitor *create(double seconds) {
    const struct taco_monitor_options options = {.header_seconds = seconds};
    struct taco_monitor *c;
    ck_assert_int_eq(taco_monitor_create(&c, &options, NULL), TACO_OK);
    return c;
}

static void stop_clock(struct taco_monitor *c, struct taco_connection *i) {
    taco_monitor_set_deadline(c, i, 0);
}

START_TEST(no_memory) {
    taco_monitor_destroy(NULL);
    struct taco_monitor *c = (void *)8;
    struct taco_error err = TACO_ERROR_INIT;
    taco_memory_fail_at(1);
    ck_assert_int_eq(taco_monitor_create(&c, &(struct taco_monitor_options){0}, &err),
                     TACO_ERR_NO_MEMORY);
    taco_memory_fail_at(0);
    ck_assert_ptr_null(c);
    c = create(0.01);
    taco_memory_fail_at(1);
    ck_assert_ptr_null(taco_monitor_add(c, 0));
    taco_memory_fail_at(0);
    taco_monitor_expect_headers(c, NULL);
    taco_monitor_set_deadline(c, NULL, 0);
    taco_monitor_remove(c, NULL);
    taco_monitor_destroy(c);
}
END_TEST

START_TEST(time_runs_from_the_beginning) {
    struct taco_monitor *c = create(0.05);
    for (int i = 0; i < 3; i++) {
        struct pair late = add(c), other = add(c);
        ck_assert(is_shut(&late, PATIENCE));
        ck_assert(is_shut(&other, PATIENCE));
        end(c, &late);
        end(c, &other);
    }
    taco_monitor_destroy(c);
}
END_TEST

/* The one whose headers came is older than one that is shut, and is not. */
START_TEST(time_stands_still_during_a_request) {
    struct taco_monitor *c = create(0.2);
    struct pair busy = add_in_time(c, stop_clock);
    struct pair late = add(c);
    ck_assert(is_shut(&late, PATIENCE));
    ck_assert(!is_shut(&busy, 0));
    taco_monitor_expect_headers(c, busy.connection);
    ck_assert(is_shut(&busy, PATIENCE));
    end(c, &busy);
    end(c, &late);
    taco_monitor_destroy(c);
}
END_TEST

/* An earlier deadline wakes the thread, which sleeps until a later one. */
START_TEST(a_deadline_of_its_own) {
    struct taco_monitor *c = create(PATIENCE);
    struct pair idle = add(c), busy = add(c);
    taco_monitor_set_deadline(c, busy.connection, taco_clock_now() + 0.05);
    ck_assert(is_shut(&busy, PATIENCE));
    ck_assert(!is_shut(&idle, 0));
    end(c, &busy);
    end(c, &idle);
    taco_monitor_destroy(c);
}
END_TEST

START_TEST(who_is_removed_is_left_alone) {
    struct taco_monitor *c = create(0.05);
    struct pair removed = add_in_time(c, taco_monitor_remove);
    struct pair late = add(c);
    ck_assert(is_shut(&late, PATIENCE));
    ck_assert(!is_shut(&removed, 0));
    end(c, &removed);
    end(c, &late);
    taco_monitor_destroy(c);
}
END_TEST

static void *come_and_go(void *user) {
    for (int i = 0; i < 200; i++) {
        struct pair pair = add(user);
        taco_monitor_set_deadline(user, pair.connection, 0);
        taco_monitor_expect_headers(user, pair.connection);
        end(user, &pair);
    }
    return NULL;
}

START_TEST(many_threads) {
    struct taco_monitor *c = create(0.001);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, come_and_go, c), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    taco_monitor_destroy(c);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server_connections");
    TCase *tc = tcase_create("connections");
    tcase_add_test(tc, no_memory);
    tcase_add_test(tc, time_runs_from_the_beginning);
    tcase_add_test(tc, time_stands_still_during_a_request);
    tcase_add_test(tc, who_is_removed_is_left_alone);
    tcase_add_test(tc, a_deadline_of_its_own);
    tcase_add_test(tc, a_deadline_of_its_own);
    tcase_add_test(tc, many_threads);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
