/* Integers of the int8 products on NEON: weights and rows as signed bytes. */
#ifndef TACO_KERNELS_INT8_NEON_H
#define TACO_KERNELS_INT8_NEON_H

#include "kernels/arm/vector_neon.h"

typedef int8_t int8_input;
struct int8_weights {
    int8x16_t fours; /* of four outputs */
};
struct int8_four {
    int8x16_t fours; /* the same four, four times */
};
enum { INT8_BIAS = 0, INT8_ONE_ROW_BLOCKS = 1, INT8_BLOCKS = 1, INT8_AHEAD = 32 };

static inline void int8_store(int8_input *q, veci v) {
    int16x4_t shorts = vmovn_s32(v);
    int8x8_t bytes = vmovn_s16(vcombine_s16(shorts, shorts));
    int32_t four = vget_lane_s32(vreinterpret_s32_s8(bytes), 0);
    __builtin_memcpy(q, &four, sizeof four);
}

/* The weights carry 128 too much: without the top bit's meaning they are signed again. */
static inline struct int8_weights int8_weights_load(const uint8_t *p) {
    return (struct int8_weights){
        vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80)))};
}

static inline struct int8_four int8_four_load(const int8_input *q) {
    int32_t four;
    __builtin_memcpy(&four, q, sizeof four);
    return (struct int8_four){vreinterpretq_s8_s32(vdupq_n_s32(four))};
}

#endif
