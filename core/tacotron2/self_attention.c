/* A Transformer encoder layer, post-norm (Vaswani et al. 2017, "Attention Is All You Need",
 * section 3.1; in a Tacotron's encoder Yasuda et al. 2019, "Investigation of Enhanced
 * Tacotron Text-to-speech Synthesis Systems with Self-attention"; MODEL.md, section 3). For
 * head h with its own rows of the projections, d = W / heads:
 *
 *   [q, k, v] = W_in x + b_in
 *   a_h = softmax(q_h k_h' / sqrt(d)); with causal a symbol sees itself and those before it
 *   x = norm1(x + W_out [a_1 v_1, a_2 v_2, ...] + b_out)
 *   x = norm2(x + W_2 relu(W_1 x + b_1) + b_2)
 *   norm(x) = (x - mean) / sqrt(variance + 1e-5) * weight + bias
 *
 * One text at a time: there is no padding to mask. */
#include "tacotron2/self_attention.h"

#include <math.h>
#include <string.h>

static void multiply(const struct taco_linear *w, const float *x, size_t n, size_t n_in,
                     size_t n_out, float *y) {
    taco_gemm(n, n_out, n_in, x, w->weight, w->bias, y);
}

/* x = norm(x + y), row by row. */
static void add_and_norm(float *x, const float *y, size_t n, size_t W,
                         const struct taco_norm *norm) {
    for (size_t i = 0; i < n; i++) {
        float *row = x + i * W;
        double mean = 0, variance = 0;
        for (size_t d = 0; d < W; d++)
            mean += (double)(row[d] += y[i * W + d]);
        mean /= (double)W;
        for (size_t d = 0; d < W; d++)
            variance += ((double)row[d] - mean) * ((double)row[d] - mean);
        double scale = 1 / sqrt(variance / (double)W + 1e-5);
        for (size_t d = 0; d < W; d++)
            row[d] = (float)(((double)row[d] - mean) * scale) * norm->weight[d] +
                     norm->bias[d];
    }
}

/* Columns [first, first + d) of x [n, stride], next to one another. */
static void take(const float *x, size_t n, size_t stride, size_t first, size_t d,
                 float *out) {
    for (size_t i = 0; i < n; i++)
        memcpy(out + i * d, x + i * stride + first, d * sizeof *out);
}

bool taco_self_attention_forward(const struct taco_tacotron2 *model,
                                 const struct taco_self_attention *layer, float *x,
                                 size_t n, struct taco_arena *scratch, float *weights) {
    const struct taco_hparams *h = &model->hparams;
    size_t W = 2 * (size_t)h->encoder_lstm_dim, H = (size_t)h->encoder_attention_heads;
    size_t F = (size_t)h->encoder_attention_dim, d = W / H;
    float *all = taco_arena_alloc(scratch, n * 3 * W, sizeof *all); /* q, k, v */
    float *head = taco_arena_alloc(scratch, 3 * n * d, sizeof *head);
    float *scores = taco_arena_alloc(scratch, n * n, sizeof *scores);
    float *mixed = taco_arena_alloc(scratch, n * W, sizeof *mixed);
    float *out = taco_arena_alloc(scratch, n * W, sizeof *out);
    float *hidden = taco_arena_alloc(scratch, n * F, sizeof *hidden);
    if (!all || !head || !scores || !mixed || !out || !hidden)
        return false;
    float *q = head, *k = head + n * d, *v = head + 2 * n * d;
    multiply(&layer->in_proj, x, n, W, 3 * W, all);
    for (size_t i = 0; i < H; i++) {
        take(all, n, 3 * W, i * d, d, q);
        take(all, n, 3 * W, W + i * d, d, k);
        take(all, n, 3 * W, 2 * W + i * d, d, v);
        for (size_t j = 0; j < n * d; j++)
            q[j] /= sqrtf((float)d);
        taco_gemm(n, n, d, q, k, NULL, scores);
        for (size_t t = 0; t < n; t++) {
            float *row = scores + t * n;
            size_t seen = h->encoder_attention_causal ? t + 1 : n;
            model->kernels->softmax(row, seen);
            memset(row + seen, 0, (n - seen) * sizeof *row);
            model->kernels->weighted_sum(row, v, n, d, mixed + t * W + i * d, 0, d);
        }
        if (weights)
            memcpy(weights + i * n * n, scores, n * n * sizeof *scores);
    }
    multiply(&layer->out_proj, mixed, n, W, W, out);
    add_and_norm(x, out, n, W, &layer->norm[0]);
    multiply(&layer->linear[0], x, n, W, F, hidden);
    model->kernels->relu(hidden, n * F);
    multiply(&layer->linear[1], hidden, n, F, W, out);
    add_and_norm(x, out, n, W, &layer->norm[1]);
    return true;
}
