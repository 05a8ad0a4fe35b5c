/* The attention's kernels, eight floats at a time. */
#include "kernels/tables.h"
#include "kernels/x86/math_avx2.h"

void taco_attention_energies_avx2(const float *query, const float *keys,
                                  const float *location, const float *v, float bias,
                                  float *e, size_t dim, size_t first, size_t last) {
    for (size_t j = first; j < last; j++) {
        const float *key = keys + j * dim, *place = location ? location + j * dim : NULL;
        __m256 sum = _mm256_setzero_ps();
        for (size_t d = 0; d < dim; d += 8) {
            size_t n = dim - d;
            __m256 s = _mm256_add_ps(load_first(query + d, n), load_first(key + d, n));
            if (place)
                s = _mm256_add_ps(s, load_first(place + d, n));
            sum = _mm256_fmadd_ps(load_first(v + d, n), tanh8(s), sum);
        }
        e[j] = bias + sum_lanes(sum);
    }
}

enum { MOST_SYMBOLS = 2, MOST_VECTORS = 4 };

/* out of n_symbols rows from symbol j on and n_vectors whole vectors from d on, or of the
 * first n < 8 lanes of one. The numbers of symbols and vectors are known where this is
 * put in, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
location_tile(const float *const *in, int channels, int kernel, const float *m,
              size_t dim, float *out, size_t j, size_t d, int n_symbols, int n_vectors,
              size_t n) {
    __m256 sums[MOST_SYMBOLS][MOST_VECTORS];
#pragma GCC unroll 2
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[s][v] = _mm256_setzero_ps();
    for (int c = 0; c < channels; c++) {
        const float *x = in[c] + (ptrdiff_t)j - (kernel - 1) / 2;
        for (int k = 0; k < kernel; k++, m += dim) {
            __m256 tap[MOST_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++)
                tap[v] = load_first(m + d + 8 * v, n);
#pragma GCC unroll 2
            for (int s = 0; s < n_symbols; s++) {
                __m256 weight = _mm256_set1_ps(x[k + s]);
#pragma GCC unroll 4
                for (int v = 0; v < n_vectors; v++)
                    sums[s][v] = _mm256_fmadd_ps(tap[v], weight, sums[s][v]);
            }
        }
    }
#pragma GCC unroll 2
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            store_first(out + (j + (size_t)s) * dim + d + 8 * v, n, sums[s][v]);
}

void taco_location_features_avx2(const float *const *in, int channels, int kernel,
                                 const float *m, size_t dim, float *out, size_t first,
                                 size_t last) {
    size_t d = 0;
    for (; d + 8 * MOST_VECTORS <= dim; d += 8 * MOST_VECTORS) {
        size_t j = first;
        for (; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, MOST_SYMBOLS,
                          MOST_VECTORS, 8);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, MOST_VECTORS, 8);
    }
    for (; d < dim; d += 8) {
        size_t j = first, n = dim - d;
        for (; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, MOST_SYMBOLS, 1, n);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, 1, n);
    }
}

void taco_weighted_sum_avx2(const float *a, const float *m, size_t n, size_t stride,
                            float *out, size_t first, size_t last) {
    size_t d = first;
    for (; d + 32 <= last; d += 32) {
        __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
        for (size_t j = 0; j < n; j++) {
            const float *row = m + j * stride + d;
            __m256 weight = _mm256_set1_ps(a[j]);
            s0 = _mm256_fmadd_ps(weight, _mm256_loadu_ps(row), s0);
            s1 = _mm256_fmadd_ps(weight, _mm256_loadu_ps(row + 8), s1);
            s2 = _mm256_fmadd_ps(weight, _mm256_loadu_ps(row + 16), s2);
            s3 = _mm256_fmadd_ps(weight, _mm256_loadu_ps(row + 24), s3);
        }
        _mm256_storeu_ps(out + d, s0);
        _mm256_storeu_ps(out + d + 8, s1);
        _mm256_storeu_ps(out + d + 16, s2);
        _mm256_storeu_ps(out + d + 24, s3);
    }
    for (; d < last; d += 8) {
        __m256 sum = _mm256_setzero_ps();
        for (size_t j = 0; j < n; j++)
            sum = _mm256_fmadd_ps(_mm256_set1_ps(a[j]),
                                  load_first(m + j * stride + d, last - d), sum);
        store_first(out + d, last - d, sum);
    }
}

float taco_dot_avx2(const float *a, const float *b, size_t n) {
    __m256 s0 = _mm256_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    for (; i + 32 <= n; i += 32) {
        s0 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i), _mm256_loadu_ps(b + i), s0);
        s1 = _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 8), _mm256_loadu_ps(b + i + 8), s1);
        s2 =
            _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 16), _mm256_loadu_ps(b + i + 16), s2);
        s3 =
            _mm256_fmadd_ps(_mm256_loadu_ps(a + i + 24), _mm256_loadu_ps(b + i + 24), s3);
    }
    for (; i < n; i += 8)
        s0 = _mm256_fmadd_ps(load_first(a + i, n - i), load_first(b + i, n - i), s0);
    return sum_lanes(_mm256_add_ps(_mm256_add_ps(s0, s1), _mm256_add_ps(s2, s3)));
}
