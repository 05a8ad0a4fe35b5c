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

#endif
