/* Integers of the int8 products without byte instructions: bytes are widened to 16 bits as
 * they are read, the even and the odd ones apart, and pairs of products are summed exactly in
 * 32 bits. Of four inputs a row holds 0 and 2, then 1 and 3. */
#ifndef TACO_KERNELS_INT8_PAIRS_H
#define TACO_KERNELS_INT8_PAIRS_H

typedef int16_t int8_input;
struct int8_weights {
    veci even, odd;
};
struct int8_four {
    veci even, odd;
};
enum { INT8_BIAS = 128 };

static inline struct int8_four int8_four_load(const int8_input *q) {
    int32_t pairs[2];
    __builtin_memcpy(pairs, q, sizeof pairs);
    return (struct int8_four){veci_set(pairs[0]), veci_set(pairs[1])};
}

#endif
