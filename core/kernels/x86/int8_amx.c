/* Products with int8 weights, AMX: a group of 64 inputs of 16 outputs is one tile of
 * weights, and its product with up to 16 rows of x one instruction. */
#include "kernels/tables.h"
#include "kernels/x86/int8_bytes.h"
#include "kernels/x86/tiles_amx.h"

#include "kernels/body/quantise.h"

enum {
    O = TACO_MATRIX_BLOCK,
    G = TACO_INT8_GROUP,
    AHEAD = 2 /* tiles */
};

_Static_assert(O *G == TILE_BYTES, "a group of a block is a tile");

struct product {
    const struct taco_matrix *w;
    struct int8_rows x;
    float *y;
    size_t y_stride;
};

/* Adds to y the group g of blocks b .. b + n_blocks - 1 for n_rows rows from r on, whose
 * exact sums are exact [n_blocks, n_rows, O]; the first group adds to the bias. */
static void add_group(const struct product *p, size_t r, size_t n_rows, size_t b,
                      size_t n_blocks, size_t g, const int32_t *exact) {
    const size_t n_groups = p->x.n_groups;
    for (size_t c = 0; c < n_blocks; c++) {
        size_t o = (b + c) * O;
        __mmask16 mask = first_lanes(p->w->n_out - o);
        __m512 scale = _mm512_load_ps(p->w->scales + o * n_groups + g * O);
        __m512 bias = p->w->bias ? _mm512_load_ps(p->w->bias + o) : _mm512_setzero_ps();
        for (size_t k = 0; k < n_rows; k++) {
            float *to = p->y + (r + k) * p->y_stride + o;
            size_t at = (r + k) * n_groups + g;
            __m512i sum =
                _mm512_add_epi32(_mm512_load_si512(exact + c * TILE_ROWS * O + k * O),
                                 _mm512_set1_epi32(p->x.offsets[at]));
            __m512 both = _mm512_mul_ps(scale, _mm512_set1_ps(p->x.scales[at]));
            __m512 before = g ? _mm512_maskz_loadu_ps(mask, to) : bias;
            _mm512_mask_storeu_ps(to, mask,
                                  _mm512_fmadd_ps(_mm512_cvtepi32_ps(sum), both, before));
        }
    }
}

/* Tile c of sums = x (tile 4) times the weights of block b + c, put into exact. */
#define MULTIPLY(c, weights)                                                             \
    do {                                                                                 \
        _tile_zero(c);                                                                   \
        _tile_loadd(weights, tile + (c)*block, 64);                                      \
        _tile_dpbsud(c, 4, weights);                                                     \
        _tile_stored(c, exact + (c)*TILE_ROWS * O, 64);                                  \
    } while (0)

static void strip(const struct product *p, size_t b, size_t n_blocks, size_t r,
                  size_t n_rows) {
    _Alignas(64) int32_t exact[TILE_BLOCKS * TILE_ROWS * O];
    const size_t n_groups = p->x.n_groups, block = n_groups * G * O;
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *tile = (const uint8_t *)p->w->data + b * block + g * TILE_BYTES;
        if (r == 0) /* the other rows find the weights in the cache */
            for (size_t c = 0; c < n_blocks; c++)
                for (size_t line = 0; line < TILE_BYTES; line += 64)
                    _mm_prefetch((const char *)tile + c * block + AHEAD * TILE_BYTES +
                                     line,
                                 _MM_HINT_T0);
        _tile_loadd(4, p->x.q + (r * n_groups + g) * G, n_groups * G);
        MULTIPLY(0, 5);
        if (n_blocks == TILE_BLOCKS) {
            MULTIPLY(1, 6);
            MULTIPLY(2, 5);
            MULTIPLY(3, 6);
        }
        add_group(p, r, n_rows, b, n_blocks, g, exact);
    }
}

void taco_matmul_int8_amx(const struct taco_matrix *w, const float *x, size_t x_stride,
                          float *y, size_t y_stride, size_t n, size_t first, size_t last,
                          void *scratch) {
    const struct product p = {w, quantise_rows(x, x_stride, w->n_in, n, scratch), y,
                              y_stride};
    tiles_multiply(&p, first, last, n, strip);
}
