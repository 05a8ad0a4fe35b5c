/* The attention mechanisms of models/FORMAT.md in double precision, one after the other
 * as the text there has them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/reference.h"
#include "tacotron2/attention.h"

static int argmax(const double *x, int n) {
    int best = 0;
    for (int i = 1; i < n; i++)
        if (x[i] > x[best])
            best = i;
    return best;
}

static void softmax(double *x, int n) {
    double largest = x[argmax(x, n)], sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] = exp(x[i] - largest);
    for (int i = 0; i < n; i++)
        x[i] /= sum;
}

/* sum over taps of w[k] x[j + k - left], zeros beyond both ends */
static double tap_sum(const float *w, int kernel, const double *x, int n, int j,
                      int left) {
    double sum = 0;
    for (int k = 0; k < kernel; k++)
        if (j + k - left >= 0 && j + k - left < n)
            sum += w[k] * x[j + k - left];
    return sum;
}

void test_attention_start(struct test_attention *a, const struct test_reference *ref,
                          const double *memory, int n) {
    const struct taco_hparams *p = &ref->h;
    *a = (struct test_attention){.ref = ref, .memory = memory, .n = n, .u = 0.5};
    a->before = test_doubles((size_t)n);
    a->seen = test_doubles((size_t)n);
    a->sum = test_doubles((size_t)n);
    a->window = p->attention.window == TACO_WINDOW_COQUI ? -1 : 0;
    for (int j = 0; j < n; j++)
        a->seen[j] = p->attention.start == TACO_START_UNIFORM   ? 1.0 / n
                     : p->attention.start == TACO_START_ONE_HOT ? j == 0
                                                                : 0;
    bool coqui = p->attention.mechanism == &taco_attention_forward &&
                 p->attention.forward_rule == TACO_FORWARD_COQUI;
    for (int j = 0; j < n; j++)
        a->before[j] = j == 0 ? 1 : coqui ? (double)1e-7f : 0;
}

void test_attention_end(struct test_attention *a) {
    free(a->before);
    free(a->seen);
    free(a->sum);
}

/* -- location energies ----------------------------------------------------- */

static void energies(struct test_attention *a, const double *query, double *e) {
    const struct test_reference *ref = a->ref;
    const struct taco_hparams *p = &ref->h;
    int D = p->attention.dim, F = p->attention.location_n_filters;
    int kernel = p->attention.location_kernel_size, n = a->n;
    bool prev = p->attention.location_prev, cum = p->attention.location_cum;
    const float *v = test_reference_tensor(ref, "decoder.attention.v.weight");
    double v_bias = 0, *q = test_doubles((size_t)D), *m = test_doubles((size_t)D);
    if (p->attention.v_bias)
        v_bias = test_reference_tensor(ref, "decoder.attention.v.bias")[0];
    test_reference_linear(ref, "decoder.attention.query_layer.", query, q);
    /* what stands in for the sum at the first step, where nothing else is seen */
    const double *sum = a->step == 0 && !prev ? a->seen : a->sum;
    for (int j = 0; j < n; j++) {
        test_reference_linear(ref, "decoder.attention.memory_layer.",
                              &a->memory[j * p->memory_dim], m);
        e[j] = v_bias;
        for (int d = 0; d < D; d++) {
            double x = q[d] + m[d];
            for (int f = 0; f < F; f++) {
                const float *conv =
                    test_reference_tensor(ref, "decoder.attention.location_conv.weight");
                const float *dense =
                    test_reference_tensor(ref, "decoder.attention.location_dense.weight");
                const float *taps = &conv[f * (prev + cum) * kernel];
                double feature = 0;
                if (prev)
                    feature += tap_sum(taps, kernel, a->seen, n, j, kernel / 2);
                if (cum)
                    feature +=
                        tap_sum(taps + prev * kernel, kernel, sum, n, j, kernel / 2);
                x += dense[d * F + f] * feature;
            }
            e[j] += v[d] * tanh(x);
        }
    }
    free(q);
    free(m);
}

static void window(struct test_attention *a, double *e) {
    const struct taco_hparams *p = &a->ref->h;
    int lo = a->window - p->attention.window_back, n = a->n;
    int hi = a->window + p->attention.window_forward;
    if (p->attention.window == TACO_WINDOW_NONE)
        return;
    if (fmax(lo, 0) < fmin(hi, n))
        for (int j = 0; j < n; j++)
            if (j < lo || j >= hi)
                e[j] = -INFINITY;
    if (p->attention.window == TACO_WINDOW_COQUI) {
        if (a->window < 0)
            e[0] = e[argmax(e, n)];
        a->window = argmax(e, n);
    }
}

static void normalise(const struct taco_hparams *p, double *e, int n) {
    if (p->attention.normaliser == TACO_NORMALISER_SOFTMAX) {
        softmax(e, n);
        return;
    }
    double sum = 0;
    for (int j = 0; j < n; j++)
        sum += e[j] = test_sigmoid(e[j]);
    for (int j = 0; j < n; j++)
        e[j] /= sum;
}

/* -- forward --------------------------------------------------------------- */

static void forward_coqui(struct test_attention *a, double *p) {
    int n = a->n;
    double *shifted = test_doubles((size_t)n), sum = 0;
    memcpy(shifted + 1, a->before, (size_t)(n - 1) * sizeof *shifted);
    for (int j = 0; j < n; j++)
        p[j] *= (1 - a->u) * a->before[j] + a->u * shifted[j] + (double)1e-8f;
    if (a->ref->h.attention.forward_mask) {
        int at = argmax(shifted, n), stop = at - 1, smooth = at - 2;
        double largest = p[argmax(p, n)];
        for (int j = at + 3; j < n; j++)
            p[j] = 0;
        if (stop < 0)
            stop += n;
        for (int j = 0; j < stop; j++)
            p[j] = 0;
        if (smooth < 0)
            smooth += n;
        if (smooth >= 0)
            p[smooth] = 0.01 * largest;
    }
    for (int j = 0; j < n; j++)
        sum += p[j];
    for (int j = 0; j < n; j++)
        p[j] /= sum;
    free(shifted);
}

static void forward_espnet(struct test_attention *a, double *p) {
    bool agent = a->ref->h.attention.transition_agent;
    double sum = 0, stay = agent ? a->u : 1, move = agent ? 1 - a->u : 1;
    for (int j = a->n - 1; j >= 0; j--)
        p[j] *= stay * a->before[j] + move * (j > 0 ? a->before[j - 1] : 0);
    for (int j = 0; j < a->n; j++)
        sum += p[j] = fmax(p[j], (double)1e-6f);
    for (int j = 0; j < a->n; j++)
        p[j] /= sum;
}

static void transition(struct test_attention *a, const double *query, const double *frame,
                       const double *context) {
    const struct taco_hparams *p = &a->ref->h;
    int M = p->memory_dim, A = p->attention_rnn_dim, at = M;
    double *x = test_doubles((size_t)(M + A + p->n_mels)), u;
    memcpy(x, context, (size_t)M * sizeof *x);
    if (p->attention.forward_rule == TACO_FORWARD_ESPNET) {
        memcpy(x + at, frame, (size_t)p->n_mels * sizeof *x);
        at += p->n_mels;
    }
    memcpy(x + at, query, (size_t)A * sizeof *x);
    test_reference_linear(a->ref, "decoder.attention.transition_agent.", x, &u);
    a->u = test_sigmoid(u);
    free(x);
}

/* -- gmm and dynamic convolution ------------------------------------------- */

static double softplus(double x) {
    return log1p(exp(x));
}

static void gmm(struct test_attention *a, const double *query, double *w) {
    const struct test_reference *ref = a->ref;
    int K = ref->h.attention.gmm_components, A = ref->h.attention_rnn_dim;
    double *hidden = test_doubles((size_t)A), *gbk = test_doubles(3 * (size_t)K);
    test_reference_linear(ref, "decoder.attention.gmm.0.", query, hidden);
    for (int i = 0; i < A; i++)
        hidden[i] = fmax(hidden[i], 0);
    test_reference_linear(ref, "decoder.attention.gmm.1.", hidden, gbk);
    softmax(gbk, K);
    for (int k = 0; k < K; k++)
        a->mu[k] += softplus(gbk[2 * K + k]);
    for (int j = 0; j < a->n; j++) {
        double F[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int k = 0; k < K; k++) {
                double sigma = softplus(gbk[K + k]) + (double)1e-5f;
                double x = (a->mu[k] - (j + side + 0.5)) / sigma;
                F[side] += (gbk[k] + (double)1e-5f) / (1 + test_sigmoid(x));
            }
        w[j] = F[1] - F[0];
        if (w[j] == 0)
            w[j] = 1e-8;
    }
    free(hidden);
    free(gbk);
}

static void dynamic_convolution(struct test_attention *a, const double *query,
                                double *w) {
    const struct test_reference *ref = a->ref;
    const struct taco_hparams *p = &ref->h;
    int D = p->attention.dim, F = p->attention.dynamic_n_filters, n = a->n;
    int kernel = p->attention.dynamic_kernel_size, L = p->attention.prior_length;
    double *hidden = test_doubles((size_t)D), *G = test_doubles((size_t)(F * kernel));
    test_reference_linear(ref, "decoder.attention.query_layer.", query, hidden);
    for (int d = 0; d < D; d++)
        hidden[d] = tanh(hidden[d]);
    test_reference_linear(ref, "decoder.attention.key_layer.", hidden, G);
    const float *fixed =
        test_reference_tensor(ref, "decoder.attention.static_conv.weight");
    const float *U = test_reference_tensor(ref, "decoder.attention.static_layer.weight");
    const float *T = test_reference_tensor(ref, "decoder.attention.dynamic_layer.weight");
    const float *b = test_reference_tensor(ref, "decoder.attention.dynamic_layer.bias");
    const float *v = test_reference_tensor(ref, "decoder.attention.v.weight");
    const float *prior = test_reference_tensor(ref, "decoder.attention.prior");
    for (int j = 0; j < n; j++) {
        double e = 0;
        for (int d = 0; d < D; d++) {
            double x = b[d];
            for (int f = 0; f < F; f++) {
                double dynamic = 0;
                for (int k = 0; k < kernel; k++) {
                    int i = j + k - kernel / 2;
                    if (i >= 0 && i < n)
                        dynamic += G[f * kernel + k] * a->before[i];
                }
                x += T[d * F + f] * dynamic + U[d * F + f] * tap_sum(&fixed[f * kernel],
                                                                     kernel, a->before, n,
                                                                     j, kernel / 2);
            }
            e += v[d] * tanh(x);
        }
        w[j] = e + log(fmax(tap_sum(prior, L, a->before, n, j, L - 1), (double)1e-6f));
    }
    softmax(w, n);
    free(hidden);
    free(G);
}

/* -- a step ---------------------------------------------------------------- */

void test_attention_step(struct test_attention *a, const double *query,
                         const double *frame, double *weights, double *context) {
    const struct taco_hparams *p = &a->ref->h;
    bool forward = p->attention.mechanism == &taco_attention_forward;
    bool coqui = p->attention.forward_rule == TACO_FORWARD_COQUI;
    int n = a->n;
    if (p->attention.mechanism == &taco_attention_gmm) {
        gmm(a, query, weights);
    } else if (p->attention.mechanism == &taco_attention_dynamic_convolution) {
        dynamic_convolution(a, query, weights);
    } else {
        energies(a, query, weights);
        window(a, weights);
        normalise(p, weights, n);
        for (int j = 0; forward && coqui && j < n; j++)
            a->sum[j] += weights[j];
        if (forward)
            (coqui ? forward_coqui : forward_espnet)(a, weights);
        for (int j = 0; !(forward && coqui) && j < n; j++)
            a->sum[j] += weights[j];
        if (p->attention.window == TACO_WINDOW_ESPNET)
            a->window = argmax(weights, n);
    }
    for (int d = 0; d < p->memory_dim; d++) {
        context[d] = 0;
        for (int j = 0; j < n; j++)
            context[d] += weights[j] * a->memory[j * p->memory_dim + d];
    }
    memcpy(a->before, weights, (size_t)n * sizeof *weights);
    memcpy(a->seen, weights, (size_t)n * sizeof *weights);
    if (forward && p->attention.transition_agent)
        transition(a, query, frame, context);
    a->step++;
}
