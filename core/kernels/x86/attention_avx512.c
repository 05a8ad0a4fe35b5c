/* The attention's kernels, sixteen floats at a time. */
#include "kernels/tables.h"
#include "kernels/x86/math_avx512.h"

void taco_attention_energies_avx512(const float *query, const float *keys,
                                    const float *location, const float *v, float bias,
                                    float *e, size_t dim, size_t first, size_t last) {
    for (size_t j = first; j < last; j++) {
        const float *key = keys + j * dim, *place = location ? location + j * dim : NULL;
        __m512 sum = _mm512_setzero_ps();
        for (size_t d = 0; d < dim; d += 16) {
            __mmask16 m = first_lanes(dim - d);
            __m512 s = _mm512_add_ps(_mm512_maskz_loadu_ps(m, query + d),
                                     _mm512_maskz_loadu_ps(m, key + d));
            if (place)
                s = _mm512_add_ps(s, _mm512_maskz_loadu_ps(m, place + d));
            sum = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, v + d), tanh16(s), sum);
        }
        e[j] = bias + _mm512_reduce_add_ps(sum);
    }
}

enum { MOST_SYMBOLS = 4, MOST_VECTORS = 4 };

/* out of n_symbols rows from symbol j on and n_vectors vectors from d on, of which the
 * lanes of mask count in the last. The number of symbols and vectors is known where this
 * is put in, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
location_tile(const float *const *in, int channels, int kernel, const float *m,
              size_t dim, float *out, size_t j, size_t d, int n_symbols, int n_vectors,
              __mmask16 mask) {
    __m512 sums[MOST_SYMBOLS][MOST_VECTORS];
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[s][v] = _mm512_setzero_ps();
    for (int c = 0; c < channels; c++) {
        const float *x = in[c] + (ptrdiff_t)j - (kernel - 1) / 2;
        for (int k = 0; k < kernel; k++, m += dim) {
            __m512 tap[MOST_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++)
                tap[v] = v == n_vectors - 1 ? _mm512_maskz_loadu_ps(mask, m + d + 16 * v)
                                            : _mm512_loadu_ps(m + d + 16 * v);
#pragma GCC unroll 4
            for (int s = 0; s < n_symbols; s++) {
                __m512 weight = _mm512_set1_ps(x[k + s]);
#pragma GCC unroll 4
                for (int v = 0; v < n_vectors; v++)
                    sums[s][v] = _mm512_fmadd_ps(tap[v], weight, sums[s][v]);
            }
        }
    }
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++) {
            float *to = out + (j + (size_t)s) * dim + d + 16 * v;
            if (v == n_vectors - 1)
                _mm512_mask_storeu_ps(to, mask, sums[s][v]);
            else
                _mm512_storeu_ps(to, sums[s][v]);
        }
}

void taco_location_features_avx512(const float *const *in, int channels, int kernel,
                                   const float *m, size_t dim, float *out, size_t first,
                                   size_t last) {
    for (size_t d = 0; d < dim; d += 16 * MOST_VECTORS) {
        size_t n = dim - d;
        size_t j = first;
        if (n >= 16 * MOST_VECTORS) {
            for (; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
                location_tile(in, channels, kernel, m, dim, out, j, d, MOST_SYMBOLS,
                              MOST_VECTORS, 0xFFFF);
            for (; j < last; j++)
                location_tile(in, channels, kernel, m, dim, out, j, d, 1, MOST_VECTORS,
                              0xFFFF);
        } else {
            for (size_t v = 0; v < n; v += 16) {
                __mmask16 mask = first_lanes(n - v);
                for (j = first; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
                    location_tile(in, channels, kernel, m, dim, out, j, d + v,
                                  MOST_SYMBOLS, 1, mask);
                for (; j < last; j++)
                    location_tile(in, channels, kernel, m, dim, out, j, d + v, 1, 1,
                                  mask);
            }
        }
    }
}

void taco_weighted_sum_avx512(const float *a, const float *m, size_t n, size_t stride,
                              float *out, size_t first, size_t last) {
    size_t d = first;
    for (; d + 64 <= last; d += 64) {
        __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
        for (size_t j = 0; j < n; j++) {
            const float *row = m + j * stride + d;
            __m512 weight = _mm512_set1_ps(a[j]);
            s0 = _mm512_fmadd_ps(weight, _mm512_loadu_ps(row), s0);
            s1 = _mm512_fmadd_ps(weight, _mm512_loadu_ps(row + 16), s1);
            s2 = _mm512_fmadd_ps(weight, _mm512_loadu_ps(row + 32), s2);
            s3 = _mm512_fmadd_ps(weight, _mm512_loadu_ps(row + 48), s3);
        }
        _mm512_storeu_ps(out + d, s0);
        _mm512_storeu_ps(out + d + 16, s1);
        _mm512_storeu_ps(out + d + 32, s2);
        _mm512_storeu_ps(out + d + 48, s3);
    }
    for (; d < last; d += 16) {
        __mmask16 mask = first_lanes(last - d);
        __m512 sum = _mm512_setzero_ps();
        for (size_t j = 0; j < n; j++)
            sum = _mm512_fmadd_ps(_mm512_set1_ps(a[j]),
                                  _mm512_maskz_loadu_ps(mask, m + j * stride + d), sum);
        _mm512_mask_storeu_ps(out + d, mask, sum);
    }
}

float taco_dot_avx512(const float *a, const float *b, size_t n) {
    __m512 s0 = _mm512_setzero_ps(), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    for (; i + 64 <= n; i += 64) {
        s0 = _mm512_fmadd_ps(_mm512_loadu_ps(a + i), _mm512_loadu_ps(b + i), s0);
        s1 =
            _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 16), _mm512_loadu_ps(b + i + 16), s1);
        s2 =
            _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 32), _mm512_loadu_ps(b + i + 32), s2);
        s3 =
            _mm512_fmadd_ps(_mm512_loadu_ps(a + i + 48), _mm512_loadu_ps(b + i + 48), s3);
    }
    for (; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        s0 = _mm512_fmadd_ps(_mm512_maskz_loadu_ps(m, a + i),
                             _mm512_maskz_loadu_ps(m, b + i), s0);
    }
    return _mm512_reduce_add_ps(
        _mm512_add_ps(_mm512_add_ps(s0, s1), _mm512_add_ps(s2, s3)));
}
