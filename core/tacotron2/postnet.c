/* Postnet (Shen et al. 2018, section 2.2; MODEL.md, section 8):
 *
 *   y = mel; y = tanh(conv(y)) for all layers but the last, y = conv(y) for the last;
 *   out = mel + y
 *
 * The whole and its windows are one function: a layer runs over the frames whose
 * neighbours it was given, so it loses half a kernel at a side that is not the mel's own
 * end, where the neighbours are zeros. With time-major data the window of a frame is
 * kernel * c_in floats side by side: a layer is one matrix product over rows that
 * overlap. A product computes every row in the same way, so the bits do not tell where
 * the cut was. */
#include <assert.h>
#include <string.h>

#include "tacotron2/long_product.h"
#include "tacotron2/model.h"

int taco_postnet_reach(const struct taco_tacotron2 *model) {
    const struct taco_hparams *h = &model->hparams;
    return h->postnet_n_convolutions * (h->postnet_kernel_size - 1) / 2;
}

/* Frames in memory: frame f is row f - base + half, zeros before and behind the mel. */
struct frames {
    float *rows; /* [half + n + half, width] */
    int base;
};

static float *row_of(const struct frames *x, int frame, size_t width) {
    return x->rows + (size_t)(frame - x->base) * width;
}

/* y [stop - first, c_out]: a layer's output for frames [first, stop). */
static void convolve(const struct taco_tacotron2 *m, const struct taco_postnet_conv *conv,
                     const struct frames *x, int first, int stop, float *y,
                     void *converted) {
    taco_long_product(m->kernels, &conv->weight, row_of(x, first, conv->c_in), conv->c_in,
                      (size_t)(stop - first), y, converted);
}

enum taco_status taco_postnet_window(const struct taco_tacotron2 *m, const float *mel,
                                     int t, bool last, int begin, int end,
                                     struct taco_arena *scratch, float *out) {
    const struct taco_hparams *h = &m->hparams;
    size_t n_mels = (size_t)h->n_mels, width = n_mels;
    int reach = taco_postnet_reach(m), half = (h->postnet_kernel_size - 1) / 2;
    assert(begin >= 0 && begin <= end && end <= t && (last || end <= t - reach));
    size_t n_out = (size_t)(end - begin) * n_mels;
    if (begin == end)
        return TACO_OK;
    memcpy(out, &mel[(size_t)begin * n_mels], n_out * sizeof *out);
    if (h->postnet_n_convolutions == 0)
        return TACO_OK;

    int first = begin > reach ? begin - reach : 0;
    int stop = t - end > reach ? end + reach : t;
    bool cut_left = first > 0, cut_right = stop < t || !last;
    if (h->postnet_n_convolutions > 1)
        width = (size_t)h->postnet_embedding_dim;
    size_t most = (size_t)(stop - first), rows = most + 2 * (size_t)half;
    size_t widest = (width > n_mels ? width : n_mels) * (size_t)h->postnet_kernel_size;
    struct frames in = {taco_arena_alloc(scratch, rows * n_mels, sizeof(float)), first};
    struct frames hidden[2];
    for (int i = 0; i < 2; i++)
        hidden[i] = (struct frames){
            taco_arena_alloc(scratch, rows * width, sizeof(float)), first};
    float *residual = taco_arena_alloc(scratch, n_out, sizeof *residual);
    void *converted = taco_arena_alloc(scratch, taco_long_product_scratch(widest), 1);
    if (!in.rows || !hidden[0].rows || !hidden[1].rows || !residual || !converted)
        return TACO_ERR_NO_MEMORY;
    memcpy(in.rows + (size_t)half * n_mels, &mel[(size_t)first * n_mels],
           most * n_mels * sizeof *mel);

    const struct frames *x = &in;
    for (int layer = 0; layer < h->postnet_n_convolutions; layer++) {
        const struct taco_postnet_conv *conv = &m->postnet_conv[layer];
        bool is_last = layer == h->postnet_n_convolutions - 1;
        const struct frames *y = &hidden[layer % 2];
        first += cut_left ? half : 0;
        stop -= cut_right ? half : 0;
        if (is_last) { /* no more than what was asked for */
            convolve(m, conv, x, begin, end, residual, converted);
            break;
        }
        float *to = row_of(y, first + half, conv->c_out);
        convolve(m, conv, x, first, stop, to, converted);
        m->kernels->tanh(to, (size_t)(stop - first) * conv->c_out);
        x = y;
    }
    assert(first <= begin && stop >= end);
    for (size_t i = 0; i < n_out; i++)
        out[i] += residual[i];
    return TACO_OK;
}

enum taco_status taco_postnet_forward(const struct taco_tacotron2 *model,
                                      const float *mel, int t, struct taco_arena *scratch,
                                      float *out) {
    return taco_postnet_window(model, mel, t, true, 0, t, scratch, out);
}
