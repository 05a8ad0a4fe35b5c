#include "support/numbers.h"

#include <math.h>
#include <stdio.h>

uint64_t test_random(uint64_t *state) {
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

size_t test_random_below(uint64_t *state, size_t n) {
    return (size_t)(test_random(state) % n);
}

float test_random_float(uint64_t *state) {
    return (float)(test_random(state) >> 40) * 0x1p-23f - 1.0f;
}

void test_random_fill(uint64_t *state, float scale, float *out, size_t n) {
    for (size_t i = 0; i < n; i++)
        out[i] = scale * test_random_float(state);
}

bool test_floats_close(const float *a, const float *b, size_t n, float tolerance) {
    float worst = 0.0f;
    size_t at = n;
    for (size_t i = 0; i < n; i++) {
        if (a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))
            continue;
        float difference = fabsf(a[i] - b[i]);
        if (!(difference <= tolerance) && (at == n || !(difference <= worst))) {
            worst = difference;
            at = i;
        }
    }
    if (at == n)
        return true;
    fprintf(stderr, "element %zu of %zu: %.9g, not %.9g +- %.3g\n", at, n, (double)a[at],
            (double)b[at], (double)tolerance);
    return false;
}

float test_largest(const float *a, size_t n) {
    float largest = 0.0f;
    for (size_t i = 0; i < n; i++)
        largest = fmaxf(largest, fabsf(a[i]));
    return largest;
}
