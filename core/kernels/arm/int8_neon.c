/* Products with int8 weights, NEON without its optional dot products: products of bytes
 * are summed by two in 16 bits, and from there exactly in 32. */
#include "kernels/arm/math_neon.h"
#include "kernels/layout.h"
#include "kernels/tables.h"

enum { O = TACO_MATRIX_BLOCK, G = TACO_INT8_GROUP, QUARTERS = O / 4, ROWS = 2 };
/* Lines of 64 bytes that are asked for before they are needed. */
enum { AHEAD = 32 };

struct product {
    const struct taco_matrix *w;
    size_t n_groups;
    const float *scales; /* [n, n_groups] of x */
    const int8_t *q;     /* [n, n_groups, G] */
    float *y;
    size_t y_stride;
};

/* x [n <= G], all of one group and row, as scale * q with |q| <= 127, zeros behind n.
 * Returns the scale, which is no number or infinite when one of x is: then q is 0. */
static float quantise_group(const float *x, size_t n, int8_t q[G]) {
    float32x4_t v[G / 4];
    /* As integers, magnitudes compare in the same order, and what is no number is the
     * largest. */
    uint32x4_t largest = vdupq_n_u32(0);
    for (size_t i = 0; i < G / 4; i++) {
        v[i] = 4 * i < n ? load_first(x + 4 * i, n - 4 * i) : vdupq_n_f32(0.0f);
        largest = vmaxq_u32(
            largest, vandq_u32(vreinterpretq_u32_f32(v[i]), vdupq_n_u32(0x7FFFFFFF)));
    }
    uint32_t bits = vmaxvq_u32(largest);
    float top;
    memcpy(&top, &bits, sizeof top);
    if (top < TACO_INT8_TINY || bits >= 0x7F800000) {
        memset(q, 0, G);
        return top < TACO_INT8_TINY ? 0.0f : top;
    }
    const float inverse = 127.0f / top;
    for (size_t i = 0; i < G / 4; i += 2) {
        int32x4_t a = vcvtnq_s32_f32(vmulq_n_f32(v[i], inverse));
        int32x4_t b = vcvtnq_s32_f32(vmulq_n_f32(v[i + 1], inverse));
        vst1_s8(q + 4 * i, vmovn_s16(vcombine_s16(vmovn_s32(a), vmovn_s32(b))));
    }
    return top / 127.0f;
}

/* Fills scratch with the rows of x. */
static struct product quantise(const struct taco_matrix *w, const float *x,
                               size_t x_stride, size_t n, void *scratch) {
    const size_t n_groups = taco_int8_groups(w->n_in);
    float *scales = scratch;
    int8_t *q = (int8_t *)scratch + taco_round_up(4 * n * n_groups, 64);
    for (size_t r = 0; r < n; r++)
        for (size_t g = 0; g < n_groups; g++) {
            size_t at = r * n_groups + g, left = w->n_in - g * G;
            scales[at] =
                quantise_group(x + r * x_stride + g * G, left < G ? left : G, q + at * G);
        }
    return (struct product){w, n_groups, scales, q, NULL, 0};
}

/* Bytes of four outputs by four inputs, signed again. */
static inline int8x16_t signed_weights(const uint8_t *p) {
    return vreinterpretq_s8_u8(veorq_u8(vld1q_u8(p), vdupq_n_u8(0x80)));
}

/* Block b for n_rows rows from r on. */
static inline __attribute__((always_inline)) void
tile(size_t r, int n_rows, const struct product *p, size_t b) {
    const size_t n_groups = p->n_groups, block = n_groups * G * O;
    for (size_t g = 0; g < n_groups; g++) {
        const uint8_t *lines = (const uint8_t *)p->w->data + b * block + g * G * O;
        const int8_t *q = p->q + (r * n_groups + g) * G;
        /* Of every vector of four outputs the sums of two, and within them of even and
         * odd pairs of inputs. */
        int32x4_t exact[ROWS][QUARTERS][2];
#pragma GCC unroll 2
        for (int k = 0; k < n_rows; k++)
#pragma GCC unroll 4
            for (int v = 0; v < QUARTERS; v++)
                exact[k][v][0] = exact[k][v][1] = vdupq_n_s32(0);
        for (size_t i = 0; i < G; i += 8) {
            int8x16_t x[ROWS][2];
#pragma GCC unroll 2
            for (int k = 0; k < n_rows; k++) {
                int32_t fours[2];
                memcpy(fours, q + (size_t)k * n_groups * G + i, sizeof fours);
                x[k][0] = vreinterpretq_s8_s32(vdupq_n_s32(fours[0]));
                x[k][1] = vreinterpretq_s8_s32(vdupq_n_s32(fours[1]));
            }
            __builtin_prefetch(lines + (i / 4 + AHEAD) * 4 * O);
            __builtin_prefetch(lines + (i / 4 + AHEAD + 1) * 4 * O);
#pragma GCC unroll 4
            for (int v = 0; v < QUARTERS; v++) {
                int8x16_t w0 = signed_weights(lines + i * O + v * 16);
                int8x16_t w1 = signed_weights(lines + (i + 4) * O + v * 16);
#pragma GCC unroll 2
                for (int k = 0; k < n_rows; k++) {
                    /* At most 2 * 127 * 127 < 2^15. */
                    int16x8_t low = vmull_s8(vget_low_s8(w0), vget_low_s8(x[k][0]));
                    int16x8_t top = vmull_high_s8(w0, x[k][0]);
                    low = vmlal_s8(low, vget_low_s8(w1), vget_low_s8(x[k][1]));
                    top = vmlal_high_s8(top, w1, x[k][1]);
                    exact[k][v][0] = vpadalq_s16(exact[k][v][0], low);
                    exact[k][v][1] = vpadalq_s16(exact[k][v][1], top);
                }
            }
        }
        /* The sums over groups stay in y: the registers are full. */
#pragma GCC unroll 4
        for (int v = 0; v < QUARTERS; v++) {
            size_t o = b * O + (size_t)v * 4;
            if (o >= p->w->n_out)
                break;
            float32x4_t scale =
                vld1q_f32(p->w->scales + (b * n_groups + g) * O + (size_t)v * 4);
            float32x4_t bias = p->w->bias ? vld1q_f32(p->w->bias + o) : vdupq_n_f32(0.0f);
#pragma GCC unroll 2
            for (int k = 0; k < n_rows; k++) {
                float *to = p->y + (r + (size_t)k) * p->y_stride + o;
                float32x4_t sum =
                    vcvtq_f32_s32(vpaddq_s32(exact[k][v][0], exact[k][v][1]));
                float32x4_t both =
                    vmulq_n_f32(scale, p->scales[(r + (size_t)k) * n_groups + g]);
                float32x4_t before = g ? load_first(to, p->w->n_out - o) : bias;
                store_first(to, p->w->n_out - o, vfmaq_f32(before, sum, both));
            }
        }
    }
}

void taco_matmul_int8_neon(const struct taco_matrix *w, const float *x, size_t x_stride,
                           float *y, size_t y_stride, size_t n, size_t first, size_t last,
                           void *scratch) {
    struct product p = quantise(w, x, x_stride, n, scratch);
    p.y = y;
    p.y_stride = y_stride;
    for (size_t b = first; b < last; b++) {
        size_t r = 0;
        for (; r + 2 <= n; r += 2)
            tile(r, 2, &p, b);
        if (r < n)
            tile(r, 1, &p, b);
    }
}
