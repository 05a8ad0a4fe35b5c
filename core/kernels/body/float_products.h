/* Body of the matrix products with f32 and bf16 weights and f32 rows (layout.h has the order
 * of the weights, body/math.h tells what a body is). A pair of bf16 weights is widened to two
 * floats as it is read.
 *
 * A tile is a few rows by a few blocks of 16 outputs whose sums stay in registers: enough of
 * them to hide the latency of a product, and each weight that has been read serves all rows.
 * The file that includes this says what its registers hold:
 *   ONE_ROW_BLOCKS, TWO_ROWS_BLOCKS, BLOCKS  blocks of a tile for one row, two, more
 *   F32_ROWS, BF16_ROWS                      TACO_ROWS_BY_6 or _4: the most rows of a tile
 *   AHEAD                                    lines of 64 bytes asked for before they are
 *                                            needed, over all blocks of a tile (measured) */
#ifndef TACO_KERNELS_BODY_FLOAT_PRODUCTS_H
#define TACO_KERNELS_BODY_FLOAT_PRODUCTS_H

#include "kernels/layout.h"
#include "kernels/rows.h"
#include "kernels/tables.h"

enum {
    O = TACO_MATRIX_BLOCK,
    PARTS = O / LANES, /* vectors a block */
    MOST_BLOCKS = ONE_ROW_BLOCKS > BLOCKS ? ONE_ROW_BLOCKS : BLOCKS,
    MOST_ROWS = 6
};

struct product {
    const struct taco_matrix *w;
    const float *x;
    float *y;
    size_t x_stride, y_stride;
    size_t block; /* weights a block */
};

typedef vec tile_sums[MOST_ROWS][MOST_BLOCKS * PARTS];

/* sums += weights x for one input of each row */
static inline __attribute__((always_inline)) void
add_input(int n_rows, int n_vectors, const vec *weights, const float *x, size_t x_stride,
          tile_sums sums) {
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++) {
        vec value = vec_set(x[(size_t)k * x_stride]);
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = vec_fma(weights[v], value, sums[k][v]);
    }
}

/* Adds to y the products of inputs start <= i < end for n_rows rows from r on and n_blocks
 * blocks from b on; the first chunk of inputs adds to the bias. */
static inline __attribute__((always_inline)) void
float_tile(size_t r, int n_rows, const struct product *p, int is_bf16, size_t b,
           int n_blocks, size_t start, size_t end) {
    const struct taco_matrix *w = p->w;
    const float *x = p->x + r * p->x_stride;
    const int n_vectors = n_blocks * PARTS;
    tile_sums sums;
#pragma GCC unroll 6
    for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++)
            sums[k][v] = vec_set(0.0f);

    vec weights[MOST_BLOCKS * PARTS];
    if (!is_bf16) {
        const float *lines = (const float *)w->data + b * p->block;
        for (size_t i = start; i < end; i++) {
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++) {
                const float *line = lines + (size_t)(v / PARTS) * p->block + i * O;
                weights[v] = vec_load(line + v % PARTS * LANES);
                if (v % PARTS == 0)
                    __builtin_prefetch(line + AHEAD / n_blocks * O);
            }
            add_input(n_rows, n_vectors, weights, x + i, p->x_stride, sums);
        }
    } else {
        const uint16_t *pairs = (const uint16_t *)w->data + b * p->block;
        for (size_t i = start; i < end; i += 2) {
            veci both[MOST_BLOCKS * PARTS];
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++) {
                const uint16_t *line = pairs + (size_t)(v / PARTS) * p->block + i * O;
                both[v] = veci_load(line + v % PARTS * LANES * 2);
                weights[v] = vec_of_low_bf16(both[v]);
                if (v % PARTS == 0)
                    __builtin_prefetch(line + AHEAD / n_blocks * 2 * O);
            }
            add_input(n_rows, n_vectors, weights, x + i, p->x_stride, sums);
            if (i + 1 == end)
                break; /* an odd number of inputs: x ends here */
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++)
                weights[v] = vec_of_high_bf16(both[v]);
            add_input(n_rows, n_vectors, weights, x + i + 1, p->x_stride, sums);
        }
    }

#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * O + (size_t)v * LANES;
        if (o >= w->n_out)
            break;
        vec bias = w->bias ? vec_load(w->bias + o) : vec_set(0.0f);
#pragma GCC unroll 6
        for (int k = 0; k < n_rows; k++) {
            float *to = p->y + (r + (size_t)k) * p->y_stride + o;
            vec before = start ? vec_load_first(to, w->n_out - o) : bias;
            vec_store_first(to, w->n_out - o, vec_add(before, sums[k][v]));
        }
    }
}

/* The end of the chunk of inputs that begins at start. */
static size_t chunk_end(size_t n_in, size_t start) {
    return n_in - start < TACO_F32_CHUNK ? n_in : start + TACO_F32_CHUNK;
}

/* Calls tile for blocks first .. last - 1, all chunks and n rows, which many deals out. */
#define FLOAT_PRODUCT(p, is_bf16, n, first, last, many)                                  \
    do {                                                                                 \
        const size_t n_in = (p)->w->n_in;                                                \
        size_t b = first;                                                                \
        for (; n == 1 && b + ONE_ROW_BLOCKS <= last; b += ONE_ROW_BLOCKS)                \
            for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)                            \
                float_tile(0, 1, p, is_bf16, b, ONE_ROW_BLOCKS, i, chunk_end(n_in, i));  \
        for (; n == 2 && b + TWO_ROWS_BLOCKS <= last; b += TWO_ROWS_BLOCKS)              \
            for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)                            \
                float_tile(0, 2, p, is_bf16, b, TWO_ROWS_BLOCKS, i, chunk_end(n_in, i)); \
        for (; BLOCKS > 1 && b + BLOCKS <= last; b += BLOCKS)                            \
            for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)                            \
                many(n, float_tile, p, is_bf16, b, BLOCKS, i, chunk_end(n_in, i));       \
        for (; b < last; b++)                                                            \
            for (size_t i = 0; i < n_in; i += TACO_F32_CHUNK)                            \
                many(n, float_tile, p, is_bf16, b, 1, i, chunk_end(n_in, i));            \
    } while (0)

void KERNEL(matmul_f32)(const struct taco_matrix *w, const float *x, size_t x_stride,
                        float *y, size_t y_stride, size_t n, size_t first, size_t last,
                        void *scratch) {
    (void)scratch;
    const struct product p = {w, x, y, x_stride, y_stride, O * w->n_in};
    FLOAT_PRODUCT(&p, 0, n, first, last, F32_ROWS);
}

void KERNEL(matmul_bf16)(const struct taco_matrix *w, const float *x, size_t x_stride,
                         float *y, size_t y_stride, size_t n, size_t first, size_t last,
                         void *scratch) {
    (void)scratch;
    const size_t width = taco_round_up(w->n_in, TACO_BF16_PAD);
    const struct product p = {w, x, y, x_stride, y_stride, O * width};
    FLOAT_PRODUCT(&p, 1, n, first, last, BF16_ROWS);
}

#endif
