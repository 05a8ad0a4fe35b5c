/* The tables, and the choice between them. */
#include "kernels/kernels.h"

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

/* Best last. */
static const struct {
    uint32_t needs; /* all of these flags */
    struct taco_kernels kernels;
} tables[] = {
    {0, TABLE("scalar", scalar, scalar)},
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
