#include "base/arena.h"

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include "base/memory.h"

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_ASAN 1
#endif
#endif
#ifdef ARENA_ASAN
#include <sanitizer/asan_interface.h>
#define POISON(p, n) ASAN_POISON_MEMORY_REGION(p, n)
#define UNPOISON(p, n) ASAN_UNPOISON_MEMORY_REGION(p, n)
#else
#define POISON(p, n) ((void)(p), (void)(n))
#define UNPOISON(p, n) ((void)(p), (void)(n))
#endif

enum { ALIGN = 64, FIRST_BLOCK = 4096, LARGEST_GROWTH = 64 << 20, HUGE_PAGE = 2 << 20 };

struct taco_arena_block {
    struct taco_arena_block *next;
    size_t size, used; /* bytes behind this header */
    char pad[ALIGN - sizeof(void *) - 2 * sizeof(size_t)];
    unsigned char bytes[];
};

_Static_assert(sizeof(struct taco_arena_block) == ALIGN, "bytes must be aligned");

/* Large blocks hold weights, which every decoder step reads from end to end: huge pages
 * save most of the look-ups of addresses. Systems without them are none the worse. */
static void ask_for_huge_pages(unsigned char *bytes, size_t size) {
#ifdef MADV_HUGEPAGE
    uintptr_t first = ((uintptr_t)bytes + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
    uintptr_t end = ((uintptr_t)bytes + size) & ~(uintptr_t)(HUGE_PAGE - 1);
    if (end > first)
        (void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
    (void)bytes, (void)size;
#endif
}

static struct taco_arena_block *add_block(struct taco_arena *arena, size_t need) {
    /* Blocks double, so that after a round or two one block holds a whole round. */
    size_t size = arena->head ? arena->head->size : FIRST_BLOCK / 2;
    size = size < LARGEST_GROWTH / 2 ? 2 * size : LARGEST_GROWTH;
    if (size < need)
        size = need;
    struct taco_arena_block *block = taco_aligned_alloc64(sizeof *block + size);
    if (!block)
        return NULL;
    ask_for_huge_pages(block->bytes, size);
    block->next = arena->head;
    block->size = size;
    block->used = 0;
    POISON(block->bytes, size);
    arena->head = block;
    arena->total += sizeof *block + size;
    return block;
}

static void free_block(struct taco_arena *arena, struct taco_arena_block *block) {
    arena->total -= sizeof *block + block->size;
    UNPOISON(block->bytes, block->size);
    taco_free(block);
}

void *taco_arena_alloc(struct taco_arena *arena, size_t n, size_t size) {
    if (size && n > (PTRDIFF_MAX - 4 * ALIGN) / size)
        return NULL;
    size_t bytes = n * size;
    size_t need = bytes ? (bytes + ALIGN - 1) & ~(size_t)(ALIGN - 1) : ALIGN;
    struct taco_arena_block *block = arena->head;
    if (!block || block->size - block->used < need) {
        block = add_block(arena, need);
        if (!block)
            return NULL;
    }
    void *p = block->bytes + block->used;
    block->used += need;
    UNPOISON(p, bytes);
    return memset(p, 0, bytes);
}

char *taco_arena_strndup(struct taco_arena *arena, const char *bytes, size_t n) {
    if (n >= PTRDIFF_MAX)
        return NULL;
    char *copy = taco_arena_alloc(arena, n + 1, 1);
    if (copy && n)
        memcpy(copy, bytes, n);
    return copy;
}

void taco_arena_reset(struct taco_arena *arena) {
    struct taco_arena_block *keep = arena->head;
    for (struct taco_arena_block *b = arena->head; b; b = b->next)
        if (b->size > keep->size)
            keep = b;
    for (struct taco_arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        if (b != keep)
            free_block(arena, b);
    }
    if (keep) {
        keep->next = NULL;
        keep->used = 0;
        POISON(keep->bytes, keep->size);
    }
    arena->head = keep;
}

void taco_arena_free(struct taco_arena *arena) {
    for (struct taco_arena_block *b = arena->head, *next; b; b = next) {
        next = b->next;
        free_block(arena, b);
    }
    arena->head = NULL;
}
