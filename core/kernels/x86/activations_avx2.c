/* Element-wise kernels and softmax, eight floats at a time. */
#include "kernels/tables.h"
#include "kernels/x86/math_avx2.h"

void taco_lstm_gates_avx2(const float *gates, size_t stride, float *c, float *h,
                          float zoneout, size_t first, size_t last) {
    const float *i = gates, *f = i + stride, *g = f + stride, *o = g + stride;
    const __m256 z = _mm256_set1_ps(zoneout), keep = _mm256_set1_ps(1.0f - zoneout);
    for (size_t u = first; u < last; u += 8) {
        size_t n = last - u;
        __m256 c_old = load_first(c + u, n);
        __m256 in = sigmoid8(load_first(i + u, n)),
               forget = sigmoid8(load_first(f + u, n));
        __m256 cell = tanh8(load_first(g + u, n)), out = sigmoid8(load_first(o + u, n));
        __m256 c_new = _mm256_fmadd_ps(forget, c_old, _mm256_mul_ps(in, cell));
        __m256 h_new = _mm256_mul_ps(out, tanh8(c_new));
        if (zoneout != 0.0f) {
            c_new = _mm256_fmadd_ps(z, c_old, _mm256_mul_ps(keep, c_new));
            h_new = _mm256_fmadd_ps(z, load_first(h + u, n), _mm256_mul_ps(keep, h_new));
        }
        store_first(c + u, n, c_new);
        store_first(h + u, n, h_new);
    }
}

void taco_softmax_avx2(float *x, size_t n) {
    if (n == 0)
        return;
    float largest = x[0];
    for (size_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    __m256 shift = _mm256_set1_ps(largest), sum = _mm256_setzero_ps();
    for (size_t i = 0; i < n; i += 8) {
        __m256 e = exp8(_mm256_sub_ps(load_first(x + i, n - i), shift));
        e = _mm256_and_ps(e, _mm256_castsi256_ps(first_lanes(n - i)));
        sum = _mm256_add_ps(sum, e);
        store_first(x + i, n - i, e);
    }
    __m256 total = _mm256_set1_ps(sum_lanes(sum));
    for (size_t i = 0; i < n; i += 8)
        store_first(x + i, n - i, _mm256_div_ps(load_first(x + i, n - i), total));
}

void taco_sigmoid_avx2(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 8)
        store_first(x + i, n - i, sigmoid8(load_first(x + i, n - i)));
}

void taco_tanh_avx2(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 8)
        store_first(x + i, n - i, tanh8(load_first(x + i, n - i)));
}

void taco_relu_avx2(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 8)
        store_first(x + i, n - i,
                    _mm256_max_ps(_mm256_setzero_ps(), load_first(x + i, n - i)));
}
