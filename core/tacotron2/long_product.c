#include "tacotron2/long_product.h"

/* Rows at a time: their converted form stays in the second cache. */
enum { MOST_ROWS = 64 };

size_t taco_long_product_scratch(size_t n_in) {
    return taco_matmul_scratch(MOST_ROWS, n_in);
}

void taco_long_product(const struct taco_kernels *kernels, const struct taco_matrix *w,
                       const float *x, size_t x_stride, size_t n, float *y,
                       void *scratch) {
    for (size_t r = 0; r < n; r += MOST_ROWS)
        kernels->matmul(w, x + r * x_stride, x_stride, y + r * w->n_out, w->n_out,
                        n - r < MOST_ROWS ? n - r : MOST_ROWS, 0, w->n_blocks, scratch);
}
