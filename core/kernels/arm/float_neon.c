/* Products with f32 or bf16 weights, NEON (layout.h has the order of the weights).
 *
 * A block of 16 outputs is four vectors. With 32 registers there is room for 24 sums: one
 * row of two blocks, or up to six rows of one. A pair of bf16 weights is widened to two
 * floats as it is read; the rows stay f32. */
#include "kernels/arm/math_neon.h"
#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"

enum { O = TACO_MATRIX_BLOCK, QUARTERS = O / 4, BLOCKS = 2, ROWS = 6 };
/* Lines of 64 bytes that are asked for before they are needed. */
enum { AHEAD = 32 };

struct product {
    const struct taco_matrix *w;
    const float *x;
    float *y;
    size_t x_stride, y_stride;
    size_t block; /* weights a block */
};

typedef float32x4_t sums_of_rows[ROWS][BLOCKS * QUARTERS];

static inline __attribute__((always_inline)) void
add_input(int n_rows, int n_vectors, const float32x4_t *weights, const float *x,
          size_t x_stride, sums_of_rows sums) {
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = vfmaq_n_f32(sums[k][v], weights[v], x[(size_t)k * x_stride]);
}

/* The start of a tile's sums, and their end: added to y, in the first chunk to the bias.
 */
static inline __attribute__((always_inline)) void clear(int n_rows, int n_vectors,
                                                        sums_of_rows sums) {
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = vdupq_n_f32(0.0f);
}

static inline __attribute__((always_inline)) void finish(const struct product *p,
                                                         size_t r, int n_rows, size_t b,
                                                         int n_vectors, size_t start,
                                                         const sums_of_rows sums) {
    const struct taco_matrix *w = p->w;
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * O + (size_t)v * 4;
        if (o >= w->n_out)
            break;
        float32x4_t bias = w->bias ? vld1q_f32(w->bias + o) : vdupq_n_f32(0.0f);
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            float *to = p->y + (r + (size_t)k) * p->y_stride + o;
            float32x4_t before = start ? load_first(to, w->n_out - o) : bias;
            store_first(to, w->n_out - o, vaddq_f32(before, sums[k][v]));
        }
    }
}

/* Inputs start <= i < end for n_rows rows from r on and n_blocks blocks from b on. */
static inline __attribute__((always_inline)) void tile_f32(size_t r, int n_rows,
                                                           const struct product *p,
                                                           size_t b, int n_blocks,
                                                           size_t start, size_t end) {
    const float *lines = (const float *)p->w->data + b * p->block;
    const float *x = p->x + r * p->x_stride;
    const int n_vectors = n_blocks * QUARTERS;
    sums_of_rows sums;
    clear(n_rows, n_vectors, sums);
    for (size_t i = start; i < end; i++) {
        float32x4_t weights[BLOCKS * QUARTERS];
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++) {
            const float *line = lines + (size_t)(v / QUARTERS) * p->block + i * O;
            weights[v] = vld1q_f32(line + v % QUARTERS * 4);
            if (v % QUARTERS == 0)
                __builtin_prefetch(line + AHEAD / n_blocks * O);
        }
        add_input(n_rows, n_vectors, weights, x + i, p->x_stride, sums);
    }
    finish(p, r, n_rows, b, n_vectors, start, sums);
}

static inline __attribute__((always_inline)) void tile_bf16(size_t r, int n_rows,
                                                            const struct product *p,
                                                            size_t b, int n_blocks,
                                                            size_t start, size_t end) {
    const uint16_t *pairs = (const uint16_t *)p->w->data + b * p->block;
    const float *x = p->x + r * p->x_stride;
    const uint32x4_t high = vdupq_n_u32(0xFFFF0000);
    const int n_vectors = n_blocks * QUARTERS;
    sums_of_rows sums;
    clear(n_rows, n_vectors, sums);
    for (size_t i = start; i < end; i += 2) {
        uint32x4_t both[BLOCKS * QUARTERS];
        float32x4_t weights[BLOCKS * QUARTERS];
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++) {
            const uint16_t *line = pairs + (size_t)(v / QUARTERS) * p->block + i * O;
            both[v] = vreinterpretq_u32_u16(vld1q_u16(line + v % QUARTERS * 8));
            weights[v] = vreinterpretq_f32_u32(vshlq_n_u32(both[v], 16));
            if (v % QUARTERS == 0)
                __builtin_prefetch(line + AHEAD / n_blocks * 2 * O);
        }
        add_input(n_rows, n_vectors, weights, x + i, p->x_stride, sums);
        if (i + 1 == end)
            break; /* an odd number of inputs: x ends here */
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            weights[v] = vreinterpretq_f32_u32(vandq_u32(both[v], high));
        add_input(n_rows, n_vectors, weights, x + i + 1, p->x_stride, sums);
    }
    finish(p, r, n_rows, b, n_vectors, start, sums);
}

/* The chunk of inputs that begins at start. */
static size_t chunk_end(size_t n_in, size_t start) {
    return n_in - start < TACO_F32_CHUNK ? n_in : start + TACO_F32_CHUNK;
}

void taco_matmul_f32_neon(const struct taco_matrix *w, const float *x, size_t x_stride,
                          float *y, size_t y_stride, size_t n, size_t first, size_t last,
                          void *scratch) {
    (void)scratch;
    const size_t n_in = w->n_in;
    const struct product p = {w, x, y, x_stride, y_stride, O * n_in};
    size_t b = first;
    for (; n == 1 && b + BLOCKS <= last; b += BLOCKS)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            tile_f32(0, 1, &p, b, BLOCKS, i, chunk_end(n_in, i));
    for (; b < last; b++)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            TACO_ROWS_BY_6(n, tile_f32, &p, b, 1, i, chunk_end(n_in, i));
}

void taco_matmul_bf16_neon(const struct taco_matrix *w, const float *x, size_t x_stride,
                           float *y, size_t y_stride, size_t n, size_t first, size_t last,
                           void *scratch) {
    (void)scratch;
    const size_t n_in = w->n_in;
    const struct product p = {w,        x,        y,
                              x_stride, y_stride, O * taco_round_up(n_in, TACO_BF16_PAD)};
    size_t b = first;
    for (; n == 1 && b + BLOCKS <= last; b += BLOCKS)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            tile_bf16(0, 1, &p, b, BLOCKS, i, chunk_end(n_in, i));
    for (; b < last; b++)
        for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)
            TACO_ROWS_BY_4(n, tile_bf16, &p, b, 1, i, chunk_end(n_in, i));
}
