/* The response budget: memory for answers that are being made or wait for their clients.
 *
 * Encoded audio, JSON bodies, pictures and the queues of streams are counted here, byte by
 * byte, before they are allocated, and until the client has read them. All of them together
 * take at most --response-bytes; beyond that an answer is refused (TACO_ERR_BUSY). */
#ifndef TACO_SERVER_BUDGET_H
#define TACO_SERVER_BUDGET_H

#include <stdatomic.h>
#include <stdint.h>
#include <taco/status.h>

#include "base/bytes.h"

/* The part of one answer. All functions are thread-safe. */
struct taco_budget {
    atomic_ullong *total; /* of all answers */
    uint64_t limit;       /* on it */
    atomic_ullong held;   /* of it, by this answer */
};

void taco_budget_open(struct taco_budget *budget, atomic_ullong *total, uint64_t limit);
/* Gives back what the answer holds. */
void taco_budget_close(struct taco_budget *budget);

/* Takes bytes more. TACO_ERR_BUSY: others hold the rest; TACO_ERR_TEXT_TOO_LONG: there will
 * never be enough. */
TACO_MUST_CHECK enum taco_status taco_budget_take(struct taco_budget *budget,
                                                  uint64_t bytes, struct taco_error *err);
void taco_budget_give(struct taco_budget *budget, uint64_t bytes);

/* Makes room for size more bytes, taking what the capacity grows by. As above, and
 * TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_budget_reserve(struct taco_budget *budget,
                                                     struct taco_bytes *bytes,
                                                     size_t size, struct taco_error *err);

#endif
