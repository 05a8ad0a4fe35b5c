/* Every kernel with NEON. */
#define KERNEL(name) taco_##name##_neon
#include "kernels/arm/vector_neon.h"

#include "kernels/body/activations.h"

enum { LOCATION_SYMBOLS = 4 };
#include "kernels/body/attention.h"

/* A block is four vectors; 32 registers have room for 24 sums. */
enum { ONE_ROW_BLOCKS = 2, TWO_ROWS_BLOCKS = 2, BLOCKS = 1, AHEAD = 32 };
#define F32_ROWS TACO_ROWS_BY_6
#define BF16_ROWS TACO_ROWS_BY_4
#include "kernels/body/float_products.h"

#include "kernels/arm/int8_neon.h"

/* Products in 16 bits; the sum of two is at most 2 * 127 * 127 < 2^15. */
static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    int16x8_t low = vmull_s8(vget_low_s8(w.fours), vget_low_s8(x.fours));
    int16x8_t high = vmull_high_s8(w.fours, x.fours);
    return vpadalq_s16(sum, vpaddq_s16(low, high));
}

#include "kernels/body/int8_products.h"
