/* Element-wise kernels and softmax, sixteen floats at a time. */
#include "kernels/tables.h"
#include "kernels/x86/math_avx512.h"

void taco_lstm_gates_avx512(const float *gates, size_t stride, float *c, float *h,
                            float zoneout, size_t first, size_t last) {
    const float *i = gates, *f = i + stride, *g = f + stride, *o = g + stride;
    const __m512 z = _mm512_set1_ps(zoneout), keep = _mm512_set1_ps(1.0f - zoneout);
    for (size_t u = first; u < last; u += 16) {
        __mmask16 m = first_lanes(last - u);
        __m512 c_old = _mm512_maskz_loadu_ps(m, c + u);
        __m512 in = sigmoid16(_mm512_maskz_loadu_ps(m, i + u));
        __m512 forget = sigmoid16(_mm512_maskz_loadu_ps(m, f + u));
        __m512 cell = tanh16(_mm512_maskz_loadu_ps(m, g + u));
        __m512 out = sigmoid16(_mm512_maskz_loadu_ps(m, o + u));
        __m512 c_new = _mm512_fmadd_ps(forget, c_old, _mm512_mul_ps(in, cell));
        __m512 h_new = _mm512_mul_ps(out, tanh16(c_new));
        if (zoneout != 0.0f) {
            __m512 h_old = _mm512_maskz_loadu_ps(m, h + u);
            c_new = _mm512_fmadd_ps(z, c_old, _mm512_mul_ps(keep, c_new));
            h_new = _mm512_fmadd_ps(z, h_old, _mm512_mul_ps(keep, h_new));
        }
        _mm512_mask_storeu_ps(c + u, m, c_new);
        _mm512_mask_storeu_ps(h + u, m, h_new);
    }
}

void taco_softmax_avx512(float *x, size_t n) {
    if (n == 0)
        return;
    const __m512 lowest = _mm512_set1_ps(-__builtin_inff());
    __m512 largest = lowest;
    for (size_t i = 0; i < n; i += 16)
        largest = _mm512_max_ps(largest,
                                _mm512_mask_loadu_ps(lowest, first_lanes(n - i), x + i));
    __m512 shift = _mm512_set1_ps(_mm512_reduce_max_ps(largest)),
           sum = _mm512_setzero_ps();
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        __m512 e = exp16(_mm512_sub_ps(_mm512_maskz_loadu_ps(m, x + i), shift));
        sum = _mm512_mask_add_ps(sum, m, sum, e);
        _mm512_mask_storeu_ps(x + i, m, e);
    }
    __m512 total = _mm512_set1_ps(_mm512_reduce_add_ps(sum));
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        _mm512_mask_storeu_ps(x + i, m,
                              _mm512_div_ps(_mm512_maskz_loadu_ps(m, x + i), total));
    }
}

void taco_sigmoid_avx512(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        _mm512_mask_storeu_ps(x + i, m, sigmoid16(_mm512_maskz_loadu_ps(m, x + i)));
    }
}

void taco_tanh_avx512(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        _mm512_mask_storeu_ps(x + i, m, tanh16(_mm512_maskz_loadu_ps(m, x + i)));
    }
}

void taco_relu_avx512(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        __mmask16 m = first_lanes(n - i);
        __m512 v = _mm512_maskz_loadu_ps(m, x + i);
        _mm512_mask_storeu_ps(x + i, m, _mm512_max_ps(_mm512_setzero_ps(), v));
    }
}
