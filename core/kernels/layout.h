/* How the kernels lay out packed weights and converted rows: shared by every instruction
 * set.
 *
 * With O = TACO_MATRIX_BLOCK outputs a block, block b holds outputs b*O .. b*O+O-1:
 *   F32   [n_blocks, n_in, O]                  float
 *   BF16  [n_blocks, n_in32 / 2, O, 2]         n_in32 = n_in rounded up to 32, zeros
 *   INT8  [n_blocks, n_groups, G / 4, O, 4]    G = TACO_INT8_GROUP inputs share a scale;
 *         value + 128 as an unsigned byte, since the products of AVX-VNNI and AMX want
 * one unsigned side, and this one costs nothing: x's sum over a group is known when x is
 *         converted. scales [n_blocks, n_groups, O].
 * So an instruction set of 4-, 8- or 16-float vectors reads whole vectors of outputs, one
 * input (pair, four) after the other, and a tile of AMX is 1024 contiguous bytes. */
#ifndef TACO_KERNELS_LAYOUT_H
#define TACO_KERNELS_LAYOUT_H

#include "kernels/kernels.h"

/* F32 sums run over so many inputs, one after the other; the sums of these chunks are
 * then added in order. Keeps rounding errors small and rows of x in the first-level
 * cache. */
#define TACO_F32_CHUNK 512

/* BF16 rows are padded to a multiple of this many inputs (a tile of AMX). */
#define TACO_BF16_PAD 32

/* Inputs that share a scale. */
#define TACO_INT8_GROUP 64

/* Rows whose largest magnitude in a group is below this are zero there. */
#define TACO_INT8_TINY 1e-30f

static inline size_t taco_round_up(size_t n, size_t multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

static inline size_t taco_int8_groups(size_t n_in) {
    return (n_in + TACO_INT8_GROUP - 1) / TACO_INT8_GROUP;
}

#endif
