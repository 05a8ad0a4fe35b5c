/* exp, sigmoid and tanh of eight floats. For files built with AVX2 alone. The formulas
 * and errors are those of math_avx512.h. */
#ifndef TACO_KERNELS_MATH_AVX2_H
#define TACO_KERNELS_MATH_AVX2_H

#if !defined(__AVX2__) || !defined(__FMA__)
#error "this file needs AVX2 and FMA"
#endif

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>

/* All bits in lanes below n, for the last vector of an array. */
static inline __m256i first_lanes(size_t n) {
    int count = n >= 8 ? 8 : (int)n;
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(count),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

/* Eight floats from p, or the first n and zeros. */
static inline __m256 load_first(const float *p, size_t n) {
    return n >= 8 ? _mm256_loadu_ps(p) : _mm256_maskload_ps(p, first_lanes(n));
}

/* The same the other way. */
static inline void store_first(float *p, size_t n, __m256 v) {
    if (n >= 8)
        _mm256_storeu_ps(p, v);
    else
        _mm256_maskstore_ps(p, first_lanes(n), v);
}

/* Sum of the lanes, in a fixed order. */
static inline float sum_lanes(__m256 v) {
    __m128 s = _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    s = _mm_add_ps(s, _mm_movehl_ps(s, s));
    return _mm_cvtss_f32(_mm_add_ss(s, _mm_movehdup_ps(s)));
}

/* exp(r) - 1 of the reduced argument and the power of two that is left; x of at most 128
 * ln 2 in magnitude, or no number. */
static inline __m256 reduced_expm1(__m256 x, __m256 *power) {
    __m256 n = _mm256_round_ps(_mm256_mul_ps(x, _mm256_set1_ps(0x1.715476p+0f)),
                               _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    *power = _mm256_castsi256_ps(_mm256_slli_epi32(
        _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127)), 23));
    __m256 r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.62e4p-1f), x);
    r = _mm256_fnmadd_ps(n, _mm256_set1_ps(0x1.7f7d1cp-20f), r);
    __m256 q = _mm256_set1_ps(0x1.6a23f0p-10f);
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(0x1.123a0ap-7f));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(0x1.5558f2p-5f));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(0x1.555492p-3f));
    q = _mm256_fmadd_ps(q, r, _mm256_set1_ps(0x1.fffffcp-2f));
    return _mm256_fmadd_ps(_mm256_mul_ps(r, r), q, r);
}

/* 0 below -87.3, as at 88.3 from there up. */
static inline __m256 exp8(__m256 x) {
    const __m256 lowest = _mm256_set1_ps(-87.3f);
    __m256 kept = _mm256_cmp_ps(x, lowest, _CMP_NLT_UQ); /* no number is kept */
    x = _mm256_max_ps(lowest, x);
    x = _mm256_min_ps(_mm256_set1_ps(88.3f), x);
    __m256 power, p = reduced_expm1(x, &power);
    p = _mm256_mul_ps(_mm256_add_ps(p, _mm256_set1_ps(1.0f)), power);
    return _mm256_and_ps(p, kept);
}

/* 1 / (1 + exp(-x)) */
static inline __m256 sigmoid8(__m256 x) {
    const __m256 one = _mm256_set1_ps(1.0f);
    __m256 e = exp8(_mm256_sub_ps(_mm256_setzero_ps(), x));
    return _mm256_div_ps(one, _mm256_add_ps(one, e));
}

/* e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x; 1 from 9.5 up. */
static inline __m256 tanh8(__m256 x) {
    const __m256 sign_bit = _mm256_set1_ps(-0.0f), one = _mm256_set1_ps(1.0f);
    __m256 sign = _mm256_and_ps(x, sign_bit), a = _mm256_andnot_ps(sign_bit, x);
    a = _mm256_min_ps(_mm256_set1_ps(19.0f), _mm256_add_ps(a, a));
    __m256 power, p = reduced_expm1(a, &power);
    __m256 e = _mm256_fmadd_ps(p, power, _mm256_sub_ps(power, one));
    return _mm256_or_ps(_mm256_div_ps(e, _mm256_add_ps(e, _mm256_set1_ps(2.0f))), sign);
}

#endif
