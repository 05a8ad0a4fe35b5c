/* base/memory.h and base/arena.h. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "support/runner.h"

START_TEST(impossible_sizes_are_refused) {
    /* Through a variable, so that the compiler does not refuse them first. */
    volatile size_t huge = SIZE_MAX;
    ck_assert_ptr_null(taco_aligned_alloc64(huge));
    ck_assert_ptr_null(taco_aligned_alloc64(huge - 62));
    ck_assert_ptr_null(taco_calloc(huge / 2, 3));
    struct taco_arena arena = TACO_ARENA_INIT;
    ck_assert_ptr_null(taco_arena_alloc(&arena, huge, 1));
    ck_assert_ptr_null(taco_arena_alloc(&arena, huge / 2, 3));
    ck_assert_ptr_null(taco_arena_alloc(&arena, huge - 256, 1));
    ck_assert_ptr_null(taco_arena_strndup(&arena, "", huge));
    ck_assert_uint_eq(arena.total, 0);
    taco_arena_free(&arena);
}
END_TEST

START_TEST(nothing_is_something) {
    void *all[] = {taco_malloc(0), taco_calloc(0, 8), taco_calloc(8, 0),
                   taco_realloc(NULL, 0), taco_aligned_alloc64(0)};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        ck_assert_ptr_nonnull(all[i]);
        taco_free(all[i]);
    }
    taco_free(NULL);
    struct taco_arena arena = TACO_ARENA_INIT;
    taco_arena_reset(&arena);
    ck_assert_ptr_nonnull(taco_arena_alloc(&arena, 0, 8));
    taco_arena_free(&arena);
    taco_arena_free(&arena);
}
END_TEST

START_TEST(the_nth_allocation_fails_and_those_after_it) {
    taco_memory_fail_at(3);
    void *a = taco_malloc(1);
    void *b = taco_calloc(1, 1);
    ck_assert(a && b);
    ck_assert_ptr_null(taco_realloc(a, 2));
    ck_assert_ptr_null(taco_malloc(1));
    ck_assert_ptr_null(taco_calloc(1, 1));
    ck_assert_ptr_null(taco_aligned_alloc64(1));
    ck_assert_ptr_null(taco_strdup("x"));
    ck_assert_int_eq(taco_memory_count(), 7);
    taco_memory_fail_at(0);
    ck_assert_int_eq(taco_memory_count(), 0);
    a = taco_realloc(a, 2);
    char *copy = taco_strdup("x");
    ck_assert_str_eq(copy, "x");
    ck_assert_int_eq(taco_memory_count(), 2);
    taco_free(copy);
    taco_free(a);
    taco_free(b);
}
END_TEST

START_TEST(arena_memory_is_aligned_and_zero) {
    struct taco_arena arena = TACO_ARENA_INIT;
    for (int round = 0; round < 3; round++) {
        unsigned char *before = NULL;
        size_t size_before = 0;
        for (size_t size = 1; size < 20000; size = size * 3 / 2 + 1) {
            unsigned char *p = taco_arena_alloc(&arena, size, 1);
            ck_assert_ptr_nonnull(p);
            ck_assert_uint_eq((uintptr_t)p % 64, 0);
            for (size_t i = 0; i < size; i++)
                ck_assert_uint_eq(p[i], 0);
            memset(p, 0xAA, size);
            for (size_t i = 0; i < size_before; i++)
                ck_assert_uint_eq(before[i], 0xAA);
            before = p;
            size_before = size;
        }
        taco_arena_reset(&arena);
    }
    ck_assert_uint_gt(arena.total, 0);
    taco_arena_free(&arena);
    ck_assert_uint_eq(arena.total, 0);
}
END_TEST

/* Rounds of the same size soon need nothing more from the system. */
START_TEST(an_arena_settles) {
    struct taco_arena arena = TACO_ARENA_INIT;
    for (int round = 0; round < 6; round++) {
        taco_memory_fail_at(0);
        for (int i = 0; i < 500; i++)
            ck_assert_ptr_nonnull(taco_arena_alloc(&arena, 100, 4));
        taco_arena_reset(&arena);
    }
    ck_assert_int_eq(taco_memory_count(), 0);
    taco_arena_free(&arena);
}
END_TEST

START_TEST(an_arena_survives_failure) {
    struct taco_arena arena = TACO_ARENA_INIT;
    char *kept = taco_arena_strndup(&arena, "kept and cut", 4);
    ck_assert_str_eq(kept, "kept");
    taco_memory_fail_at(1);
    ck_assert_ptr_null(taco_arena_alloc(&arena, 1 << 20, 1));
    ck_assert_ptr_nonnull(
        taco_arena_alloc(&arena, 8, 1)); /* there is room in the block */
    taco_memory_fail_at(0);
    ck_assert_ptr_nonnull(taco_arena_alloc(&arena, 1 << 20, 1));
    ck_assert_str_eq(kept, "kept");
    ck_assert_str_eq(taco_arena_strndup(&arena, NULL, 0), "");
    taco_arena_free(&arena);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("memory");
    TCase *tc = tcase_create("memory");
    tcase_add_test(tc, impossible_sizes_are_refused);
    tcase_add_test(tc, nothing_is_something);
    tcase_add_test(tc, the_nth_allocation_fails_and_those_after_it);
    tcase_add_test(tc, arena_memory_is_aligned_and_zero);
    tcase_add_test(tc, an_arena_settles);
    tcase_add_test(tc, an_arena_survives_failure);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
