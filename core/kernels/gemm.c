/* Large matrix products and convolutions over OpenBLAS.
 *
 * OpenBLAS picks its code by the size of a product, so that a row's last bits would
 * depend on how many rows are computed with it. Here every call has one of a few fixed
 * shapes: ROWS x (at most COLUMNS) x (at most DEPTH), cut from the left; the last rows
 * are put into a tile of ROWS, filled up with zeros. */
#include <assert.h>
#include <cblas.h>
#include <pthread.h>
#include <string.h>

#include "kernels/kernels.h"

enum { ROWS = 64, COLUMNS = 256, DEPTH = 256 };

static void use_one_thread(void) {
    openblas_set_num_threads(1);
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* y [m, n] += x [m, k] w [n, k]^T; rows of x, w and y are x_stride, w_stride, n apart. */
static void add_product(size_t m, size_t n, size_t k, const float *x, size_t x_stride,
                        const float *w, size_t w_stride, float *y) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_one_thread);
    float x_tile[ROWS * DEPTH], y_tile[ROWS * COLUMNS];
    for (size_t r = 0; r < m; r += ROWS)
        for (size_t i = 0; i < k; i += DEPTH) {
            size_t n_rows = least(ROWS, m - r), depth = least(DEPTH, k - i);
            const float *a = x + r * x_stride + i;
            size_t a_stride = x_stride;
            if (n_rows < ROWS) {
                memset(x_tile, 0, sizeof x_tile);
                for (size_t t = 0; t < n_rows; t++)
                    memcpy(x_tile + t * DEPTH, a + t * x_stride, depth * sizeof *a);
                a = x_tile;
                a_stride = DEPTH;
            }
            for (size_t o = 0; o < n; o += COLUMNS) {
                size_t columns = least(COLUMNS, n - o);
                float *c = y + r * n + o;
                size_t c_stride = n;
                if (n_rows < ROWS) {
                    memset(y_tile, 0, sizeof y_tile);
                    for (size_t t = 0; t < n_rows; t++)
                        memcpy(y_tile + t * COLUMNS, c + t * n, columns * sizeof *c);
                    c = y_tile;
                    c_stride = COLUMNS;
                }
                cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, ROWS,
                            (blasint)columns, (blasint)depth, 1.0f, a, (blasint)a_stride,
                            w + o * w_stride + i, (blasint)w_stride, 1.0f, c,
                            (blasint)c_stride);
                if (n_rows < ROWS)
                    for (size_t t = 0; t < n_rows; t++)
                        memcpy(y + (r + t) * n + o, y_tile + t * COLUMNS,
                               columns * sizeof *c);
            }
        }
}

/* y [m, n] = bias [n] in every row, or 0 */
static void set_bias(size_t m, size_t n, const float *bias, float *y) {
    for (size_t r = 0; r < m; r++) {
        if (bias)
            memcpy(y + r * n, bias, n * sizeof *y);
        else
            memset(y + r * n, 0, n * sizeof *y);
    }
}

void taco_gemm_nt(size_t m, size_t n, size_t k, const float *x, const float *w,
                  const float *bias, float *y) {
    set_bias(m, n, bias, y);
    add_product(m, n, k, x, k, w, k, y);
}

void taco_conv1d_pack(const float *w, size_t c_out, size_t c_in, size_t kernel,
                      float *out) {
    for (size_t o = 0; o < c_out; o++)
        for (size_t k = 0; k < kernel; k++)
            for (size_t i = 0; i < c_in; i++)
                out[(o * kernel + k) * c_in + i] = w[(o * c_in + i) * kernel + k];
}

void taco_conv1d(const float *x, size_t t, size_t c_in, const float *w, const float *bias,
                 size_t c_out, size_t kernel, float *y, float *scratch) {
    assert(kernel % 2 == 1);
    size_t pad = kernel / 2 * c_in;
    memset(scratch, 0, pad * sizeof *scratch);
    memcpy(scratch + pad, x, t * c_in * sizeof *x);
    memset(scratch + pad + t * c_in, 0, pad * sizeof *scratch);
    set_bias(t, c_out, bias, y);
    for (size_t k = 0; k < kernel; k++)
        add_product(t, c_out, c_in, scratch + k * c_in, c_in, w + k * c_in, kernel * c_in,
                    y);
}
