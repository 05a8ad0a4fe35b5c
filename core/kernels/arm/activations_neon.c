/* Element-wise kernels and softmax, four floats at a time. */
#include "kernels/arm/math_neon.h"
#include "kernels/tables.h"

void taco_lstm_gates_neon(const float *gates, size_t stride, float *c, float *h,
                          float zoneout, size_t first, size_t last) {
    const float *i = gates, *f = i + stride, *g = f + stride, *o = g + stride;
    const float keep = 1.0f - zoneout;
    for (size_t u = first; u < last; u += 4) {
        size_t n = last - u;
        float32x4_t c_old = load_first(c + u, n);
        float32x4_t in = sigmoid4(load_first(i + u, n));
        float32x4_t forget = sigmoid4(load_first(f + u, n));
        float32x4_t cell = tanh4(load_first(g + u, n));
        float32x4_t out = sigmoid4(load_first(o + u, n));
        float32x4_t c_new = vfmaq_f32(vmulq_f32(in, cell), forget, c_old);
        float32x4_t h_new = vmulq_f32(out, tanh4(c_new));
        if (zoneout != 0.0f) {
            c_new = vfmaq_n_f32(vmulq_n_f32(c_new, keep), c_old, zoneout);
            h_new = vfmaq_n_f32(vmulq_n_f32(h_new, keep), load_first(h + u, n), zoneout);
        }
        store_first(c + u, n, c_new);
        store_first(h + u, n, h_new);
    }
}

void taco_softmax_neon(float *x, size_t n) {
    if (n == 0)
        return;
    float largest = x[0];
    for (size_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    const uint32_t lanes[4] = {0, 1, 2, 3};
    float32x4_t shift = vdupq_n_f32(largest), sum = vdupq_n_f32(0.0f);
    for (size_t i = 0; i < n; i += 4) {
        float32x4_t e = exp4(vsubq_f32(load_first(x + i, n - i), shift));
        uint32_t left = n - i < 4 ? (uint32_t)(n - i) : 4;
        uint32x4_t inside = vcltq_u32(vld1q_u32(lanes), vdupq_n_u32(left));
        e = vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(e), inside));
        sum = vaddq_f32(sum, e);
        store_first(x + i, n - i, e);
    }
    float32x4_t total = vdupq_n_f32(vaddvq_f32(sum));
    for (size_t i = 0; i < n; i += 4)
        store_first(x + i, n - i, vdivq_f32(load_first(x + i, n - i), total));
}

void taco_sigmoid_neon(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 4)
        store_first(x + i, n - i, sigmoid4(load_first(x + i, n - i)));
}

void taco_tanh_neon(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 4)
        store_first(x + i, n - i, tanh4(load_first(x + i, n - i)));
}

void taco_relu_neon(float *x, size_t n) {
    for (size_t i = 0; i < n; i += 4)
        store_first(x + i, n - i, vmaxq_f32(load_first(x + i, n - i), vdupq_n_f32(0.0f)));
}
