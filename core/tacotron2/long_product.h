/* Products over the rows of a whole text or clip by the packed kernels. */
#ifndef TACO_TACOTRON2_LONG_PRODUCT_H
#define TACO_TACOTRON2_LONG_PRODUCT_H

#include "kernels/kernels.h"

/* Bytes of scratch for taco_long_product with rows of n_in. */
size_t taco_long_product_scratch(size_t n_in);

/* y [n, n_out] = x w^T + bias. Row r of x begins at x + r * x_stride and may overlap the
 * next one (kernels.h, matmul). scratch: from above, aligned to 64 bytes. The bits of a row
 * do not depend on n. */
void taco_long_product(const struct taco_kernels *kernels, const struct taco_matrix *w,
                       const float *x, size_t x_stride, size_t n, float *y,
                       void *scratch);

#endif
