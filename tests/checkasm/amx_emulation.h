/* AMX in plain C, so that its kernels can be checked on a processor without it: included
 * in front of their files, in place of the instructions (make checkasm-amx). */
#ifndef TACO_TESTS_AMX_EMULATION_H
#define TACO_TESTS_AMX_EMULATION_H

#include <immintrin.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The palette in force: a use of a tile that it does not allow ends the program. */
static _Thread_local struct {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} amx_shapes;
static _Thread_local uint8_t amx_tiles[8][16][64];

static inline void amx_require(int holds) {
    if (!holds)
        abort();
}

static inline void amx_loadconfig(const void *config) {
    memcpy(&amx_shapes, config, sizeof amx_shapes);
    amx_require(amx_shapes.palette == 1 && amx_shapes.start_row == 0);
    for (int t = 0; t < 8; t++)
        amx_require(amx_shapes.rows[t] <= 16 && amx_shapes.row_bytes[t] <= 64);
    memset(amx_tiles, 0, sizeof amx_tiles);
}

static inline void amx_release(void) {
    memset(&amx_shapes, 0, sizeof amx_shapes);
}

static inline void amx_zero(int t) {
    amx_require(amx_shapes.rows[t] > 0);
    memset(amx_tiles[t], 0, sizeof amx_tiles[t]);
}

static inline void amx_loadd(int t, const void *base, size_t stride) {
    amx_require(amx_shapes.rows[t] > 0);
    memset(amx_tiles[t], 0, sizeof amx_tiles[t]);
    for (int r = 0; r < amx_shapes.rows[t]; r++)
        memcpy(amx_tiles[t][r], (const uint8_t *)base + (size_t)r * stride,
               amx_shapes.row_bytes[t]);
}

static inline void amx_stored(int t, void *base, size_t stride) {
    amx_require(amx_shapes.rows[t] > 0);
    for (int r = 0; r < amx_shapes.rows[t]; r++)
        memcpy((uint8_t *)base + (size_t)r * stride, amx_tiles[t][r],
               amx_shapes.row_bytes[t]);
}

/* The shapes of c += a b. */
static inline void amx_require_product(int c, int a, int b) {
    amx_require(c != a && c != b && a != b);
    amx_require(amx_shapes.rows[c] == amx_shapes.rows[a]);
    amx_require(amx_shapes.row_bytes[a] == 4 * amx_shapes.rows[b]);
    amx_require(amx_shapes.row_bytes[c] == amx_shapes.row_bytes[b]);
}

/* a signed, b unsigned */
static inline void amx_dpbsud(int c, int a, int b) {
    amx_require_product(c, a, b);
    for (int m = 0; m < amx_shapes.rows[c]; m++)
        for (int k = 0; k < amx_shapes.rows[b]; k++)
            for (int n = 0; n < amx_shapes.row_bytes[c] / 4; n++) {
                int32_t sum;
                memcpy(&sum, &amx_tiles[c][m][4 * n], 4);
                for (int i = 0; i < 4; i++)
                    sum +=
                        (int8_t)amx_tiles[a][m][4 * k + i] * amx_tiles[b][k][4 * n + i];
                memcpy(&amx_tiles[c][m][4 * n], &sum, 4);
            }
}

static inline float amx_bf16(const uint8_t *p) {
    uint32_t bits = (uint32_t)p[0] << 16 | (uint32_t)p[1] << 24;
    float f;
    memcpy(&f, &bits, 4);
    return f;
}

static inline void amx_dpbf16ps(int c, int a, int b) {
    amx_require_product(c, a, b);
    for (int m = 0; m < amx_shapes.rows[c]; m++)
        for (int k = 0; k < amx_shapes.rows[b]; k++)
            for (int n = 0; n < amx_shapes.row_bytes[c] / 4; n++) {
                float sum;
                memcpy(&sum, &amx_tiles[c][m][4 * n], 4);
                for (int i = 0; i < 4; i += 2)
                    sum += amx_bf16(&amx_tiles[a][m][4 * k + i]) *
                           amx_bf16(&amx_tiles[b][k][4 * n + i]);
                memcpy(&amx_tiles[c][m][4 * n], &sum, 4);
            }
}

#undef _tile_loadconfig
#undef _tile_release
#undef _tile_zero
#undef _tile_loadd
#undef _tile_stored
#undef _tile_dpbsud
#undef _tile_dpbf16ps
#define _tile_loadconfig amx_loadconfig
#define _tile_release amx_release
#define _tile_zero amx_zero
#define _tile_loadd amx_loadd
#define _tile_stored amx_stored
#define _tile_dpbsud amx_dpbsud
#define _tile_dpbf16ps amx_dpbf16ps

#endif
