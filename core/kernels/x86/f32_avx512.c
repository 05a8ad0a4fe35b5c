/* Products with f32 weights, AVX-512 (layout.h has the order of the weights).
 *
 * A block of 16 outputs is one vector. Four blocks and up to six rows are summed
 * together: for one row that makes four independent sums, enough to hide the latency of a
 * product, and four streams from memory; for many rows each weight that has been read
 * serves all of them. */
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
};

/* Adds to y the products of inputs start <= i < end for n_rows rows from r on and
 * n_blocks blocks from b on; the first chunk adds to the bias. */
static inline __attribute__((always_inline)) void tile(size_t r, int n_rows,
                                                       const struct product *p, size_t b,
                                                       int n_blocks, size_t start,
                                                       size_t end) {
    const struct taco_matrix *w = p->w;
    const size_t block = w->n_in * O, x_stride = p->x_stride;
    const float *lines = (const float *)w->data + b * block, *x = p->x + r * x_stride;
    __m512 sums[ROWS][BLOCKS];
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++)
            sums[k][c] = _mm512_setzero_ps();
    for (size_t i = start; i < end; i++) {
        __m512 weights[BLOCKS];
#pragma GCC unroll 4
        for (int c = 0; c < n_blocks; c++) {
            const float *line = lines + (size_t)c * block + i * O;
            weights[c] = _mm512_load_ps(line);
            _mm_prefetch((const char *)(line + AHEAD / n_blocks * O), _MM_HINT_T0);
        }
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            __m512 value = _mm512_set1_ps(x[(size_t)k * x_stride + i]);
#pragma GCC unroll 4
            for (int c = 0; c < n_blocks; c++)
                sums[k][c] = _mm512_fmadd_ps(weights[c], value, sums[k][c]);
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
    for (size_t start = 0; start < p->w->n_in; start += TACO_F32_CHUNK) {
        size_t left = p->w->n_in - start;
        size_t end = start + (left < TACO_F32_CHUNK ? left : TACO_F32_CHUNK);
        TACO_ROWS_BY_6(n, tile, p, b, n_blocks, start, end);
    }
}

void taco_matmul_f32_avx512(const struct taco_matrix *w, const float *x, size_t x_stride,
                            float *y, size_t y_stride, size_t n, size_t first,
                            size_t last, void *scratch) {
    (void)scratch;
    const struct product p = {w, x, y, x_stride, y_stride};
    size_t b = first;
    for (; b + BLOCKS <= last; b += BLOCKS)
        strip(&p, b, BLOCKS, n);
    for (; b < last; b++)
        strip(&p, b, 1, n);
}
