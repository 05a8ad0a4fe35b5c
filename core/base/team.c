/* A team that runs one function on n threads together (workers.h).
 *
 * Two words change, and every wait is for one of them: `round` starts a run, `phase`
 * passes a barrier. A wait spins first, since the others are at most microseconds away
 * within a decoder step, then sleeps. A waker looks for sleepers after it has changed the
 * word; a sleeper counts itself before it looks at the word again. Both are sequentially
 * consistent, so one of them sees the other.
 *
 * `round` also holds how many threads take part, so that one that sat rounds out learns
 * from a single load which round it is and whether it is wanted; and each of them has a
 * condition variable of its own for it, so that a run wakes nobody else. */
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

/* `round`: a count of runs above, the number of threads that take part below. All bits
 * set below: the end, in which every thread takes part. */
enum {
    PARTS_BITS = 10,
    PARTS_MASK = (1 << PARTS_BITS) - 1,
    MAX_THREADS = PARTS_MASK - 1
};

struct taco_team {
    int n;        /* threads, the caller's included */
    int n_active; /* of them, in the runs to come */
    void (*fn)(void *arg, int part, int n_parts);
    void *arg;
    atomic_uint round;
    atomic_uint phase;   /* counts barriers passed */
    atomic_int arrived;  /* at the barrier */
    atomic_int sleepers; /* of the barrier */
    pthread_mutex_t lock;
    pthread_cond_t passed; /* the phase has changed */
    struct member {
        struct taco_team *team;
        pthread_t thread;
        int part;
        atomic_bool asleep;
        pthread_cond_t wanted; /* a round has begun in which it takes part */
    } * members;               /* [n - 1], parts 1.. */
    int n_members;             /* whose thread has been made */
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

/* True if word is another than old, and part takes part (always in a phase: part 0). */
static bool has_news(unsigned word, unsigned old, int part) {
    return word != old && (unsigned)part < (word & PARTS_MASK);
}

/* Spins until the word has news; false after a while without. */
static bool spin(const atomic_uint *word, unsigned old, int part, unsigned *now) {
    long start = 0;
    for (;;) {
        for (int i = 0; i < SPINS_PER_LOOK; i++) {
            *now = atomic_load_explicit(word, memory_order_acquire);
            if (has_news(*now, old, part))
                return true;
            relax();
        }
        long t = now_ns();
        if (!start)
            start = t;
        else if (t - start > SPIN_NS)
            return false;
    }
}

static unsigned next_word(unsigned word, int n_parts) {
    return ((word >> PARTS_BITS) + 1) << PARTS_BITS | (unsigned)n_parts;
}

/* -- barrier ----------------------------------------------------------------------------
 */

void taco_team_barrier(struct taco_team *team) {
    /* Once this thread has arrived the run may end, and the next one be limited anew. */
    int n = team ? team->n_active : 1;
    if (n == 1)
        return;
    unsigned old = atomic_load(&team->phase), now;
    if (atomic_fetch_add(&team->arrived, 1) + 1 == n) {
        atomic_store(&team->arrived, 0);
        atomic_store(&team->phase, next_word(old, 1));
        if (atomic_load(&team->sleepers) > 0) {
            pthread_mutex_lock(&team->lock);
            pthread_cond_broadcast(&team->passed);
            pthread_mutex_unlock(&team->lock);
        }
        return;
    }
    if (spin(&team->phase, old, 0, &now))
        return;
    pthread_mutex_lock(&team->lock);
    atomic_fetch_add(&team->sleepers, 1);
    while (atomic_load(&team->phase) == old)
        pthread_cond_wait(&team->passed, &team->lock);
    atomic_fetch_sub(&team->sleepers, 1);
    pthread_mutex_unlock(&team->lock);
}

/* -- rounds -------------------------------------------------------------------------- */

static unsigned wait_round(struct member *self, unsigned old) {
    struct taco_team *team = self->team;
    unsigned now;
    if (spin(&team->round, old, self->part, &now))
        return now;
    pthread_mutex_lock(&team->lock);
    atomic_store(&self->asleep, true);
    while (!has_news(now = atomic_load(&team->round), old, self->part))
        pthread_cond_wait(&self->wanted, &team->lock);
    atomic_store(&self->asleep, false);
    pthread_mutex_unlock(&team->lock);
    return now;
}

/* Begins a round and wakes the members of the first n parts that sleep. */
static void begin_round(struct taco_team *team, unsigned word, int n) {
    atomic_store(&team->round, word);
    for (int i = 0; i < n - 1 && i < team->n_members; i++) {
        struct member *m = &team->members[i];
        if (!atomic_load(&m->asleep))
            continue;
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&m->wanted);
        pthread_mutex_unlock(&team->lock);
    }
}

static void *member_main(void *arg) {
    struct member *self = arg;
    struct taco_team *team = self->team;
    unsigned round = 0;
    for (;;) {
        round = wait_round(self, round);
        unsigned n_parts = round & PARTS_MASK;
        if (n_parts == PARTS_MASK)
            return NULL;
        team->fn(team->arg, self->part, (int)n_parts);
        taco_team_barrier(team);
    }
}

void taco_team_run(struct taco_team *team, void (*fn)(void *arg, int part, int n_parts),
                   void *arg) {
    if (!team || team->n_active == 1) {
        fn(arg, 0, 1);
        return;
    }
    team->fn = fn;
    team->arg = arg;
    begin_round(team, next_word(atomic_load(&team->round), team->n_active),
                team->n_active);
    fn(arg, 0, team->n_active);
    taco_team_barrier(team);
}

void taco_team_limit(struct taco_team *team, int n_threads) {
    if (team)
        team->n_active = n_threads < 1 ? 1 : n_threads > team->n ? team->n : n_threads;
}

int taco_team_size(const struct taco_team *team) {
    return team ? team->n : 1;
}

/* -- life ---------------------------------------------------------------------------- */

/* Makes the threads. 0 or an error number. */
static int start_members(struct taco_team *team) {
    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failure = 0;
    while (team->n_members < team->n - 1 && !failure) {
        struct member *m = &team->members[team->n_members];
        m->team = team;
        m->part = team->n_members + 1;
        pthread_cond_init(&m->wanted, NULL);
        failure = pthread_create(&m->thread, NULL, member_main, m);
        if (!failure)
            team->n_members++;
        else
            pthread_cond_destroy(&m->wanted);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failure;
}

enum taco_status taco_team_create(struct taco_team **out, int n_threads,
                                  struct taco_error *err) {
    *out = NULL;
    if (n_threads < 1 || n_threads > MAX_THREADS)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "n_threads",
                              "a team of %d threads was asked for: 1 to %d are possible",
                              n_threads, MAX_THREADS);
    struct taco_team *team = taco_calloc(1, sizeof *team);
    if (team)
        team->members = taco_calloc((size_t)n_threads, sizeof *team->members);
    if (!team || !team->members) {
        taco_free(team);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for a team of %d threads", n_threads);
    }
    team->n = team->n_active = n_threads;
    atomic_store(&team->phase, 1);
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->passed, NULL);
    int failure = start_members(team);
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
    unsigned end = next_word(atomic_load(&team->round), PARTS_MASK);
    begin_round(team, end, team->n);
    for (int i = 0; i < team->n_members; i++) {
        pthread_join(team->members[i].thread, NULL);
        pthread_cond_destroy(&team->members[i].wanted);
    }
    pthread_cond_destroy(&team->passed);
    pthread_mutex_destroy(&team->lock);
    taco_free(team->members);
    taco_free(team);
}
