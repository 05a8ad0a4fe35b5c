/* Postnet (Shen et al. 2018, section 2.2; MODEL.md, section 8):
 *
 *   y = mel; y = tanh(conv(y)) for all layers but the last, y = conv(y) for the last;
 *   out = mel + y
 *
 * The whole and its windows are one function: a layer runs over the frames that the asked
 * ones can see, and drops those whose neighbours it was not given. taco_conv1d computes
 * every frame in the same way wherever it stands, so the bits do not tell where the cut
 * was. */
#include <assert.h>
#include <string.h>

#include "tacotron2/model.h"

int taco_postnet_reach(const struct taco_tacotron2 *model) {
    const struct taco_hparams *h = &model->hparams;
    return h->postnet_n_convolutions * (h->postnet_kernel_size - 1) / 2;
}

enum taco_status taco_postnet_window(const struct taco_tacotron2 *m, const float *mel,
                                     int t, bool last, int begin, int end,
                                     struct taco_arena *scratch, float *out) {
    const struct taco_hparams *h = &m->hparams;
    size_t n_mels = (size_t)h->n_mels, kernel = (size_t)h->postnet_kernel_size;
    int reach = taco_postnet_reach(m), half = (h->postnet_kernel_size - 1) / 2;
    assert(begin >= 0 && begin <= end && end <= t && (last || end <= t - reach));
    if (begin == end)
        return TACO_OK;

    /* Frames [first, stop) are at hand; a side that is not the mel's own end loses half a
     * kernel a layer. */
    int first = begin > reach ? begin - reach : 0;
    int stop = t - end > reach ? end + reach : t;
    bool cut_left = first > 0, cut_right = stop < t || !last;
    size_t most = (size_t)(stop - first), widest = n_mels;
    if (h->postnet_n_convolutions > 1 && (size_t)h->postnet_embedding_dim > widest)
        widest = (size_t)h->postnet_embedding_dim;
    float *buffers[2] = {taco_arena_alloc(scratch, most * widest, sizeof(float)),
                         taco_arena_alloc(scratch, most * widest, sizeof(float))};
    float *padded =
        taco_arena_alloc(scratch, (most + kernel - 1) * widest, sizeof *padded);
    if (!buffers[0] || !buffers[1] || !padded)
        return TACO_ERR_NO_MEMORY;

    const float *x = &mel[(size_t)first * n_mels];
    for (int layer = 0; layer < h->postnet_n_convolutions; layer++) {
        const struct taco_conv_layer *conv = &m->postnet_conv[layer];
        float *y = buffers[layer % 2];
        size_t n = (size_t)(stop - first);
        taco_conv1d(m->kernels, &conv->weight, x, n, conv->c_in, y, padded);
        if (layer < h->postnet_n_convolutions - 1)
            m->kernels->tanh(y, n * conv->c_out);
        x = cut_left ? &y[(size_t)half * conv->c_out] : y;
        first += cut_left ? half : 0;
        stop -= cut_right ? half : 0;
    }
    assert(first <= begin && stop >= end);
    const float *residual = &x[(size_t)(begin - first) * n_mels];
    const float *before = &mel[(size_t)begin * n_mels];
    bool none = h->postnet_n_convolutions == 0;
    for (size_t i = 0; i < (size_t)(end - begin) * n_mels; i++)
        out[i] = none ? before[i] : before[i] + residual[i];
    return TACO_OK;
}

enum taco_status taco_postnet_forward(const struct taco_tacotron2 *model,
                                      const float *mel, int t, struct taco_arena *scratch,
                                      float *out) {
    return taco_postnet_window(model, mel, t, true, 0, t, scratch, out);
}
