/* exp, sigmoid and tanh of four floats, and vectors at the ends of arrays. The formulas
 * and errors are those of x86/math_avx512.h. */
#ifndef TACO_KERNELS_MATH_NEON_H
#define TACO_KERNELS_MATH_NEON_H

#if !defined(__aarch64__)
#error "this file needs AArch64"
#endif

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Four floats from p, or the first n > 0 and zeros. Lane by lane at the ends: a call of
 * memcpy here would cost the callers their registers. */
static inline float32x4_t load_first(const float *p, size_t n) {
    if (n >= 4)
        return vld1q_f32(p);
    float32x4_t v = vld1q_lane_f32(p, vdupq_n_f32(0.0f), 0);
    if (n >= 2)
        v = vld1q_lane_f32(p + 1, v, 1);
    return n == 3 ? vld1q_lane_f32(p + 2, v, 2) : v;
}

/* The same the other way. */
static inline void store_first(float *p, size_t n, float32x4_t v) {
    if (n >= 4) {
        vst1q_f32(p, v);
        return;
    }
    vst1q_lane_f32(p, v, 0);
    if (n >= 2)
        vst1q_lane_f32(p + 1, v, 1);
    if (n == 3)
        vst1q_lane_f32(p + 2, v, 2);
}

/* exp(r) - 1 of the reduced argument and the power of two that is left; x of at most 128
 * ln 2 in magnitude, or no number. */
static inline float32x4_t reduced_expm1(float32x4_t x, float32x4_t *power) {
    float32x4_t n = vrndnq_f32(vmulq_n_f32(x, 0x1.715476p+0f));
    *power = vreinterpretq_f32_s32(
        vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127)), 23));
    float32x4_t r = vfmsq_f32(x, n, vdupq_n_f32(0x1.62e4p-1f));
    r = vfmsq_f32(r, n, vdupq_n_f32(0x1.7f7d1cp-20f));
    float32x4_t q = vdupq_n_f32(0x1.6a23f0p-10f);
    q = vfmaq_f32(vdupq_n_f32(0x1.123a0ap-7f), q, r);
    q = vfmaq_f32(vdupq_n_f32(0x1.5558f2p-5f), q, r);
    q = vfmaq_f32(vdupq_n_f32(0x1.555492p-3f), q, r);
    q = vfmaq_f32(vdupq_n_f32(0x1.fffffcp-2f), q, r);
    return vfmaq_f32(r, vmulq_f32(r, r), q);
}

/* 0 below -87.3, as at 88.3 from there up. */
static inline float32x4_t exp4(float32x4_t x) {
    uint32x4_t dropped = vcltq_f32(x, vdupq_n_f32(-87.3f));
    x = vminq_f32(vmaxq_f32(x, vdupq_n_f32(-87.3f)), vdupq_n_f32(88.3f));
    float32x4_t power, p = reduced_expm1(x, &power);
    p = vmulq_f32(vaddq_f32(p, vdupq_n_f32(1.0f)), power);
    return vreinterpretq_f32_u32(vbicq_u32(vreinterpretq_u32_f32(p), dropped));
}

/* 1 / (1 + exp(-x)) */
static inline float32x4_t sigmoid4(float32x4_t x) {
    const float32x4_t one = vdupq_n_f32(1.0f);
    return vdivq_f32(one, vaddq_f32(one, exp4(vnegq_f32(x))));
}

/* e / (e + 2) with e = exp(2 |x|) - 1, and the sign of x; 1 from 9.5 up. */
static inline float32x4_t tanh4(float32x4_t x) {
    float32x4_t a = vabsq_f32(x);
    a = vminq_f32(vaddq_f32(a, a), vdupq_n_f32(19.0f));
    float32x4_t power, p = reduced_expm1(a, &power);
    float32x4_t e = vfmaq_f32(vsubq_f32(power, vdupq_n_f32(1.0f)), p, power);
    float32x4_t t = vdivq_f32(e, vaddq_f32(e, vdupq_n_f32(2.0f)));
    return vbslq_f32(vdupq_n_u32(0x80000000), x, t);
}

#endif
