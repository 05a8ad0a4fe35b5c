/* Products with int8 weights, AVX-512 VNNI: four products of bytes and their exact sum
 * are one instruction. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/math_avx512.h"
#include "kernels/x86/quantise_avx512.h"

/* Four rows: with more, GCC 12 no longer keeps the sums in registers. */
enum { O = TACO_MATRIX_BLOCK, G = TACO_INT8_GROUP, BLOCKS = 4, ROWS = 4 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 32 };

struct product {
    const struct taco_matrix *w;
    size_t n_groups;
    const float *scales;    /* [n, n_groups] of x */
    const int32_t *offsets; /* [n, n_groups] what the 128 in every weight adds, negated */
    const int8_t *q;        /* [n, n_groups, G] */
    float *y;
    size_t y_stride;
};

/* Fills scratch with the rows of x. */
static struct product quantise(const struct taco_matrix *w, const float *x,
                               size_t x_stride, size_t n, void *scratch) {
    const size_t n_groups = taco_int8_groups(w->n_in);
    float *scales = scratch;
    int32_t *offsets = (int32_t *)scratch + n * n_groups;
    int8_t *q = (int8_t *)scratch + taco_round_up(8 * n * n_groups, 64);
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++) {
            size_t at = r * n_groups + g, left = w->n_in - g * G;
            __m512i integers[G / 16];
            int32_t sum;
            scales[at] = quantise_group(x + r * x_stride + g * G, left < G ? left : G,
                                        integers, &sum);
            offsets[at] = -128 * sum;
            for (size_t i = 0; i < G / 16; i++)
                _mm_store_si128((__m128i *)(void *)(q + at * G + i * 16),
                                _mm512_cvtepi32_epi8(integers[i]));
        }
    return (struct product){w, n_groups, scales, offsets, q, NULL, 0};
}

static inline __attribute__((always_inline)) void
tile(size_t r, int n_rows, const struct product *p, size_t b, int n_blocks) {
    const size_t n_groups = p->n_groups, block = n_groups * G * O;
    /* The sums over groups wait in memory, since the registers are full: here, where they
     * need no masks, and not in y. */
    __m512 sums[ROWS][BLOCKS];
#pragma GCC unroll 4
    for (int c = 0; c < n_blocks; c++) {
        size_t o = (b + (size_t)c) * O;
        __m512 bias = p->w->bias ? _mm512_load_ps(p->w->bias + o) : _mm512_setzero_ps();
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
            sums[k][c] = bias;
    }
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *lines = (const uint8_t *)p->w->data + b * block + g * G * O;
        const int8_t *q = p->q + (r * n_groups + g) * G;
        __m512i exact[ROWS][BLOCKS];
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
            for (int c = 0; c < n_blocks; c++)
                exact[k][c] =
                    _mm512_set1_epi32(p->offsets[(r + (size_t)k) * n_groups + g]);
        for (size_t i = 0; i < G; i += 4) {
            __m512i weights[BLOCKS];
#pragma GCC unroll 4
            for (int c = 0; c < n_blocks; c++) {
                const uint8_t *line = lines + (size_t)c * block + i * O;
                weights[c] = _mm512_load_si512(line);
                _mm_prefetch((const char *)(line + AHEAD / n_blocks * 4 * O),
                             _MM_HINT_T0);
            }
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                int32_t four;
                __builtin_memcpy(&four, q + (size_t)k * n_groups * G + i, sizeof four);
                __m512i value = _mm512_set1_epi32(four);
#pragma GCC unroll 4
                for (int c = 0; c < n_blocks; c++)
                    exact[k][c] = _mm512_dpbusd_epi32(exact[k][c], weights[c], value);
            }
        }
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++) {
            size_t o = (b + (size_t)c) * O;
            __m512 scale = _mm512_load_ps(p->w->scales + o * n_groups + g * O);
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                __m512 both = _mm512_mul_ps(
                    scale, _mm512_set1_ps(p->scales[(r + (size_t)k) * n_groups + g]));
                sums[k][c] =
                    _mm512_fmadd_ps(_mm512_cvtepi32_ps(exact[k][c]), both, sums[k][c]);
            }
        }
    }
#pragma GCC unroll 4
    for (int c = 0; c < n_blocks; c++) {
        size_t o = (b + (size_t)c) * O;
        __mmask16 mask = first_lanes(p->w->n_out - o);
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
            _mm512_mask_storeu_ps(p->y + (r + (size_t)k) * p->y_stride + o, mask,
                                  sums[k][c]);
    }
}

void taco_matmul_int8_vnni(const struct taco_matrix *w, const float *x, size_t x_stride,
                           float *y, size_t y_stride, size_t n, size_t first, size_t last,
                           void *scratch) {
    struct product p = quantise(w, x, x_stride, n, scratch);
    p.y = y;
    p.y_stride = y_stride;
    size_t b = first;
    for (; b + BLOCKS <= last; b += BLOCKS)
        TACO_ROWS_BY_4(n, tile, &p, b, BLOCKS);
    for (; b < last; b++)
        TACO_ROWS_BY_4(n, tile, &p, b, 1);
}
