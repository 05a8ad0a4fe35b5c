/* Body of the element-wise kernels and softmax (body/math.h tells what a body is). */
#ifndef TACO_KERNELS_BODY_ACTIVATIONS_H
#define TACO_KERNELS_BODY_ACTIVATIONS_H

#include "kernels/body/math.h"
#include "kernels/tables.h"

void KERNEL(lstm_gates)(const float *gates, size_t stride, float *c, float *h,
                        float zoneout, size_t first, size_t last) {
    const float *i = gates, *f = i + stride, *g = f + stride, *o = g + stride;
    const vec z = vec_set(zoneout), keep = vec_set(1.0f - zoneout);
    for (size_t u = first; u < last; u += LANES) {
        size_t n = last - u;
        vec c_old = vec_load_first(c + u, n);
        vec in = vec_sigmoid(vec_load_first(i + u, n));
        vec forget = vec_sigmoid(vec_load_first(f + u, n));
        vec cell = vec_tanh(vec_load_first(g + u, n));
        vec out = vec_sigmoid(vec_load_first(o + u, n));
        vec c_new = vec_fma(forget, c_old, vec_mul(in, cell));
        vec h_new = vec_mul(out, vec_tanh(c_new));
        if (zoneout != 0.0f) {
            c_new = vec_fma(z, c_old, vec_mul(keep, c_new));
            h_new = vec_fma(z, vec_load_first(h + u, n), vec_mul(keep, h_new));
        }
        vec_store_first(c + u, n, c_new);
        vec_store_first(h + u, n, h_new);
    }
}

/* x [n > 0] */
static float largest_of(const float *x, size_t n) {
    float largest = x[0], lanes[LANES];
    size_t i = 0;
    if (n >= LANES) {
        vec v = vec_load(x);
        for (i = LANES; i + LANES <= n; i += LANES)
            v = vec_max(v, vec_load(x + i));
        vec_store(lanes, v);
        for (int l = 0; l < LANES; l++)
            largest = lanes[l] > largest ? lanes[l] : largest;
    }
    for (; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

void KERNEL(softmax)(float *x, size_t n) {
    if (n == 0)
        return;
    const vec shift = vec_set(largest_of(x, n));
    vec sum = vec_set(0.0f);
    for (size_t i = 0; i < n; i += LANES) {
        vec e = vec_exp(vec_sub(vec_load_first(x + i, n - i), shift));
        sum = vec_add(sum, vec_keep_first(e, n - i));
        vec_store_first(x + i, n - i, e);
    }
    const vec total = vec_set(vec_sum(sum));
    for (size_t i = 0; i < n; i += LANES)
        vec_store_first(x + i, n - i, vec_div(vec_load_first(x + i, n - i), total));
}

void KERNEL(sigmoid)(float *x, size_t n) {
    for (size_t i = 0; i < n; i += LANES)
        vec_store_first(x + i, n - i, vec_sigmoid(vec_load_first(x + i, n - i)));
}

void KERNEL(tanh)(float *x, size_t n) {
    for (size_t i = 0; i < n; i += LANES)
        vec_store_first(x + i, n - i, vec_tanh(vec_load_first(x + i, n - i)));
}

void KERNEL(relu)(float *x, size_t n) {
    for (size_t i = 0; i < n; i += LANES)
        vec_store_first(x + i, n - i,
                        vec_max(vec_set(0.0f), vec_load_first(x + i, n - i)));
}

#endif
