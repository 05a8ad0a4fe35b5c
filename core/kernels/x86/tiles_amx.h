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
enum { TILE_ROWS = 16, TILE_BYTES = 1024, TILE_BLOCKS = 4 };

/* A matrix product of the file that includes this. */
struct product;

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

/* A product of n rows with the blocks first <= b < last: strip computes four blocks, or one
 * at the end, for up to sixteen rows from r on. */
static inline void
tiles_multiply(const struct product *p, size_t first, size_t last, size_t n,
               void (*strip)(const struct product *p, size_t b, size_t n_blocks, size_t r,
                             size_t n_rows)) {
    size_t configured = 0;
    tiles_see_memory();
    for (size_t b = first; b < last;) {
        size_t n_blocks = last - b >= TILE_BLOCKS ? TILE_BLOCKS : 1;
        for (size_t r = 0; r < n; r += TILE_ROWS) {
            size_t n_rows = n - r < TILE_ROWS ? n - r : TILE_ROWS;
            if (n_rows != configured)
                tiles_configure((int)n_rows);
            configured = n_rows;
            strip(p, b, n_blocks, r, n_rows);
        }
        b += n_blocks;
    }
    _tile_release();
}

#endif
