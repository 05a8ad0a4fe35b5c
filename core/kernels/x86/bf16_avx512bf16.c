/* Products with bf16 weights and rows, AVX-512 BF16: two products and their sum are one
 * instruction. body/float_products.h tells the plan. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/round_avx512bf16.h"
#include "kernels/x86/vector_avx512.h"

enum { O = TACO_MATRIX_BLOCK, BLOCKS = 4, ROWS = 6 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 32 };

struct product {
    const struct taco_matrix *w;
    const uint16_t *x; /* [n, width] */
    float *y;
    size_t y_stride;
    size_t width; /* n_in with its padding */
};

static inline __attribute__((always_inline)) void tile(size_t r, int n_rows,
                                                       const struct product *p, size_t b,
                                                       int n_blocks, size_t start,
                                                       size_t end) {
    const struct taco_matrix *w = p->w;
    const size_t width = p->width;
    const uint16_t *pairs = (const uint16_t *)w->data + b * width * O;
    const uint16_t *x = p->x + r * width;
    __m512 sums[ROWS][BLOCKS];
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++)
            sums[k][c] = _mm512_setzero_ps();
    for (size_t i = start; i < end; i += 2) {
        __m512bh weights[BLOCKS];
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++) {
            const uint16_t *line = pairs + ((size_t)c * width + i) * O;
            weights[c] = (__m512bh)_mm512_load_si512(line);
            _mm_prefetch((const char *)(line + AHEAD / n_blocks * 2 * O), _MM_HINT_T0);
        }
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            int32_t pair;
            __builtin_memcpy(&pair, x + (size_t)k * width + i, sizeof pair);
            __m512bh value = (__m512bh)_mm512_set1_epi32(pair);
#pragma GCC unroll 4
            for (int c = 0; c < n_blocks; c++)
                sums[k][c] = _mm512_dpbf16_ps(sums[k][c], weights[c], value);
        }
    }
    float *y = p->y + r * p->y_stride + b * O;
#pragma GCC unroll 4
    for (int c = 0; c < n_blocks; c++) {
        size_t o = (b + (size_t)c) * O;
        __mmask16 mask = first_lanes(w->n_out - o);
        __m512 bias = w->bias ? _mm512_load_ps(w->bias + o) : _mm512_setzero_ps();
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            float *to = y + (size_t)k * p->y_stride + c * O;
            __m512 before = start ? _mm512_maskz_loadu_ps(mask, to) : bias;
            _mm512_mask_storeu_ps(to, mask, _mm512_add_ps(before, sums[k][c]));
        }
    }
}

static inline __attribute__((always_inline)) void strip(const struct product *p, size_t b,
                                                        int n_blocks, size_t n) {
    for (size_t start = 0; start < p->width; start += TACO_F32_CHUNK) {
        size_t left = p->width - start;
        size_t end = start + (left < TACO_F32_CHUNK ? left : TACO_F32_CHUNK);
        TACO_ROWS_BY_6(n, tile, p, b, n_blocks, start, end);
    }
}

void taco_matmul_bf16_avx512bf16(const struct taco_matrix *w, const float *x,
                                 size_t x_stride, float *y, size_t y_stride, size_t n,
                                 size_t first, size_t last, void *scratch) {
    const size_t width = taco_round_up(w->n_in, TACO_BF16_PAD);
    round_rows(x, x_stride, w->n_in, width, n, scratch);
    const struct product p = {w, scratch, y, y_stride, width};
    size_t b = first;
    for (; b + BLOCKS <= last; b += BLOCKS)
        strip(&p, b, BLOCKS, n);
    for (; b < last; b++)
        strip(&p, b, 1, n);
}
