/* Products with int8 weights, NEON with dot products (Armv8.2 DotProd): four products and
 * their exact sum are one instruction. */
#define KERNEL(name) taco_##name##_dotprod
#include "kernels/arm/int8_neon.h"

static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    return vdotq_s32(sum, w.fours, x.fours);
}

#include "kernels/body/int8_products.h"
