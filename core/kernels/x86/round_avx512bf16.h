/* Rows of x as bf16. For files built with AVX-512 BF16 alone. */
#ifndef TACO_KERNELS_ROUND_AVX512BF16_H
#define TACO_KERNELS_ROUND_AVX512BF16_H

#include <stdint.h>

#include "kernels/x86/vector_avx512.h"

/* out [n, width] = x rounded to bf16, zeros behind n_in. */
static inline void round_rows(const float *x, size_t x_stride, size_t n_in, size_t width,
                              size_t n, uint16_t *out) {
    for (size_t r = 0; r < n; r++)
        for (size_t i = 0; i < width; i += 16) {
            __mmask16 m = i < n_in ? first_lanes(n_in - i) : 0;
            __m512 v = _mm512_maskz_loadu_ps(m, x + r * x_stride + (m ? i : 0));
            _mm256_store_si256((__m256i *)(void *)(out + r * width + i),
                               (__m256i)_mm512_cvtneps_pbh(v));
        }
}

#endif
