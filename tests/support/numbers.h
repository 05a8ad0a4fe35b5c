/* Seeded numbers and comparisons for tests. */
#ifndef TACO_TESTS_NUMBERS_H
#define TACO_TESTS_NUMBERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The next number of a small generator (splitmix64); any state is a seed. */
uint64_t test_random(uint64_t *state);
/* Below n. */
size_t test_random_below(uint64_t *state, size_t n);
/* Uniform in [-1, 1). */
float test_random_float(uint64_t *state);
/* out [n] uniform in [-scale, scale). */
void test_random_fill(uint64_t *state, float scale, float *out, size_t n);

/* Whether |a[i] - b[i]| <= tolerance for every i < n; two that are both no number, or the
 * same infinity, agree. Prints the worst of those that do not. */
bool test_floats_close(const float *a, const float *b, size_t n, float tolerance);

/* The largest |a[i]|. */
float test_largest(const float *a, size_t n);

#endif
