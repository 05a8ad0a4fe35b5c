/* exp, sigmoid and tanh of sixteen floats. For files built with AVX-512 alone.
 *
 * exp(x) = 2^n exp(r), n = round(x / ln 2), |r| <= ln 2 / 2, where exp(r) - 1 = r + r^2
 * q(r) and q is a polynomial of degree 4 fitted for the least relative error (3e-9).
 * Errors, measured over every float: exp 1 ulp, sigmoid 2 ulp (from -87 up), tanh 3 ulp.
 * What is no number stays none: the operands of min and max are in the order that keeps
 * it. */
#ifndef TACO_KERNELS_MATH_AVX512_H
#define TACO_KERNELS_MATH_AVX512_H

#if !defined(__AVX512F__) || !defined(__AVX512DQ__)
#error "this file needs AVX-512"
#endif

#include <immintrin.h>
#include <stddef.h>

/* Lanes below n, for the last vector of an array. */
static inline __mmask16 first_lanes(size_t n) {
    return n >= 16 ? (__mmask16)0xFFFF : (__mmask16)((1u << n) - 1);
}

/* exp(r) - 1 of the reduced argument; *n: the power of two that is left. */
static inline __m512 reduced_expm1(__m512 x, __m512 *n) {
    *n = _mm512_roundscale_ps(_mm512_mul_ps(x, _mm512_set1_ps(0x1.715476p+0f)),
                              _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    /* ln 2 in two parts, the first short enough for n times it to be exact */
    __m512 r = _mm512_fnmadd_ps(*n, _mm512_set1_ps(0x1.62e4p-1f), x);
    r = _mm512_fnmadd_ps(*n, _mm512_set1_ps(0x1.7f7d1cp-20f), r);
    __m512 q = _mm512_set1_ps(0x1.6a23f0p-10f);
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.123a0ap-7f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.5558f2p-5f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.555492p-3f));
    q = _mm512_fmadd_ps(q, r, _mm512_set1_ps(0x1.fffffcp-2f));
    return _mm512_fmadd_ps(_mm512_mul_ps(r, r), q, r);
}

/* 0 from -104 down, infinite from 89 up. */
static inline __m512 exp16(__m512 x) {
    x = _mm512_max_ps(_mm512_set1_ps(-104.0f), x);
    x = _mm512_min_ps(_mm512_set1_ps(89.0f), x);
    __m512 n, p = reduced_expm1(x, &n);
    return _mm512_scalef_ps(_mm512_add_ps(p, _mm512_set1_ps(1.0f)), n);
}

/* 1 / (1 + exp(-x)) */
static inline __m512 sigmoid16(__m512 x) {
    const __m512 one = _mm512_set1_ps(1.0f);
    __m512 e = exp16(_mm512_sub_ps(_mm512_setzero_ps(), x));
    return _mm512_div_ps(one, _mm512_add_ps(one, e));
}

/* e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x; 1 from 9.5 up. */
static inline __m512 tanh16(__m512 x) {
    const __m512 sign_bit = _mm512_set1_ps(-0.0f);
    __m512 sign = _mm512_and_ps(x, sign_bit), a = _mm512_andnot_ps(sign_bit, x);
    a = _mm512_min_ps(_mm512_set1_ps(19.0f), _mm512_add_ps(a, a));
    __m512 n, p = reduced_expm1(a, &n);
    __m512 scale = _mm512_scalef_ps(_mm512_set1_ps(1.0f), n);
    __m512 e = _mm512_fmadd_ps(p, scale, _mm512_sub_ps(scale, _mm512_set1_ps(1.0f)));
    return _mm512_or_ps(_mm512_div_ps(e, _mm512_add_ps(e, _mm512_set1_ps(2.0f))), sign);
}

#endif
