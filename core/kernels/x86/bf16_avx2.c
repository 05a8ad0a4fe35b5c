/* Products with bf16 weights and f32 rows, AVX2: a pair of weights is widened to two
 * floats as it is read. See f32_avx2.c for the plan. */
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"
#include "kernels/x86/math_avx2.h"

enum { O = TACO_MATRIX_BLOCK, HALVES = O / 8, BLOCKS = 2, ROWS = 4 };

/* Lines of 64 bytes that are asked for before they are needed, over all blocks
 * (measured). */
enum { AHEAD = 64 };

struct product {
    const struct taco_matrix *w;
    const float *x;
    float *y;
    size_t x_stride, y_stride;
    size_t block; /* bf16 numbers a block */
};

static inline __attribute__((always_inline)) void
add_input(int n_rows, int n_vectors, const __m256 *weights, const float *x,
          size_t x_stride, __m256 sums[ROWS][BLOCKS * HALVES]) {
#pragma GCC unroll 4
    for (int k = 0; k < n_rows; k++) {
        __m256 value = _mm256_set1_ps(x[(size_t)k * x_stride]);
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = _mm256_fmadd_ps(weights[v], value, sums[k][v]);
    }
}

static inline __attribute__((always_inline)) void tile(size_t r, int n_rows,
                                                       const struct product *p, size_t b,
                                                       int n_blocks, size_t start,
                                                       size_t end) {
    const struct taco_matrix *w = p->w;
    const uint16_t *pairs = (const uint16_t *)w->data + b * p->block;
    const float *x = p->x + r * p->x_stride;
    const __m256i high = _mm256_set1_epi32((int)0xFFFF0000);
    const int n_vectors = n_blocks * HALVES;
    __m256 sums[ROWS][BLOCKS * HALVES];
#pragma GCC unroll 4
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = _mm256_setzero_ps();
    for (size_t i = start; i < end; i += 2) {
        __m256i both[BLOCKS * HALVES];
        __m256 weights[BLOCKS * HALVES];
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++) {
            const uint16_t *line = pairs + (size_t)(v / HALVES) * p->block + i * O;
            both[v] = _mm256_load_si256((const __m256i *)(const void *)line + v % HALVES);
            weights[v] = _mm256_castsi256_ps(_mm256_slli_epi32(both[v], 16));
            if (v % HALVES == 0)
                _mm_prefetch((const char *)(line + AHEAD / n_blocks * 2 * O),
                             _MM_HINT_T0);
        }
        add_input(n_rows, n_vectors, weights, x + i, p->x_stride, sums);
        if (i + 1 == end)
            break; /* an odd number of inputs: x ends here */
#pragma GCC unroll 4
        for (int v = 0; v < n_vectors; v++)
            weights[v] = _mm256_castsi256_ps(_mm256_and_si256(both[v], high));
        add_input(n_rows, n_vectors, weights, x + i + 1, p->x_stride, sums);
    }
#pragma GCC unroll 4
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * O + (size_t)v * 8;
        if (o >= w->n_out)
            break;
        __m256 bias = w->bias ? _mm256_load_ps(w->bias + o) : _mm256_setzero_ps();
#pragma GCC unroll 4
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

void taco_matmul_bf16_avx2(const struct taco_matrix *w, const float *x, size_t x_stride,
                           float *y, size_t y_stride, size_t n, size_t first, size_t last,
                           void *scratch) {
    (void)scratch;
    const struct product p = {
        w, x, y, x_stride, y_stride, O * taco_round_up(w->n_in, TACO_BF16_PAD)};
    const size_t n_in = w->n_in;
    size_t b = first;
    for (; n == 1 && b + BLOCKS <= last; b += BLOCKS)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            tile(0, 1, &p, b, BLOCKS, i, chunk_end(n_in, i));
    for (; b < last; b++)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            TACO_ROWS_BY_4(n, tile, &p, b, 1, i, chunk_end(n_in, i));
}
