/* Convolution over time as one matrix product: with time-major data the window of frame t
 * is kernel * c_in contiguous floats, and the windows of two neighbours overlap. */
#include <assert.h>
#include <string.h>

#include "kernels/kernels.h"

void taco_conv1d_reorder(const float *w, size_t c_out, size_t c_in, size_t kernel,
                         float *out) {
    for (size_t o = 0; o < c_out; o++)
        for (size_t k = 0; k < kernel; k++)
            for (size_t i = 0; i < c_in; i++)
                out[(o * kernel + k) * c_in + i] = w[(o * c_in + i) * kernel + k];
}

void taco_conv1d(const struct taco_kernels *k, const struct taco_matrix *w,
                 const float *x, size_t t, size_t c_in, float *y, float *padded) {
    size_t kernel = w->n_in / c_in, pad = kernel / 2 * c_in;
    assert(kernel % 2 == 1 && kernel * c_in == w->n_in &&
           w->precision == TACO_PRECISION_F32);
    memset(padded, 0, pad * sizeof *padded);
    memcpy(padded + pad, x, t * c_in * sizeof *x);
    memset(padded + pad + t * c_in, 0, pad * sizeof *padded);
    k->matmul(w, padded, c_in, y, w->n_out, t, 0, w->n_blocks, NULL);
}
