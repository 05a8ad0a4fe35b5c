/* A team that runs one function on n threads together (workers.h).
 *
 * Every wait is "until this word is no longer what it was": first spinning, since the
 * others are at most microseconds away within a decoder step, then on the condition
 * variable. A waker looks at `sleepers` after it has changed the word; a sleeper counts
 * itself before it looks at the word again. Both are sequentially consistent, so one of
 * them sees the other. */
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/workers.h"

enum { SPIN_NS = 50 * 1000, SPINS_PER_LOOK = 32 };

struct taco_team {
    int n; /* threads, the caller's included */
    void (*fn)(void *arg, int part, int n_parts);
    void *arg;
    bool ending;
    atomic_uint round;   /* counts runs; a change starts one */
    atomic_uint phase;   /* counts barriers passed */
    atomic_int arrived;  /* at the barrier */
    atomic_int sleepers; /* threads in the condition variable, or about to be */
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct member {
        struct taco_team *team;
        pthread_t thread;
        int part;
    } * members; /* [n - 1] made so far, parts 1.. */
    int n_members;
};

static void relax(void) {
#if defined(__x86_64__)
    __asm__ volatile("pause");
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static long now_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000L + t.tv_nsec;
}

static void wait_change(struct taco_team *team, atomic_uint *word, unsigned old) {
    long start = 0;
    for (;;) {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            if (atomic_load_explicit(word, memory_order_acquire) != old)
                return;
            relax();
        }
        long now = now_ns();
        if (!start)
            start = now;
        else if (now - start > SPIN_NS)
            break;
    }
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(word) == old)
        pthread_cond_wait(&team->changed, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

static void change(struct taco_team *team, atomic_uint *word) {
    atomic_fetch_add(word, 1);
    if (atomic_load(&team->sleepers) == 0)
        return;
    pthread_mutex_lock(&team->lock);
    pthread_cond_broadcast(&team->changed);
    pthread_mutex_unlock(&team->lock);
}

void taco_team_barrier(struct taco_team *team) {
    if (!team || team->n == 1)
        return;
    unsigned phase = atomic_load(&team->phase);
    if (atomic_fetch_add(&team->arrived, 1) + 1 < team->n) {
        wait_change(team, &team->phase, phase);
        return;
    }
    atomic_store(&team->arrived, 0);
    change(team, &team->phase);
}

static void *member_main(void *arg) {
    struct member *self = arg;
    struct taco_team *team = self->team;
    for (unsigned round = 0;; round++) {
        wait_change(team, &team->round, round);
        if (team->ending)
            return NULL;
        team->fn(team->arg, self->part, team->n);
        taco_team_barrier(team);
    }
}

enum taco_status taco_team_create(struct taco_team **out, int n_threads,
                                  struct taco_error *err) {
    *out = NULL;
    if (n_threads < 1)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "n_threads",
                              "a team of %d threads was asked for: at least 1 is needed",
                              n_threads);
    struct taco_team *team = taco_calloc(1, sizeof *team);
    if (team)
        team->members = taco_calloc((size_t)n_threads, sizeof *team->members);
    if (!team || !team->members) {
        taco_free(team);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for a team of %d threads", n_threads);
    }
    team->n = n_threads;
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->changed, NULL);

    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failure = 0;
    while (team->n_members < n_threads - 1 && !failure) {
        struct member *m = &team->members[team->n_members];
        m->team = team;
        m->part = team->n_members + 1;
        failure = pthread_create(&m->thread, NULL, member_main, m);
        if (!failure)
            team->n_members++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) {
        int made = team->n_members;
        taco_team_destroy(team);
        return taco_error_set(err, TACO_ERR_IO, NULL,
                              "thread %d of %d cannot be made: %s", made + 2, n_threads,
                              strerror(failure));
    }
    *out = team;
    return TACO_OK;
}

void taco_team_destroy(struct taco_team *team) {
    if (!team)
        return;
    team->ending = true;
    change(team, &team->round);
    for (int i = 0; i < team->n_members; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->changed);
    pthread_mutex_destroy(&team->lock);
    taco_free(team->members);
    taco_free(team);
}

int taco_team_size(const struct taco_team *team) {
    return team ? team->n : 1;
}

void taco_team_run(struct taco_team *team, void (*fn)(void *arg, int part, int n_parts),
                   void *arg) {
    if (!team || team->n == 1) {
        fn(arg, 0, 1);
        return;
    }
    team->fn = fn;
    team->arg = arg;
    change(team, &team->round);
    fn(arg, 0, team->n);
    taco_team_barrier(team);
}
