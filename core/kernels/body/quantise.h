/* Body of the conversion of rows to integers (body/math.h tells what a body is).
 * The file that includes this says how its products want them:
 *   int8_input                           type of a stored integer
 *   int8_store(int8_input *q, veci v)    stores the LANES integers of v
 *   INT8_BIAS                            what its weights carry too much, 128 or 0 */
#ifndef TACO_KERNELS_BODY_QUANTISE_H
#define TACO_KERNELS_BODY_QUANTISE_H

#include "kernels/layout.h"

/* Rows as integers, in the scratch of a product: in each group x = scale * q. */
struct int8_rows {
    size_t n_groups;
    float *scales;    /* [n, n_groups] */
    int32_t *offsets; /* [n, n_groups] what the weights' bias adds, negated */
    int8_input *q;    /* [n, n_groups, TACO_INT8_GROUP] */
};

/* x [n <= TACO_INT8_GROUP], all of one group and row, as integers |q| <= 127, zeros behind n.
 * Returns the scale, which is no number or infinite when one of x is: then q is 0. */
static float quantise_group(const float *x, size_t n, int8_input *q, int32_t *offset) {
    enum { N = TACO_INT8_GROUP / LANES };
    vec v[N];
    veci largest = veci_set(0), sum = veci_set(0);
    for (size_t i = 0; i < N; i++) {
        v[i] =
            LANES * i < n ? vec_load_first(x + LANES * i, n - LANES * i) : vec_set(0.0f);
        /* As integers, magnitudes compare in the same order, and what is no number is the
         * largest. */
        largest = veci_max_unsigned(largest, veci_of_bits(vec_abs(v[i])));
    }
    const uint32_t bits = veci_largest_unsigned(largest);
    float top;
    __builtin_memcpy(&top, &bits, sizeof top);
    const int is_tiny = top < TACO_INT8_TINY, is_finite = bits < 0x7F800000;
    const vec inverse = vec_set(is_tiny || !is_finite ? 0.0f : 127.0f / top);
    for (size_t i = 0; i < N; i++) {
        veci integers = is_finite ? veci_of_rounded(vec_mul(v[i], inverse)) : veci_set(0);
        sum = veci_add(sum, integers);
        int8_store(q + LANES * i, integers);
    }
    *offset = -INT8_BIAS * veci_sum(sum);
    return is_tiny ? 0.0f : is_finite ? top / 127.0f : top;
}

static struct int8_rows quantise_rows(const float *x, size_t x_stride, size_t n_in,
                                      size_t n, void *scratch) {
    const size_t n_groups = taco_int8_groups(n_in);
    const size_t before = taco_round_up(8 * n * n_groups, 64); /* bytes */
    struct int8_rows rows = {n_groups, scratch, (int32_t *)scratch + n * n_groups,
                             (int8_input *)(void *)((char *)scratch + before)};
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++) {
            size_t at = r * n_groups + g, done = g * TACO_INT8_GROUP, left = n_in - done;
            rows.scales[at] = quantise_group(
                x + r * x_stride + done, left < TACO_INT8_GROUP ? left : TACO_INT8_GROUP,
                rows.q + at * TACO_INT8_GROUP, &rows.offsets[at]);
        }
    return rows;
}

#endif
