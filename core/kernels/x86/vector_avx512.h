/* Vectors of sixteen floats or integers: AVX-512 (F, BW, DQ, VL). Comments as in
 * vector_avx2.h. */
#ifndef TACO_KERNELS_VECTOR_AVX512_H
#define TACO_KERNELS_VECTOR_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512BW__) || !defined(__AVX512DQ__) ||         \
    !defined(__AVX512VL__)
#error "this file needs AVX-512"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 16 };
typedef __m512 vec;
typedef __m512i veci;

static inline vec vec_set(float f) {
    return _mm512_set1_ps(f);
}

static inline vec vec_load(const float *p) {
    return _mm512_loadu_ps(p);
}

static inline void vec_store(float *p, vec v) {
    _mm512_storeu_ps(p, v);
}

static inline __mmask16 first_lanes(size_t n) {
    return (__mmask16)(n >= LANES ? 0xFFFFu : (1u << n) - 1u);
}

static inline vec vec_load_first(const float *p, size_t n) {
    return _mm512_maskz_loadu_ps(first_lanes(n), p);
}

static inline void vec_store_first(float *p, size_t n, vec v) {
    _mm512_mask_storeu_ps(p, first_lanes(n), v);
}

static inline vec vec_keep_first(vec v, size_t n) {
    return _mm512_maskz_mov_ps(first_lanes(n), v);
}

static inline vec vec_add(vec a, vec b) {
    return _mm512_add_ps(a, b);
}

static inline vec vec_sub(vec a, vec b) {
    return _mm512_sub_ps(a, b);
}

static inline vec vec_mul(vec a, vec b) {
    return _mm512_mul_ps(a, b);
}

static inline vec vec_div(vec a, vec b) {
    return _mm512_div_ps(a, b);
}

static inline vec vec_fma(vec a, vec b, vec c) {
    return _mm512_fmadd_ps(a, b, c);
}

static inline vec vec_fnma(vec a, vec b, vec c) {
    return _mm512_fnmadd_ps(a, b, c);
}

static inline vec vec_max(vec a, vec b) {
    return _mm512_max_ps(a, b);
}

static inline vec vec_min(vec a, vec b) {
    return _mm512_min_ps(a, b);
}

static inline vec vec_round(vec v) {
    return _mm512_roundscale_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

static inline vec vec_power_of_two(vec n) {
    return _mm512_scalef_ps(_mm512_set1_ps(1.0f), n);
}

static inline vec vec_zero_where_less(vec v, vec x, vec bound) {
    return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, bound, _CMP_NLT_UQ), v);
}

static inline vec vec_abs(vec v) {
    return _mm512_andnot_ps(_mm512_set1_ps(-0.0f), v);
}

static inline vec vec_with_sign_of(vec magnitude, vec v) {
    return _mm512_or_ps(magnitude, _mm512_and_ps(v, _mm512_set1_ps(-0.0f)));
}

static inline float vec_sum(vec v) {
    return _mm512_reduce_add_ps(v);
}

static inline veci veci_set(int32_t i) {
    return _mm512_set1_epi32(i);
}

static inline veci veci_load(const void *p) {
    return _mm512_loadu_si512(p);
}

static inline veci veci_add(veci a, veci b) {
    return _mm512_add_epi32(a, b);
}

static inline veci veci_max_unsigned(veci a, veci b) {
    return _mm512_max_epu32(a, b);
}

static inline uint32_t veci_largest_unsigned(veci v) {
    return _mm512_reduce_max_epu32(v);
}

static inline int32_t veci_sum(veci v) {
    return _mm512_reduce_add_epi32(v);
}

static inline veci veci_of_bits(vec v) {
    return _mm512_castps_si512(v);
}

static inline veci veci_of_rounded(vec v) {
    return _mm512_cvtps_epi32(v);
}

static inline vec vec_of_integers(veci v) {
    return _mm512_cvtepi32_ps(v);
}

static inline vec vec_of_low_bf16(veci v) {
    return _mm512_castsi512_ps(_mm512_slli_epi32(v, 16));
}

static inline vec vec_of_high_bf16(veci v) {
    return _mm512_castsi512_ps(_mm512_and_epi32(v, _mm512_set1_epi32((int)0xFFFF0000)));
}

#endif
