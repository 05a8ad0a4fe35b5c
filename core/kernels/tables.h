/* The kernels of each instruction set by name: kernels.c puts them into tables.
 * What each computes stands in kernels.h. */
#ifndef TACO_KERNELS_TABLES_H
#define TACO_KERNELS_TABLES_H

#include "kernels/kernels.h"

#define TACO_DECLARE_MATMUL(isa)                                                         \
    void taco_matmul_##isa(const struct taco_matrix *w, const float *x, size_t x_stride, \
                           float *y, size_t y_stride, size_t n, size_t first,            \
                           size_t last, void *scratch);

#define TACO_DECLARE_OTHERS(isa)                                                         \
    void taco_lstm_gates_##isa(const float *gates, size_t stride, float *c, float *h,    \
                               float zoneout, size_t first, size_t last);                \
    void taco_attention_energies_##isa(                                                  \
        const float *query, const float *keys, const float *location, const float *v,    \
        float bias, float *e, size_t dim, size_t first, size_t last);                    \
    void taco_location_features_##isa(const float *const *in, int channels, int kernel,  \
                                      const float *m, size_t dim, float *out,            \
                                      size_t first, size_t last);                        \
    void taco_softmax_##isa(float *x, size_t n);                                         \
    void taco_sigmoid_##isa(float *x, size_t n);                                         \
    void taco_tanh_##isa(float *x, size_t n);                                            \
    void taco_relu_##isa(float *x, size_t n);                                            \
    void taco_weighted_sum_##isa(const float *a, const float *m, size_t n,               \
                                 size_t stride, float *out, size_t first, size_t last);  \
    float taco_dot_##isa(const float *a, const float *b, size_t n);

TACO_DECLARE_MATMUL(scalar)
TACO_DECLARE_OTHERS(scalar)

#if defined(__x86_64__)
TACO_DECLARE_MATMUL(f32_avx2)
TACO_DECLARE_MATMUL(bf16_avx2)
TACO_DECLARE_MATMUL(int8_avx2)
TACO_DECLARE_OTHERS(avx2)
TACO_DECLARE_MATMUL(f32_avx512)
TACO_DECLARE_MATMUL(bf16_avx512)
TACO_DECLARE_MATMUL(int8_avx512)
TACO_DECLARE_MATMUL(bf16_avx512bf16)
TACO_DECLARE_MATMUL(int8_vnni)
TACO_DECLARE_MATMUL(bf16_amx)
TACO_DECLARE_MATMUL(int8_amx)
TACO_DECLARE_OTHERS(avx512)
#elif defined(__aarch64__)
TACO_DECLARE_MATMUL(f32_neon)
TACO_DECLARE_MATMUL(bf16_neon)
TACO_DECLARE_MATMUL(int8_neon)
TACO_DECLARE_MATMUL(int8_dotprod)
TACO_DECLARE_OTHERS(neon)
#endif

/* Table i of this build, the scalar one first, and the flags of base/cpu.h that it needs;
 * NULL behind the last. For tests. */
const struct taco_kernels *taco_kernels_at(size_t i, uint32_t *needs);

#endif
