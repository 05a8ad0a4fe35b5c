/* Postnet (Shen et al. 2018, section 2.2; MODEL.md, section 8):
 *
 *   y = mel; y = tanh(conv(y)) for all layers but the last, y = conv(y) for the last;
 *   out = mel + y
 *
 * The whole is a stream that is fed once. Each layer keeps as many of its last inputs as the
 * next output looks back on, so that nothing is computed twice. With time-major data what an
 * output sees is kernel * c_in floats side by side: a layer is one matrix product over rows
 * that overlap. A product computes every row in the same way, so the bits do not tell where
 * the cut was. */
#include <assert.h>
#include <string.h>

#include "tacotron2/long_product.h"
#include "tacotron2/model.h"

struct taco_postnet_stream {
    const struct taco_tacotron2 *model;
    int n_fed, n_out; /* frames */
    struct kept {     /* a layer's last inputs; at first zeros before the first frame */
        float *rows;  /* [at most 2 * half, c_in] */
        size_t n;
    } kept[TACO_MAX_CONVOLUTIONS];
};

static size_t half_kernel(const struct taco_tacotron2 *model) {
    return (size_t)(model->hparams.postnet_kernel_size - 1) / 2;
}

int taco_postnet_reach(const struct taco_tacotron2 *model) {
    return model->hparams.postnet_n_convolutions * (int)half_kernel(model);
}

enum taco_status taco_postnet_stream_create(struct taco_postnet_stream **out,
                                            const struct taco_tacotron2 *model,
                                            struct taco_arena *arena) {
    const size_t half = half_kernel(model);
    struct taco_postnet_stream *s = *out = taco_arena_alloc(arena, 1, sizeof *s);
    if (!s)
        return TACO_ERR_NO_MEMORY;
    memset(s, 0, sizeof *s);
    s->model = model;
    for (int i = 0; i < model->hparams.postnet_n_convolutions && half > 0; i++) {
        size_t c_in = model->postnet_conv[i].c_in;
        s->kept[i].rows = taco_arena_alloc(arena, 2 * half * c_in, sizeof(float));
        if (!s->kept[i].rows)
            return TACO_ERR_NO_MEMORY;
        s->kept[i].n = half;
        memset(s->kept[i].rows, 0, half * c_in * sizeof(float));
    }
    return TACO_OK;
}

/* What a layer computes with: its kept inputs, the new ones and zeros behind the end. */
struct inputs {
    float *rows; /* [kept + most + half, c_in] */
    float *news; /* [most, c_in], among them */
};

static bool prepare(const struct taco_postnet_stream *s, int layer, size_t most,
                    struct taco_arena *scratch, struct inputs *in) {
    const struct kept *kept = &s->kept[layer];
    size_t c_in = s->model->postnet_conv[layer].c_in;
    size_t n_rows = kept->n + most + half_kernel(s->model);
    in->rows = taco_arena_alloc(scratch, n_rows * c_in, sizeof(float));
    if (!in->rows)
        return false;
    if (kept->n > 0)
        memcpy(in->rows, kept->rows, kept->n * c_in * sizeof(float));
    in->news = in->rows + kept->n * c_in;
    return true;
}

/* The layer's outputs y that n new inputs complete; returns how many. */
static size_t run_layer(struct taco_postnet_stream *s, int layer, const struct inputs *in,
                        size_t n, bool last, float *y, void *converted) {
    const struct taco_postnet_conv *conv = &s->model->postnet_conv[layer];
    struct kept *kept = &s->kept[layer];
    const size_t half = half_kernel(s->model), c_in = conv->c_in;
    size_t n_rows = kept->n + n, n_seen = n_rows;
    if (last) {
        memset(in->rows + n_rows * c_in, 0, half * c_in * sizeof(float));
        n_seen += half;
    }
    size_t n_out = n_seen > 2 * half ? n_seen - 2 * half : 0;
    taco_long_product(s->model->kernels, &conv->weight, in->rows, c_in, n_out, y,
                      converted);
    kept->n = n_rows < 2 * half ? n_rows : 2 * half;
    if (kept->n > 0)
        memcpy(kept->rows, in->rows + (n_rows - kept->n) * c_in,
               kept->n * c_in * sizeof(float));
    return n_out;
}

enum taco_status taco_postnet_stream_feed(struct taco_postnet_stream *s, const float *mel,
                                          int t, bool last, struct taco_arena *scratch,
                                          float *out, int *n_out) {
    const struct taco_tacotron2 *m = s->model;
    const int n_layers = m->hparams.postnet_n_convolutions;
    const size_t n_mels = (size_t)m->hparams.n_mels, half = half_kernel(m);
    const size_t n_hidden = (size_t)m->hparams.postnet_embedding_dim;
    const size_t widest = (n_hidden > n_mels ? n_hidden : n_mels) * (2 * half + 1);
    assert(t >= s->n_fed);
    size_t n = (size_t)(t - s->n_fed), most = n + (size_t)taco_postnet_reach(m);
    *n_out = 0;

    /* All memory first: nothing has happened where there is none. */
    struct inputs in[TACO_MAX_CONVOLUTIONS];
    float *residual = taco_arena_alloc(scratch, most * n_mels, sizeof *residual);
    void *converted = taco_arena_alloc(scratch, taco_long_product_scratch(widest), 1);
    if (!residual || !converted)
        return TACO_ERR_NO_MEMORY;
    for (int i = 0; i < n_layers; i++)
        if (!prepare(s, i, most, scratch, &in[i]))
            return TACO_ERR_NO_MEMORY;

    const float *news = mel + (size_t)s->n_fed * n_mels;
    if (n_layers > 0 && n > 0)
        memcpy(in[0].news, news, n * n_mels * sizeof *news);
    for (int i = 0; i < n_layers; i++) {
        bool is_last = i == n_layers - 1;
        float *y = is_last ? residual : in[i + 1].news;
        n = run_layer(s, i, &in[i], n, last, y, converted);
        if (!is_last)
            m->kernels->tanh(y, n * m->postnet_conv[i].c_out);
    }
    const float *spoken = mel + (size_t)s->n_out * n_mels;
    for (size_t i = 0; i < n * n_mels; i++)
        out[i] = n_layers > 0 ? spoken[i] + residual[i] : spoken[i];
    s->n_fed = t;
    s->n_out += (int)n;
    *n_out = (int)n;
    return TACO_OK;
}

enum taco_status taco_postnet_forward(const struct taco_tacotron2 *model,
                                      const float *mel, int t, struct taco_arena *scratch,
                                      float *out) {
    struct taco_postnet_stream *s;
    int n_out;
    enum taco_status status = taco_postnet_stream_create(&s, model, scratch);
    if (status == TACO_OK)
        status = taco_postnet_stream_feed(s, mel, t, true, scratch, out, &n_out);
    assert(status != TACO_OK || n_out == t);
    return status;
}
