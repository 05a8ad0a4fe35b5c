/* server/http/monitor.h: which clients have disconnected. */
#include <check.h>
#include <netinet/in.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "http/exchange.h"
#include "http/monitor.h"
#include "support/runner.h"

/* An exchange that is nothing but watched, and the two ends of its connection. */
struct pair {
    struct taco_exchange x;
    int ours, theirs;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t told = PTHREAD_COND_INITIALIZER;
static struct taco_exchange *last; /* that was told to be gone */
static int n_gone;

static void on_gone(struct taco_exchange *x) {
    pthread_mutex_lock(&lock);
    last = x;
    n_gone++;
    pthread_cond_broadcast(&told);
    pthread_mutex_unlock(&lock);
}

static struct taco_monitor *monitor_with(double seconds) {
    const struct taco_monitor_options options = {1e6, seconds, on_gone};
    struct taco_monitor *monitor;
    n_gone = 0;
    last = NULL;
    ck_assert_int_eq(taco_monitor_create(&monitor, &options, NULL), TACO_OK);
    return monitor;
}

static void open_tcp(struct pair *pair) {
    memset(pair, 0, sizeof *pair);
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&address, sizeof address), 0);
    ck_assert_int_eq(listen(listener, 1), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&address, &size), 0);
    pair->theirs = socket(AF_INET, SOCK_STREAM, 0);
    ck_assert_int_eq(connect(pair->theirs, (struct sockaddr *)&address, size), 0);
    pair->ours = accept(listener, NULL, NULL);
    ck_assert_int_ge(pair->ours, 0);
    close(listener);
}

static void open_unix(struct pair *pair) {
    int ends[2];
    memset(pair, 0, sizeof *pair);
    ck_assert_int_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pair->ours = ends[0];
    pair->theirs = ends[1];
}

static void leave(struct pair *pair) {
    close(pair->theirs);
    pair->theirs = -1;
}

static void reset(struct pair *pair) {
    struct linger at_once = {1, 0};
    setsockopt(pair->theirs, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    leave(pair);
}

static void wait_for(int n) {
    pthread_mutex_lock(&lock);
    while (n_gone < n)
        pthread_cond_wait(&told, &lock);
    ck_assert_int_eq(n_gone, n);
    pthread_mutex_unlock(&lock);
}

static int gone_so_far(void) {
    pthread_mutex_lock(&lock);
    int n = n_gone;
    pthread_mutex_unlock(&lock);
    return n;
}

static void end(struct taco_monitor *monitor, struct pair *pair) {
    taco_monitor_unwatch(monitor, &pair->x);
    close(pair->ours);
    if (pair->theirs >= 0)
        close(pair->theirs);
}

START_TEST(a_reset_is_told_at_once_and_once) {
    struct taco_monitor *monitor = monitor_with(1e6);
    struct pair staying, leaving;
    open_tcp(&staying);
    open_tcp(&leaving);
    taco_monitor_watch(monitor, &staying.x, staying.ours);
    taco_monitor_watch(monitor, &leaving.x, leaving.ours);
    ck_assert_int_eq(write(leaving.theirs, "unread", 6), 6); /* is no news */
    reset(&leaving);
    wait_for(1);
    ck_assert_ptr_eq(last, &leaving.x);
    end(monitor, &leaving);
    end(monitor, &staying);
    taco_monitor_destroy(monitor);
    ck_assert_int_eq(n_gone, 1);
}
END_TEST

START_TEST(a_reset_comes_after_a_close) {
    struct taco_monitor *monitor = monitor_with(1e6);
    struct pair pair;
    open_tcp(&pair);
    taco_monitor_watch(monitor, &pair.x, pair.ours);
    leave(&pair);
    /* What is written to who is gone is answered by a reset. */
    ck_assert_int_eq(write(pair.ours, "x", 1), 1);
    wait_for(1);
    end(monitor, &pair);
    taco_monitor_destroy(monitor);
}
END_TEST

START_TEST(a_half_closed_client_has_some_time_or_none) {
    static const double times[] = {0.05, 0};
    for (int i = 0; i < 2; i++) {
        struct taco_monitor *monitor = monitor_with(times[i]);
        struct pair pair;
        open_tcp(&pair);
        taco_monitor_watch(monitor, &pair.x, pair.ours);
        ck_assert_int_eq(shutdown(pair.theirs, SHUT_WR), 0);
        wait_for(1);
        end(monitor, &pair);
        taco_monitor_destroy(monitor);
    }
}
END_TEST

/* Sends for three times as long as a half-closed client is taken to be there. False: the
 * machine held us up for so long that the monitor may have been right to give up. */
static bool send_for_long(struct pair *pair, int *n_gone_meanwhile) {
    bool steady = true;
    for (double begin = taco_clock_now(), t = begin, before; t < begin + 3;) {
        before = t;
        atomic_fetch_add(&pair->x.n_sent, 1);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
        *n_gone_meanwhile = gone_so_far();
        t = taco_clock_now();
        steady = steady && t - before < 0.5;
    }
    return steady;
}

START_TEST(what_is_sent_is_a_sign_of_life) {
    for (bool steady = false; !steady;) {
        struct taco_monitor *monitor = monitor_with(1);
        struct pair pair;
        int n_gone_meanwhile;
        open_tcp(&pair);
        taco_monitor_watch(monitor, &pair.x, pair.ours);
        ck_assert_int_eq(shutdown(pair.theirs, SHUT_WR), 0);
        steady = send_for_long(&pair, &n_gone_meanwhile);
        ck_assert(n_gone_meanwhile == 0 || !steady);
        wait_for(1); /* nothing more is sent */
        end(monitor, &pair);
        taco_monitor_destroy(monitor);
    }
}
END_TEST

START_TEST(a_unix_socket_tells_closed_from_half_closed) {
    struct taco_monitor *monitor = monitor_with(1e6);
    struct pair half, whole;
    open_unix(&half);
    open_unix(&whole);
    taco_monitor_watch(monitor, &half.x, half.ours);
    taco_monitor_watch(monitor, &whole.x, whole.ours);
    ck_assert_int_eq(shutdown(half.theirs, SHUT_WR), 0);
    leave(&whole);
    wait_for(1);
    ck_assert_ptr_eq(last, &whole.x);
    end(monitor, &half);
    end(monitor, &whole);
    taco_monitor_destroy(monitor);
}
END_TEST

START_TEST(who_is_removed_is_not_told) {
    struct taco_monitor *monitor = monitor_with(0);
    struct pair pairs[8];
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 8; i++) {
            open_unix(&pairs[i]);
            taco_monitor_watch(monitor, &pairs[i].x, pairs[i].ours);
        }
        for (int i = 0; i < 8; i++) { /* from the middle, the head and the tail */
            struct pair *pair = &pairs[(i * 3 + round) % 8];
            taco_monitor_unwatch(monitor, &pair->x);
            leave(pair);
            end(monitor, pair); /* removed again: no effect */
        }
    }
    taco_monitor_destroy(monitor);
    ck_assert_int_eq(n_gone, 0);
    taco_monitor_destroy(NULL);
}
END_TEST

START_TEST(many_come_and_go) {
    struct taco_monitor *monitor = monitor_with(1e6);
    struct pair pairs[16];
    int n = 0;
    for (int round = 0; round < 100; round++) {
        for (int i = 0; i < 16; i++) {
            open_unix(&pairs[i]);
            taco_monitor_watch(monitor, &pairs[i].x, pairs[i].ours);
        }
        for (int i = round % 3; i < 16; i += 3, n++)
            leave(&pairs[i]);
        wait_for(n);
        for (int i = 0; i < 16; i++)
            end(monitor, &pairs[i]);
    }
    ck_assert_int_eq(gone_so_far(), n);
    taco_monitor_destroy(monitor);
}
END_TEST

START_TEST(what_cannot_be_watched_is_not) {
    struct taco_monitor *monitor = monitor_with(0);
    struct taco_exchange x = {0};
    taco_monitor_watch(monitor, &x, -1);
    ck_assert(!x.watched.is_watched);
    taco_monitor_unwatch(monitor, &x);
    taco_monitor_destroy(monitor);
    ck_assert_int_eq(n_gone, 0);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("server disconnects");
    TCase *tc = tcase_create("disconnects");
    tcase_set_timeout(tc, 300);
    tcase_add_test(tc, a_reset_is_told_at_once_and_once);
    tcase_add_test(tc, a_reset_comes_after_a_close);
    tcase_add_test(tc, a_half_closed_client_has_some_time_or_none);
    tcase_add_test(tc, what_is_sent_is_a_sign_of_life);
    tcase_add_test(tc, a_unix_socket_tells_closed_from_half_closed);
    tcase_add_test(tc, who_is_removed_is_not_told);
    tcase_add_test(tc, many_come_and_go);
    tcase_add_test(tc, what_cannot_be_watched_is_not);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
