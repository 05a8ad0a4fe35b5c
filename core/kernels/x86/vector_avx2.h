/* Vectors of eight floats or integers: AVX2 with FMA. */
#ifndef TACO_KERNELS_VECTOR_AVX2_H
#define TACO_KERNELS_VECTOR_AVX2_H

#if !defined(__AVX2__) || !defined(__FMA__)
#error "this file needs AVX2 and FMA"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 8 };
typedef __m256 vec;
typedef __m256i veci;

static inline vec vec_set(float f) {
    return _mm256_set1_ps(f);
}

static inline vec vec_load(const float *p) {
    return _mm256_loadu_ps(p);
}

static inline void vec_store(float *p, vec v) {
    _mm256_storeu_ps(p, v);
}

/* All bits in lanes below n. */
static inline veci first_lanes(size_t n) {
    int count = n >= LANES ? LANES : (int)n;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* A whole vector from p, or its first n > 0 lanes and zeros. */
static inline vec vec_load_first(const float *p, size_t n) {
    return n >= LANES ? vec_load(p) : _mm256_maskload_ps(p, first_lanes(n));
}

static inline void vec_store_first(float *p, size_t n, vec v) {
    if (n >= LANES)
        vec_store(p, v);
    else
        _mm256_maskstore_ps(p, first_lanes(n), v);
}

/* v, 0 from lane n on */
static inline vec vec_keep_first(vec v, size_t n) {
    return _mm256_and_ps(v, _mm256_castsi256_ps(first_lanes(n)));
}

static inline vec vec_add(vec a, vec b) {
    return _mm256_add_ps(a, b);
}

static inline vec vec_sub(vec a, vec b) {
    return _mm256_sub_ps(a, b);
}

static inline vec vec_mul(vec a, vec b) {
    return _mm256_mul_ps(a, b);
}

static inline vec vec_div(vec a, vec b) {
    return _mm256_div_ps(a, b);
}

/* a b + c */
static inline vec vec_fma(vec a, vec b, vec c) {
    return _mm256_fmadd_ps(a, b, c);
}

/* c - a b */
static inline vec vec_fnma(vec a, vec b, vec c) {
    return _mm256_fnmadd_ps(a, b, c);
}

/* b where it is no number, as the instruction has it; so is the smaller. */
static inline vec vec_max(vec a, vec b) {
    return _mm256_max_ps(a, b);
}

static inline vec vec_min(vec a, vec b) {
    return _mm256_min_ps(a, b);
}

/* To the nearest integer, ties to even. */
static inline vec vec_round(vec v) {
    return _mm256_round_ps(v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

/* 2^n, n integers from -126 to 127 */
static inline vec vec_power_of_two(vec n) {
    veci exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
    return _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
}

/* 0 where x < bound, v elsewhere and where x is no number */
static inline vec vec_zero_where_less(vec v, vec x, vec bound) {
    return _mm256_and_ps(v, _mm256_cmp_ps(x, bound, _CMP_NLT_UQ));
}

static inline vec vec_abs(vec v) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), v);
}

/* magnitude >= 0 with the sign bit of v */
static inline vec vec_with_sign_of(vec magnitude, vec v) {
    return _mm256_or_ps(magnitude, _mm256_and_ps(v, _mm256_set1_ps(-0.0f)));
}

/* Sum of the lanes, in a fixed order. */
static inline float vec_sum(vec v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

static inline veci veci_set(int32_t i) {
    return _mm256_set1_epi32(i);
}

static inline veci veci_load(const void *p) {
    return _mm256_loadu_si256((const __m256i *)p);
}

static inline veci veci_add(veci a, veci b) {
    return _mm256_add_epi32(a, b);
}

static inline veci veci_max_unsigned(veci a, veci b) {
    return _mm256_max_epu32(a, b);
}

static inline uint32_t veci_largest_unsigned(veci v) {
    __m128i m = _mm_max_epu32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = _mm_max_epu32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(1, 0, 3, 2)));
    m = _mm_max_epu32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(m);
}

static inline int32_t veci_sum(veci v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(1, 0, 3, 2)));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(s);
}

static inline veci veci_of_bits(vec v) {
    return _mm256_castps_si256(v);
}

/* To the nearest integers, ties to even. */
static inline veci veci_of_rounded(vec v) {
    return _mm256_cvtps_epi32(v);
}

static inline vec vec_of_integers(veci v) {
    return _mm256_cvtepi32_ps(v);
}

/* bf16 numbers in the low, the high halves of the lanes */
static inline vec vec_of_low_bf16(veci v) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(v, 16));
}

static inline vec vec_of_high_bf16(veci v) {
    return _mm256_castsi256_ps(_mm256_and_si256(v, _mm256_set1_epi32((int)0xFFFF0000)));
}

#endif
