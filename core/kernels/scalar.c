/* Kernels in plain C: the reference of every other, and what runs where nothing better
 * does. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "kernels/tables.h"

static float sigmoid(float x) {
    return 1.0f / (1.0f + expf(-x));
}

void taco_lstm_gates_scalar(const float *gates, size_t stride, float *c, float *h,
                            float zoneout, size_t first, size_t last) {
    const float *i = gates, *f = i + stride, *g = f + stride, *o = g + stride;
    for (size_t u = first; u < last; u++) {
        float c_new = sigmoid(f[u]) * c[u] + sigmoid(i[u]) * tanhf(g[u]);
        float h_new = sigmoid(o[u]) * tanhf(c_new);
        if (zoneout != 0.0f) {
            c_new = zoneout * c[u] + (1.0f - zoneout) * c_new;
            h_new = zoneout * h[u] + (1.0f - zoneout) * h_new;
        }
        c[u] = c_new;
        h[u] = h_new;
    }
}

void taco_attention_energies_scalar(const float *query, const float *keys,
                                    const float *location, const float *v, float bias,
                                    float *e, size_t dim, size_t first, size_t last) {
    for (size_t j = first; j < last; j++) {
        const float *key = keys + j * dim;
        float sum = 0.0f;
        for (size_t d = 0; d < dim; d++) {
            float s = query[d] + key[d];
            if (location)
                s += location[j * dim + d];
            sum += v[d] * tanhf(s);
        }
        e[j] = bias + sum;
    }
}

void taco_location_features_scalar(const float *const *in, int channels, int kernel,
                                   const float *m, size_t dim, float *out, size_t first,
                                   size_t last) {
    for (size_t j = first; j < last; j++) {
        float *row = out + j * dim;
        memset(row, 0, dim * sizeof *row);
        for (int c = 0; c < channels; c++) {
            const float *x = in[c] + (ptrdiff_t)j - (kernel - 1) / 2;
            for (int k = 0; k < kernel; k++) {
                const float *tap = m + ((size_t)c * (size_t)kernel + (size_t)k) * dim;
                for (size_t d = 0; d < dim; d++)
                    row[d] += tap[d] * x[k];
            }
        }
    }
}

void taco_softmax_scalar(float *x, size_t n) {
    if (n == 0)
        return;
    float largest = x[0];
    for (size_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++) {
        x[i] = expf(x[i] - largest);
        sum += x[i];
    }
    for (size_t i = 0; i < n; i++)
        x[i] /= sum;
}

void taco_sigmoid_scalar(float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = sigmoid(x[i]);
}

void taco_tanh_scalar(float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = tanhf(x[i]);
}

void taco_relu_scalar(float *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = x[i] <= 0.0f ? 0.0f : x[i]; /* what is no number stays none */
}

void taco_weighted_sum_scalar(const float *a, const float *m, size_t n, size_t stride,
                              float *out, size_t first, size_t last) {
    if (first < last)
        memset(out + first, 0, (last - first) * sizeof *out);
    for (size_t j = 0; j < n; j++)
        for (size_t d = first; d < last; d++)
            out[d] += a[j] * m[j * stride + d];
}

float taco_dot_scalar(const float *a, const float *b, size_t n) {
    float sum = 0.0f;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
