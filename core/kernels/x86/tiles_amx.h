/* Tiles of AMX: their shapes, and who may use them when. For files built with AMX alone.
 */
#ifndef TACO_KERNELS_TILES_AMX_H
#define TACO_KERNELS_TILES_AMX_H

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A tile is at most 16 rows of 64 bytes. Tiles 0 to 3 hold the sums of four blocks of
 * outputs, 4 the rows of x, 5 and 6 weights, in turn. */
enum { TILE_ROWS = 16, TILE_BYTES = 1024 };

/* The compiler does not know that a tile instruction reads memory: what was written
 * before must be there. */
static inline void tiles_see_memory(void) {
    __asm__ volatile("" ::: "memory");
}

/* Shapes for n_rows rows of x; what the tiles hold is lost. */
static inline void tiles_configure(int n_rows) {
    struct {
        uint8_t palette, start_row, reserved[14];
        uint16_t row_bytes[16];
        uint8_t rows[16];
    } shapes;
    _Static_assert(sizeof shapes == 64, "the layout is the processor's");
    memset(&shapes, 0, sizeof shapes);
    shapes.palette = 1;
    for (int t = 0; t < 7; t++) {
        shapes.row_bytes[t] = 64;
        shapes.rows[t] = (uint8_t)(t < 5 ? n_rows : TILE_ROWS);
    }
    tiles_see_memory();
    _tile_loadconfig(&shapes);
}

#endif
