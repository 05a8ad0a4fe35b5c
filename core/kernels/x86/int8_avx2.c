/* Products with int8 weights, AVX2: bytes are widened to 16 bits as they are read, and
 * pairs of products are summed exactly in 32 bits. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/math_avx2.h"

enum { O = TACO_MATRIX_BLOCK, G = TACO_INT8_GROUP, HALVES = O / 8, BLOCKS = 2, ROWS = 4 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 64 };

struct product {
    const struct taco_matrix *w;
    size_t n_groups;
    const float *scales;    /* [n, n_groups] of x */
    const int32_t *offsets; /* [n, n_groups] what the 128 in every weight adds, negated */
    const int16_t *q;       /* [n, n_groups, G]: of four inputs in the order 0 2 1 3 */
    float *y;
    size_t y_stride;
};

static uint32_t largest_lane(__m256i v) {
    __m128i m = _mm_max_epu32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    m = _mm_max_epu32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(1, 0, 3, 2)));
    m = _mm_max_epu32(m, _mm_shuffle_epi32(m, _MM_SHUFFLE(2, 3, 0, 1)));
    return (uint32_t)_mm_cvtsi128_si32(m);
}

static int32_t sum_of_lanes(__m256i v) {
    __m128i s = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(1, 0, 3, 2)));
    s = _mm_add_epi32(s, _mm_shuffle_epi32(s, _MM_SHUFFLE(2, 3, 0, 1)));
    return _mm_cvtsi128_si32(s);
}

/* x [n <= G], all of one group and row, as scale * q with |q| <= 127, zeros behind n.
 * Returns the scale, which is no number or infinite when one of x is: then q is 0. */
static float quantise_group(const float *x, size_t n, int16_t q[G], int32_t *offset) {
    const __m256i magnitude_bits = _mm256_set1_epi32(0x7FFFFFFF);
    const __m128i order =
        _mm_setr_epi8(0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15);
    __m256 v[G / 8];
    /* As integers, magnitudes compare in the same order, and what is no number is the
     * largest. */
    __m256i largest = _mm256_setzero_si256(), total = largest;
    for (size_t i = 0; i < G / 8; i++) {
        v[i] = 8 * i < n ? load_first(x + 8 * i, n - 8 * i) : _mm256_setzero_ps();
        largest = _mm256_max_epu32(
            largest, _mm256_and_si256(_mm256_castps_si256(v[i]), magnitude_bits));
    }
    uint32_t bits = largest_lane(largest);
    float top;
    __builtin_memcpy(&top, &bits, sizeof top);
    *offset = 0;
    if (top < TACO_INT8_TINY || bits >= 0x7F800000) {
        __builtin_memset(q, 0, G * sizeof *q);
        return top < TACO_INT8_TINY ? 0.0f : top;
    }
    const __m256 inverse = _mm256_set1_ps(127.0f / top);
    for (size_t i = 0; i < G / 8; i++) {
        __m256i integers = _mm256_cvtps_epi32(_mm256_mul_ps(v[i], inverse));
        total = _mm256_add_epi32(total, integers);
        __m128i shorts = _mm_packs_epi32(_mm256_castsi256_si128(integers),
                                         _mm256_extracti128_si256(integers, 1));
        _mm_store_si128((__m128i *)(void *)(q + i * 8), _mm_shuffle_epi8(shorts, order));
    }
    *offset = -128 * sum_of_lanes(total);
    return top / 127.0f;
}

/* Fills scratch with the rows of x. */
static struct product quantise(const struct taco_matrix *w, const float *x,
                               size_t x_stride, size_t n, void *scratch) {
    const size_t n_groups = taco_int8_groups(w->n_in);
    float *scales = scratch;
    int32_t *offsets = (int32_t *)scratch + n * n_groups;
    int16_t *q = (int16_t *)scratch + taco_round_up(4 * n * n_groups, 32);
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++) {
            size_t at = r * n_groups + g, left = w->n_in - g * G;
            scales[at] = quantise_group(x + r * x_stride + g * G, left < G ? left : G,
                                        q + at * G, &offsets[at]);
        }
    return (struct product){w, n_groups, scales, offsets, q, NULL, 0};
}

static inline __attribute__((always_inline)) void
tile(size_t r, int n_rows, const struct product *p, size_t b, int n_blocks) {
    const size_t n_groups = p->n_groups, block = n_groups * G * O;
    const __m256i low = _mm256_set1_epi16(0xFF);
    const int n_vectors = n_blocks * HALVES;
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *lines = (const uint8_t *)p->w->data + b * block + g * G * O;
        const int16_t *q = p->q + (r * n_groups + g) * G;
        __m256i exact[ROWS][BLOCKS * HALVES];
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++)
                exact[k][v] =
                    _mm256_set1_epi32(p->offsets[(r + (size_t)k) * n_groups + g]);
        for (size_t i = 0; i < G; i += 4) {
            __m256i even[BLOCKS * HALVES], odd[BLOCKS * HALVES];
#pragma GCC unroll 4
            for (int v = 0; v < n_vectors; v++) {
                const uint8_t *line = lines + (size_t)(v / HALVES) * block + i * O;
                __m256i four =
                    _mm256_load_si256((const __m256i *)(const void *)line + v % HALVES);
                even[v] = _mm256_and_si256(four, low);
                odd[v] = _mm256_srli_epi16(four, 8);
                if (v % HALVES == 0)
                    _mm_prefetch((const char *)(line + AHEAD / n_blocks * 4 * O),
                                 _MM_HINT_T0);
            }
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                int32_t pair[2];
                __builtin_memcpy(pair, q + (size_t)k * n_groups * G + i, sizeof pair);
                __m256i x_even = _mm256_set1_epi32(pair[0]);
                __m256i x_odd = _mm256_set1_epi32(pair[1]);
#pragma GCC unroll 4
                for (int v = 0; v < n_vectors; v++)
                    exact[k][v] = _mm256_add_epi32(
                        exact[k][v], _mm256_add_epi32(_mm256_madd_epi16(even[v], x_even),
                                                      _mm256_madd_epi16(odd[v], x_odd)));
            }
        }
        /* The sums over groups stay in y: the registers are full. */
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++) {
            size_t o = b * O + (size_t)v * 8;
            if (o >= p->w->n_out)
                break;
            size_t whole = (b + (size_t)(v / HALVES)) * O; /* where its block begins */
            __m256 scale = _mm256_load_ps(p->w->scales + whole * n_groups + g * O +
                                          (size_t)(v % HALVES) * 8);
            __m256 bias =
                p->w->bias ? _mm256_load_ps(p->w->bias + o) : _mm256_setzero_ps();
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                float *to = p->y + (r + (size_t)k) * p->y_stride + o;
                __m256 both = _mm256_mul_ps(
                    scale, _mm256_set1_ps(p->scales[(r + (size_t)k) * n_groups + g]));
                __m256 before = g ? load_first(to, p->w->n_out - o) : bias;
                store_first(
                    to, p->w->n_out - o,
                    _mm256_fmadd_ps(_mm256_cvtepi32_ps(exact[k][v]), both, before));
            }
        }
    }
}

void taco_matmul_int8_avx2(const struct taco_matrix *w, const float *x, size_t x_stride,
                           float *y, size_t y_stride, size_t n, size_t first, size_t last,
                           void *scratch) {
    struct product p = quantise(w, x, x_stride, n, scratch);
    p.y = y;
    p.y_stride = y_stride;
    size_t b = first;
    for (; n == 1 && b + BLOCKS <= last; b += BLOCKS)
        tile(0, 1, &p, b, BLOCKS);
    for (; b < last; b++)
        TACO_ROWS_BY_4(n, tile, &p, b, 1);
}
