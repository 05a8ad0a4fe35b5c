/* Large products of the encoder by OpenBLAS.
 *
 * OpenBLAS runs with one thread inside each of ours: parallelism is the engine's. */
#include <assert.h>
#include <cblas.h>
#include <pthread.h>
#include <string.h>

#include "kernels/kernels.h"

static void use_one_thread(void) {
    openblas_set_num_threads(1);
}

/* y [m, n] += x [m, k] w [n, k]^T, rows of w w_stride apart. */
static void add_product(size_t m, size_t n, size_t k, const float *x, const float *w,
                        size_t w_stride, float *y) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, use_one_thread);
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (blasint)m, (blasint)n,
                (blasint)k, 1.0f, x, (blasint)k, w, (blasint)w_stride, 1.0f, y,
                (blasint)n);
}

/* y [m, n] = bias [n] in every row, or 0 */
static void set_bias(size_t m, size_t n, const float *bias, float *y) {
    if (!bias) {
        memset(y, 0, m * n * sizeof *y);
        return;
    }
    for (size_t r = 0; r < m; r++)
        memcpy(y + r * n, bias, n * sizeof *y);
}

void taco_gemm(size_t m, size_t n, size_t k, const float *x, const float *w,
               const float *bias, float *y) {
    set_bias(m, n, bias, y);
    add_product(m, n, k, x, w, k, y);
}

void taco_conv1d_reorder(const float *w, size_t c_out, size_t c_in, size_t kernel,
                         float *out) {
    for (size_t o = 0; o < c_out; o++)
        for (size_t k = 0; k < kernel; k++)
            for (size_t i = 0; i < c_in; i++)
                out[(o * kernel + k) * c_in + i] = w[(o * c_in + i) * kernel + k];
}

/* With time-major data what tap k sees is the padded input from row k on. */
void taco_conv1d(size_t t, size_t c_out, size_t c_in, size_t kernel, const float *x,
                 const float *w, const float *bias, float *y, float *padded) {
    assert(kernel % 2 == 1);
    size_t pad = kernel / 2 * c_in;
    memset(padded, 0, pad * sizeof *padded);
    memcpy(padded + pad, x, t * c_in * sizeof *x);
    memset(padded + pad + t * c_in, 0, pad * sizeof *padded);
    set_bias(t, c_out, bias, y);
    for (size_t k = 0; k < kernel; k++)
        add_product(t, c_out, c_in, padded + k * c_in, w + k * c_in, kernel * c_in, y);
}
