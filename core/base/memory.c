#include "base/memory.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static atomic_long n_allocations;
static atomic_long fail_at; /* 0: never */

static bool must_fail(void) {
    long n = atomic_fetch_add_explicit(&n_allocations, 1, memory_order_relaxed) + 1;
    long at = atomic_load_explicit(&fail_at, memory_order_relaxed);
    return at > 0 && n >= at;
}

void *taco_malloc(size_t size) {
    return must_fail() ? NULL : malloc(size ? size : 1);
}

void *taco_calloc(size_t n, size_t size) {
    size_t bytes;
    if (must_fail() || __builtin_mul_overflow(n, size, &bytes))
        return NULL;
    return n && size ? calloc(n, size) : calloc(1, 1);
}

void *taco_realloc(void *old, size_t size) {
    return must_fail() ? NULL : realloc(old, size ? size : 1);
}

void *taco_aligned_alloc64(size_t size) {
    if (must_fail() || size > SIZE_MAX - 63)
        return NULL;
    size_t rounded = (size + 63) & ~(size_t)63;
    return aligned_alloc(64, rounded ? rounded : 64);
}

char *taco_strdup(const char *s) {
    size_t n = strlen(s) + 1;
    char *copy = taco_malloc(n);
    return copy ? memcpy(copy, s, n) : NULL;
}

void taco_free(void *p) {
    free(p);
}

void *taco_alloc_pages(size_t size) {
    if (must_fail())
        return NULL;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pages == MAP_FAILED)
        return NULL;
    /* A huge page takes 2 MiB for the first byte that is written. */
    (void)madvise(pages, size, MADV_NOHUGEPAGE);
    return pages;
}

void taco_free_pages(void *pages, size_t size) {
    if (pages)
        (void)munmap(pages, size);
}

void taco_memory_fail_at(long n) {
    atomic_store_explicit(&fail_at, 0, memory_order_relaxed);
    atomic_store_explicit(&n_allocations, 0, memory_order_relaxed);
    atomic_store_explicit(&fail_at, n, memory_order_relaxed);
}

long taco_memory_count(void) {
    return atomic_load_explicit(&n_allocations, memory_order_relaxed);
}
