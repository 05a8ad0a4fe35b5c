/* The attention's kernels against scalar. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checkasm/checkasm.h"
#include "support/numbers.h"

/* A random part of n. */
static void part(struct checkasm *c, size_t n, size_t *first, size_t *last) {
    *first = test_random_below(&c->seed, n + 1);
    *last = *first + test_random_below(&c->seed, n - *first + 1);
}

static void check_energies(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "attention_energies";
    for (int i = 0; i < c->n_rounds; i++) {
        size_t dim = 1 + test_random_below(&c->seed, i % 2 ? 40 : 300);
        size_t n = 1 + test_random_below(&c->seed, 20), first, last;
        float *query = checkasm_floats(dim), *keys = checkasm_floats(n * dim);
        float *location = checkasm_floats(n * dim), *v = checkasm_floats(dim);
        float *e = checkasm_floats(n), *y = checkasm_floats(n),
              *some = checkasm_floats(n);
        checkasm_fill(c, 1.0f, query, dim);
        checkasm_fill(c, 2.0f, keys, n * dim);
        checkasm_fill(c, 1.0f, location, n * dim);
        checkasm_fill(c, 1.0f, v, dim);
        const float *place = i % 4 ? location : NULL;
        float bias = test_random_float(&c->seed), magnitude = fabsf(bias);
        for (size_t d = 0; d < dim; d++)
            magnitude += fabsf(v[d]);
        memset(some, 0x55, n * sizeof *some);
        memcpy(y, some, n * sizeof *y);
        part(c, n, &first, &last);
        c->scalar->attention_energies(query, keys, place, v, bias, e, dim, 0, n);
        c->tested->attention_energies(query, keys, place, v, bias, y, dim, 0, n);
        c->tested->attention_energies(query, keys, place, v, bias, some, dim, first,
                                      last);
        for (size_t j = 0; j < n; j++) {
            float untouched;
            memset(&untouched, 0x55, sizeof untouched);
            if (!(fabsf(y[j] - e[j]) <= 16 * FLT_EPSILON * magnitude)) {
                checkasm_fail(c, "dim %zu, symbol %zu: %.9g, scalar %.9g", dim, j,
                              (double)y[j], (double)e[j]);
                break;
            }
            if (!checkasm_same(some[j], j >= first && j < last ? y[j] : untouched)) {
                checkasm_fail(c, "dim %zu, symbol %zu depends on the part %zu to %zu",
                              dim, j, first, last);
                break;
            }
        }
        if (!checkasm_intact(y))
            checkasm_fail(c, "writes in front of its array");
        checkasm_free(query, dim);
        checkasm_free(keys, n * dim);
        checkasm_free(location, n * dim);
        checkasm_free(v, dim);
        checkasm_free(e, n);
        checkasm_free(y, n);
        checkasm_free(some, n);
    }
    checkasm_report(c, c->now, before);
}

static void check_location_features(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "location_features";
    for (int i = 0; i < c->n_rounds; i++) {
        int channels = 1 + (int)test_random_below(&c->seed, 3);
        int kernel = 1 + 2 * (int)test_random_below(&c->seed, 17), pad = kernel / 2;
        size_t dim = 1 + test_random_below(&c->seed, i % 2 ? 40 : 200);
        size_t n = 1 + test_random_below(&c->seed, 20), first, last;
        size_t row = n + 2 * (size_t)pad, n_taps = (size_t)channels * (size_t)kernel;
        float *m = checkasm_floats(n_taps * dim), *rows[3];
        const float *in[3];
        float *e = checkasm_floats(n * dim), *y = checkasm_floats(n * dim);
        float *some = checkasm_floats(n * dim), *magnitude = checkasm_floats(n * dim);
        float *absolute = checkasm_floats(n_taps * dim);
        checkasm_fill(c, 1.0f, m, n_taps * dim);
        for (size_t k = 0; k < n_taps * dim; k++)
            absolute[k] = fabsf(m[k]);
        for (int k = 0; k < channels; k++) {
            rows[k] = checkasm_floats(row);
            memset(rows[k], 0, row * sizeof *rows[k]);
            checkasm_fill(c, 1.0f, rows[k] + pad, n);
            in[k] = rows[k] + pad;
        }
        memset(some, 0x55, n * dim * sizeof *some);
        part(c, n, &first, &last);
        c->scalar->location_features(in, channels, kernel, m, dim, e, 0, n);
        c->tested->location_features(in, channels, kernel, m, dim, y, 0, n);
        c->tested->location_features(in, channels, kernel, m, dim, some, first, last);
        for (int k = 0; k < channels; k++)
            for (size_t j = 0; j < n; j++)
                rows[k][(size_t)pad + j] = fabsf(rows[k][(size_t)pad + j]);
        c->scalar->location_features(in, channels, kernel, absolute, dim, magnitude, 0,
                                     n);
        for (size_t k = 0; k < n * dim; k++) {
            float untouched;
            memset(&untouched, 0x55, sizeof untouched);
            size_t j = k / dim;
            if (!(fabsf(y[k] - e[k]) <= 8 * FLT_EPSILON * magnitude[k] + 1e-37f)) {
                checkasm_fail(c, "dim %zu, kernel %d, (%zu, %zu): %.9g, scalar %.9g", dim,
                              kernel, j, k % dim, (double)y[k], (double)e[k]);
                break;
            }
            if (!checkasm_same(some[k], j >= first && j < last ? y[k] : untouched)) {
                checkasm_fail(c, "dim %zu, symbol %zu depends on the part %zu to %zu",
                              dim, j, first, last);
                break;
            }
        }
        if (!checkasm_intact(y))
            checkasm_fail(c, "writes in front of its array");
        for (int k = 0; k < channels; k++)
            checkasm_free(rows[k], row);
        checkasm_free(m, n_taps * dim);
        checkasm_free(absolute, n_taps * dim);
        checkasm_free(e, n * dim);
        checkasm_free(y, n * dim);
        checkasm_free(some, n * dim);
        checkasm_free(magnitude, n * dim);
    }
    checkasm_report(c, c->now, before);
}

static void check_weighted_sum(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "weighted_sum";
    for (int i = 0; i < c->n_rounds; i++) {
        size_t n = test_random_below(&c->seed, 60),
               dim = 1 + test_random_below(&c->seed, 300);
        size_t stride = dim + test_random_below(&c->seed, 4), first, last;
        size_t size = n ? (n - 1) * stride + dim : 0;
        float *a = checkasm_floats(n), *m = checkasm_floats(size);
        float *e = checkasm_floats(dim), *y = checkasm_floats(dim),
              *some = checkasm_floats(dim);
        checkasm_fill(c, 1.0f, a, n);
        checkasm_fill(c, 1.0f, m, size);
        memset(some, 0x55, dim * sizeof *some);
        part(c, dim, &first, &last);
        c->scalar->weighted_sum(a, m, n, stride, e, 0, dim);
        c->tested->weighted_sum(a, m, n, stride, y, 0, dim);
        c->tested->weighted_sum(a, m, n, stride, some, first, last);
        for (size_t d = 0; d < dim; d++) {
            float magnitude = 0, untouched;
            memset(&untouched, 0x55, sizeof untouched);
            for (size_t j = 0; j < n; j++)
                magnitude += fabsf(a[j] * m[j * stride + d]);
            if (!(fabsf(y[d] - e[d]) <= 8 * FLT_EPSILON * magnitude + 1e-37f)) {
                checkasm_fail(c, "%zu rows, %zu of %zu: %.9g, scalar %.9g", n, d, dim,
                              (double)y[d], (double)e[d]);
                break;
            }
            if (!checkasm_same(some[d], d >= first && d < last ? y[d] : untouched)) {
                checkasm_fail(c, "output %zu of %zu depends on the part %zu to %zu", d,
                              dim, first, last);
                break;
            }
        }
        if (!checkasm_intact(y))
            checkasm_fail(c, "writes in front of its array");
        checkasm_free(a, n);
        checkasm_free(m, size);
        checkasm_free(e, dim);
        checkasm_free(y, dim);
        checkasm_free(some, dim);
    }
    checkasm_report(c, c->now, before);
}

static void check_dot(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "dot";
    for (int i = 0; i < c->n_rounds; i++) {
        size_t n = test_random_below(&c->seed, i % 2 ? 80 : 700);
        float *a = checkasm_floats(n), *b = checkasm_floats(n), magnitude = 0;
        checkasm_fill(c, 1.0f, a, n);
        checkasm_fill(c, 1.0f, b, n);
        for (size_t k = 0; k < n; k++)
            magnitude += fabsf(a[k] * b[k]);
        float e = c->scalar->dot(a, b, n), y = c->tested->dot(a, b, n);
        if (!(fabsf(e - y) <= 16 * FLT_EPSILON * magnitude + 1e-37f))
            checkasm_fail(c, "%zu: %.9g, scalar %.9g", n, (double)y, (double)e);
        checkasm_free(a, n);
        checkasm_free(b, n);
    }
    checkasm_report(c, c->now, before);
}

void checkasm_attention(struct checkasm *c) {
    check_energies(c);
    check_location_features(c);
    check_weighted_sum(c);
    check_dot(c);
}
