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

static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    return _mm512_dpbusd_epi32(sum, w.fours, x.fours);
}

#include "kernels/body/int8_products.h"
