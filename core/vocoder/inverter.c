#include "vocoder/inverter.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

/* The last inputs of a layer and, while it runs, the new ones behind them. */
struct rows {
    float *x; /* [most, width] */
    size_t width, n;
};

struct taco_inverter_stream {
    const struct taco_inverter *inverter;
    struct rows u;                                   /* from the next output's on */
    struct rows in[TACO_INVERTER_MOST_CONVOLUTIONS]; /* of each convolution; in[0] is u */
    float *made;                                     /* [MOST_FRAMES, channels] */
    float *joined;   /* [MOST_FRAMES, channels + n_mels] */
    void *converted; /* the kernels' */
};

static bool pack(struct taco_matrix *out, const struct taco_inverter *inverter,
                 size_t n_out, size_t n_in, const float *w, const float *bias,
                 enum taco_precision precision, struct taco_arena *arena) {
    size_t bytes = taco_matrix_bytes(inverter->kernels, n_out, n_in, precision);
    void *memory = taco_arena_alloc(arena, bytes, 1);
    if (memory)
        taco_matrix_pack(inverter->kernels, out, memory, n_out, 1, &w, &n_in, bias,
                         precision);
    return memory;
}

enum taco_status taco_inverter_init(struct taco_inverter *inverter,
                                    const struct taco_inverter_params *params,
                                    const struct taco_inverter_weights *weights,
                                    int n_mels, int n_bins, float silence,
                                    const struct taco_kernels *kernels,
                                    enum taco_precision precision,
                                    struct taco_arena *arena) {
    const size_t C = (size_t)params->channels, M = (size_t)n_mels,
                 K = (size_t)params->kernel_size;
    struct taco_arena scratch = {0};
    *inverter = (struct taco_inverter){
        .params = *params,
        .kernels = kernels,
        .n_mels = n_mels,
        .n_bins = n_bins,
        .reach = params->n_convolutions * (params->kernel_size / 2),
        .silence = silence,
    };
    bool ok = true;
    for (int i = 0; ok && i < params->n_convolutions; i++) {
        size_t c_in = i > 0 ? C : M;
        float *rows = taco_arena_alloc(&scratch, C * K * c_in, sizeof *rows);
        if (rows)
            taco_conv1d_reorder(weights->conv_weight[i], C, c_in, K, rows);
        ok = rows && pack(&inverter->conv[i], inverter, C, K * c_in, rows,
                          weights->conv_bias[i], precision, arena);
    }
    ok = ok && pack(&inverter->out, inverter, (size_t)n_bins, C + M, weights->out_weight,
                    weights->out_bias, precision, arena);
    taco_arena_free(&scratch);
    return ok ? TACO_OK : TACO_ERR_NO_MEMORY;
}

static bool make_rows(struct rows *rows, size_t most, size_t width,
                      struct taco_arena *arena) {
    rows->x = taco_arena_alloc(arena, most * width, sizeof(float));
    rows->width = width;
    rows->n = 0;
    return rows->x;
}

static void drop_rows(struct rows *rows, size_t n) {
    rows->n -= n;
    memmove(rows->x, rows->x + n * rows->width, rows->n * rows->width * sizeof(float));
}

enum taco_status taco_inverter_stream_init(struct taco_inverter_stream **out,
                                           const struct taco_inverter *inverter,
                                           struct taco_arena *arena) {
    const size_t C = (size_t)inverter->params.channels, M = (size_t)inverter->n_mels,
                 K = (size_t)inverter->params.kernel_size,
                 reach = (size_t)inverter->reach;
    const size_t widest = K * (C > M ? C : M) > C + M ? K * (C > M ? C : M) : C + M;
    struct taco_inverter_stream *s = *out = taco_arena_alloc(arena, 1, sizeof *s);
    if (!s)
        return TACO_ERR_NO_MEMORY;
    s->inverter = inverter;
    s->made = taco_arena_alloc(arena, TACO_INVERTER_MOST_FRAMES * C, sizeof(float));
    s->joined =
        taco_arena_alloc(arena, TACO_INVERTER_MOST_FRAMES * (C + M), sizeof(float));
    s->converted = taco_arena_alloc(
        arena, taco_matmul_scratch(TACO_INVERTER_MOST_FRAMES, widest), 1);
    bool ok = s->made && s->joined && s->converted &&
              make_rows(&s->u, 2 * reach + TACO_INVERTER_MOST_FRAMES, M, arena);
    for (int i = 0; ok && i < inverter->params.n_convolutions; i++)
        ok =
            make_rows(&s->in[i], K - 1 + TACO_INVERTER_MOST_FRAMES, i > 0 ? C : M, arena);
    if (!ok)
        return TACO_ERR_NO_MEMORY;
    for (int left = inverter->reach, n; left > 0; left -= n) {
        n = left < TACO_INVERTER_MOST_FRAMES ? left : TACO_INVERTER_MOST_FRAMES;
        taco_inverter_stream_feed(s, NULL, n, 1, NULL);
    }
    return TACO_OK;
}

static void multiply(const struct taco_inverter_stream *s, const struct taco_matrix *w,
                     const float *x, size_t x_stride, float *y, size_t n) {
    s->inverter->kernels->matmul(w, x, x_stride, y, w->n_out, n, 0, w->n_blocks,
                                 s->converted);
}

/* Convolution i over its rows; returns how many outputs there are, in s->made. */
static size_t convolve(struct taco_inverter_stream *s, int i) {
    struct rows *in = &s->in[i];
    const size_t K = (size_t)s->inverter->params.kernel_size,
                 C = (size_t)s->inverter->params.channels;
    size_t n = in->n >= K ? in->n - (K - 1) : 0;
    if (n == 0)
        return 0;
    multiply(s, &s->inverter->conv[i], in->x, in->width, s->made, n);
    s->inverter->kernels->relu(s->made, n * C);
    if (i > 0)
        for (size_t j = 0; j < n * C; j++)
            s->made[j] += in->x[K / 2 * C + j];
    drop_rows(in, n);
    return n;
}

int taco_inverter_stream_feed(struct taco_inverter_stream *s, const float *ln_mel, int t,
                              float largest, float *out) {
    const struct taco_inverter *v = s->inverter;
    const size_t C = (size_t)v->params.channels, M = (size_t)v->n_mels, n_in = (size_t)t;
    assert(t >= 0 && t <= TACO_INVERTER_MOST_FRAMES);
    float *u = s->u.x + s->u.n * M;
    for (size_t j = 0; j < n_in * M; j++)
        u[j] = ((ln_mel ? ln_mel[j] : v->silence) - v->params.offset) * v->params.gain;
    s->u.n += n_in;

    const float *made = u;
    size_t n = n_in;
    for (int i = 0; i < v->params.n_convolutions; i++) {
        struct rows *in = &s->in[i];
        memcpy(in->x + in->n * in->width, made, n * in->width * sizeof *made);
        in->n += n;
        n = convolve(s, i);
        made = s->made;
    }
    for (size_t r = 0; r < n; r++) {
        memcpy(s->joined + r * (C + M), made + r * C, C * sizeof(float));
        memcpy(s->joined + r * (C + M) + C, s->u.x + (r + (size_t)v->reach) * M,
               M * sizeof(float));
    }
    if (n == 0)
        return 0;
    multiply(s, &v->out, s->joined, C + M, out, n);
    drop_rows(&s->u, n);
    for (size_t j = 0; j < n * (size_t)v->n_bins; j++)
        out[j] = fminf(expf(out[j]), largest);
    return (int)n;
}
