/* The attention's kernels, four floats at a time. */
#include "kernels/arm/math_neon.h"
#include "kernels/tables.h"

void taco_attention_energies_neon(const float *query, const float *keys,
                                  const float *location, const float *v, float bias,
                                  float *e, size_t dim, size_t first, size_t last) {
    for (size_t j = first; j < last; j++) {
        const float *key = keys + j * dim, *place = location ? location + j * dim : NULL;
        float32x4_t sum = vdupq_n_f32(0.0f);
        for (size_t d = 0; d < dim; d += 4) {
            size_t n = dim - d;
            float32x4_t s = vaddq_f32(load_first(query + d, n), load_first(key + d, n));
            if (place)
                s = vaddq_f32(s, load_first(place + d, n));
            sum = vfmaq_f32(sum, load_first(v + d, n), tanh4(s));
        }
        e[j] = bias + vaddvq_f32(sum);
    }
}

enum { MOST_SYMBOLS = 4, MOST_VECTORS = 4 };

/* out of n_symbols rows from symbol j on and n_vectors whole vectors from d on, or of the
 * first n < 4 lanes of one. The numbers of symbols and vectors are known where this is
 * put in, so that the sums stay in registers. */
static inline __attribute__((always_inline)) void
location_tile(const float *const *in, int channels, int kernel, const float *m,
              size_t dim, float *out, size_t j, size_t d, int n_symbols, int n_vectors,
              size_t n) {
    float32x4_t sums[MOST_SYMBOLS][MOST_VECTORS];
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[s][v] = vdupq_n_f32(0.0f);
    for (int c = 0; c < channels; c++) {
        const float *x = in[c] + (ptrdiff_t)j - (kernel - 1) / 2;
        for (int k = 0; k < kernel; k++, m += dim) {
            float32x4_t tap[MOST_VECTORS];
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++)
                tap[v] = load_first(m + d + 4 * v, n);
#pragma GCC unroll 4
            for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
                for (int v = 0; v < n_vectors; v++)
                    sums[s][v] = vfmaq_n_f32(sums[s][v], tap[v], x[k + s]);
        }
    }
#pragma GCC unroll 4
    for (int s = 0; s < n_symbols; s++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            store_first(out + (j + (size_t)s) * dim + d + 4 * v, n, sums[s][v]);
}

void taco_location_features_neon(const float *const *in, int channels, int kernel,
                                 const float *m, size_t dim, float *out, size_t first,
                                 size_t last) {
    size_t d = 0;
    for (; d + 4 * MOST_VECTORS <= dim; d += 4 * MOST_VECTORS) {
        size_t j = first;
        for (; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, MOST_SYMBOLS,
                          MOST_VECTORS, 4);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, MOST_VECTORS, 4);
    }
    for (; d < dim; d += 4) {
        size_t j = first, n = dim - d;
        for (; j + MOST_SYMBOLS <= last; j += MOST_SYMBOLS)
            location_tile(in, channels, kernel, m, dim, out, j, d, MOST_SYMBOLS, 1, n);
        for (; j < last; j++)
            location_tile(in, channels, kernel, m, dim, out, j, d, 1, 1, n);
    }
}

void taco_weighted_sum_neon(const float *a, const float *m, size_t n, size_t stride,
                            float *out, size_t first, size_t last) {
    size_t d = first;
    for (; d + 16 <= last; d += 16) {
        float32x4_t s0 = vdupq_n_f32(0.0f), s1 = s0, s2 = s0, s3 = s0;
        for (size_t j = 0; j < n; j++) {
            const float *row = m + j * stride + d;
            s0 = vfmaq_n_f32(s0, vld1q_f32(row), a[j]);
            s1 = vfmaq_n_f32(s1, vld1q_f32(row + 4), a[j]);
            s2 = vfmaq_n_f32(s2, vld1q_f32(row + 8), a[j]);
            s3 = vfmaq_n_f32(s3, vld1q_f32(row + 12), a[j]);
        }
        vst1q_f32(out + d, s0);
        vst1q_f32(out + d + 4, s1);
        vst1q_f32(out + d + 8, s2);
        vst1q_f32(out + d + 12, s3);
    }
    for (; d < last; d += 4) {
        float32x4_t sum = vdupq_n_f32(0.0f);
        for (size_t j = 0; j < n; j++)
            sum = vfmaq_n_f32(sum, load_first(m + j * stride + d, last - d), a[j]);
        store_first(out + d, last - d, sum);
    }
}

float taco_dot_neon(const float *a, const float *b, size_t n) {
    float32x4_t s0 = vdupq_n_f32(0.0f), s1 = s0, s2 = s0, s3 = s0;
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        s0 = vfmaq_f32(s0, vld1q_f32(a + i), vld1q_f32(b + i));
        s1 = vfmaq_f32(s1, vld1q_f32(a + i + 4), vld1q_f32(b + i + 4));
        s2 = vfmaq_f32(s2, vld1q_f32(a + i + 8), vld1q_f32(b + i + 8));
        s3 = vfmaq_f32(s3, vld1q_f32(a + i + 12), vld1q_f32(b + i + 12));
    }
    for (; i < n; i += 4)
        s0 = vfmaq_f32(s0, load_first(a + i, n - i), load_first(b + i, n - i));
    return vaddvq_f32(vaddq_f32(vaddq_f32(s0, s1), vaddq_f32(s2, s3)));
}
