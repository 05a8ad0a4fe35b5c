/* Worker threads over one queue of tasks, and a team that splits one task.
 *
 * workers: tasks run in order of (priority, arrival) on n threads; a task is a struct
 * that its owner embeds, so that adding one never allocates and cannot fail. */
#ifndef TACO_BASE_WORKERS_H
#define TACO_BASE_WORKERS_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

struct taco_task {
    void (*run)(struct taco_task *task, int worker); /* 0 <= worker < n_threads */
    uint64_t priority;                               /* lower first */
    uint64_t order;                                  /* set by the queue */
    struct taco_task *next;                          /* used by the queue */
};

struct taco_workers;

/* TACO_ERR_NO_MEMORY; TACO_ERR_IO when a thread cannot be made. */
enum taco_status taco_workers_create(struct taco_workers **workers, int n_threads,
                                     struct taco_error *err);
/* Runs what is queued, then joins. */
void taco_workers_destroy(struct taco_workers *workers);
/* The task must stay until its run has been entered. From any thread. */
void taco_workers_add(struct taco_workers *workers, struct taco_task *task);

/* Runs the first task of the queue on the calling worker, inside the task that it is running,
 * if there is one whose priority is lower than before: how a long task lets an urgent one
 * pass. Returns whether it did. */
bool taco_workers_run_inside(struct taco_workers *workers, int worker, uint64_t before);

/* At most n tasks are begun while others run, 1 or more; those that run already go on. From any
 * thread. */
void taco_workers_limit(struct taco_workers *workers, int n_threads);

/* A team of n threads (the caller is one of them) that run fn(arg, part, n) together and
 * meet at its end: spin a little, then sleep. Built for decoder steps of some 100
 * microseconds. */
struct taco_team;
enum taco_status taco_team_create(struct taco_team **team, int n_threads,
                                  struct taco_error *err);
void taco_team_destroy(struct taco_team *team);
int taco_team_size(const struct taco_team *team); /* NULL: 1 */
/* Calls fn for every part 0..n-1, part 0 on the calling thread; returns when all are
 * done. One caller at a time. team NULL: fn(arg, 0, 1). */
void taco_team_run(struct taco_team *team, void (*fn)(void *arg, int part, int n_parts),
                   void *arg);
/* Only n of its threads take part in the runs to come, 1 to its size; the others sleep.
 * Not while it runs. NULL: no effect. */
void taco_team_limit(struct taco_team *team, int n_threads);
/* Inside fn: waits until all parts are here. */
void taco_team_barrier(struct taco_team *team);

#endif
