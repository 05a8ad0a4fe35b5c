/* Body of the matrix products with int8 weights (layout.h has the order of the weights,
 * body/math.h tells what a body is): exact sums of products of integers in each group of
 * inputs, scaled and added up in floats.
 * Beside what quantise.h asks for, the file that includes this has:
 *   struct int8_weights, int8_weights_load(const uint8_t *)  LANES outputs by four inputs
 *   struct int8_four, int8_four_load(const int8_input *)     four inputs of a row
 *   int8_dot(veci sum, struct int8_weights, struct int8_four)
 *   INT8_ONE_ROW_BLOCKS, INT8_BLOCKS                         blocks of a tile
 *   INT8_AHEAD                                               as AHEAD in float_products.h */
#ifndef TACO_KERNELS_BODY_INT8_PRODUCTS_H
#define TACO_KERNELS_BODY_INT8_PRODUCTS_H

#include "kernels/body/quantise.h"
#include "kernels/rows.h"
#include "kernels/tables.h"

enum {
    INT8_O = TACO_MATRIX_BLOCK,
    INT8_PARTS = INT8_O / LANES, /* vectors a block */
    INT8_MOST_BLOCKS =
        INT8_ONE_ROW_BLOCKS > INT8_BLOCKS ? INT8_ONE_ROW_BLOCKS : INT8_BLOCKS,
    INT8_ROWS = 4 /* with more, GCC 12 no longer keeps the sums in registers */
};

struct int8_product {
    const struct taco_matrix *w;
    struct int8_rows x;
    float *y;
    size_t y_stride;
};

static inline __attribute__((always_inline)) void
int8_tile(size_t r, int n_rows, const struct int8_product *p, size_t b, int n_blocks) {
    const size_t n_groups = p->x.n_groups, block = n_groups * TACO_INT8_GROUP * INT8_O;
    const int n_vectors = n_blocks * INT8_PARTS;
    /* The sums over groups may wait in memory: the registers are for the exact ones. */
    vec sums[INT8_ROWS][INT8_MOST_BLOCKS * INT8_PARTS];
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * INT8_O + (size_t)v * LANES;
        vec bias = p->w->bias ? vec_load(p->w->bias + o) : vec_set(0.0f);
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
            sums[k][v] = bias;
    }
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *lines =
            (const uint8_t *)p->w->data + b * block + g * TACO_INT8_GROUP * INT8_O;
        const int8_input *q = p->x.q + (r * n_groups + g) * TACO_INT8_GROUP;
        veci exact[INT8_ROWS][INT8_MOST_BLOCKS * INT8_PARTS];
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++)
                exact[k][v] = veci_set(p->x.offsets[(r + (size_t)k) * n_groups + g]);
        for (size_t i = 0; i < TACO_INT8_GROUP; i += 4) {
            struct int8_weights weights[INT8_MOST_BLOCKS * INT8_PARTS];
#pragma GCC unroll 8
            for (int v = 0; v < n_vectors; v++) {
                const uint8_t *line =
                    lines + (size_t)(v / INT8_PARTS) * block + i * INT8_O;
                weights[v] = int8_weights_load(line + v % INT8_PARTS * LANES * 4);
                if (v % INT8_PARTS == 0)
                    __builtin_prefetch(line + INT8_AHEAD / n_blocks * 4 * INT8_O);
            }
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                struct int8_four four =
                    int8_four_load(q + (size_t)k * n_groups * TACO_INT8_GROUP + i);
#pragma GCC unroll 8
                for (int v = 0; v < n_vectors; v++)
                    exact[k][v] = int8_dot(exact[k][v], weights[v], four);
            }
        }
#pragma GCC unroll 8
        for (int v = 0; v < n_vectors; v++) {
            size_t whole = b + (size_t)(v / INT8_PARTS); /* its block */
            vec scale = vec_load(p->w->scales + (whole * n_groups + g) * INT8_O +
                                 v % INT8_PARTS * LANES);
#pragma GCC unroll 4
            for (int k = 0; k < n_rows; k++) {
                vec x_scale = vec_set(p->x.scales[(r + (size_t)k) * n_groups + g]);
                sums[k][v] = vec_fma(vec_of_integers(exact[k][v]),
                                     vec_mul(scale, x_scale), sums[k][v]);
            }
        }
    }
#pragma GCC unroll 8
    for (int v = 0; v < n_vectors; v++) {
        size_t o = b * INT8_O + (size_t)v * LANES;
        if (o >= p->w->n_out)
            break;
#pragma GCC unroll 4
        for (int k = 0; k < n_rows; k++)
            vec_store_first(p->y + (r + (size_t)k) * p->y_stride + o, p->w->n_out - o,
                            sums[k][v]);
    }
}

void KERNEL(matmul_int8)(const struct taco_matrix *w, const float *x, size_t x_stride,
                         float *y, size_t y_stride, size_t n, size_t first, size_t last,
                         void *scratch) {
    const struct int8_product p = {w, quantise_rows(x, x_stride, w->n_in, n, scratch), y,
                                   y_stride};
    size_t b = first;
    for (; n == 1 && b + INT8_ONE_ROW_BLOCKS <= last; b += INT8_ONE_ROW_BLOCKS)
        int8_tile(0, 1, &p, b, INT8_ONE_ROW_BLOCKS);
    for (; INT8_BLOCKS > 1 && b + INT8_BLOCKS <= last; b += INT8_BLOCKS)
        TACO_ROWS_BY_4(n, int8_tile, &p, b, INT8_BLOCKS);
    for (; b < last; b++)
        TACO_ROWS_BY_4(n, int8_tile, &p, b, 1);
}

#endif
