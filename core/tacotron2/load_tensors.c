/* What the parts of a model are loaded with (load.h). */
#include <stdio.h>
#include <string.h>

#include "tacotron2/load.h"
#include "tacotron2/weights.h"

static const float *get(struct taco_loader *l, const char *part, const char *name,
                        struct taco_arena *arena) {
    char full[sizeof((struct taco_weight *)0)->name];
    snprintf(full, sizeof full, "%s%s%s", l->prefix, part, name);
    return taco_weights_get(l->st, full, arena == l->arena, arena);
}

const float *taco_load_keep(struct taco_loader *l, const char *name) {
    return get(l, "", name, l->arena);
}

const float *taco_load_borrow(struct taco_loader *l, const char *name) {
    return get(l, "", name, &l->scratch);
}

const float *taco_load_borrow_part(struct taco_loader *l, const char *part,
                                   const char *name) {
    return get(l, part, name, &l->scratch);
}

bool taco_load_scalar(struct taco_loader *l, float *out, const char *name) {
    const float *value = taco_load_borrow(l, name);
    if (value)
        *out = value[0];
    return value != NULL;
}

bool taco_load_pack(struct taco_loader *l, struct taco_matrix *out, size_t n_out,
                    int n_parts, const float *const *parts, const size_t *n_in,
                    const float *bias, enum taco_precision precision) {
    const struct taco_kernels *kernels = l->model->kernels;
    size_t width = 0;
    for (int p = 0; p < n_parts; p++) {
        if (!parts[p])
            return false;
        width += n_in[p];
    }
    size_t bytes = taco_matrix_bytes(kernels, n_out, width, precision);
    void *memory = taco_arena_alloc(l->arena, bytes, 1);
    if (!memory)
        return false;
    taco_matrix_pack(kernels, out, memory, n_out, n_parts, parts, n_in, bias, precision);
    return true;
}

bool taco_load_linear(struct taco_loader *l, struct taco_matrix *out, const char *part,
                      size_t n_out, size_t n_in, bool has_bias) {
    const float *weight = taco_load_borrow_part(l, part, "weight");
    const float *bias = has_bias ? taco_load_borrow_part(l, part, "bias") : NULL;
    if (!weight || (has_bias && !bias))
        return false;
    return taco_load_pack(l, out, n_out, 1, &weight, &n_in, bias, TACO_PRECISION_F32);
}

bool taco_load_stacked(struct taco_loader *l, struct taco_matrix *out, int n_parts,
                       const char *const *parts, const size_t *n_out, size_t n_in,
                       const bool *has_bias) {
    size_t rows = 0, at = 0;
    for (int i = 0; i < n_parts; i++)
        rows += n_out[i];
    float *weight = taco_arena_alloc(&l->scratch, rows * n_in, sizeof *weight);
    float *bias = taco_arena_alloc(&l->scratch, rows, sizeof *bias);
    if (!weight || !bias)
        return false;
    memset(bias, 0, rows * sizeof *bias);
    for (int i = 0; i < n_parts; i++) {
        const float *w = taco_load_borrow_part(l, parts[i], "weight");
        const float *b = has_bias[i] ? taco_load_borrow_part(l, parts[i], "bias") : NULL;
        if (!w || (has_bias[i] && !b))
            return false;
        memcpy(weight + at * n_in, w, n_out[i] * n_in * sizeof *w);
        if (b)
            memcpy(bias + at, b, n_out[i] * sizeof *b);
        at += n_out[i];
    }
    const float *const whole[1] = {weight};
    return taco_load_pack(l, out, rows, 1, whole, &n_in, bias, TACO_PRECISION_F32);
}

bool taco_load_linear_f32(struct taco_loader *l, struct taco_linear *out,
                          const char *part, const char *weight_name, bool has_bias) {
    out->weight = get(l, part, weight_name, l->arena);
    out->bias = has_bias ? get(l, part, "bias", l->arena) : NULL;
    return out->weight && (!has_bias || out->bias);
}

bool taco_load_memory_layer(struct taco_loader *l, struct taco_attention *a,
                            size_t key_dim, bool has_bias) {
    a->key_dim = key_dim;
    return taco_load_linear_f32(l, &a->memory_layer, "memory_layer.", "weight", has_bias);
}

const float *taco_load_fold(struct taco_loader *l, const float *dense, const float *conv,
                            size_t D, size_t F, size_t taps) {
    float *out = taco_arena_alloc(l->arena, taps * D, sizeof *out);
    double *sum = taco_arena_alloc(&l->scratch, D, sizeof *sum);
    if (!dense || !conv || !out || !sum)
        return NULL;
    for (size_t tap = 0; tap < taps; tap++) {
        memset(sum, 0, D * sizeof *sum);
        for (size_t f = 0; f < F; f++)
            for (size_t d = 0; d < D; d++)
                sum[d] += (double)dense[d * F + f] * (double)conv[f * taps + tap];
        for (size_t d = 0; d < D; d++)
            out[tap * D + d] = (float)sum[d];
    }
    return out;
}

const float *taco_load_transpose(struct taco_loader *l, const float *x, size_t rows,
                                 size_t columns) {
    float *out = taco_arena_alloc(l->arena, rows * columns, sizeof *out);
    if (!x || !out)
        return NULL;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[j * rows + i] = x[i * columns + j];
    return out;
}
