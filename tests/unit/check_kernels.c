/* The kernels that this processor would be given, against sums in double precision;
 * packing, gemm and conv1d. Every table against the scalar one is tests/checkasm's work.
 */
#include <check.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "base/memory.h"
#include "kernels/kernels.h"
#include "support/numbers.h"
#include "support/runner.h"

static const struct taco_kernels *kernels(void) {
    return taco_kernels_get(taco_cpu_flags());
}

static float *floats(uint64_t *seed, float scale, size_t n) {
    float *p = taco_aligned_alloc64(n * sizeof *p);
    ck_assert_ptr_nonnull(p);
    test_random_fill(seed, scale, p, n);
    return p;
}

/* expected [m, n] and the sums of the magnitudes of what was added, [m, n]. */
static void product(size_t m, size_t n, size_t k, const float *x, size_t x_stride,
                    const float *w, const float *bias, float *expected,
                    float *magnitude) {
    for (size_t r = 0; r < m; r++)
        for (size_t o = 0; o < n; o++) {
            double sum = bias ? (double)bias[o] : 0.0, all = fabs(sum);
            for (size_t i = 0; i < k; i++) {
                double p = (double)w[o * k + i] * (double)x[r * x_stride + i];
                sum += p;
                all += fabs(p);
            }
            expected[r * n + o] = (float)sum;
            magnitude[r * n + o] = (float)all;
        }
}

static void assert_within(const float *y, const float *expected, const float *magnitude,
                          size_t n, float relative) {
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(fabsf(y[i] - expected[i]) <= relative * magnitude[i],
                      "element %zu: %.9g, not %.9g", i, (double)y[i],
                      (double)expected[i]);
}

/* What a product of this precision may be off, relative to the sum of magnitudes. */
static float relative_error(enum taco_precision precision) {
    switch (precision) {
    case TACO_PRECISION_F32:
        return 4 * FLT_EPSILON * 8;
    case TACO_PRECISION_BF16:
        return 0x1p-7f;
    default: /* 1/127 on either side, of the largest and not of each */
        return 0.05f;
    }
}

START_TEST(matmul_agrees_with_doubles) {
    static const struct {
        size_t n, n_out, n_in, extra;
    } sizes[] = {{1, 1, 1, 0},    {1, 16, 64, 0},   {2, 17, 63, 5},  {3, 80, 129, 1},
                 {5, 33, 700, 0}, {8, 64, 1024, 3}, {64, 31, 40, 2}, {7, 130, 1100, 0}};
    enum taco_precision precision = TACO_PRECISION_F32 + _i % 3;
    uint64_t seed = 7 + (uint64_t)_i;
    size_t n = sizes[_i / 3].n, n_out = sizes[_i / 3].n_out, n_in = sizes[_i / 3].n_in;
    size_t x_stride = n_in + sizes[_i / 3].extra, y_stride = n_out + sizes[_i / 3].extra;
    const struct taco_kernels *k = kernels();
    float *w = floats(&seed, 1.0f, n_out * n_in), *x = floats(&seed, 2.0f, n * x_stride);
    float *bias = floats(&seed, 1.0f, n_out), *y = floats(&seed, 9.0f, n * y_stride);
    float *expected = floats(&seed, 1.0f, n * n_out);
    float *magnitude = floats(&seed, 1.0f, n * n_out);
    float *before = floats(&seed, 1.0f, n * y_stride);
    memcpy(before, y, n * y_stride * sizeof *y);

    /* Two matrices side by side give what one would. */
    size_t widths[2] = {n_in / 3, n_in - n_in / 3};
    float *left = floats(&seed, 1.0f, n_out * widths[0] + 1);
    float *right = floats(&seed, 1.0f, n_out * widths[1] + 1);
    for (size_t o = 0; o < n_out; o++) {
        memcpy(left + o * widths[0], w + o * n_in, widths[0] * sizeof *w);
        memcpy(right + o * widths[1], w + o * n_in + widths[0], widths[1] * sizeof *w);
    }
    void *memory = taco_aligned_alloc64(taco_matrix_bytes(k, n_out, n_in, precision));
    void *scratch = taco_aligned_alloc64(taco_matmul_scratch(n, n_in));
    struct taco_matrix matrix;
    const float *parts[2] = {left, right};
    taco_matrix_pack(k, &matrix, memory, n_out, 2, parts, widths, bias, precision);
    ck_assert_uint_eq(matrix.n_out, n_out);
    ck_assert_uint_eq(matrix.n_in, n_in);
    ck_assert_uint_eq(matrix.n_blocks, (n_out + 15) / 16);

    k->matmul(&matrix, x, x_stride, y, y_stride, n, 0, matrix.n_blocks, scratch);
    product(n, n_out, n_in, x, x_stride, w, bias, expected, magnitude);
    for (size_t r = 0; r < n; r++) {
        assert_within(y + r * y_stride, expected + r * n_out, magnitude + r * n_out,
                      n_out, relative_error(precision));
        /* Behind the outputs of a row nothing is written. */
        ck_assert_mem_eq(y + r * y_stride + n_out, before + r * y_stride + n_out,
                         (y_stride - n_out) * sizeof *y);
    }

    /* No bias, and blocks one by one. */
    const float *whole[1] = {w};
    taco_matrix_pack(k, &matrix, memory, n_out, 1, whole, &n_in, NULL, precision);
    ck_assert_ptr_null(matrix.bias);
    for (size_t b = 0; b < matrix.n_blocks; b++)
        k->matmul(&matrix, x, x_stride, y, y_stride, n, b, b + 1, scratch);
    product(n, n_out, n_in, x, x_stride, w, NULL, expected, magnitude);
    for (size_t r = 0; r < n; r++)
        assert_within(y + r * y_stride, expected + r * n_out, magnitude + r * n_out,
                      n_out, relative_error(precision));
    void *all[] = {w,      x,    bias,  y,      expected, magnitude,
                   before, left, right, memory, scratch};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        taco_free(all[i]);
}
END_TEST

/* A weight or an input that is no number, or infinite, must be seen in the result. */
START_TEST(matmul_shows_what_is_not_finite) {
    enum taco_precision precision = TACO_PRECISION_F32 + _i;
    const struct taco_kernels *k = kernels();
    enum { N_OUT = 20, N_IN = 150, N = 3 };
    uint64_t seed = 3;
    float *w = floats(&seed, 1.0f, N_OUT * N_IN), *x = floats(&seed, 1.0f, N * N_IN);
    float *y = floats(&seed, 1.0f, N * N_OUT);
    void *memory = taco_aligned_alloc64(taco_matrix_bytes(k, N_OUT, N_IN, precision));
    void *scratch = taco_aligned_alloc64(taco_matmul_scratch(N, N_IN));
    struct taco_matrix matrix;
    const float *parts[1] = {w};
    size_t n_in = N_IN;
    const float bad[] = {NAN, INFINITY, -INFINITY};
    for (int b = 0; b < 3; b++) {
        float kept = w[4 * N_IN + 77];
        w[4 * N_IN + 77] = bad[b];
        taco_matrix_pack(k, &matrix, memory, N_OUT, 1, parts, &n_in, NULL, precision);
        k->matmul(&matrix, x, N_IN, y, N_OUT, N, 0, matrix.n_blocks, scratch);
        for (size_t r = 0; r < N; r++)
            for (size_t o = 0; o < N_OUT; o++)
                ck_assert_int_eq(isfinite(y[r * N_OUT + o]) != 0, o != 4);
        w[4 * N_IN + 77] = kept;
        kept = x[1 * N_IN + 149];
        x[1 * N_IN + 149] = bad[b];
        taco_matrix_pack(k, &matrix, memory, N_OUT, 1, parts, &n_in, NULL, precision);
        k->matmul(&matrix, x, N_IN, y, N_OUT, N, 0, matrix.n_blocks, scratch);
        for (size_t r = 0; r < N; r++)
            for (size_t o = 0; o < N_OUT; o++)
                ck_assert_int_eq(isfinite(y[r * N_OUT + o]) != 0, r != 1);
        x[1 * N_IN + 149] = kept;
    }
    taco_free(w);
    taco_free(x);
    taco_free(y);
    taco_free(memory);
    taco_free(scratch);
}
END_TEST

START_TEST(lstm_gates_follow_the_equations) {
    const float zoneouts[] = {0.0f, 0.1f};
    float zoneout = zoneouts[_i];
    enum { N = 37, STRIDE = 40 };
    uint64_t seed = 5;
    float *gates = floats(&seed, 6.0f, 4 * STRIDE), *c = floats(&seed, 2.0f, N);
    float *h = floats(&seed, 1.0f, N), c_old[N], h_old[N];
    memcpy(c_old, c, sizeof c_old);
    memcpy(h_old, h, sizeof h_old);
    kernels()->lstm_gates(gates, STRIDE, c, h, zoneout, 2, N);
    ck_assert_mem_eq(c, c_old, 2 * sizeof *c);
    ck_assert_mem_eq(h, h_old, 2 * sizeof *h);
    for (size_t u = 2; u < N; u++) {
        double i = 1 / (1 + exp(-(double)gates[u]));
        double f = 1 / (1 + exp(-(double)gates[STRIDE + u]));
        double g = tanh((double)gates[2 * STRIDE + u]);
        double o = 1 / (1 + exp(-(double)gates[3 * STRIDE + u]));
        double z = (double)zoneout, c_new = f * (double)c_old[u] + i * g;
        double h_new = o * tanh(c_new);
        ck_assert_double_eq_tol(c[u], z * (double)c_old[u] + (1 - z) * c_new, 1e-6);
        ck_assert_double_eq_tol(h[u], z * (double)h_old[u] + (1 - z) * h_new, 1e-6);
    }
    taco_free(gates);
    taco_free(c);
    taco_free(h);
}
END_TEST

START_TEST(attention_energies_follow_the_equation) {
    enum { DIM = 37, N = 5 };
    uint64_t seed = 11;
    float *query = floats(&seed, 1.0f, DIM), *keys = floats(&seed, 2.0f, N * DIM);
    float *location = floats(&seed, 1.0f, N * DIM), *v = floats(&seed, 1.0f, DIM), e[N];
    for (int with = 0; with < 2; with++) {
        kernels()->attention_energies(query, keys, with ? location : NULL, v, 0.25f, e,
                                      DIM, 0, N);
        for (size_t j = 0; j < N; j++) {
            double sum = 0.25;
            for (size_t d = 0; d < DIM; d++)
                sum += (double)v[d] * tanh((double)query[d] + (double)keys[j * DIM + d] +
                                           (with ? (double)location[j * DIM + d] : 0.0));
            ck_assert_double_eq_tol(e[j], sum, 2e-6);
        }
    }
    taco_free(query);
    taco_free(keys);
    taco_free(location);
    taco_free(v);
}
END_TEST

START_TEST(location_features_follow_the_equation) {
    enum { DIM = 21, N = 9, KERNEL = 5, CHANNELS = 2, PAD = KERNEL / 2 };
    uint64_t seed = 12;
    float rows[CHANNELS][N + 2 * PAD] = {{0}}, out[N * DIM];
    const float *in[CHANNELS] = {rows[0] + PAD, rows[1] + PAD};
    for (int c = 0; c < CHANNELS; c++)
        test_random_fill(&seed, 1.0f, rows[c] + PAD, N);
    float *m = floats(&seed, 1.0f, CHANNELS * KERNEL * DIM);
    kernels()->location_features(in, CHANNELS, KERNEL, m, DIM, out, 0, 4);
    kernels()->location_features(in, CHANNELS, KERNEL, m, DIM, out, 4, N);
    for (size_t j = 0; j < N; j++)
        for (size_t d = 0; d < DIM; d++) {
            double sum = 0;
            for (size_t c = 0; c < CHANNELS; c++)
                for (size_t k = 0; k < KERNEL; k++)
                    sum += (double)m[(c * KERNEL + k) * DIM + d] * (double)rows[c][j + k];
            ck_assert_double_eq_tol(out[j * DIM + d], sum, 2e-6);
        }
    taco_free(m);
}
END_TEST

START_TEST(softmax_sums_to_one) {
    const struct taco_kernels *k = kernels();
    k->softmax(NULL, 0);
    uint64_t seed = 13;
    for (size_t n = 1; n < 70; n++) {
        float x[70], sum = 0;
        test_random_fill(&seed, 20.0f, x, n);
        if (n > 2)
            x[n / 2] = -INFINITY;
        double all = 0, expected[70], largest = -1e9;
        for (size_t i = 0; i < n; i++)
            largest = fmax(largest, (double)x[i]);
        for (size_t i = 0; i < n; i++)
            all += expected[i] = exp((double)x[i] - largest);
        k->softmax(x, n);
        for (size_t i = 0; i < n; i++) {
            ck_assert_double_eq_tol(x[i], expected[i] / all, 1e-6);
            sum += x[i];
        }
        ck_assert_float_eq_tol(sum, 1.0f, 1e-5f);
        if (n > 2)
            ck_assert(x[n / 2] == 0.0f);
    }
    float large[3] = {3e38f, 3e38f, -3e38f};
    k->softmax(large, 3);
    ck_assert(large[0] == 0.5f && large[1] == 0.5f && large[2] == 0.0f);
}
END_TEST

START_TEST(activations_are_right_at_every_size) {
    const struct taco_kernels *k = kernels();
    static const float special[] = {0.0f,     1e-30f,    -1e-30f, 1e-3f,  -20.0f,
                                    20.0f,    88.0f,     -88.0f,  200.0f, -200.0f,
                                    INFINITY, -INFINITY, NAN};
    enum { N_SPECIAL = sizeof special / sizeof *special };
    uint64_t seed = 14;
    for (size_t n = 0; n < 40; n++) {
        float x[41], s[41], t[41], r[41];
        test_random_fill(&seed, 5.0f, x, 41);
        memcpy(x, special, (n < N_SPECIAL ? n : N_SPECIAL) * sizeof *x);
        memcpy(s, x, sizeof x);
        memcpy(t, x, sizeof x);
        memcpy(r, x, sizeof x);
        k->sigmoid(s, n);
        k->tanh(t, n);
        k->relu(r, n);
        for (size_t i = 0; i < n; i++) {
            if (isnan(x[i])) {
                ck_assert(isnan(s[i]) && isnan(t[i]) && isnan(r[i]));
                continue;
            }
            ck_assert_double_eq_tol(s[i], 1 / (1 + exp(-(double)x[i])), 4e-7);
            double expected = tanh((double)x[i]);
            ck_assert_double_eq_tol(t[i], expected,
                                    4 * FLT_EPSILON * fabs(expected) + FLT_MIN);
            ck_assert(r[i] == (x[i] > 0 ? x[i] : 0));
        }
        ck_assert_mem_eq(s + n, x + n, (41 - n) * sizeof *x);
        ck_assert_mem_eq(t + n, x + n, (41 - n) * sizeof *x);
        ck_assert_mem_eq(r + n, x + n, (41 - n) * sizeof *x);
    }
}
END_TEST

START_TEST(weighted_sum_and_dot) {
    enum { N = 13, STRIDE = 75, FIRST = 3, LAST = 70 };
    uint64_t seed = 15;
    float *a = floats(&seed, 1.0f, STRIDE), *m = floats(&seed, 1.0f, N * STRIDE);
    float out[STRIDE];
    for (size_t i = 0; i < STRIDE; i++)
        out[i] = 9.0f;
    kernels()->weighted_sum(a, m, N, STRIDE, out, FIRST, LAST);
    for (size_t d = 0; d < STRIDE; d++) {
        double sum = 0;
        for (size_t j = 0; j < N; j++)
            sum += (double)a[j] * (double)m[j * STRIDE + d];
        ck_assert_double_eq_tol(out[d], d >= FIRST && d < LAST ? sum : 9.0, 1e-6);
    }
    for (size_t n = 0; n <= STRIDE; n++) {
        double sum = 0;
        for (size_t i = 0; i < n; i++)
            sum += (double)a[i] * (double)m[i];
        ck_assert_double_eq_tol(kernels()->dot(a, m, n), sum, 3e-6);
    }
    taco_free(a);
    taco_free(m);
}
END_TEST

START_TEST(conv1d_is_a_convolution) {
    static const struct {
        size_t t, c_in, c_out, kernel;
    } sizes[] = {
        {1, 1, 1, 1}, {1, 3, 2, 5}, {4, 8, 17, 5}, {70, 20, 33, 5}, {3, 5, 4, 9}};
    size_t t = sizes[_i].t, c_in = sizes[_i].c_in, c_out = sizes[_i].c_out;
    size_t kernel = sizes[_i].kernel, pad = kernel / 2;
    uint64_t seed = 17;
    float *x = floats(&seed, 1.0f, t * c_in),
          *w = floats(&seed, 1.0f, c_out * c_in * kernel);
    float *bias = floats(&seed, 1.0f, c_out), *y = floats(&seed, 1.0f, t * c_out);
    float *padded = floats(&seed, 1.0f, (t + kernel - 1) * c_in);
    float *rows = floats(&seed, 1.0f, c_out * c_in * kernel);
    taco_conv1d_reorder(w, c_out, c_in, kernel, rows);
    taco_conv1d(t, c_out, c_in, kernel, x, rows, bias, y, padded);
    for (size_t j = 0; j < t; j++)
        for (size_t o = 0; o < c_out; o++) {
            double sum = (double)bias[o], all = fabs(sum);
            for (size_t k = 0; k < kernel; k++)
                for (size_t i = 0; i < c_in; i++)
                    if (j + k >= pad && j + k - pad < t) {
                        double p = (double)w[(o * c_in + i) * kernel + k] *
                                   (double)x[(j + k - pad) * c_in + i];
                        sum += p;
                        all += fabs(p);
                    }
            ck_assert_double_eq_tol(y[j * c_out + o], sum, all * 32 * FLT_EPSILON);
        }
    void *owned[] = {x, w, bias, y, padded, rows};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        taco_free(owned[i]);
}
END_TEST

/* A frame has the same bits wherever it stands, among however many: a stream's windows
 * agree with the whole. */
START_TEST(gemm_agrees_with_doubles_and_repeats_itself) {
    static const struct {
        size_t m, n, k;
    } sizes[] = {{1, 1, 1}, {1, 70, 33}, {7, 5, 300}, {64, 128, 80}, {131, 37, 512}};
    size_t m = sizes[_i / 2].m, n = sizes[_i / 2].n, k = sizes[_i / 2].k;
    uint64_t seed = 19;
    float *x = floats(&seed, 1.0f, m * k), *w = floats(&seed, 1.0f, n * k);
    float *bias = floats(&seed, 1.0f, n), *given = _i % 2 ? bias : NULL;
    float *y = floats(&seed, 1.0f, m * n), *again = floats(&seed, 1.0f, m * n);
    taco_gemm(m, n, k, x, w, given, y);
    taco_gemm(m, n, k, x, w, given, again);
    ck_assert_mem_eq(y, again, m * n * sizeof *y);
    for (size_t r = 0; r < m; r++)
        for (size_t o = 0; o < n; o++) {
            double sum = given ? (double)bias[o] : 0, all = fabs(sum);
            for (size_t i = 0; i < k; i++) {
                double p = (double)x[r * k + i] * (double)w[o * k + i];
                sum += p;
                all += fabs(p);
            }
            ck_assert_double_eq_tol(y[r * n + o], sum, all * 32 * FLT_EPSILON);
        }
    void *owned[] = {x, w, bias, y, again};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        taco_free(owned[i]);
}
END_TEST

START_TEST(the_scalar_table_is_always_there) {
    ck_assert_str_eq(taco_kernels_get(0)->isa, "scalar");
    ck_assert_ptr_nonnull(taco_kernels_get(~0u));
}
END_TEST

int main(void) {
    Suite *suite = suite_create("kernels");
    TCase *tc = tcase_create("kernels");
    tcase_add_test(tc, the_scalar_table_is_always_there);
    tcase_add_loop_test(tc, matmul_agrees_with_doubles, 0, 8 * 3);
    tcase_add_loop_test(tc, matmul_shows_what_is_not_finite, 0, 3);
    tcase_add_loop_test(tc, lstm_gates_follow_the_equations, 0, 2);
    tcase_add_test(tc, attention_energies_follow_the_equation);
    tcase_add_test(tc, location_features_follow_the_equation);
    tcase_add_test(tc, softmax_sums_to_one);
    tcase_add_test(tc, activations_are_right_at_every_size);
    tcase_add_test(tc, weighted_sum_and_dot);
    tcase_add_loop_test(tc, conv1d_is_a_convolution, 0, 5);
    tcase_add_loop_test(tc, gemm_agrees_with_doubles_and_repeats_itself, 0, 10);
    suite_add_tcase(suite, tc);
    return test_run(suite);
}
