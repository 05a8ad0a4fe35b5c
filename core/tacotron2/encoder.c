/* Encoder (Shen et al. 2018, section 2.2; MODEL.md, section 3): symbols -> memory.
 *
 *   x = embedding[ids]
 *   x = relu(conv(x)) (+ x), n times
 *   y = [LSTM(x), reversed LSTM(x)], or x
 *   y = self-attention layer(y), n times (self_attention.c)
 *   memory = y with the speaker's row behind it or added to it
 *   processed_memory = W_m memory + b_m, for the attentions that score symbols
 *
 * One text at a time, so no padding and no masks, and the same text always makes the same
 * products, so that OpenBLAS, which has those in f32, may choose its code by their size. */
#include <assert.h>
#include <string.h>

#include "base/cancel.h"
#include "tacotron2/attention.h"
#include "tacotron2/long_product.h"
#include "tacotron2/self_attention.h"

/* How many symbols of the recurrence pass between looks at cancel: below 5 ms. */
#define STEPS_A_LOOK 16

size_t taco_memory_bytes(const struct taco_tacotron2 *model, int n_symbols,
                         int attention) {
    const struct taco_attention *a = &model->attentions[attention];
    size_t width = (size_t)model->hparams.memory_dim + a->key_dim;
    size_t words = a->params->n_word_ends > 0 ? sizeof(int32_t) : 0;
    return (size_t)n_symbols * (width * sizeof(float) + words);
}

/* x [n, c_in] to y [n, c_out]; padded [n + kernel - 1, c_in] and converted are scratch. */
static void convolve_layer(const struct taco_tacotron2 *m,
                           const struct taco_encoder_conv *conv, const float *x, size_t n,
                           float *y, float *padded, void *converted) {
    size_t kernel = (size_t)m->hparams.encoder_kernel_size;
    if (conv->linear.weight) {
        taco_conv1d(n, conv->c_out, conv->c_in, kernel, x, conv->linear.weight,
                    conv->linear.bias, y, padded);
        return;
    }
    /* What an output sees are kernel rows side by side. */
    size_t pad = kernel / 2 * conv->c_in, size = n * conv->c_in;
    memset(padded, 0, pad * sizeof *padded);
    memcpy(padded + pad, x, size * sizeof *x);
    memset(padded + pad + size, 0, pad * sizeof *padded);
    taco_long_product(m->kernels, &conv->linear.packed, padded, conv->c_in, n, y,
                      converted);
}

/* *out: the convolutions' output [n, C], or the embeddings [n, E] where there are none. */
static enum taco_status convolve(const struct taco_tacotron2 *m, const int32_t *ids,
                                 size_t n, const struct taco_cancel *cancel,
                                 struct taco_arena *scratch, float **out) {
    const struct taco_hparams *h = &m->hparams;
    size_t E = (size_t)h->symbols_embedding_dim, C = (size_t)h->encoder_conv_dim;
    size_t widest = E > C ? E : C, kernel = (size_t)h->encoder_kernel_size;
    float *x = taco_arena_alloc(scratch, n * widest, sizeof *x);
    float *y = taco_arena_alloc(scratch, n * widest, sizeof *y);
    float *padded = taco_arena_alloc(scratch, (n + kernel - 1) * widest, sizeof *padded);
    void *converted =
        taco_arena_alloc(scratch, taco_long_product_scratch(widest * kernel), 1);
    if (!x || !y || !padded || !converted)
        return TACO_ERR_NO_MEMORY;
    for (size_t i = 0; i < n; i++) {
        assert(ids[i] >= 0 && ids[i] < h->n_symbols);
        memcpy(&x[i * E], &m->embedding[(size_t)ids[i] * E], E * sizeof *x);
    }
    for (int layer = 0; layer < h->encoder_n_convolutions; layer++) {
        if (taco_is_cancelled(cancel))
            return TACO_ERR_CANCELLED;
        const struct taco_encoder_conv *conv = &m->encoder_conv[layer];
        convolve_layer(m, conv, x, n, y, padded, converted);
        m->kernels->relu(y, n * conv->c_out);
        if (h->encoder_residual)
            for (size_t i = 0; i < n * conv->c_out; i++)
                y[i] += x[i];
        float *swap = x;
        x = y;
        y = swap;
    }
    *out = x;
    return TACO_OK;
}

/* One direction of the LSTM over x [n, C]; h_t goes to out[t] [n, stride]. The inputs'
 * share of the gates is one large product; the hidden state's is a small one a symbol. */
static enum taco_status run_lstm(const struct taco_tacotron2 *m,
                                 const struct taco_encoder_lstm *lstm, const float *x,
                                 size_t n, bool backward, float *out, size_t stride,
                                 const struct taco_cancel *cancel,
                                 struct taco_arena *scratch) {
    size_t C = (size_t)m->hparams.encoder_conv_dim,
           H = (size_t)m->hparams.encoder_lstm_dim;
    float *inputs = taco_arena_alloc(scratch, n * 4 * H, sizeof *inputs);
    float *gates = taco_arena_alloc(scratch, 4 * H, sizeof *gates);
    float *state = taco_arena_alloc(scratch, 2 * H, sizeof *state); /* h, c */
    size_t most = taco_long_product_scratch(C > H ? C : H);
    void *converted = taco_arena_alloc(scratch, most, 1);
    if (!inputs || !gates || !state || !converted)
        return TACO_ERR_NO_MEMORY;
    if (lstm->inputs.weight)
        taco_gemm(n, 4 * H, C, x, lstm->inputs.weight, lstm->inputs.bias, inputs);
    else
        taco_long_product(m->kernels, &lstm->inputs.packed, x, C, n, inputs, converted);
    for (size_t i = 0; i < n; i++) {
        size_t t = backward ? n - 1 - i : i;
        if (i % STEPS_A_LOOK == 0 && taco_is_cancelled(cancel))
            return TACO_ERR_CANCELLED;
        m->kernels->matmul(&lstm->hidden, state, H, gates, 4 * H, 1, 0,
                           lstm->hidden.n_blocks, converted);
        for (size_t j = 0; j < 4 * H; j++)
            gates[j] += inputs[t * 4 * H + j];
        m->kernels->lstm_gates(gates, H, state + H, state, 0, 0, H);
        memcpy(&out[t * stride], state, H * sizeof *state);
    }
    return TACO_OK;
}

/* y [n, 2H] from x [n, C]: LSTM, self-attention, or both. */
static enum taco_status encode(const struct taco_tacotron2 *m, const float *x, size_t n,
                               float *y, const struct taco_cancel *cancel,
                               struct taco_arena *scratch) {
    const struct taco_hparams *h = &m->hparams;
    size_t H = (size_t)h->encoder_lstm_dim;
    enum taco_status status = TACO_OK;
    if (!h->encoder_lstm)
        memcpy(y, x, n * 2 * H * sizeof *y);
    for (int i = 0; i < 2 && h->encoder_lstm && status == TACO_OK; i++)
        status = run_lstm(m, &m->encoder_lstm[i], x, n, i == 1, y + (size_t)i * H, 2 * H,
                          cancel, scratch);
    for (int i = 0; i < h->encoder_attention_layers && status == TACO_OK; i++) {
        if (taco_is_cancelled(cancel))
            return TACO_ERR_CANCELLED;
        if (!taco_self_attention_forward(m, &m->self_attention[i], y, n, scratch, NULL))
            return TACO_ERR_NO_MEMORY;
    }
    return status;
}

static void apply_speaker(const struct taco_tacotron2 *m, int speaker, float *memory,
                          size_t n) {
    const struct taco_hparams *h = &m->hparams;
    size_t M = (size_t)h->memory_dim, H2 = 2 * (size_t)h->encoder_lstm_dim;
    size_t S = (size_t)h->speaker_embedding_dim;
    const float *row = &m->speaker_embedding[(size_t)speaker * S];
    for (size_t i = 0; i < n; i++)
        if (h->speaker_mode == TACO_SPEAKER_CONCAT)
            memcpy(&memory[i * M + H2], row, S * sizeof *row);
        else
            for (size_t j = 0; j < S; j++)
                memory[i * M + j] += row[j];
}

/* words [n]: a symbol of word_ends ends a word and belongs to it; several in a row belong to
 * the word before them. */
static void count_words(const struct taco_attention_params *params, const int32_t *ids,
                        size_t n, int32_t *words) {
    int32_t word = 0;
    bool ended = false;
    for (size_t j = 0; j < n; j++) {
        bool ends = false;
        for (int i = 0; i < params->n_word_ends; i++)
            ends = ends || params->word_ends[i] == ids[j];
        if (ended && !ends)
            word++;
        ended = ends;
        words[j] = word;
    }
}

static enum taco_status make_keys(const struct taco_attention *a, const int32_t *ids,
                                  struct taco_arena *keep, struct taco_memory *memory) {
    size_t n = (size_t)memory->n_symbols;
    if (a->params->n_word_ends > 0) {
        int32_t *words = taco_arena_alloc(keep, n, sizeof *words);
        if (!words)
            return TACO_ERR_NO_MEMORY;
        count_words(a->params, ids, n, words);
        memory->words = words;
    }
    if (a->key_dim > 0) {
        float *keys = taco_arena_alloc(keep, n * a->key_dim, sizeof *keys);
        if (!keys)
            return TACO_ERR_NO_MEMORY;
        (a->mechanism->keys ? a->mechanism->keys : taco_attention_keys)(
            a, memory->memory, n, memory->words, keys);
        memory->processed_memory = keys;
    }
    return TACO_OK;
}

enum taco_status taco_encoder_forward(const struct taco_tacotron2 *m, const int32_t *ids,
                                      int n_symbols, int speaker, int attention,
                                      const struct taco_cancel *cancel,
                                      struct taco_arena *keep, struct taco_arena *scratch,
                                      struct taco_memory *out) {
    const struct taco_hparams *h = &m->hparams;
    assert(n_symbols >= 1 && speaker >= 0 && speaker < h->n_speakers);
    size_t n = (size_t)n_symbols, M = (size_t)h->memory_dim,
           H = (size_t)h->encoder_lstm_dim;
    float *memory = taco_arena_alloc(keep, n * M, sizeof *memory);
    float *x = NULL;
    enum taco_status status =
        memory ? convolve(m, ids, n, cancel, scratch, &x) : TACO_ERR_NO_MEMORY;
    float *y = h->speaker_mode == TACO_SPEAKER_CONCAT
                   ? taco_arena_alloc(scratch, n * 2 * H, sizeof *y)
                   : memory; /* the encoder's output, without the speaker [n, 2H] */
    if (status == TACO_OK)
        status = y ? encode(m, x, n, y, cancel, scratch) : TACO_ERR_NO_MEMORY;
    if (status != TACO_OK)
        return status;
    for (size_t i = 0; y != memory && i < n; i++)
        memcpy(&memory[i * M], &y[i * 2 * H], 2 * H * sizeof *y);
    if (h->speaker_mode != TACO_SPEAKER_NONE)
        apply_speaker(m, speaker, memory, n);

    *out = (struct taco_memory){n_symbols, attention, memory, NULL, NULL};
    return make_keys(&m->attentions[attention], ids, keep, out);
}
