/* Products with f32 weights, AVX2 (layout.h has the order of the weights).
 *
 * A block of 16 outputs is two vectors. With sixteen registers there is room for twelve
 * sums: one row of four blocks, two rows of two, or up to six rows of one. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/math_avx2.h"

enum { O = TACO_MATRIX_BLOCK, HALVES = O / 8, BLOCKS = 4, ROWS = 6 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 64 };

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
    const int n_vectors = n_blocks * HALVES;
    __m256 sums[ROWS][BLOCKS * HALVES];
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = _mm256_setzero_ps();
    for (size_t i = start; i < end; i++) {
        __m256 weights[BLOCKS * HALVES];
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++) {
            const float *line = lines + (size_t)(v / HALVES) * block + i * O;
            weights[v] = _mm256_load_ps(line + v % HALVES * 8);
            if (v % HALVES == 0)
                _mm_prefetch((const char *)(line + AHEAD / n_blocks * O), _MM_HINT_T0);
        }
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            __m256 value = _mm256_set1_ps(x[(size_t)k * x_stride + i]);
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++)
                sums[k][v] = _mm256_fmadd_ps(weights[v], value, sums[k][v]);
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * O + (size_t)v * 8;
        if (o >= w->n_out)
            break;
        __m256 bias = w->bias ? _mm256_load_ps(w->bias + o) : _mm256_setzero_ps();
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            float *to = p->y + (r + (size_t)k) * p->y_stride + o;
            __m256 before = start ? load_first(to, w->n_out - o) : bias;
            store_first(to, w->n_out - o, _mm256_add_ps(before, sums[k][v]));
        }
    }
}

/* The chunk of inputs that begins at start. */
static size_t chunk_end(size_t n_in, size_t start) {
    return n_in - start < TACO_F32_CHUNK ? n_in : start + TACO_F32_CHUNK;
}

void taco_matmul_f32_avx2(const struct taco_matrix *w, const float *x, size_t x_stride,
                          float *y, size_t y_stride, size_t n, size_t first, size_t last,
                          void *scratch) {
    (void)scratch;
    const struct product p = {w, x, y, x_stride, y_stride};
    const size_t n_in = w->n_in;
    size_t b = first;
    for (; n == 1 && b + 4 <= last; b += 4)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            tile(0, 1, &p, b, 4, i, chunk_end(n_in, i));
    for (; n == 2 && b + 2 <= last; b += 2)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            tile(0, 2, &p, b, 2, i, chunk_end(n_in, i));
    for (; b < last; b++)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            TACO_ROWS_BY_6(n, tile, &p, b, 1, i, chunk_end(n_in, i));
}
