/* The one door to the heap, so that tests can make the n-th allocation fail and count
 * leaks.
 *
 * Everything in core/ and server/ that owns memory takes it here, except what libraries
 * allocate for themselves and what is promised to the caller's free() - which is the same
 * heap, so taco_malloc'ed memory may be given to free(). */
#ifndef TACO_BASE_MEMORY_H
#define TACO_BASE_MEMORY_H

#include <stddef.h>
#include <taco/status.h>

void *taco_malloc(size_t size);
void *taco_calloc(size_t n, size_t size);
void *taco_realloc(void *old, size_t size);
/* size rounded up to a multiple of 64; freed with taco_free. */
void *taco_aligned_alloc64(size_t size);
char *taco_strdup(const char *s);
/* taco_free is in taco/status.h. */

/* Zeros straight from the system, size > 0: pages that are never written take no memory,
 * reading them included. Freed with taco_free_pages and the same size. */
void *taco_alloc_pages(size_t size);
void taco_free_pages(void *pages, size_t size); /* NULL is allowed */

/* Tests only: the n-th allocation from now (1 is the next) and all after it fail; 0:
 * none. Process-wide, atomic. */
void taco_memory_fail_at(long n);
/* Allocations counted since the last taco_memory_fail_at. */
long taco_memory_count(void);

#endif
