/* The recurrence of one LSTM layer over whole sequences, forward and backward, for
 * training.
 *
 * Products are taken in bf16 with f32 sums, on AMX tiles where the processor has them,
 * otherwise by AVX-512's bf16 dot products; states and gates stay f32. Shapes: T steps, B
 * sequences (a multiple of 8), H units (a multiple of 32), gates in PyTorch's order i,
 * f, g, o. For processors with AVX512-BF16. */
#include <immintrin.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum {
    TILE_ROWS =
        32,      /* sequences of a block by tiles, and columns of either kind of block */
    DOT_ROWS = 8 /* sequences of a block by dot products */
};

/* Shapes above; both return 0, or 1 without memory.
 *
 * forward: z [T, B, 4H] holds input products and biases, w [4H, H] the recurrent weights;
 * writes h and c [T, B, H] and gates [T, B, 4H], after their functions. */
EXPORT int taco_lstm_forward(int t_size, int batch, int units, const float *z,
                             const float *w, float *h, float *c, float *gates);
/* backward: d_h [T, B, H] is the gradient of h; w, c and gates as forward had and left
 * them; writes dz [T, B, 4H], the gradient of z. */
EXPORT int taco_lstm_backward(int t_size, int batch, int units, const float *d_h,
                              const float *w, const float *c, const float *gates,
                              float *dz);

/* -- which instructions -------------------------------------------------------------- */

/* Whether there are AMX tiles with bf16 products, and Linux lets this process use them.
 */
static bool has_tiles(void) {
    const long request_permission = 0x1023, tile_data = 18;
    unsigned eax = 7, ebx, ecx = 0, edx;
    __asm__("cpuid" : "+a"(eax), "=b"(ebx), "+c"(ecx), "=d"(edx));
    bool bf16 = edx >> 22 & 1, tile = edx >> 24 & 1;
    return bf16 && tile && syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

/* All eight tiles: 16 rows of 64 bytes. */
static void configure_tiles(void) {
    struct __attribute__((packed, aligned(64))) {
        uint8_t palette, start_row, reserved[14];
        uint16_t bytes_a_row[16];
        uint8_t rows[16];
    } config;
    memset(&config, 0, sizeof config);
    config.palette = 1;
    for (int i = 0; i < 8; i++) {
        config.bytes_a_row[i] = 64;
        config.rows[i] = 16;
    }
    _tile_loadconfig(&config);
}

/* -- products ------------------------------------------------------------------------ */

static uint16_t to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/* A K x N matrix, element (k, n) at w[n * row_stride + k * column_stride], as blocks of
 * 32 k by 16 n in the order that both instruction sets take: pairs of k beside one
 * another. The caller frees it. */
static uint16_t *pack(const float *w, int k_size, int n_size, size_t row_stride,
                      size_t column_stride) {
    uint16_t *packed =
        aligned_alloc(64, (size_t)k_size * (size_t)n_size * sizeof *packed);
    uint16_t *out = packed;
    for (int n0 = 0; packed && n0 < n_size; n0 += 16)
        for (int k0 = 0; k0 < k_size; k0 += 32)
            for (int pair = 0; pair < 16; pair++)
                for (int n = n0; n < n0 + 16; n++)
                    for (int k = k0 + 2 * pair; k < k0 + 2 * pair + 2; k++)
                        *out++ = to_bf16(
                            w[(size_t)n * row_stride + (size_t)k * column_stride]);
    return packed;
}

/* sum [TILE_ROWS, 32 columns of n_size] = a [TILE_ROWS, k_size] packed, by tiles. left and
 * right: 16 columns each. */
static void block_amx(const uint16_t *a, const uint16_t *left, const uint16_t *right,
                      float *sum, int k_size, int n_size) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
    for (int k = 0; k < k_size; k += 32) {
        _tile_loadd(4, a + k, (size_t)k_size * 2);
        _tile_loadd(5, a + (size_t)16 * (size_t)k_size + k, (size_t)k_size * 2);
        _tile_loadd(6, left + (size_t)k * 16, 64);
        _tile_loadd(7, right + (size_t)k * 16, 64);
        _tile_dpbf16ps(0, 4, 6);
        _tile_dpbf16ps(1, 4, 7);
        _tile_dpbf16ps(2, 5, 6);
        _tile_dpbf16ps(3, 5, 7);
    }
    size_t stride = (size_t)n_size * sizeof *sum;
    _tile_stored(0, sum, stride);
    _tile_stored(1, sum + 16, stride);
    _tile_stored(2, sum + (size_t)16 * (size_t)n_size, stride);
    _tile_stored(3, sum + (size_t)16 * (size_t)n_size + 16, stride);
}

/* The same for DOT_ROWS rows by dot products of pairs. */
static void block_avx512(const uint16_t *a, const uint16_t *left, const uint16_t *right,
                         float *sum, int k_size, int n_size) {
    __m512 s[DOT_ROWS][2];
    for (int b = 0; b < DOT_ROWS; b++)
        s[b][0] = s[b][1] = _mm512_setzero_ps();
    for (int k = 0; k < k_size; k += 2) {
        __m512bh l = (__m512bh)_mm512_load_si512(left + (size_t)k * 16);
        __m512bh r = (__m512bh)_mm512_load_si512(right + (size_t)k * 16);
        for (int b = 0; b < DOT_ROWS; b++) {
            int pair;
            memcpy(&pair, a + (size_t)b * (size_t)k_size + k, sizeof pair);
            __m512bh x = (__m512bh)_mm512_set1_epi32(pair);
            s[b][0] = _mm512_dpbf16_ps(s[b][0], x, l);
            s[b][1] = _mm512_dpbf16_ps(s[b][1], x, r);
        }
    }
    for (int b = 0; b < DOT_ROWS; b++) {
        float *row = sum + (size_t)b * (size_t)n_size;
        _mm512_storeu_ps(row, s[b][0]);
        _mm512_storeu_ps(row + 16, s[b][1]);
    }
}

/* sum [B, n_size] = a [B, k_size] (bf16) times the packed matrix. Rows that do not fill a
 * block of tiles are left to dot products. */
static void multiply(bool tiles, const uint16_t *a, const uint16_t *packed, float *sum,
                     int n_rows, int k_size, int n_size) {
    size_t column_block = (size_t)k_size * 16;
    for (int n0 = 0; n0 < n_size; n0 += 32) {
        const uint16_t *left = packed + (size_t)(n0 / 16) * column_block;
        for (int b = 0, step; b < n_rows; b += step) {
            const uint16_t *rows = a + (size_t)b * (size_t)k_size;
            float *to = sum + (size_t)b * (size_t)n_size + n0;
            bool by_tiles = tiles && n_rows - b >= TILE_ROWS;
            step = by_tiles ? TILE_ROWS : DOT_ROWS;
            (by_tiles ? block_amx : block_avx512)(rows, left, left + column_block, to,
                                                  k_size, n_size);
        }
    }
}

/* -- gates --------------------------------------------------------------------------- */

/* exp to about 1e-7 relative: 2^n times a polynomial of degree 5 in the rest. */
static inline __m512 exp_ps(__m512 x) {
    const float c[] = {1.8775767e-3f, 8.9893397e-3f, 5.5826318e-2f,
                       2.4015361e-1f, 6.9315308e-1f, 9.9999994e-1f};
    x = _mm512_min_ps(_mm512_max_ps(x, _mm512_set1_ps(-87)), _mm512_set1_ps(87));
    __m512 t = _mm512_mul_ps(x, _mm512_set1_ps(1.44269504f));
    __m512 n = _mm512_roundscale_ps(t, 0);
    __m512 f = _mm512_sub_ps(t, n), p = _mm512_set1_ps(c[0]);
    for (int i = 1; i < 6; i++)
        p = _mm512_fmadd_ps(p, f, _mm512_set1_ps(c[i]));
    return _mm512_scalef_ps(p, n);
}

static inline __m512 sigmoid_ps(__m512 x) {
    __m512 one = _mm512_set1_ps(1);
    return _mm512_div_ps(
        one, _mm512_add_ps(one, exp_ps(_mm512_sub_ps(_mm512_setzero_ps(), x))));
}

static inline __m512 tanh_ps(__m512 x) {
    return _mm512_fmsub_ps(_mm512_set1_ps(2), sigmoid_ps(_mm512_add_ps(x, x)),
                           _mm512_set1_ps(1));
}

static inline void store_bf16(uint16_t *to, __m512 x) {
    _mm256_storeu_si256((__m256i *)(void *)to, (__m256i)_mm512_cvtneps_pbh(x));
}

static inline __m512 sum_of(const float *a, const float *b) {
    return _mm512_add_ps(_mm512_loadu_ps(a), _mm512_loadu_ps(b));
}

/* -- forward ------------------------------------------------------------------------- */

/* c = f c' + i g, h = o tanh(c), for one sequence and step. z, rec [4H]: input and
 * recurrent sums. */
static void step_forward(const float *z, const float *rec, const float *c_before,
                         float *gates, float *c, float *h, uint16_t *h_bf16, int units) {
    for (int k = 0; k < units; k += 16) {
        __m512 i = sigmoid_ps(sum_of(z + k, rec + k));
        __m512 f = sigmoid_ps(sum_of(z + units + k, rec + units + k));
        __m512 g = tanh_ps(sum_of(z + 2 * units + k, rec + 2 * units + k));
        __m512 o = sigmoid_ps(sum_of(z + 3 * units + k, rec + 3 * units + k));
        __m512 cell = _mm512_mul_ps(i, g);
        if (c_before)
            cell = _mm512_fmadd_ps(f, _mm512_loadu_ps(c_before + k), cell);
        __m512 out = _mm512_mul_ps(o, tanh_ps(cell));
        _mm512_storeu_ps(gates + k, i);
        _mm512_storeu_ps(gates + units + k, f);
        _mm512_storeu_ps(gates + 2 * units + k, g);
        _mm512_storeu_ps(gates + 3 * units + k, o);
        _mm512_storeu_ps(c + k, cell);
        _mm512_storeu_ps(h + k, out);
        store_bf16(h_bf16 + k, out);
    }
}

int taco_lstm_forward(int t_size, int batch, int units, const float *z, const float *w,
                      float *h, float *c, float *gates) {
    size_t rows = (size_t)batch, n = (size_t)units;
    bool tiles = has_tiles();
    uint16_t *packed = pack(w, units, 4 * units, n, 1);
    uint16_t *h_bf16 = aligned_alloc(64, rows * n * sizeof *h_bf16);
    float *rec = aligned_alloc(64, rows * 4 * n * sizeof *rec);
    int failed = !packed || !h_bf16 || !rec;
    if (tiles)
        configure_tiles();
    for (int t = 0; !failed && t < t_size; t++) {
        if (t > 0)
            multiply(tiles, h_bf16, packed, rec, batch, units, 4 * units);
        else
            memset(rec, 0, rows * 4 * n * sizeof *rec);
        for (size_t b = 0; b < rows; b++) {
            size_t at = (size_t)t * rows + b;
            const float *c_before = t > 0 ? c + (at - rows) * n : NULL;
            step_forward(z + at * 4 * n, rec + b * 4 * n, c_before, gates + at * 4 * n,
                         c + at * n, h + at * n, h_bf16 + b * n, units);
        }
    }
    if (tiles)
        _tile_release();
    free(packed);
    free(h_bf16);
    free(rec);
    return failed;
}

/* -- backward ------------------------------------------------------------------------ */

/* Gradients of one sequence and step. dh: of h from above plus from the step behind; dc:
 * of c, passed on; dz [4H] of the sums before the gates' functions. */
static void step_backward(const float *gates, const float *c, const float *c_before,
                          const float *d_above, const float *dh, float *dc, float *dz,
                          uint16_t *dz_bf16, int units) {
    const __m512 one = _mm512_set1_ps(1);
    for (int k = 0; k < units; k += 16) {
        __m512 i = _mm512_loadu_ps(gates + k), f = _mm512_loadu_ps(gates + units + k);
        __m512 g = _mm512_loadu_ps(gates + 2 * units + k),
               o = _mm512_loadu_ps(gates + 3 * units + k);
        __m512 d = sum_of(d_above + k, dh + k), tanh_c = tanh_ps(_mm512_loadu_ps(c + k));
        __m512 d_o = _mm512_mul_ps(_mm512_mul_ps(d, tanh_c),
                                   _mm512_mul_ps(o, _mm512_sub_ps(one, o)));
        __m512 d_c =
            _mm512_fmadd_ps(_mm512_mul_ps(d, o), _mm512_fnmadd_ps(tanh_c, tanh_c, one),
                            _mm512_loadu_ps(dc + k));
        __m512 d_i =
            _mm512_mul_ps(_mm512_mul_ps(d_c, g), _mm512_mul_ps(i, _mm512_sub_ps(one, i)));
        __m512 d_f = _mm512_setzero_ps();
        if (c_before)
            d_f = _mm512_mul_ps(_mm512_mul_ps(d_c, _mm512_loadu_ps(c_before + k)),
                                _mm512_mul_ps(f, _mm512_sub_ps(one, f)));
        __m512 d_g = _mm512_mul_ps(_mm512_mul_ps(d_c, i), _mm512_fnmadd_ps(g, g, one));
        const __m512 all[4] = {d_i, d_f, d_g, d_o};
        _mm512_storeu_ps(dc + k, _mm512_mul_ps(d_c, f));
        for (int gate = 0; gate < 4; gate++) {
            _mm512_storeu_ps(dz + gate * units + k, all[gate]);
            store_bf16(dz_bf16 + gate * units + k, all[gate]);
        }
    }
}

int taco_lstm_backward(int t_size, int batch, int units, const float *d_h, const float *w,
                       const float *c, const float *gates, float *dz) {
    size_t rows = (size_t)batch, n = (size_t)units;
    bool tiles = has_tiles();
    uint16_t *packed = pack(w, 4 * units, units, 1, n);
    uint16_t *dz_bf16 = aligned_alloc(64, rows * 4 * n * sizeof *dz_bf16);
    float *dh = aligned_alloc(64, rows * n * sizeof *dh);
    float *dc = aligned_alloc(64, rows * n * sizeof *dc);
    int failed = !packed || !dz_bf16 || !dh || !dc;
    if (!failed) {
        memset(dh, 0, rows * n * sizeof *dh);
        memset(dc, 0, rows * n * sizeof *dc);
    }
    if (tiles)
        configure_tiles();
    for (int t = t_size - 1; !failed && t >= 0; t--) {
        for (size_t b = 0; b < rows; b++) {
            size_t at = (size_t)t * rows + b;
            const float *c_before = t > 0 ? c + (at - rows) * n : NULL;
            step_backward(gates + at * 4 * n, c + at * n, c_before, d_h + at * n,
                          dh + b * n, dc + b * n, dz + at * 4 * n, dz_bf16 + b * 4 * n,
                          units);
        }
        if (t > 0)
            multiply(tiles, dz_bf16, packed, dh, batch, 4 * units, units);
    }
    if (tiles)
        _tile_release();
    free(packed);
    free(dz_bf16);
    free(dh);
    free(dc);
    return failed;
}
