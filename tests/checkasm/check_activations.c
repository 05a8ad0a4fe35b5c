/* Element-wise kernels and softmax against scalar. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "checkasm/checkasm.h"
#include "support/numbers.h"

enum { LONGEST = 300 };

static const float special[] = {
    0.0f,   -0.0f, 1e-45f, -1e-45f, 1e-38f,  0.3f,  -0.3f,  9.0f,     -9.0f,     87.0f,
    -87.0f, 88.5f, -88.5f, 104.0f,  -104.0f, 3e38f, -3e38f, INFINITY, -INFINITY, NAN};
enum { N_SPECIAL = sizeof special / sizeof *special };

/* x with some of the special values, when it is not one of fill's own plans. */
static void fill(struct checkasm *c, float scale, float *x, size_t n) {
    checkasm_fill(c, scale, x, n);
    if (test_random_below(&c->seed, 3) == 0)
        for (size_t i = 0; i < n; i++)
            if (test_random_below(&c->seed, 4) == 0)
                x[i] = special[test_random_below(&c->seed, N_SPECIAL)];
}

typedef void (*in_place)(float *x, size_t n);

static void check_in_place(struct checkasm *c, const char *name, in_place scalar,
                           in_place tested, float scale, float relative, float absolute) {
    int before = c->n_failures;
    c->now = name;
    for (int i = 0; i < c->n_rounds; i++) {
        size_t n = test_random_below(&c->seed, i % 2 ? 40 : LONGEST);
        float *x = checkasm_floats(n), *e = checkasm_floats(n), *in = checkasm_floats(n);
        fill(c, scale, x, n);
        if (n) {
            memcpy(e, x, n * sizeof *x);
            memcpy(in, x, n * sizeof *x);
        }
        scalar(e, n);
        tested(x, n);
        if (!checkasm_intact(x))
            checkasm_fail(c, "%zu: writes in front of its array", n);
        for (size_t k = 0; k < n; k++)
            if (!checkasm_same(x[k], e[k]) &&
                !(fabsf(x[k] - e[k]) <= relative * fabsf(e[k]) + absolute)) {
                checkasm_fail(c, "element %zu of %zu: f(%.9g) = %.9g, scalar %.9g", k, n,
                              (double)in[k], (double)x[k], (double)e[k]);
                break;
            }
        checkasm_free(x, n);
        checkasm_free(e, n);
        checkasm_free(in, n);
    }
    checkasm_report(c, name, before);
}

static void check_softmax(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "softmax";
    for (int i = 0; i < c->n_rounds; i++) {
        size_t n = test_random_below(&c->seed, i % 2 ? 40 : LONGEST);
        float *x = checkasm_floats(n), *e = checkasm_floats(n), *in = checkasm_floats(n);
        checkasm_fill(c, 10.0f, x, n);
        for (size_t k = 0; i % 3 == 0 && k + 1 < n; k++) /* one at least stays finite */
            if (test_random_below(&c->seed, 2))
                x[k] = -INFINITY;
        if (n) {
            memcpy(e, x, n * sizeof *x);
            memcpy(in, x, n * sizeof *x);
        }
        c->scalar->softmax(e, n);
        c->tested->softmax(x, n);
        double sum = 0;
        for (size_t k = 0; k < n; k++) {
            sum += (double)x[k];
            if (!(fabsf(x[k] - e[k]) <= 12 * FLT_EPSILON * e[k] + 1e-37f) ||
                (in[k] == -INFINITY && x[k] != 0.0f)) {
                checkasm_fail(c, "element %zu of %zu, %.9g: %.9g, scalar %.9g", k, n,
                              (double)in[k], (double)x[k], (double)e[k]);
                break;
            }
        }
        if (n && !(fabs(sum - 1) < 1e-5))
            checkasm_fail(c, "the %zu weights sum up to %.9g", n, sum);
        if (!checkasm_intact(x))
            checkasm_fail(c, "%zu: writes in front of its array", n);
        checkasm_free(x, n);
        checkasm_free(e, n);
        checkasm_free(in, n);
    }
    checkasm_report(c, "softmax", before);
}

static void check_lstm_gates(struct checkasm *c) {
    int before = c->n_failures;
    c->now = "lstm_gates";
    for (int i = 0; i < c->n_rounds; i++) {
        size_t n = 1 + test_random_below(&c->seed, i % 2 ? 40 : LONGEST);
        size_t stride = n + test_random_below(&c->seed, 5), n_gates = 3 * stride + n;
        float zoneout = i % 3 ? 0.0f : 0.1f;
        float *gates = checkasm_floats(n_gates);
        float *state[2][3]; /* c, h: scalar's, the tested one's, the tested one's in two
                               parts */
        fill(c, 4.0f, gates, n_gates);
        for (int s = 0; s < 2; s++) {
            for (int k = 0; k < 3; k++)
                state[s][k] = checkasm_floats(n);
            test_random_fill(&c->seed, 1.5f, state[s][0], n);
            memcpy(state[s][1], state[s][0], n * sizeof(float));
            memcpy(state[s][2], state[s][0], n * sizeof(float));
        }
        c->scalar->lstm_gates(gates, stride, state[0][0], state[1][0], zoneout, 0, n);
        c->tested->lstm_gates(gates, stride, state[0][1], state[1][1], zoneout, 0, n);
        size_t cut = test_random_below(&c->seed, n + 1);
        c->tested->lstm_gates(gates, stride, state[0][2], state[1][2], zoneout, cut, n);
        c->tested->lstm_gates(gates, stride, state[0][2], state[1][2], zoneout, 0, cut);
        for (int s = 0; s < 2; s++)
            for (size_t u = 0; u < n; u++) {
                float e = state[s][0][u], y = state[s][1][u];
                if (!checkasm_same(e, y) &&
                    !(fabsf(e - y) <= 8 * FLT_EPSILON * (1.0f + fabsf(e)))) {
                    checkasm_fail(c, "%c[%zu] of %zu: %.9g, scalar %.9g", "ch"[s], u, n,
                                  (double)y, (double)e);
                    break;
                }
                if (!checkasm_same(y, state[s][2][u])) {
                    checkasm_fail(c, "%c[%zu] of %zu depends on the split at %zu",
                                  "ch"[s], u, n, cut);
                    break;
                }
            }
        for (int s = 0; s < 2; s++)
            for (int k = 0; k < 3; k++) {
                if (!checkasm_intact(state[s][k]))
                    checkasm_fail(c, "%zu: writes in front of its state", n);
                checkasm_free(state[s][k], n);
            }
        checkasm_free(gates, n_gates);
    }
    checkasm_report(c, "lstm_gates", before);
}

void checkasm_activations(struct checkasm *c) {
    const struct taco_kernels *s = c->scalar, *t = c->tested;
    check_in_place(c, "relu", s->relu, t->relu, 3.0f, 0.0f, 0.0f);
    check_in_place(c, "sigmoid", s->sigmoid, t->sigmoid, 6.0f, 4 * FLT_EPSILON, 1e-37f);
    check_in_place(c, "tanh", s->tanh, t->tanh, 3.0f, 4 * FLT_EPSILON, 1e-37f);
    check_softmax(c);
    check_lstm_gates(c);
}

/* Distance of y from the exact value, in units of the last place of a float near it. */
static double ulps(float y, double exact) {
    int exponent;
    frexp(exact, &exponent);
    return fabs((double)y - exact) / ldexp(1.0, (exponent < -125 ? -125 : exponent) - 24);
}

void checkasm_all_floats(struct checkasm *c) {
    enum { N = 1 << 14 };
    static float in[N], y[N];
    double worst_sigmoid = 0, worst_tanh = 0, worst_exp = 0;
    float at_sigmoid = 0, at_tanh = 0, at_exp = 0;
    size_t n = 0;
    for (uint64_t bits = 0; bits < (uint64_t)1 << 32; bits++) {
        uint32_t low = (uint32_t)bits;
        memcpy(&in[n], &low, sizeof low);
        if (fabsf(in[n]) <= 87.0f)
            n++;
        if (n < N && bits != UINT32_MAX)
            continue;
        memcpy(y, in, sizeof y);
        c->tested->sigmoid(y, n);
        for (size_t i = 0; i < n; i++) {
            double e = ulps(y[i], 1 / (1 + exp(-(double)in[i])));
            if (e > worst_sigmoid) {
                worst_sigmoid = e;
                at_sigmoid = in[i];
            }
        }
        memcpy(y, in, sizeof y);
        c->tested->tanh(y, n);
        for (size_t i = 0; i < n; i++) {
            double e = ulps(y[i], tanh((double)in[i]));
            if (e > worst_tanh) {
                worst_tanh = e;
                at_tanh = in[i];
            }
        }
        n = 0;
    }
    /* softmax of two, one of them 0: exp(x) / (1 + exp(x)), so twice a rounding more. */
    for (uint32_t bits = 0x80000000; bits < 0xC2AE0000; bits += 7) {
        float pair[2] = {0.0f, 0.0f}, x;
        memcpy(&pair[1], &bits, sizeof bits);
        x = pair[1];
        c->tested->softmax(pair, 2);
        double e = ulps(pair[1], exp((double)x) / (1 + exp((double)x)));
        if (e > worst_exp) {
            worst_exp = e;
            at_exp = x;
        }
    }
    printf("  largest errors: sigmoid %.2f ulp at %.9g, tanh %.2f ulp at %.9g, softmax "
           "of two "
           "%.2f ulp at %.9g\n",
           worst_sigmoid, (double)at_sigmoid, worst_tanh, (double)at_tanh, worst_exp,
           (double)at_exp);
}
