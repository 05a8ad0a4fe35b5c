/* Matrix products in plain C (layout.h has the order of the weights). */
#include <assert.h>
#include <string.h>

#include "kernels/layout.h"
#include "kernels/tables.h"

enum { O = TACO_MATRIX_BLOCK, G = TACO_INT8_GROUP };

/* y [.., columns of block b] = sums [O] + bias */
static void put(const struct taco_matrix *w, size_t b, const float *sums, float *y) {
    size_t n = w->n_out - b * O < O ? w->n_out - b * O : O;
    for (size_t o = 0; o < n; o++)
        y[b * O + o] = w->bias ? w->bias[b * O + o] + sums[o] : sums[o];
}

static void block_f32(const struct taco_matrix *w, size_t b, const float *x, float *y) {
    const float *data = (const float *)w->data + b * w->n_in * O;
    float sums[O] = {0};
    for (size_t start = 0; start < w->n_in; start += TACO_F32_CHUNK) {
        size_t end = start + TACO_F32_CHUNK < w->n_in ? start + TACO_F32_CHUNK : w->n_in;
        float chunk[O] = {0};
        for (size_t i = start; i < end; i++)
            for (size_t o = 0; o < O; o++)
                chunk[o] += data[i * O + o] * x[i];
        for (size_t o = 0; o < O; o++)
            sums[o] += chunk[o];
    }
    put(w, b, sums, y);
}

static float from_bf16(uint16_t h) {
    uint32_t bits = (uint32_t)h << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

/* The weights alone are rounded; x stays as it is. */
static void block_bf16(const struct taco_matrix *w, size_t b, const float *x, float *y) {
    size_t width = taco_round_up(w->n_in, TACO_BF16_PAD);
    const uint16_t *data = (const uint16_t *)w->data + b * width * O;
    float sums[O] = {0};
    for (size_t start = 0; start < w->n_in; start += TACO_F32_CHUNK) {
        size_t end = start + TACO_F32_CHUNK < w->n_in ? start + TACO_F32_CHUNK : w->n_in;
        float chunk[O] = {0};
        for (size_t i = start; i < end; i++)
            for (size_t o = 0; o < O; o++)
                chunk[o] += from_bf16(data[(i / 2 * O + o) * 2 + i % 2]) * x[i];
        for (size_t o = 0; o < O; o++)
            sums[o] += chunk[o];
    }
    put(w, b, sums, y);
}

/* A row of x as integers: in each group x = scale * q, |q| <= 127. */
struct int8_row {
    int8_t *q;     /* [n_groups, G], zeros behind n_in */
    float *scales; /* [n_groups] */
};

static void quantise(const float *x, size_t n_in, struct int8_row *out) {
    const float to_integer = 0x1.8p23f; /* adding it rounds to nearest, ties to even */
    for (size_t g = 0; g < taco_int8_groups(n_in); g++) {
        size_t n = n_in - g * G < G ? n_in - g * G : G;
        /* As integers, magnitudes compare in the same order, and what is no number is the
         * largest: then so are the scale and the product. */
        uint32_t largest_bits = 0;
        for (size_t i = 0; i < n; i++) {
            uint32_t bits;
            memcpy(&bits, &x[g * G + i], sizeof bits);
            bits &= 0x7FFFFFFF;
            largest_bits = bits > largest_bits ? bits : largest_bits;
        }
        float largest;
        memcpy(&largest, &largest_bits, sizeof largest);
        int8_t *q = out->q + g * G;
        memset(q, 0, G);
        out->scales[g] = largest < TACO_INT8_TINY ? 0.0f : largest / 127.0f;
        if (largest < TACO_INT8_TINY || largest_bits >= 0x7F800000)
            continue;
        float inverse = 127.0f / largest;
        for (size_t i = 0; i < n; i++)
            q[i] = (int8_t)(x[g * G + i] * inverse + to_integer - to_integer);
    }
}

static void block_int8(const struct taco_matrix *w, size_t b, const struct int8_row *x,
                       float *y) {
    size_t n_groups = taco_int8_groups(w->n_in);
    float sums[O] = {0};
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *data = (const uint8_t *)w->data + (b * n_groups + g) * G * O;
        const float *scales = w->scales + (b * n_groups + g) * O;
        const int8_t *q = x->q + g * G;
        int32_t exact[O] = {0};
        for (size_t i = 0; i < G; i++)
            for (size_t o = 0; o < O; o++)
                exact[o] += (data[(i / 4 * O + o) * 4 + i % 4] - 128) * q[i];
        for (size_t o = 0; o < O; o++)
            sums[o] += (float)exact[o] * x->scales[g] * scales[o];
    }
    put(w, b, sums, y);
}

void taco_matmul_scalar(const struct taco_matrix *w, const float *x, size_t x_stride,
                        float *y, size_t y_stride, size_t n, size_t first, size_t last,
                        void *scratch) {
    assert(first <= last && last <= w->n_blocks);
    size_t n_groups = taco_int8_groups(w->n_in);
    int8_t *q = scratch;
    float *scales = (float *)scratch + taco_round_up(n * n_groups * G, 4) / 4;
    if (w->precision == TACO_PRECISION_INT8)
        for (size_t r = 0; r < n; r++) {
            struct int8_row row = {q + r * n_groups * G, scales + r * n_groups};
            quantise(x + r * x_stride, w->n_in, &row);
        }
    for (size_t b = first; b < last; b++)
        for (size_t r = 0; r < n; r++) {
            if (w->precision == TACO_PRECISION_F32) {
                block_f32(w, b, x + r * x_stride, y + r * y_stride);
            } else if (w->precision == TACO_PRECISION_BF16) {
                block_bf16(w, b, x + r * x_stride, y + r * y_stride);
            } else {
                struct int8_row row = {q + r * n_groups * G, scales + r * n_groups};
                block_int8(w, b, &row, y + r * y_stride);
            }
        }
}
