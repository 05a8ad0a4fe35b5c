/* Every kernel with AVX-512. */
#define KERNEL(name) taco_##name##_avx512
#include "kernels/x86/vector_avx512.h"

#include "kernels/body/activations.h"

enum { LOCATION_SYMBOLS = 4 };
#include "kernels/body/attention.h"

/* A block is one vector; 32 registers have room for 24 sums. */
enum { ONE_ROW_BLOCKS = 4, TWO_ROWS_BLOCKS = 4, BLOCKS = 4, AHEAD = 32 };
#define F32_ROWS TACO_ROWS_BY_6
#define BF16_ROWS TACO_ROWS_BY_6
#include "kernels/body/float_products.h"

#include "kernels/x86/int8_pairs.h"
enum { INT8_ONE_ROW_BLOCKS = 4, INT8_BLOCKS = 4, INT8_AHEAD = 32 };

static inline void int8_store(int8_input *q, veci v) {
    const __m256i order = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15));
    _mm256_storeu_si256((__m256i *)(void *)q,
                        _mm256_shuffle_epi8(_mm512_cvtepi32_epi16(v), order));
}

static inline struct int8_weights int8_weights_load(const uint8_t *p) {
    veci fours = veci_load(p);
    return (struct int8_weights){_mm512_and_si512(fours, _mm512_set1_epi16(0xFF)),
                                 _mm512_srli_epi16(fours, 8)};
}

static inline veci int8_dot(veci sum, struct int8_weights w, struct int8_four x) {
    return veci_add(sum, veci_add(_mm512_madd_epi16(w.even, x.even),
                                  _mm512_madd_epi16(w.odd, x.odd)));
}

#include "kernels/body/int8_products.h"
