/* Every kernel with AVX2. */
#define KERNEL(name) taco_##name##_avx2
#include "kernels/x86/vector_avx2.h"

#include "kernels/body/activations.h"

enum { LOCATION_SYMBOLS = 2 };
#include "kernels/body/attention.h"

/* Sixteen registers have room for twelve sums, and a block is two vectors. */
enum { ONE_ROW_BLOCKS = 4, TWO_ROWS_BLOCKS = 2, BLOCKS = 1, AHEAD = 64 };
#define F32_ROWS TACO_ROWS_BY_6
#define BF16_ROWS TACO_ROWS_BY_4
#include "kernels/body/float_products.h"

#include "kernels/x86/int8_pairs.h"
enum { INT8_ONE_ROW_BLOCKS = 2, INT8_BLOCKS = 1, INT8_AHEAD = 64 };

static inline void int8_store(int8_input *q, veci v) {
    const __m128i order =
        _mm_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15);
    __m128i shorts =
        _mm_packs_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    _mm_storeu_si128((__m128i *)(void *)q, _mm_shuffle_epi8(shorts, order));
}

static inline struct int8_weights int8_weights_load(const uint8_t *p) {
    veci fours = veci_load(p);
    return (struct int8_weights){_mm256_and_si256(fours, _mm256_set1_epi16(0xFF)),
                                 _mm256_srli_epi16(fours, 8)};
}

static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    return veci_add(sum, veci_add(_mm256_madd_epi16(w.even, x.even),
                                  _mm256_madd_epi16(w.odd, x.odd)));
}

#include "kernels/body/int8_products.h"
