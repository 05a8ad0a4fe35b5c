/* Integers of the int8 products with byte instructions, from sixteen at a time. */
#ifndef TACO_KERNELS_INT8_BYTES_H
#define TACO_KERNELS_INT8_BYTES_H

#include "kernels/x86/vector_avx512.h"

typedef int8_t int8_input;
enum { INT8_BIAS = 128 };

static inline void int8_store(int8_input *q, veci v) {
    _mm_storeu_si128((__m128i *)(void *)q, _mm512_cvtepi32_epi8(v));
}

#endif
