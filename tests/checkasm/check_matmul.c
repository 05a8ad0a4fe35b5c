/* Matrix products: against scalar, in every company and split, within their memory. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checkasm/checkasm.h"
#include "support/numbers.h"

struct test {
    size_t n, n_out, n_in, x_stride, y_stride, y_size;
    struct taco_matrix w;
    void *packed;
    float *weights, *x, *y, *expected, *magnitude; /* expected, magnitude [n, n_out] */
    void *scratch;
};

/* Sizes: mostly odd ones, sometimes the edges of blocks, groups and chunks. */
static void set_up(struct checkasm *c, struct test *t, enum taco_precision precision) {
    static const size_t widths[] = {1,  2,   31,  32,  33,   63,  64,
                                    65, 511, 512, 513, 1024, 1025};
    static const size_t outs[] = {1, 15, 16, 17, 63, 64, 65, 128};
    t->n = 1 + test_random_below(&c->seed, test_random_below(&c->seed, 4) ? 13 : 64);
    t->n_in = test_random_below(&c->seed, 3)
                  ? 1 + test_random_below(&c->seed, 600)
                  : widths[test_random_below(&c->seed, sizeof widths / sizeof *widths)];
    t->n_out = test_random_below(&c->seed, 3)
                   ? 1 + test_random_below(&c->seed, 150)
                   : outs[test_random_below(&c->seed, sizeof outs / sizeof *outs)];
    t->x_stride = t->n_in + test_random_below(&c->seed, 4);
    t->y_stride = t->n_out + test_random_below(&c->seed, 4);
    t->y_size = (t->n - 1) * t->y_stride + t->n_out;
    t->weights = checkasm_floats(t->n_out * t->n_in);
    /* The last row ends where memory does. */
    size_t x_size = (t->n - 1) * t->x_stride + t->n_in;
    t->x = checkasm_floats(x_size);
    t->y = checkasm_floats(t->y_size);
    t->expected = checkasm_floats(t->n * t->n_out);
    t->magnitude = checkasm_floats(t->n * t->n_out);
    float *bias = checkasm_floats(t->n_out);
    checkasm_fill(c, 1.0f, t->weights, t->n_out * t->n_in);
    checkasm_fill(c, 2.0f, t->x, x_size);
    checkasm_fill(c, 1.0f, bias, t->n_out);
    bool with_bias = test_random_below(&c->seed, 4) != 0;

    const float *parts[1] = {t->weights};
    size_t bytes = taco_matrix_bytes(c->tested, t->n_out, t->n_in, precision);
    t->packed = checkasm_scratch(bytes);
    taco_matrix_pack(c->tested, &t->w, t->packed, t->n_out, 1, parts, &t->n_in,
                     with_bias ? bias : NULL, precision);
    if (!checkasm_scratch_intact(t->packed, bytes))
        checkasm_fail(c, "packing [%zu, %zu] writes beyond its memory", t->n_out,
                      t->n_in);
    t->scratch = checkasm_scratch(taco_matmul_scratch(t->n, t->n_in));
    for (size_t r = 0; r < t->n; r++)
        for (size_t o = 0; o < t->n_out; o++) {
            double sum = with_bias ? fabs((double)bias[o]) : 0.0;
            for (size_t i = 0; i < t->n_in; i++)
                sum += fabs((double)t->weights[o * t->n_in + i] *
                            (double)t->x[r * t->x_stride + i]);
            t->magnitude[r * t->n_out + o] = (float)sum;
        }
    c->scalar->matmul(&t->w, t->x, t->x_stride, t->expected, t->n_out, t->n, 0,
                      t->w.n_blocks, t->scratch);
    checkasm_free(bias, t->n_out);
}

static void tear_down(struct test *t) {
    checkasm_free(t->weights, t->n_out * t->n_in);
    checkasm_free(t->x, (t->n - 1) * t->x_stride + t->n_in);
    checkasm_free(t->y, t->y_size);
    checkasm_free(t->expected, t->n * t->n_out);
    checkasm_free(t->magnitude, t->n * t->n_out);
    free(t->packed);
    free(t->scratch);
}

/* What the tested product may differ by from the scalar one, relative to the sum of
 * magnitudes: the order of the sums; and rows rounded to bf16 where scalar keeps them. */
static float relative_tolerance(const struct checkasm *c, enum taco_precision precision) {
    bool rounds_x =
        strcmp(c->tested->isa, "avx512bf16") == 0 || strcmp(c->tested->isa, "amx") == 0;
    return precision == TACO_PRECISION_BF16 && rounds_x ? 0x1p-8f : 16 * FLT_EPSILON;
}

static void clear(struct test *t) {
    for (size_t i = 0; i < t->y_size; i++)
        t->y[i] = 12345.0f + (float)i;
}

/* Whether nothing but rows [n] of blocks first..last has been written since clear. */
static bool others_untouched(const struct test *t, size_t n, size_t first, size_t last) {
    for (size_t i = 0; i < t->y_size; i++) {
        size_t r = i / t->y_stride, o = i % t->y_stride;
        bool written = r < n && o < t->n_out && o / TACO_MATRIX_BLOCK >= first &&
                       o / TACO_MATRIX_BLOCK < last;
        if (!written && t->y[i] != 12345.0f + (float)i)
            return false;
    }
    return checkasm_intact(t->y);
}

static void check(struct checkasm *c, enum taco_precision precision) {
    struct test t;
    set_up(c, &t, precision);
    size_t n_blocks = t.w.n_blocks;
    float tolerance = relative_tolerance(c, precision);

    clear(&t);
    c->tested->matmul(&t.w, t.x, t.x_stride, t.y, t.y_stride, t.n, 0, n_blocks,
                      t.scratch);
    if (!others_untouched(&t, t.n, 0, n_blocks))
        checkasm_fail(c, "[%zu, %zu] x %zu writes beside its outputs", t.n_out, t.n_in,
                      t.n);
    if (!checkasm_scratch_intact(t.scratch, taco_matmul_scratch(t.n, t.n_in)))
        checkasm_fail(c, "[%zu, %zu] x %zu writes beyond its scratch", t.n_out, t.n_in,
                      t.n);
    for (size_t r = 0; r < t.n; r++)
        for (size_t o = 0; o < t.n_out; o++) {
            float y = t.y[r * t.y_stride + o], e = t.expected[r * t.n_out + o];
            float bound = tolerance * t.magnitude[r * t.n_out + o] + 1e-37f;
            if (!(fabsf(y - e) <= bound)) {
                checkasm_fail(
                    c, "[%zu, %zu] x %zu at (%zu, %zu): %.9g, scalar %.9g, +- %.2g",
                    t.n_out, t.n_in, t.n, r, o, (double)y, (double)e, (double)bound);
                goto done;
            }
        }
    for (size_t r = 0; r < t.n; r++)
        memcpy(t.expected + r * t.n_out, t.y + r * t.y_stride, t.n_out * sizeof *t.y);

    /* The same bits in any company: rows first .. first + n - 1 of the same x. */
    for (int trial = 0; trial < 6; trial++) {
        size_t n = trial == 0 ? 1 : 1 + test_random_below(&c->seed, t.n);
        size_t from = test_random_below(&c->seed, t.n - n + 1);
        size_t first = test_random_below(&c->seed, n_blocks);
        size_t last = first + test_random_below(&c->seed, n_blocks - first + 1);
        if (trial % 2) {
            first = 0;
            last = n_blocks;
        }
        clear(&t);
        c->tested->matmul(&t.w, t.x + from * t.x_stride, t.x_stride, t.y, t.y_stride, n,
                          first, last, t.scratch);
        if (!others_untouched(&t, n, first, last))
            checkasm_fail(c, "[%zu, %zu] x %zu, blocks %zu to %zu, writes beside them",
                          t.n_out, t.n_in, n, first, last);
        for (size_t r = 0; r < n; r++)
            for (size_t o = first * TACO_MATRIX_BLOCK;
                 o < last * TACO_MATRIX_BLOCK && o < t.n_out; o++)
                if (!checkasm_same(t.y[r * t.y_stride + o],
                                   t.expected[(from + r) * t.n_out + o])) {
                    checkasm_fail(
                        c,
                        "[%zu, %zu]: output %zu of row %zu among %zu, blocks %zu to "
                        "%zu, is not what it is among %zu",
                        t.n_out, t.n_in, o, from + r, n, first, last, t.n);
                    goto done;
                }
    }
done:
    tear_down(&t);
}

void checkasm_matmul(struct checkasm *c) {
    static const char *const names[] = {"matmul f32", "matmul bf16", "matmul int8"};
    for (int p = 0; p < 3; p++) {
        int before = c->n_failures;
        c->now = names[p];
        for (int i = 0; i < c->n_rounds; i++)
            check(c, TACO_PRECISION_F32 + p);
        checkasm_report(c, names[p], before);
    }
}
