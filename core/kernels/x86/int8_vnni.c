/* Products with int8 weights, AVX-512 VNNI: four products of an unsigned with a signed byte and
 * their exact sum are one instruction. */
#define KERNEL(name) taco_##name##_vnni
#include "kernels/x86/int8_bytes.h"

struct int8_weights {
    veci fours;
};
struct int8_four {
    veci fours;
};
enum { INT8_ONE_ROW_BLOCKS = 4, INT8_BLOCKS = 4, INT8_AHEAD = 32 };

static inline struct int8_weights int8_weights_load(const uint8_t *p) {
    return (struct int8_weights){veci_load(p)};
}

static inline struct int8_four int8_four_load(const int8_input *q) {
    int32_t four;
    __builtin_memcpy(&four, q, sizeof four);
    return (struct int8_four){veci_set(four)};
}

/* The instruction adds in place. GCC 12 has the intrinsic write to another register, and
 * copies every sum of a tile with every step. */
static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    __asm__("vpdpbusd %2, %1, %0" : "+v"(sum) : "v"(w.fours), "v"(x.fours));
    return sum;
}

#include "kernels/body/int8_products.h"
