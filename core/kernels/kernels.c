/* The tables, and the choice between them. */
#include "kernels/kernels.h"

#include <assert.h>

#include "base/cpu.h"
#include "kernels/tables.h"

#define TABLE(name, matmul_isa, isa_)                                                    \
    {                                                                                    \
        .isa = name, .matmul = taco_matmul_##matmul_isa,                                 \
        .lstm_gates = taco_lstm_gates_##isa_,                                            \
        .attention_energies = taco_attention_energies_##isa_,                            \
        .location_features = taco_location_features_##isa_,                              \
        .softmax = taco_softmax_##isa_, .sigmoid = taco_sigmoid_##isa_,                  \
        .tanh = taco_tanh_##isa_, .relu = taco_relu_##isa_,                              \
        .weighted_sum = taco_weighted_sum_##isa_, .dot = taco_dot_##isa_                 \
    }

/* taco_matmul_NAME: the product of the matrix's precision. */
#define MATMUL(name, f32, bf16, int8)                                                    \
    static void taco_matmul_##name(const struct taco_matrix *w, const float *x,          \
                                   size_t x_stride, float *y, size_t y_stride, size_t n, \
                                   size_t first, size_t last, void *scratch) {           \
        assert(first <= last && last <= w->n_blocks);                                    \
        if (w->precision == TACO_PRECISION_F32)                                          \
            taco_matmul_##f32(w, x, x_stride, y, y_stride, n, first, last, scratch);     \
        else if (w->precision == TACO_PRECISION_BF16)                                    \
            taco_matmul_##bf16(w, x, x_stride, y, y_stride, n, first, last, scratch);    \
        else                                                                             \
            taco_matmul_##int8(w, x, x_stride, y, y_stride, n, first, last, scratch);    \
    }

#if defined(__x86_64__)
MATMUL(avx2, f32_avx2, bf16_avx2, int8_avx2)
MATMUL(avx512, f32_avx512, bf16_avx512, int8_avx512)
MATMUL(avx512vnni, f32_avx512, bf16_avx512, int8_vnni)
MATMUL(avx512bf16, f32_avx512, bf16_avx512bf16, int8_vnni)
MATMUL(amx, f32_avx512, bf16_amx, int8_amx)
#elif defined(__aarch64__)
MATMUL(neon, f32_neon, bf16_neon, int8_neon)
MATMUL(dotprod, f32_neon, bf16_neon, int8_dotprod)
#endif

/* Best last. */
static const struct {
    uint32_t needs; /* all of these flags */
    struct taco_kernels kernels;
} tables[] = {
    {0, TABLE("scalar", scalar, scalar)},
#if defined(__x86_64__)
    {TACO_CPU_AVX2, TABLE("avx2", avx2, avx2)},
    {TACO_CPU_AVX512, TABLE("avx512", avx512, avx512)},
    {TACO_CPU_AVX512 | TACO_CPU_AVX512_VNNI, TABLE("avx512vnni", avx512vnni, avx512)},
    {TACO_CPU_AVX512 | TACO_CPU_AVX512_VNNI | TACO_CPU_AVX512_BF16,
     TABLE("avx512bf16", avx512bf16, avx512)},
    {TACO_CPU_AVX512 | TACO_CPU_AVX512_VNNI | TACO_CPU_AVX512_BF16 | TACO_CPU_AMX,
     TABLE("amx", amx, avx512)},
#elif defined(__aarch64__)
    {TACO_CPU_NEON, TABLE("neon", neon, neon)},
    {TACO_CPU_NEON | TACO_CPU_DOTPROD, TABLE("dotprod", dotprod, neon)},
#endif
};

enum { N_TABLES = sizeof tables / sizeof *tables };

const struct taco_kernels *taco_kernels_get(uint32_t cpu_flags) {
    size_t i = N_TABLES - 1;
    while ((tables[i].needs & cpu_flags) != tables[i].needs)
        i--;
    return &tables[i].kernels;
}

const struct taco_kernels *taco_kernels_at(size_t i, uint32_t *needs) {
    if (i >= N_TABLES)
        return NULL;
    *needs = tables[i].needs;
    return &tables[i].kernels;
}
