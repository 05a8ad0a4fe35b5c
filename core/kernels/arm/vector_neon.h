/* Vectors of four floats or integers: NEON of AArch64. Comments as in x86/vector_avx2.h. */
#ifndef TACO_KERNELS_VECTOR_NEON_H
#define TACO_KERNELS_VECTOR_NEON_H

#if !defined(__aarch64__)
#error "this file needs AArch64"
#endif

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>

enum { LANES = 4 };
typedef float32x4_t vec;
typedef int32x4_t veci;

static inline vec vec_set(float f) {
    return vdupq_n_f32(f);
}

static inline vec vec_load(const float *p) {
    return vld1q_f32(p);
}

static inline void vec_store(float *p, vec v) {
    vst1q_f32(p, v);
}

/* Lane by lane at the ends: a call of memcpy here would cost the callers their registers. */
static inline vec vec_load_first(const float *p, size_t n) {
    if (n >= LANES)
        return vld1q_f32(p);
    vec v = vld1q_lane_f32(p, vdupq_n_f32(0.0f), 0);
    if (n >= 2)
        v = vld1q_lane_f32(p + 1, v, 1);
    return n == 3 ? vld1q_lane_f32(p + 2, v, 2) : v;
}

static inline void vec_store_first(float *p, size_t n, vec v) {
    if (n >= LANES) {
        vst1q_f32(p, v);
        return;
    }
    vst1q_lane_f32(p, v, 0);
    if (n >= 2)
        vst1q_lane_f32(p + 1, v, 1);
    if (n == 3)
        vst1q_lane_f32(p + 2, v, 2);
}

static inline vec vec_keep_first(vec v, size_t n) {
    const uint32_t lanes[LANES] = {0, 1, 2, 3};
    uint32x4_t kept =
        vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(n >= LANES ? LANES : (uint32_t)n));
    return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(v), kept));
}

static inline vec vec_add(vec a, vec b) {
    return vaddq_f32(a, b);
}

static inline vec vec_sub(vec a, vec b) {
    return vsubq_f32(a, b);
}

static inline vec vec_mul(vec a, vec b) {
    return vmulq_f32(a, b);
}

static inline vec vec_div(vec a, vec b) {
    return vdivq_f32(a, b);
}

static inline vec vec_fma(vec a, vec b, vec c) {
    return vfmaq_f32(c, a, b);
}

static inline vec vec_fnma(vec a, vec b, vec c) {
    return vfmsq_f32(c, a, b);
}

static inline vec vec_max(vec a, vec b) {
    return vmaxq_f32(a, b);
}

static inline vec vec_min(vec a, vec b) {
    return vminq_f32(a, b);
}

static inline vec vec_round(vec v) {
    return vrndnq_f32(v);
}

static inline vec vec_power_of_two(vec n) {
    return vreinterpretq_f32_s32(
        vshlq_n_s32(vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127)), 23));
}

static inline vec vec_zero_where_less(vec v, vec x, vec bound) {
    return vreinterpretq_f32_u32(
        vbicq_u32(vreinterpretq_u32_f32(v), vcltq_f32(x, bound)));
}

static inline vec vec_abs(vec v) {
    return vabsq_f32(v);
}

static inline vec vec_with_sign_of(vec magnitude, vec v) {
    return vbslq_f32(vdupq_n_u32(0x80000000), v, magnitude);
}

static inline float vec_sum(vec v) {
    return vaddvq_f32(v);
}

static inline veci veci_set(int32_t i) {
    return vdupq_n_s32(i);
}

static inline veci veci_load(const void *p) {
    return vreinterpretq_s32_u8(vld1q_u8(p));
}

static inline veci veci_add(veci a, veci b) {
    return vaddq_s32(a, b);
}

static inline veci veci_max_unsigned(veci a, veci b) {
    return vreinterpretq_s32_u32(
        vmaxq_u32(vreinterpretq_u32_s32(a), vreinterpretq_u32_s32(b)));
}

static inline uint32_t veci_largest_unsigned(veci v) {
    return vmaxvq_u32(vreinterpretq_u32_s32(v));
}

static inline int32_t veci_sum(veci v) {
    return vaddvq_s32(v);
}

static inline veci veci_of_bits(vec v) {
    return vreinterpretq_s32_f32(v);
}

static inline veci veci_of_rounded(vec v) {
    return vcvtnq_s32_f32(v);
}

static inline vec vec_of_integers(veci v) {
    return vcvtq_f32_s32(v);
}

static inline vec vec_of_low_bf16(veci v) {
    return vreinterpretq_f32_s32(vshlq_n_s32(v, 16));
}

static inline vec vec_of_high_bf16(veci v) {
    return vreinterpretq_f32_s32(vandq_s32(v, vdupq_n_s32((int32_t)0xFFFF0000)));
}

#endif
