/* Packing of weight matrices into the kernels' order (layout.h). */
#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "kernels/layout.h"

enum { O = TACO_MATRIX_BLOCK, G = TACO_INT8_GROUP };

struct sizes {
    size_t n_blocks, data, scales, bias; /* bytes of the three parts */
};

static struct sizes sizes_of(size_t n_out, size_t n_in, enum taco_precision precision) {
    struct sizes s = {.n_blocks = (n_out + O - 1) / O};
    s.bias = s.n_blocks * O * sizeof(float);
    switch (precision) {
    case TACO_PRECISION_F32:
        s.data = s.n_blocks * O * n_in * sizeof(float);
        break;
    case TACO_PRECISION_BF16:
        s.data = s.n_blocks * O * taco_round_up(n_in, TACO_BF16_PAD) * sizeof(uint16_t);
        break;
    case TACO_PRECISION_INT8:
        s.data = s.n_blocks * O * taco_int8_groups(n_in) * G;
        s.scales = s.n_blocks * O * taco_int8_groups(n_in) * sizeof(float);
        break;
    default:
        assert(!"a packed matrix is f32, bf16 or int8");
    }
    return s;
}

size_t taco_matrix_bytes(const struct taco_kernels *k, size_t n_out, size_t n_in,
                         enum taco_precision precision) {
    (void)k; /* one layout serves all */
    struct sizes s = sizes_of(n_out, n_in, precision);
    return s.data + s.scales + s.bias;
}

size_t taco_matmul_scratch(size_t n, size_t n_in) {
    /* Two bytes an element at most, and a scale and a sum for every group of a row. */
    size_t groups = taco_int8_groups(n_in);
    return taco_round_up(n * groups * (G * 2 + 2 * sizeof(float)), 64) + 64;
}

static uint32_t float_bits(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* Round to nearest, ties to even; what is no number stays none. */
static uint16_t to_bf16(float f) {
    uint32_t bits = float_bits(f);
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

/* Columns first .. first + n - 1 of the parts side by side, rows [16] of one block:
 * tile [16, n]. Rows beyond n_rows are zero. */
static void gather(float *tile, size_t n, size_t first, size_t row, size_t n_rows,
                   int n_parts, const float *const *w, const size_t *n_in) {
    for (size_t o = n_rows; o < O; o++)
        memset(tile + o * n, 0, n * sizeof *tile);
    size_t at = 0, filled = 0;
    for (int p = 0; p < n_parts && filled < n; at += n_in[p++]) {
        if (first + filled >= at + n_in[p])
            continue;
        size_t column = first + filled - at, take = n_in[p] - column;
        if (take > n - filled)
            take = n - filled;
        for (size_t o = 0; o < n_rows; o++)
            memcpy(tile + o * n + filled, w[p] + (row + o) * n_in[p] + column,
                   take * sizeof *tile);
        filled += take;
    }
    assert(filled == n);
}

/* tile [16, n] to out [n, 16]. */
static void put_f32(float *out, const float *tile, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < O; o++)
            out[i * O + o] = tile[o * n + i];
}

/* tile [16, n] to out [ceil(n / 2), 16, 2]. */
static void put_bf16(uint16_t *out, const float *tile, size_t n) {
    for (size_t i = 0; i < n; i++)
        for (size_t o = 0; o < O; o++)
            out[(i / 2 * O + o) * 2 + i % 2] = to_bf16(tile[o * n + i]);
}

/* row [G] as integers from 1 to 255 around 128; returns their scale. */
static float quantise(const float *row, uint8_t *q) {
    const float to_integer = 0x1.8p23f; /* adding it rounds to nearest, ties to even */
    /* Compared as integers, magnitudes keep their order, and what is no number is the
     * largest: then the scale, and every product with it, is none either. */
    uint32_t largest_bits = 0;
    for (size_t i = 0; i < G; i++) {
        uint32_t bits = float_bits(row[i]) & 0x7FFFFFFF;
        largest_bits = bits > largest_bits ? bits : largest_bits;
    }
    float largest;
    memcpy(&largest, &largest_bits, sizeof largest);
    if (largest < TACO_INT8_TINY || largest_bits >= 0x7F800000) {
        memset(q, 128, G);
        return largest < TACO_INT8_TINY ? 0.0f : largest / 127.0f;
    }
    const float inverse = 127.0f / largest;
    for (size_t i = 0; i < G; i++)
        q[i] = (uint8_t)((int)(row[i] * inverse + to_integer - to_integer) + 128);
    return largest / 127.0f;
}

/* tile [16, n <= G] to out [G / 4, 16, 4] and scales [16]. */
static void put_int8(uint8_t *out, float *scales, const float *tile, size_t n) {
    for (size_t o = 0; o < O; o++) {
        float row[G] = {0};
        uint8_t q[G];
        memcpy(row, tile + o * n, n * sizeof *row);
        scales[o] = quantise(row, q);
        for (size_t i = 0; i < G; i += 4)
            memcpy(out + (i / 4 * O + o) * 4, q + i, 4);
    }
}

void taco_matrix_pack(const struct taco_kernels *k, struct taco_matrix *out, void *memory,
                      size_t n_out, int n_parts, const float *const *w,
                      const size_t *n_in, const float *bias,
                      enum taco_precision precision) {
    (void)k;
    assert(n_out > 0 && n_parts > 0 && (uintptr_t)memory % 64 == 0);
    size_t n_columns = 0;
    for (int p = 0; p < n_parts; p++)
        n_columns += n_in[p];
    struct sizes s = sizes_of(n_out, n_columns, precision);
    unsigned char *data = memory;
    float *scales = (float *)(void *)(data + s.data);
    float *padded_bias = (float *)(void *)(data + s.data + s.scales);

    if (precision == TACO_PRECISION_BF16)
        memset(data, 0, s.data);
    float tile[O * G];
    for (size_t b = 0; b < s.n_blocks; b++) {
        size_t row = b * O, n_rows = n_out - row < O ? n_out - row : O;
        for (size_t i = 0; i < n_columns; i += G) {
            size_t n = n_columns - i < G ? n_columns - i : G;
            gather(tile, n, i, row, n_rows, n_parts, w, n_in);
            if (precision == TACO_PRECISION_F32) {
                put_f32((float *)memory + (b * n_columns + i) * O, tile, n);
            } else if (precision == TACO_PRECISION_BF16) {
                size_t width = taco_round_up(n_columns, TACO_BF16_PAD);
                put_bf16((uint16_t *)memory + (b * width + i) * O, tile, n);
            } else {
                size_t group = b * taco_int8_groups(n_columns) + i / G;
                put_int8(data + group * G * O, scales + group * O, tile, n);
            }
        }
    }
    memset(padded_bias, 0, s.bias);
    if (bias)
        memcpy(padded_bias, bias, n_out * sizeof *bias);

    out->n_out = n_out;
    out->n_in = n_columns;
    out->precision = precision;
    out->n_blocks = s.n_blocks;
    out->data = memory;
    out->scales = precision == TACO_PRECISION_INT8 ? scales : NULL;
    out->bias = bias ? padded_bias : NULL;
}
