/* Rows of x as integers, sixteen floats at a time. For files built with AVX-512 alone. */
#ifndef TACO_KERNELS_QUANTISE_AVX512_H
#define TACO_KERNELS_QUANTISE_AVX512_H

#include "kernels/layout.h"
#include "kernels/x86/math_avx512.h"

/* x [n <= TACO_INT8_GROUP], all of one group and row, as scale * q with |q| <= 127, zeros
 * behind n. Returns the scale, which is no number or infinite when one of x is: then q is
 * 0. *sum: of all q. */
static inline float quantise_group(const float *x, size_t n,
                                   __m512i q[TACO_INT8_GROUP / 16], int32_t *sum) {
    const __m512i magnitude_bits = _mm512_set1_epi32(0x7FFFFFFF);
    __m512 v[TACO_INT8_GROUP / 16];
    /* As integers, magnitudes compare in the same order, and what is no number is the
     * largest. */
    __m512i largest = _mm512_setzero_si512();
    for (size_t i = 0; i < TACO_INT8_GROUP / 16; i++) {
        __mmask16 m = 16 * i < n ? first_lanes(n - 16 * i) : 0;
        v[i] = _mm512_maskz_loadu_ps(m, x + (m ? 16 * i : 0));
        largest = _mm512_max_epu32(
            largest, _mm512_and_epi32(_mm512_castps_si512(v[i]), magnitude_bits));
    }
    uint32_t bits = _mm512_reduce_max_epu32(largest);
    float top;
    __builtin_memcpy(&top, &bits, sizeof top);
    __m512i total = _mm512_setzero_si512();
    if (top < TACO_INT8_TINY || bits >= 0x7F800000) {
        for (size_t i = 0; i < TACO_INT8_GROUP / 16; i++)
            q[i] = total;
        *sum = 0;
        return top < TACO_INT8_TINY ? 0.0f : top;
    }
    const __m512 inverse = _mm512_set1_ps(127.0f / top);
    for (size_t i = 0; i < TACO_INT8_GROUP / 16; i++) {
        q[i] = _mm512_cvtps_epi32(_mm512_mul_ps(v[i], inverse));
        total = _mm512_add_epi32(total, q[i]);
    }
    *sum = _mm512_reduce_add_epi32(total);
    return top / 127.0f;
}

/* Rows of x [n, x_stride] as bytes: a layout that lives in a product's scratch. */
struct int8_rows {
    size_t n_groups;
    float *scales;    /* [n, n_groups] */
    int32_t *offsets; /* [n, n_groups] what the 128 in every weight adds, negated */
    int8_t *q;        /* [n, n_groups, TACO_INT8_GROUP] */
};

static inline struct int8_rows quantise_rows(const float *x, size_t x_stride, size_t n_in,
                                             size_t n, void *scratch) {
    const size_t n_groups = taco_int8_groups(n_in);
    struct int8_rows rows = {n_groups, scratch, (int32_t *)scratch + n * n_groups,
                             (int8_t *)scratch + taco_round_up(8 * n * n_groups, 64)};
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++) {
            size_t at = r * n_groups + g, left = n_in - g * TACO_INT8_GROUP;
            __m512i integers[TACO_INT8_GROUP / 16];
            int32_t sum;
            rows.scales[at] = quantise_group(
                x + r * x_stride + g * TACO_INT8_GROUP,
                left < TACO_INT8_GROUP ? left : TACO_INT8_GROUP, integers, &sum);
            rows.offsets[at] = -128 * sum;
            for (size_t i = 0; i < TACO_INT8_GROUP / 16; i++)
                _mm_store_si128(
                    (__m128i *)(void *)(rows.q + at * TACO_INT8_GROUP + i * 16),
                    _mm512_cvtepi32_epi8(integers[i]));
        }
    return rows;
}

#endif
