/* Whose turn it is: clients share the server's workers evenly.
 *
 * Work that takes long is done in slices. Each client is charged the time of its slices,
 * and the task of the client that was charged least goes first (struct taco_task.priority).
 * A client that comes, or comes back, starts where the others stand: it neither waits for
 * them to have had as much nor owes anything. This is start-time fair queueing. */
#ifndef TACO_SERVER_TURNS_H
#define TACO_SERVER_TURNS_H

#include <stdint.h>
#include <taco/status.h>

struct taco_turns;
struct taco_turns_client;

/* One piece of work of a client; all zeros: none. */
struct taco_turn {
    struct taco_turns_client *client;
};

/* TACO_ERR_NO_MEMORY. All functions are thread-safe. */
TACO_MUST_CHECK enum taco_status taco_turns_create(struct taco_turns **turns,
                                                   struct taco_error *err);
void taco_turns_destroy(struct taco_turns *turns); /* NULL is allowed */

/* The client begins a piece of work. TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_turns_enter(struct taco_turns *turns,
                                                  uint64_t client, struct taco_turn *turn,
                                                  struct taco_error *err);
/* The work is over. No effect if there is none. */
void taco_turns_leave(struct taco_turns *turns, struct taco_turn *turn);

/* The priority of the work's next slice. */
uint64_t taco_turns_priority(struct taco_turns *turns, const struct taco_turn *turn);

/* A slice took so many seconds. */
void taco_turns_charge(struct taco_turns *turns, const struct taco_turn *turn,
                       double seconds);

#endif
