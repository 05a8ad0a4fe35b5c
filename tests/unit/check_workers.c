/* base/workers.h: the pool of workers and the team. Run under ThreadSanitizer too. */
#include <check.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/workers.h"
#include "support/runner.h"

/* -- workers ----------------------------------------------------------------------------
 */

struct item {
    struct taco_task task;
    int id;
    pthread_mutex_t *gate; /* locked and unlocked first, when not NULL */
    int *log;              /* ids in the order of running; one thread only */
    int *n_log;
    atomic_int *n_done;
    atomic_int *seen; /* [threads] tasks of each */
};

static void run_item(struct taco_task *task, int worker) {
    struct item *item = (struct item *)(void *)task;
    if (item->gate) {
        pthread_mutex_lock(item->gate);
        pthread_mutex_unlock(item->gate);
    }
    if (item->log)
        item->log[(*item->n_log)++] = item->id;
    if (item->seen)
        atomic_fetch_add(&item->seen[worker], 1);
    atomic_fetch_add(item->n_done, 1);
}

START_TEST(a_pool_needs_a_thread) {
    struct taco_workers *workers = (void *)8;
    struct taco_error err = TACO_ERROR_INIT;
    ck_assert_int_eq(taco_workers_create(&workers, 0, &err), TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_null(workers);
    ck_assert_str_eq(err.param, "n_threads");
    ck_assert_int_eq(taco_workers_create(&workers, -3, NULL), TACO_ERR_INVALID_ARGUMENT);
    taco_workers_destroy(NULL);
    struct taco_team *team = (void *)8;
    ck_assert_int_eq(taco_team_create(&team, 0, NULL), TACO_ERR_INVALID_ARGUMENT);
    ck_assert_ptr_null(team);
    taco_team_destroy(NULL);
}
END_TEST

START_TEST(no_memory_is_told) {
    for (int n = 1; n <= 2; n++) {
        struct taco_workers *workers;
        struct taco_team *team;
        struct taco_error err = TACO_ERROR_INIT;
        taco_memory_fail_at(n);
        ck_assert_int_eq(taco_workers_create(&workers, 2, &err), TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(err.status, TACO_ERR_NO_MEMORY);
        taco_memory_fail_at(n);
        ck_assert_int_eq(taco_team_create(&team, 2, NULL), TACO_ERR_NO_MEMORY);
        taco_memory_fail_at(0);
    }
}
END_TEST

START_TEST(tasks_run_by_priority_then_arrival) {
    enum { N = 200 };
    static struct item items[N + 1];
    int log[N + 1], n_log = 0;
    atomic_int n_done = 0;
    pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    struct taco_workers *workers;
    ck_assert_int_eq(taco_workers_create(&workers, 1, NULL), TACO_OK);
    /* The first holds the only thread until all the others are queued. */
    pthread_mutex_lock(&gate);
    items[N] =
        (struct item){{run_item, 0, 0, NULL}, N, &gate, log, &n_log, &n_done, NULL};
    taco_workers_add(workers, &items[N].task);
    for (int i = 0; i < N; i++) {
        uint64_t priority = (uint64_t)(i * 7919 % 13);
        items[i] = (struct item){
            {run_item, priority, 0, NULL}, i, NULL, log, &n_log, &n_done, NULL};
        taco_workers_add(workers, &items[i].task);
    }
    pthread_mutex_unlock(&gate);
    taco_workers_destroy(workers); /* runs what is queued */
    ck_assert_int_eq(atomic_load(&n_done), N + 1);
    ck_assert_int_eq(n_log, N + 1);
    int start = log[0] == N ? 1 : 0; /* the holder may be entered late */
    for (int i = start + 1; i < N + 1; i++) {
        const struct taco_task *a = &items[log[i - 1]].task, *b = &items[log[i]].task;
        if (log[i] == N || log[i - 1] == N)
            continue;
        ck_assert(a->priority < b->priority ||
                  (a->priority == b->priority && a->order < b->order));
    }
}
END_TEST

enum { ADDERS = 3, EACH = 3000, POOL = 3 };

struct adder {
    struct taco_workers *workers;
    struct item *items; /* [EACH] */
};

static void *add_all(void *arg) {
    struct adder *adder = arg;
    for (int i = 0; i < EACH; i++)
        taco_workers_add(adder->workers, &adder->items[i].task);
    return NULL;
}

START_TEST(many_add_and_every_task_runs_once) {
    struct taco_workers *workers;
    ck_assert_int_eq(taco_workers_create(&workers, POOL, NULL), TACO_OK);
    static struct item items[ADDERS][EACH];
    atomic_int n_done = 0, seen[POOL] = {0};
    pthread_t threads[ADDERS];
    struct adder adders[ADDERS];
    for (int a = 0; a < ADDERS; a++) {
        for (int i = 0; i < EACH; i++)
            items[a][i] = (struct item){{run_item, (uint64_t)(i % 5), 0, NULL},
                                        i,
                                        NULL,
                                        NULL,
                                        NULL,
                                        &n_done,
                                        seen};
        adders[a] = (struct adder){workers, items[a]};
        ck_assert_int_eq(pthread_create(&threads[a], NULL, add_all, &adders[a]), 0);
    }
    for (int a = 0; a < ADDERS; a++)
        pthread_join(threads[a], NULL);
    taco_workers_destroy(workers);
    int sum = 0;
    for (int t = 0; t < POOL; t++)
        sum += atomic_load(&seen[t]);
    ck_assert_int_eq(sum, ADDERS * EACH);
    ck_assert_int_eq(atomic_load(&n_done), ADDERS * EACH);
}
END_TEST

struct chain {
    struct taco_task task;
    struct taco_workers *workers;
    atomic_int left;
};

static void run_chain(struct taco_task *task, int worker) {
    (void)worker;
    struct chain *chain = (struct chain *)(void *)task;
    if (atomic_fetch_sub(&chain->left, 1) > 1)
        taco_workers_add(chain->workers, task);
}

START_TEST(a_task_may_add_itself_again) {
    struct chain chain = {{run_chain, 0, 0, NULL}, NULL, 1000};
    ck_assert_int_eq(taco_workers_create(&chain.workers, 2, NULL), TACO_OK);
    taco_workers_add(chain.workers, &chain.task);
    taco_workers_destroy(chain.workers);
    ck_assert_int_eq(atomic_load(&chain.left), 0);
}
END_TEST

static atomic_int handled_by_main;
static pthread_t main_thread;

static void on_signal(int number) {
    (void)number;
    if (pthread_equal(pthread_self(), main_thread))
        atomic_fetch_add(&handled_by_main, 1);
}

/* A task that lets others run inside it. */
struct host {
    struct taco_task task;
    struct taco_workers *workers;
    struct guest {
        struct taco_task task;
        int worker, ran;
    } urgent, patient;
    bool urgent_passed, patient_passed, done;
};

static void run_guest(struct taco_task *task, int worker) {
    struct guest *guest = (struct guest *)(void *)task;
    guest->worker = worker;
    guest->ran++;
}

static void run_host(struct taco_task *task, int worker) {
    struct host *host = (struct host *)(void *)task;
    ck_assert(!taco_workers_run_inside(host->workers, worker, task->priority));
    taco_workers_add(host->workers, &host->patient.task);
    taco_workers_add(host->workers, &host->urgent.task);
    host->urgent_passed =
        taco_workers_run_inside(host->workers, worker, task->priority) &&
        host->urgent.ran == 1 && host->urgent.worker == worker;
    host->patient_passed = taco_workers_run_inside(host->workers, worker, task->priority);
    ck_assert_int_eq(host->patient.ran, 0);
    host->done = true;
}

START_TEST(a_long_task_lets_an_urgent_one_pass) {
    struct host host = {.task = {.run = run_host, .priority = 10},
                        .urgent.task = {.run = run_guest, .priority = 9},
                        .patient.task = {.run = run_guest, .priority = 10}};
    ck_assert_int_eq(taco_workers_create(&host.workers, 1, NULL), TACO_OK);
    taco_workers_add(host.workers, &host.task);
    taco_workers_destroy(host.workers);
    ck_assert(host.done);
    ck_assert(host.urgent_passed);
    ck_assert(!host.patient_passed);
    ck_assert_int_eq(host.urgent.ran, 1);
    ck_assert_int_eq(host.patient.ran, 1);
}
END_TEST

START_TEST(signals_are_left_to_the_program) {
    struct taco_workers *workers;
    struct taco_team *team;
    ck_assert_int_eq(taco_workers_create(&workers, 3, NULL), TACO_OK);
    ck_assert_int_eq(taco_team_create(&team, 3, NULL), TACO_OK);
    main_thread = pthread_self();
    signal(SIGUSR1, on_signal);
    for (int i = 1; i <= 20; i++) {
        kill(getpid(), SIGUSR1);
        for (int wait = 0; wait < 1000 && atomic_load(&handled_by_main) < i; wait++)
            usleep(1000);
        ck_assert_int_eq(atomic_load(&handled_by_main), i);
    }
    taco_team_destroy(team);
    taco_workers_destroy(workers);
}
END_TEST

struct crowd {
    struct taco_task task;
    atomic_int *now, *most; /* tasks that run, and the most that ever did */
    atomic_int *meeting;    /* a task stays until so many run, or for long */
};

static void run_crowd(struct taco_task *task, int worker) {
    struct crowd *crowd = (struct crowd *)(void *)task;
    (void)worker;
    int now = atomic_fetch_add(crowd->now, 1) + 1, most = atomic_load(crowd->most);
    while (now > most && !atomic_compare_exchange_weak(crowd->most, &most, now))
        ;
    for (int i = 0; i < 100000 && atomic_load(crowd->most) < atomic_load(crowd->meeting);
         i++)
        usleep(100);
    usleep(200);
    atomic_fetch_sub(crowd->now, 1);
}

START_TEST(a_limit_holds_until_it_is_raised) {
    enum { N = 60 };
    static struct crowd crowd[N];
    atomic_int now = 0, most = 0, meeting = 1;
    struct taco_workers *workers;
    ck_assert_int_eq(taco_workers_create(&workers, 4, NULL), TACO_OK);
    taco_workers_limit(workers, 0); /* one is the least */
    for (int i = 0; i < N; i++) {
        crowd[i] = (struct crowd){{run_crowd, 0, 0, NULL}, &now, &most, &meeting};
        taco_workers_add(workers, &crowd[i].task);
    }
    usleep(3000);
    ck_assert_int_eq(atomic_load(&most), 1);
    atomic_store(&meeting, 3);
    taco_workers_limit(workers, 3);
    for (int i = 0; i < 100000 && atomic_load(&most) < 3; i++)
        usleep(100);
    usleep(1000);
    ck_assert_int_eq(atomic_load(&most), 3); /* not four */
    taco_workers_limit(workers, 1);
    taco_workers_destroy(workers); /* runs what is queued, limit or not */
    ck_assert_int_eq(atomic_load(&now), 0);
}
END_TEST

/* -- team -------------------------------------------------------------------------------
 */

enum { STEPS = 400, PHASES = 3, MOST = 8 };

struct work {
    struct taco_team *team;
    int n;
    /* Plain memory: only the barriers make it safe, which ThreadSanitizer checks. */
    long cells[PHASES][MOST];
    long total;
};

static void step(void *arg, int part, int n_parts) {
    struct work *work = arg;
    work->cells[0][part]++;
    for (int p = 1; p < PHASES; p++) {
        taco_team_barrier(work->team);
        /* Reads what the neighbour wrote in the phase before. */
        work->cells[p][part] = work->cells[p - 1][(part + 1) % n_parts] + 1;
    }
    taco_team_barrier(work->team);
    if (part == 0)
        for (int i = 0; i < n_parts; i++)
            work->total += work->cells[PHASES - 1][i];
}

START_TEST(a_team_meets_at_every_barrier) {
    const int sizes[] = {1, 2, 3, MOST};
    int n = sizes[_i];
    struct work work = {0};
    ck_assert_int_eq(taco_team_create(&work.team, n, NULL), TACO_OK);
    ck_assert_int_eq(taco_team_size(work.team), n);
    long expected = 0;
    for (int s = 1; s <= STEPS; s++) {
        taco_team_run(work.team, step, &work);
        expected += n * (long)(s + PHASES - 1);
        ck_assert_int_eq(work.total, expected);
        if (s % 100 == 0)
            usleep(2000); /* long enough for the others to fall asleep */
    }
    taco_team_destroy(work.team);
}
END_TEST

static void note_alone(void *arg, int part, int n_parts) {
    int *seen = arg;
    seen[0]++;
    ck_assert_int_eq(part, 0);
    ck_assert_int_eq(n_parts, 1);
}

START_TEST(a_limited_team_leaves_the_others_asleep) {
    struct work work = {0};
    ck_assert_int_eq(taco_team_create(&work.team, MOST, NULL), TACO_OK);
    long expected = 0, cells[MOST] = {0};
    for (int s = 1; s <= STEPS; s++) {
        int n = 1 + s * 5 % MOST; /* every size, up and down */
        taco_team_limit(work.team, n);
        taco_team_run(work.team, step, &work);
        for (int i = 0; i < n; i++)
            cells[i]++;
        for (int i = 0; i < n; i++)
            expected += cells[(i + PHASES - 1) % n] + PHASES - 1;
        ck_assert_int_eq(work.total, expected);
        if (s % 100 == 0)
            usleep(2000);
    }
    for (int i = 0; i < MOST; i++)
        ck_assert_int_eq(work.cells[0][i], cells[i]);
    /* Out of range is cut to what there is. */
    taco_team_limit(work.team, 0);
    int seen = 0;
    taco_team_run(work.team, note_alone, &seen);
    ck_assert_int_eq(seen, 1);
    taco_team_limit(work.team, MOST + 1);
    ck_assert_int_eq(taco_team_size(work.team), MOST);
    taco_team_run(work.team, step, &work);
    ck_assert_int_eq(work.cells[0][MOST - 1], cells[MOST - 1] + 1);
    taco_team_destroy(work.team);
    taco_team_limit(NULL, 1);
}
END_TEST

static void note(void *arg, int part, int n_parts) {
    int *seen = arg;
    seen[0]++;
    ck_assert_int_eq(part, 0);
    ck_assert_int_eq(n_parts, 1);
    taco_team_barrier(NULL);
}

START_TEST(no_team_is_one_thread) {
    int seen = 0;
    taco_team_run(NULL, note, &seen);
    ck_assert_int_eq(seen, 1);
    ck_assert_int_eq(taco_team_size(NULL), 1);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("workers");
    TCase *tc = tcase_create("workers");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, a_pool_needs_a_thread);
    tcase_add_test(tc, no_memory_is_told);
    tcase_add_test(tc, tasks_run_by_priority_then_arrival);
    tcase_add_test(tc, many_add_and_every_task_runs_once);
    tcase_add_test(tc, a_task_may_add_itself_again);
    tcase_add_test(tc, a_limit_holds_until_it_is_raised);
    tcase_add_test(tc, a_long_task_lets_an_urgent_one_pass);
    tcase_add_test(tc, signals_are_left_to_the_program);
    tcase_add_loop_test(tc, a_team_meets_at_every_barrier, 0, 4);
    tcase_add_test(tc, a_limited_team_leaves_the_others_asleep);
    tcase_add_test(tc, no_team_is_one_thread);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
