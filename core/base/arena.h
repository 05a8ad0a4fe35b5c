/* Bump allocator: many small allocations, one end. Not thread-safe; one owner at a time.
 *
 * Memory is 64-byte aligned and zeroed. Under AddressSanitizer what has been given back
 * by taco_arena_reset is poisoned. Allocation goes through taco_malloc (memory.h), so the
 * n-th-failure tests reach it. */
#ifndef TACO_BASE_ARENA_H
#define TACO_BASE_ARENA_H

#include <stddef.h>

struct taco_arena {
    struct taco_arena_block *head; /* block in use; earlier ones behind it */
    size_t total;                  /* bytes held from the system */
};

/* An arena of no memory; the first allocation takes a block. */
#define TACO_ARENA_INIT                                                                  \
    { NULL, 0 }

/* n * size bytes, zeroed, aligned to 64; NULL when memory or size_t is exhausted. */
void *taco_arena_alloc(struct taco_arena *arena, size_t n, size_t size);

/* A copy of the bytes [n] with a NUL behind; NULL as above. */
char *taco_arena_strndup(struct taco_arena *arena, const char *bytes, size_t n);

/* Forgets every allocation, keeps the largest block for the next round. */
void taco_arena_reset(struct taco_arena *arena);

/* Gives everything back to the system. */
void taco_arena_free(struct taco_arena *arena);

#endif
