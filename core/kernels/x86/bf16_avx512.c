/* Products with bf16 weights and f32 rows, AVX-512 without its bf16 instructions: a pair
 * of weights is widened to two floats as it is read. See f32_avx512.c for the plan. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/math_avx512.h"

enum { O = TACO_MATRIX_BLOCK, BLOCKS = 4, ROWS = 6 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 32 };

struct product {
    const struct taco_matrix *w;
    const float *x;
    float *y;
    size_t x_stride, y_stride;
    size_t block; /* bf16 numbers a block */
};

static inline __attribute__((always_inline)) void
add_input(int n_rows, int n_blocks, const __m512 weights[BLOCKS], const float *x,
          size_t x_stride, __m512 sums[ROWS][BLOCKS]) {
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++) {
        __m512 value = _mm512_set1_ps(x[(size_t)k * x_stride]);
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++)
            sums[k][c] = _mm512_fmadd_ps(weights[c], value, sums[k][c]);
    }
}

static inline __attribute__((always_inline)) void tile(size_t r, int n_rows,
                                                       const struct product *p, size_t b,
                                                       int n_blocks, size_t start,
                                                       size_t end) {
    const struct taco_matrix *w = p->w;
    const uint16_t *pairs = (const uint16_t *)w->data + b * p->block;
    const float *x = p->x + r * p->x_stride;
    const __m512i high = _mm512_set1_epi32((int)0xFFFF0000);
    __m512 sums[ROWS][BLOCKS];
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++)
            sums[k][c] = _mm512_setzero_ps();
    for (size_t i = start; i < end; i += 2) {
        __m512i both[BLOCKS];
        __m512 weights[BLOCKS];
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++) {
            const uint16_t *line = pairs + (size_t)c * p->block + i * O;
            both[c] = _mm512_load_si512(line);
            weights[c] = _mm512_castsi512_ps(_mm512_slli_epi32(both[c], 16));
            _mm_prefetch((const char *)(line + AHEAD / n_blocks * 2 * O), _MM_HINT_T0);
        }
        add_input(n_rows, n_blocks, weights, x + i, p->x_stride, sums);
        if (i + 1 == end)
            break; /* an odd number of inputs: x ends here */
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++)
            weights[c] = _mm512_castsi512_ps(_mm512_and_epi32(both[c], high));
        add_input(n_rows, n_blocks, weights, x + i + 1, p->x_stride, sums);
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
    for (size_t start = 0; start < p->w->n_in; start += TACO_F32_CHUNK) {
        size_t left = p->w->n_in - start;
        size_t end = start + (left < TACO_F32_CHUNK ? left : TACO_F32_CHUNK);
        TACO_ROWS_BY_6(n, tile, p, b, n_blocks, start, end);
    }
}

void taco_matmul_bf16_avx512(const struct taco_matrix *w, const float *x, size_t x_stride,
                             float *y, size_t y_stride, size_t n, size_t first,
                             size_t last, void *scratch) {
    (void)scratch;
    const struct product p = {
        w, x, y, x_stride, y_stride, O * taco_round_up(w->n_in, TACO_BF16_PAD)};
    size_t b = first;
    for (; b + BLOCKS <= last; b += BLOCKS)
        strip(&p, b, BLOCKS, n);
    for (; b < last; b++)
        strip(&p, b, 1, n);
}
