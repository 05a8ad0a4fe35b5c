#include "base/workers.h"

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct taco_workers {
    pthread_mutex_t lock;
    pthread_cond_t some;            /* a task was added, or the end has come */
    struct taco_task *first, *last; /* sorted by (priority, order) */
    uint64_t n_added;
    int n_running, limit; /* tasks at once */
    bool ending;
    int n_threads;
    struct worker {
        struct taco_workers *workers;
        pthread_t thread;
        int index;
    } * threads; /* [n_threads] */
};

static struct taco_task *take(struct taco_workers *w) {
    struct taco_task *task = w->first;
    if (task) {
        w->first = task->next;
        if (!w->first)
            w->last = NULL;
        task->next = NULL;
    }
    return task;
}

static void *work(void *arg) {
    struct worker *self = arg;
    struct taco_workers *w = self->workers;
    pthread_mutex_lock(&w->lock);
    for (;;) {
        struct taco_task *task = w->n_running < w->limit ? take(w) : NULL;
        if (task) {
            w->n_running++;
            pthread_mutex_unlock(&w->lock);
            task->run(task, self->index); /* may free the task */
            pthread_mutex_lock(&w->lock);
            w->n_running--;
        } else if (w->ending && !w->first) {
            break;
        } else {
            pthread_cond_wait(&w->some, &w->lock);
        }
    }
    pthread_mutex_unlock(&w->lock);
    return NULL;
}

enum taco_status taco_workers_create(struct taco_workers **workers, int n_threads,
                                     struct taco_error *err) {
    *workers = NULL;
    if (n_threads < 1)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "n_threads",
                              "a pool of %d threads was asked for: at least 1 is needed",
                              n_threads);
    struct taco_workers *w = taco_calloc(1, sizeof *w);
    if (w)
        w->threads = taco_calloc((size_t)n_threads, sizeof *w->threads);
    if (!w || !w->threads) {
        taco_free(w);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for %d threads",
                              n_threads);
    }
    w->limit = n_threads;
    pthread_mutex_init(&w->lock, NULL);
    pthread_cond_init(&w->some, NULL);

    /* Signals are for the program's own threads. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int failure = 0;
    while (w->n_threads < n_threads && !failure) {
        struct worker *t = &w->threads[w->n_threads];
        t->workers = w;
        t->index = w->n_threads;
        failure = pthread_create(&t->thread, NULL, work, t);
        if (!failure)
            w->n_threads++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failure) {
        int made = w->n_threads;
        taco_workers_destroy(w);
        return taco_error_set(err, TACO_ERR_IO, NULL,
                              "thread %d of %d cannot be made: %s", made + 1, n_threads,
                              strerror(failure));
    }
    *workers = w;
    return TACO_OK;
}

bool taco_workers_run_inside(struct taco_workers *w, int worker, uint64_t before) {
    pthread_mutex_lock(&w->lock);
    struct taco_task *task = w->first && w->first->priority < before ? take(w) : NULL;
    pthread_mutex_unlock(&w->lock);
    if (task)
        task->run(task, worker);
    return task != NULL;
}

void taco_workers_destroy(struct taco_workers *w) {
    if (!w)
        return;
    pthread_mutex_lock(&w->lock);
    w->ending = true;
    w->limit = w->n_threads;
    pthread_cond_broadcast(&w->some);
    pthread_mutex_unlock(&w->lock);
    for (int i = 0; i < w->n_threads; i++)
        pthread_join(w->threads[i].thread, NULL);
    pthread_cond_destroy(&w->some);
    pthread_mutex_destroy(&w->lock);
    taco_free(w->threads);
    taco_free(w);
}

void taco_workers_add(struct taco_workers *w, struct taco_task *task) {
    pthread_mutex_lock(&w->lock);
    task->order = w->n_added++;
    /* Mostly the newcomer goes last; otherwise behind all of its own priority. */
    if (!w->last || w->last->priority <= task->priority) {
        task->next = NULL;
        if (w->last)
            w->last->next = task;
        else
            w->first = task;
        w->last = task;
    } else {
        struct taco_task **link = &w->first;
        while ((*link)->priority <= task->priority)
            link = &(*link)->next;
        task->next = *link;
        *link = task;
    }
    pthread_cond_signal(&w->some);
    pthread_mutex_unlock(&w->lock);
}

void taco_workers_limit(struct taco_workers *w, int n_threads) {
    pthread_mutex_lock(&w->lock);
    w->limit = n_threads < 1 ? 1 : n_threads;
    pthread_cond_broadcast(&w->some);
    pthread_mutex_unlock(&w->lock);
}
