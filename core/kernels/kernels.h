/* The numeric kernels: one body an operation and instruction set, chosen at run time.
 *
 * Order of reductions is part of the contract: an output depends on its own row of x and
 * its own row of w only, and is summed in an order that is fixed per instruction set and
 * precision - never on the number of rows n, nor on how the outputs are split over
 * threads. Pointers need no alignment unless said; lengths are arbitrary; outputs never
 * overlap inputs unless said. */
#ifndef TACO_KERNELS_H
#define TACO_KERNELS_H

#include <stddef.h>
#include <stdint.h>
#include <taco/status.h>
#include <taco/voice.h>

/* Outputs are packed and split in blocks of this many, so that any instruction set finds
 * whole vectors; the last block is padded with zeros. */
#define TACO_MATRIX_BLOCK 16

/* A weight matrix [n_out, n_in] in kernel order, made once by taco_matrix_pack. */
struct taco_matrix {
    size_t n_out, n_in;
    enum taco_precision precision; /* F32, BF16 or INT8 */
    size_t n_blocks;               /* ceil(n_out / TACO_MATRIX_BLOCK) */
    const void *data;              /* layout is the kernels' own */
    const float *scales;           /* INT8 only; layout is the kernels' own */
    const float *bias; /* [n_out] padded with zeros to whole blocks, or NULL */
};

struct taco_kernels {
    /* "scalar"; "avx2", "avx512", "avx512vnni", "avx512bf16", "amx"; "neon", "dotprod" */
    const char *isa;

    /* y[r, o] = bias[o] + sum_i w[o, i] x[r, i] for r < n and the blocks first <= b <
     * last. Row r of x begins at x + r * x_stride: rows may overlap (x_stride < n_in),
     * which makes a convolution of the product. y [n, y_stride >= n_out]. scratch:
     * taco_matmul_scratch(n, n_in) bytes, 64-byte aligned, private to the calling thread
     * (int8 and bf16 put their converted x there; every caller of the same product makes
     * the same conversion); F32 needs none, NULL will do. */
    void (*matmul)(const struct taco_matrix *w, const float *x, size_t x_stride, float *y,
                   size_t y_stride, size_t n, size_t first, size_t last, void *scratch);

    /* LSTM cell (PyTorch's order of gates i, f, g, o):
     *   c' = sigmoid(f) c + sigmoid(i) tanh(g),  h' = sigmoid(o) tanh(c')
     * gates [4, stride >= n]: four arrays, already with biases; units first <= u < last.
     * zoneout z: c, h become z*old + (1-z)*new. c [n] and h [n] are read and written. */
    void (*lstm_gates)(const float *gates, size_t stride, float *c, float *h,
                       float zoneout, size_t first, size_t last);

    /* Energies of additive attention, for symbols first <= j < last:
     *   e[j] = bias + sum_d v[d] tanh(query[d] + keys[j, d] + location[j, d])
     * keys, location [n_symbols, dim]; location may be NULL. */
    void (*attention_energies)(const float *query, const float *keys,
                               const float *location, const float *v, float bias,
                               float *e, size_t dim, size_t first, size_t last);

    /* Location features, a convolution and a dense layer:
     *   out[j, d] = sum_f dense[f, d] sum_c sum_k conv[f, c, k] in[c][j + k - (K-1)/2]
     * which the caller has folded into one matrix m [channels * kernel, dim]:
     *   out[j, d] = sum_c sum_k m[c * kernel + k, d] in[c][j + k - (kernel-1)/2]
     * in: channels pointers to padded rows: in[c][-(kernel-1)/2 .. n-1 + kernel/2] are
     * readable and the padding is zero. out [n, dim], symbols first <= j < last. */
    void (*location_features)(const float *const *in, int channels, int kernel,
                              const float *m, size_t dim, float *out, size_t first,
                              size_t last);

    /* In place over [n]. softmax subtracts the maximum first; -INFINITY gives exactly 0.
     */
    void (*softmax)(float *x, size_t n);
    void (*sigmoid)(float *x, size_t n);
    void (*tanh)(float *x, size_t n);
    void (*relu)(float *x, size_t n);

    /* out[d] = sum_j a[j] m[j, d] for d in first <= d < last; m [n, stride]. */
    void (*weighted_sum)(const float *a, const float *m, size_t n, size_t stride,
                         float *out, size_t first, size_t last);

    /* sum of a[i] b[i] */
    float (*dot)(const float *a, const float *b, size_t n);
};

/* The best table for the flags of taco_cpu_flags() or a subset. Static storage. */
const struct taco_kernels *taco_kernels_get(uint32_t cpu_flags);

/* Bytes that taco_matrix_pack needs for a matrix; a multiple of 64. */
size_t taco_matrix_bytes(const struct taco_kernels *k, size_t n_out, size_t n_in,
                         enum taco_precision precision);

/* Packs w [n_out, n_in] (row-major f32; the matrix may be several side by side: n_parts
 * pointers w[p] of widths n_in[p], as in [W_ih | W_hh]) and bias [n_out] or NULL into
 * memory [taco_matrix_bytes], 64-byte aligned. For kernels k only. Deterministic. */
void taco_matrix_pack(const struct taco_kernels *k, struct taco_matrix *out, void *memory,
                      size_t n_out, int n_parts, const float *const *w,
                      const size_t *n_in, const float *bias,
                      enum taco_precision precision);

size_t taco_matmul_scratch(size_t n, size_t n_in);

/* Weights of a convolution w [c_out, c_in, kernel] as rows [c_out, kernel, c_in], which
 * taco_matrix_pack makes a matrix [c_out, kernel * c_in] of. */
void taco_conv1d_reorder(const float *w, size_t c_out, size_t c_in, size_t kernel,
                         float *out);

/* y [m, n] = x [m, k] w [n, k]^T + bias [n] (may be NULL) by OpenBLAS on the calling thread,
 * for the encoder, where m is a whole text. The same call gives the same bits; a row's last
 * bits may depend on m. */
void taco_gemm(size_t m, size_t n, size_t k, const float *x, const float *w,
               const float *bias, float *y);

/* conv1d, "same" padding (zeros), over time-major data by OpenBLAS, as taco_gemm: x [t,
 * c_in], y [t, c_out], w from above, odd kernel. padded: scratch [(t + kernel - 1) *
 * c_in]. */
void taco_conv1d(size_t t, size_t c_out, size_t c_in, size_t kernel, const float *x,
                 const float *w, const float *bias, float *y, float *padded);

#endif
