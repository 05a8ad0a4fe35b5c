/* Body of the attention's kernels (body/math.h tells what a body is). LOCATION_SYMBOLS: rows
 * of location features whose sums are in registers together, by four vectors each. */
#ifndef TACO_KERNELS_BODY_ATTENTION_H
#define TACO_KERNELS_BODY_ATTENTION_H

#include "kernels/body/math.h"
#include "kernels/tables.h"

enum { VECTORS = 4 };

void KERNEL(attention_energies)(const float *query, const float *keys,
                                const float *location, const float *v, float bias,
                                float *e, size_t dim, size_t first, size_t last) {
    for (size_t j = first; j < last; j++) {
        const float *key = keys + j * dim, *place = location ? location + j * dim : NULL;
        vec sum = vec_set(0.0f);
        for (size_t d = 0; d < dim; d += LANES) {
            size_t n = dim - d;
            vec s = vec_add(vec_load_first(query + d, n), vec_load_first(key + d, n));
            if (place)
                s = vec_add(s, vec_load_first(place + d, n));
            sum = vec_fma(vec_load_first(v + d, n), vec_tanh(s), sum);
        }
        e[j] = bias + vec_sum(sum);
    }
}

/* out of n_symbols rows from symbol j on and n_vectors whole vectors from d on, or of the
 * first n lanes of one. The numbers of symbols and vectors are known where this is put in,
 * so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
location_tile(const float *const *in, int channels, int kernel, const float *m,
              size_t dim, float *out, size_t j, size_t d, int n_symbols, int n_vectors,
              size_t n) {
    vec sums[LOCATION_SYMBOLS][VECTORS];
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[s][v] = vec_set(0.0f);
    for (int c = 0; c < channels; c++) {
        const float *x = in[c] + (ptrdiff_t)j - (kernel - 1) / 2;
        for (int k = 0; k < kernel; k++, m += dim) {
            vec tap[VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++)
                tap[v] = vec_load_first(m + d + LANES * v, n);
#pragma GCC unroll 4
            for (int s = 0; s < n_symbols; s++) {
                vec weight = vec_set(x[k + s]);
#pragma GCC unroll 4
                for (int v = 0; v < n_vectors; v++)
                    sums[s][v] = vec_fma(tap[v], weight, sums[s][v]);
            }
        }
    }
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            vec_store_first(out + (j + (size_t)s) * dim + d + LANES * v, n, sums[s][v]);
}

void KERNEL(location_features)(const float *const *in, int channels, int kernel,
                               const float *m, size_t dim, float *out, size_t first,
                               size_t last) {
    size_t d = 0;
    for (; d + LANES * VECTORS <= dim; d += LANES * VECTORS) {
        size_t j = first;
        for (; j + LOCATION_SYMBOLS <= last; j += LOCATION_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, LOCATION_SYMBOLS,
                          VECTORS, LANES);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, VECTORS, LANES);
    }
    for (; d < dim; d += LANES) {
        size_t j = first, n = dim - d;
        for (; j + LOCATION_SYMBOLS <= last; j += LOCATION_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, LOCATION_SYMBOLS, 1,
                          n);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, 1, n);
    }
}

/* out [n_vectors * LANES], or the first width lanes of one vector, from column d on. */
static inline __attribute__((always_inline)) void
weighted_tile(const float *a, const float *m, size_t n, size_t stride, float *out,
              size_t d, int n_vectors, size_t width) {
    vec sums[VECTORS];
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++)
        sums[v] = vec_set(0.0f);
    for (size_t j = 0; j < n; j++) {
        vec weight = vec_set(a[j]);
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[v] = vec_fma(
                weight, vec_load_first(m + j * stride + d + LANES * v, width), sums[v]);
    }
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++)
        vec_store_first(out + d + LANES * v, width, sums[v]);
}

void KERNEL(weighted_sum)(const float *a, const float *m, size_t n, size_t stride,
                          float *out, size_t first, size_t last) {
    size_t d = first;
    for (; d + LANES * VECTORS <= last; d += LANES * VECTORS)
        weighted_tile(a, m, n, stride, out, d, VECTORS, LANES);
    for (; d < last; d += LANES)
        weighted_tile(a, m, n, stride, out, d, 1, last - d);
}

float KERNEL(dot)(const float *a, const float *b, size_t n) {
    vec s0 = vec_set(0.0f), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES) {
        s0 = vec_fma(vec_load(a + i), vec_load(b + i), s0);
        s1 = vec_fma(vec_load(a + i + LANES), vec_load(b + i + LANES), s1);
        s2 = vec_fma(vec_load(a + i + 2 * LANES), vec_load(b + i + 2 * LANES), s2);
        s3 = vec_fma(vec_load(a + i + 3 * LANES), vec_load(b + i + 3 * LANES), s3);
    }
    for (; i < n; i += LANES)
        s0 = vec_fma(vec_load_first(a + i, n - i), vec_load_first(b + i, n - i), s0);
    return vec_sum(vec_add(vec_add(s0, s1), vec_add(s2, s3)));
}

#endif
