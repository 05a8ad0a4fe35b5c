/* Products with bf16 weights and rows, AMX: 32 inputs of 16 outputs are one tile of
 * weights, and its product with up to 16 rows of x one instruction. */
#include "kernels/layout.h"
#include "kernels/tables.h"
#include "kernels/x86/round_avx512bf16.h"
#include "kernels/x86/tiles_amx.h"
#include "kernels/x86/vector_avx512.h"

enum { O = TACO_MATRIX_BLOCK, K = TACO_BF16_PAD, AHEAD = 2 /* tiles */ };

_Static_assert(O *K * 2 == TILE_BYTES, "so many inputs of a block are a tile");

struct product {
    const struct taco_matrix *w;
    const uint16_t *x; /* [n, width] */
    float *y;
    size_t y_stride;
    size_t width; /* n_in with its padding */
};

/* Tile c of sums += x (tile 4) times the weights of block b + c. */
#define MULTIPLY(c, weights)                                                             \
    do {                                                                                 \
        _tile_loadd(weights, tile + (c)*block, 64);                                      \
        _tile_dpbf16ps(c, 4, weights);                                                   \
    } while (0)

/* Blocks b .. b + n_blocks - 1, four or one, for n_rows rows from r on. */
static void strip(const struct product *p, size_t b, size_t n_blocks, size_t r,
                  size_t n_rows) {
    _Alignas(64) float sums[TILE_BLOCKS * TILE_ROWS * O];
    const size_t block = p->width * O; /* numbers a block */
    const uint16_t *x = p->x + r * p->width;
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (size_t i = 0; i < p->width; i += K) {
        const uint16_t *tile = (const uint16_t *)p->w->data + b * block + i * O;
        if (r == 0) /* the other rows find the weights in the cache */
            for (size_t c = 0; c < n_blocks; c++)
                for (size_t line = 0; line < TILE_BYTES; line += 64)
                    _mm_prefetch((const char *)(tile + c * block) + AHEAD * TILE_BYTES +
                                     line,
                                 _MM_HINT_T0);
        _tile_loadd(4, x + i, p->width * 2);
        MULTIPLY(0, 5);
        if (n_blocks == TILE_BLOCKS) {
            MULTIPLY(1, 6);
            MULTIPLY(2, 5);
            MULTIPLY(3, 6);
        }
    }
    _tile_stored(0, sums, 64);
    if (n_blocks == TILE_BLOCKS) {
        _tile_stored(1, sums + TILE_ROWS * O, 64);
        _tile_stored(2, sums + 2 * TILE_ROWS * O, 64);
        _tile_stored(3, sums + 3 * TILE_ROWS * O, 64);
    }
    for (size_t c = 0; c < n_blocks; c++) {
        size_t o = (b + c) * O;
        __mmask16 mask = first_lanes(p->w->n_out - o);
        __m512 bias = p->w->bias ? _mm512_load_ps(p->w->bias + o) : _mm512_setzero_ps();
        for (size_t k = 0; k < n_rows; k++)
            _mm512_mask_storeu_ps(
                p->y + (r + k) * p->y_stride + o, mask,
                _mm512_add_ps(bias, _mm512_load_ps(sums + (c * TILE_ROWS + k) * O)));
    }
}

void taco_matmul_bf16_amx(const struct taco_matrix *w, const float *x, size_t x_stride,
                          float *y, size_t y_stride, size_t n, size_t first, size_t last,
                          void *scratch) {
    const size_t width = taco_round_up(w->n_in, TACO_BF16_PAD);
    round_rows(x, x_stride, w->n_in, width, n, scratch);
    const struct product p = {w, scratch, y, y_stride, width};
    tiles_multiply(&p, first, last, n, strip);
}
