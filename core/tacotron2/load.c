/* Weights become what encoder, decoder and postnet compute with: converted, folded and
 * packed. */
#include "tacotron2/load.h"

#include <stdio.h>
#include <string.h>

#include "tacotron2/weights.h"

/* What a part needs while it is loaded. */
struct loader {
    struct taco_tacotron2 *model;
    const struct taco_safetensors *st;
    struct taco_arena *arena;  /* what the model keeps */
    struct taco_arena scratch; /* f32 forms of 16-bit tensors that are packed further */
};

/* -- tensors and matrices: NULL and false mean that there was no memory ---- */

static const float *keep(struct loader *l, const char *name) {
    return taco_weights_get(l->st, name, l->arena);
}

static const float *borrow(struct loader *l, const char *name) {
    return taco_weights_get(l->st, name, &l->scratch);
}

static const float *borrow_part(struct loader *l, const char *prefix, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    return borrow(l, full);
}

/* Packs parts [n_out, n_in[p]] side by side with bias [n_out] (may be NULL). */
static bool pack(struct loader *l, struct taco_matrix *out, size_t n_out, int n_parts,
                 const float *const *parts, const size_t *n_in, const float *bias,
                 enum taco_precision precision) {
    struct taco_tacotron2 *m = l->model;
    size_t width = 0;
    for (int p = 0; p < n_parts; p++) {
        if (!parts[p])
            return false;
        width += n_in[p];
    }
    size_t bytes = taco_matrix_bytes(m->kernels, n_out, width, precision);
    void *memory = taco_arena_alloc(l->arena, bytes, 1);
    if (!memory)
        return false;
    taco_matrix_pack(m->kernels, out, memory, n_out, n_parts, parts, n_in, bias,
                     precision);
    return true;
}

/* y = W x + b in f32 from tensors prefix + "weight" and, if has_bias, prefix + "bias". */
static bool pack_linear(struct loader *l, struct taco_matrix *out, const char *prefix,
                        size_t n_out, size_t n_in, bool has_bias) {
    const float *weight = borrow_part(l, prefix, "weight");
    const float *bias = has_bias ? borrow_part(l, prefix, "bias") : NULL;
    if (!weight || (has_bias && !bias))
        return false;
    return pack(l, out, n_out, 1, &weight, &n_in, bias, TACO_PRECISION_F32);
}

/* The same for OpenBLAS: prefix + weight_name and, if has_bias, prefix + "bias". */
static bool keep_linear(struct loader *l, struct taco_linear *out, const char *prefix,
                        const char *weight_name, bool has_bias) {
    char name[64];
    snprintf(name, sizeof name, "%s%s", prefix, weight_name);
    out->weight = keep(l, name);
    snprintf(name, sizeof name, "%sbias", prefix);
    out->bias = has_bias ? keep(l, name) : NULL;
    return out->weight && (!has_bias || out->bias);
}

/* [W_ih | W_hh] over x = [inputs, h]: one product a cell and step. */
static bool pack_lstm(struct loader *l, struct taco_matrix *out, const char *prefix,
                      size_t dim, size_t n_in) {
    const float *bias = borrow_part(l, prefix, "bias");
    const float *parts[2] = {borrow_part(l, prefix, "weight_ih"),
                             borrow_part(l, prefix, "weight_hh")};
    return bias && pack(l, out, 4 * dim, 2, parts, (size_t[]){n_in, dim}, bias,
                        l->model->precision);
}

/* The layer's weight as rows [c_out, kernel, c_in], in the arena. */
static float *reorder_convolution(struct loader *l, const char *name, size_t c_out,
                                  size_t c_in, size_t kernel, struct taco_arena *arena) {
    const float *weight = borrow(l, name);
    float *rows = taco_arena_alloc(arena, c_out * kernel * c_in, sizeof *rows);
    if (!weight || !rows)
        return NULL;
    taco_conv1d_reorder(weight, c_out, c_in, kernel, rows);
    return rows;
}

/* Precision of the products over whole texts and clips. They are most of the work beside the
 * decoder, and what bf16 rounds there is not fed back from step to step. */
static enum taco_precision long_precision(const struct taco_tacotron2 *m) {
    return m->precision == TACO_PRECISION_F32 ? TACO_PRECISION_F32 : TACO_PRECISION_BF16;
}

/* -- parts of the network -------------------------------------------------- */

static bool load_encoder_conv(struct loader *l, int i) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    struct taco_encoder_conv *conv = &m->encoder_conv[i];
    bool packs = long_precision(m) != TACO_PRECISION_F32;
    size_t C = (size_t)h->encoder_conv_dim, kernel = (size_t)h->encoder_kernel_size;
    conv->c_in = i == 0 ? (size_t)h->symbols_embedding_dim : C;
    conv->c_out = C;
    char name[64];
    snprintf(name, sizeof name, "encoder.convolutions.%d.weight", i);
    const float *rows = reorder_convolution(l, name, C, conv->c_in, kernel,
                                            packs ? &l->scratch : l->arena);
    snprintf(name, sizeof name, "encoder.convolutions.%d.bias", i);
    const float *bias = packs ? borrow(l, name) : keep(l, name);
    size_t width = conv->c_in * kernel;
    bool good = rows && bias;
    if (good && packs)
        good =
            pack(l, &conv->linear.packed, C, 1, &rows, &width, bias, long_precision(m));
    else if (good)
        conv->linear = (struct taco_linear){.weight = rows, .bias = bias};
    taco_arena_reset(&l->scratch);
    return good;
}

static bool load_encoder_lstm(struct loader *l, struct taco_encoder_lstm *lstm,
                              const char *prefix) {
    const struct taco_tacotron2 *m = l->model;
    enum taco_precision precision = long_precision(m);
    size_t C = (size_t)m->hparams.encoder_conv_dim;
    size_t H = (size_t)m->hparams.encoder_lstm_dim;
    const float *hidden = borrow_part(l, prefix, "weight_hh");
    bool good = pack(l, &lstm->hidden, 4 * H, 1, &hidden, &H, NULL, precision);
    if (precision == TACO_PRECISION_F32)
        return good && keep_linear(l, &lstm->inputs, prefix, "weight_ih", true);
    const float *inputs = borrow_part(l, prefix, "weight_ih");
    const float *bias = borrow_part(l, prefix, "bias");
    good = good && bias &&
           pack(l, &lstm->inputs.packed, 4 * H, 1, &inputs, &C, bias, precision);
    taco_arena_reset(&l->scratch);
    return good;
}

static bool load_encoder(struct loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    m->embedding = keep(l, "embedding.weight");
    if (!m->embedding)
        return false;
    for (int i = 0; i < h->encoder_n_convolutions; i++)
        if (!load_encoder_conv(l, i))
            return false;
    if (!load_encoder_lstm(l, &m->encoder_lstm[0], "encoder.lstm.") ||
        !load_encoder_lstm(l, &m->encoder_lstm[1], "encoder.lstm_reverse."))
        return false;
    if (h->speaker_mode != TACO_SPEAKER_NONE) {
        m->speaker_embedding = keep(l, "speaker_embedding.weight");
        return m->speaker_embedding != NULL;
    }
    return true;
}

static bool load_prenet(struct loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    size_t n_in = (size_t)h->n_mels;
    if (h->prenet_all_frames)
        n_in *= (size_t)h->n_frames_per_step;
    for (int i = 0; i < h->prenet_n_layers; i++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "decoder.prenet.%d.", i);
        size_t n_out = (size_t)h->prenet_dim[i];
        if (!pack_linear(l, &l->model->prenet[i], prefix, n_out, n_in, h->prenet_bias))
            return false;
        n_in = n_out;
    }
    return true;
}

/* dense x conv as one matrix over the taps of all channels (kernels.h,
 * location_features): out[c * kernel + k, d] = sum_f dense[d, f] conv[f, c, k] summed in
 * double, so that the folding adds no error to speak of. */
static const float *fold_location(struct loader *l, const float *dense /* [D, F] */,
                                  const float *conv /* [F, taps] */, size_t D, size_t F,
                                  size_t taps) {
    float *out = taco_arena_alloc(l->arena, taps * D, sizeof *out);
    double *sum = taco_arena_alloc(&l->scratch, D, sizeof *sum);
    if (!dense || !conv || !out || !sum)
        return NULL;
    for (size_t tap = 0; tap < taps; tap++) {
        memset(sum, 0, D * sizeof *sum);
        for (size_t f = 0; f < F; f++)
            for (size_t d = 0; d < D; d++)
                sum[d] += (double)dense[d * F + f] * (double)conv[f * taps + tap];
        for (size_t d = 0; d < D; d++)
            out[tap * D + d] = (float)sum[d];
    }
    return out;
}

/* Location energies, for location and forward attention (MODEL.md, 6.1). */
static bool load_location(struct loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    struct taco_attention *a = &m->attention;
    size_t A = (size_t)h->attention_rnn_dim, D = (size_t)h->attention.dim;
    a->n_query = 1;
    if (!pack_linear(l, &a->query[0], "decoder.attention.query_layer.", D, A, false))
        return false;
    a->scores_memory = true;
    a->v = keep(l, "decoder.attention.v.weight");
    if (!a->v || !keep_linear(l, &a->memory_layer, "decoder.attention.memory_layer.",
                              "weight", h->attention.memory_bias))
        return false;
    if (h->attention.v_bias) {
        const float *v_bias = borrow(l, "decoder.attention.v.bias");
        if (!v_bias)
            return false;
        a->v_bias = v_bias[0];
    }
    if (h->attention.location_n_filters > 0) {
        a->channels = h->attention.location_prev + h->attention.location_cum;
        a->kernel = h->attention.location_kernel_size;
        a->location = fold_location(
            l, borrow(l, "decoder.attention.location_dense.weight"),
            borrow(l, "decoder.attention.location_conv.weight"), D,
            (size_t)h->attention.location_n_filters, (size_t)(a->channels * a->kernel));
        if (!a->location)
            return false;
    }
    if (h->attention.transition_agent) {
        a->transition = keep(l, "decoder.attention.transition_agent.weight");
        const float *bias = borrow(l, "decoder.attention.transition_agent.bias");
        if (!a->transition || !bias)
            return false;
        a->transition_bias = bias[0];
    }
    return true;
}

static bool load_gmm(struct loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    struct taco_attention *a = &l->model->attention;
    size_t A = (size_t)h->attention_rnn_dim, K = (size_t)h->attention.gmm_components;
    a->n_query = 2;
    return pack_linear(l, &a->query[0], "decoder.attention.gmm.0.", A, A, true) &&
           pack_linear(l, &a->query[1], "decoder.attention.gmm.1.", 3 * K, A, true);
}

/* x [rows, columns] transposed, in the arena. */
static float *transpose(const float *x, size_t rows, size_t columns,
                        struct taco_arena *arena) {
    float *out = taco_arena_alloc(arena, rows * columns, sizeof *out);
    if (!x || !out)
        return NULL;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++)
            out[j * rows + i] = x[i * columns + j];
    return out;
}

/* MODEL.md, 6.5. The key layer's rows are put into the order [tap][filter], so that a
 * step finds the filters' values for one tap side by side. */
static bool load_dynamic_convolution(struct loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    struct taco_attention *a = &l->model->attention;
    size_t A = (size_t)h->attention_rnn_dim, D = (size_t)h->attention.dim;
    size_t F = (size_t)h->attention.dynamic_n_filters;
    size_t kernel = (size_t)h->attention.dynamic_kernel_size;
    a->n_query = 2;
    a->channels = 1;
    a->kernel = h->attention.dynamic_kernel_size;
    if (!pack_linear(l, &a->query[0], "decoder.attention.query_layer.", D, A, true))
        return false;
    const float *key = borrow(l, "decoder.attention.key_layer.weight");
    float *by_tap = taco_arena_alloc(&l->scratch, F * kernel * D, sizeof *by_tap);
    if (!key || !by_tap)
        return false;
    for (size_t f = 0; f < F; f++)
        for (size_t k = 0; k < kernel; k++)
            memcpy(&by_tap[(k * F + f) * D], &key[(f * kernel + k) * D], D * sizeof *key);
    const float *parts[1] = {by_tap};
    if (!pack(l, &a->query[1], F * kernel, 1, parts, &D, NULL, TACO_PRECISION_F32))
        return false;
    a->v = keep(l, "decoder.attention.v.weight");
    a->location =
        fold_location(l, borrow(l, "decoder.attention.static_layer.weight"),
                      borrow(l, "decoder.attention.static_conv.weight"), D, F, kernel);
    a->dynamic_weight =
        transpose(borrow(l, "decoder.attention.dynamic_layer.weight"), D, F, l->arena);
    a->dynamic_bias = keep(l, "decoder.attention.dynamic_layer.bias");
    a->prior = keep(l, "decoder.attention.prior");
    return a->v && a->location && a->dynamic_weight && a->dynamic_bias && a->prior;
}

static bool load_attention(struct loader *l) {
    switch (l->model->hparams.attention.type) {
    case TACO_ATTENTION_LOCATION:
    case TACO_ATTENTION_FORWARD:
        return load_location(l);
    case TACO_ATTENTION_GMM:
        return load_gmm(l);
    case TACO_ATTENTION_DYNAMIC_CONVOLUTION:
        return load_dynamic_convolution(l);
    }
    return false;
}

/* Columns [first, first + n) of x [rows, stride], in the scratch. */
static float *columns(struct loader *l, const float *x, size_t rows, size_t stride,
                      size_t first, size_t n) {
    float *out = taco_arena_alloc(&l->scratch, rows * n, sizeof *out);
    for (size_t i = 0; out && i < rows; i++)
        memcpy(&out[i * n], &x[i * stride + first], n * sizeof *out);
    return out;
}

/* linear_projection and gate_layer read the same vector: one matrix, mel rows, then gate
 * rows; columns in the order in which the row's vector holds context and h2. */
static bool load_projection(struct loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels;
    size_t gates = (size_t)h->gate_dim, n_out = frames + gates;
    size_t R = (size_t)h->decoder_rnn_dim, M = (size_t)h->memory_dim, width = R + M;
    const float *mel = borrow(l, "decoder.linear_projection.weight");
    const float *mel_bias = borrow(l, "decoder.linear_projection.bias");
    const float *gate = borrow(l, "decoder.gate_layer.weight");
    const float *gate_bias = borrow(l, "decoder.gate_layer.bias");
    float *weight = taco_arena_alloc(&l->scratch, n_out * width, sizeof *weight);
    float *bias = taco_arena_alloc(&l->scratch, n_out, sizeof *bias);
    if (!mel || !mel_bias || !gate || !gate_bias || !weight || !bias)
        return false;
    memcpy(weight, mel, frames * width * sizeof *weight);
    memcpy(weight + frames * width, gate, gates * width * sizeof *weight);
    memcpy(bias, mel_bias, frames * sizeof *bias);
    memcpy(bias + frames, gate_bias, gates * sizeof *bias);
    const float *h2 = columns(l, weight, n_out, width, 0, R);
    const float *context = columns(l, weight, n_out, width, R, M);
    bool context_first = h->decoder_rnn_context;
    const float *parts[2] = {context_first ? context : h2, context_first ? h2 : context};
    size_t widths[2] = {context_first ? M : R, context_first ? R : M};
    return pack(l, &l->model->projection, n_out, 2, parts, widths, bias,
                TACO_PRECISION_F32);
}

/* What is small: all of the decoder but its LSTMs. */
static bool load_decoder(struct loader *l) {
    if (!load_prenet(l))
        return false;
    taco_arena_reset(&l->scratch);
    if (!load_attention(l))
        return false;
    taco_arena_reset(&l->scratch);
    return load_projection(l);
}

static bool load_attention_rnn(struct loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    size_t P = (size_t)h->prenet_dim[h->prenet_n_layers - 1], M = (size_t)h->memory_dim;
    return pack_lstm(l, &m->attention_rnn, "decoder.attention_rnn.",
                     (size_t)h->attention_rnn_dim, P + M);
}

static bool load_decoder_rnn(struct loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    size_t A = (size_t)h->attention_rnn_dim, M = (size_t)h->memory_dim;
    return pack_lstm(l, &m->decoder_rnn, "decoder.decoder_rnn.",
                     (size_t)h->decoder_rnn_dim, h->decoder_rnn_context ? A + M : A);
}

static bool load_postnet(struct loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    size_t n_mels = (size_t)h->n_mels, hidden = (size_t)h->postnet_embedding_dim;
    size_t kernel = (size_t)h->postnet_kernel_size;
    for (int i = 0; i < h->postnet_n_convolutions; i++) {
        char name[64];
        struct taco_postnet_conv *conv = &m->postnet_conv[i];
        conv->c_in = i == 0 ? n_mels : hidden;
        conv->c_out = i == h->postnet_n_convolutions - 1 ? n_mels : hidden;
        size_t width = conv->c_in * kernel;
        snprintf(name, sizeof name, "postnet.convolutions.%d.weight", i);
        const float *rows =
            reorder_convolution(l, name, conv->c_out, conv->c_in, kernel, &l->scratch);
        snprintf(name, sizeof name, "postnet.convolutions.%d.bias", i);
        const float *bias = borrow(l, name);
        if (!bias || !pack(l, &conv->weight, conv->c_out, 1, &rows, &width, bias,
                           long_precision(m)))
            return false;
        taco_arena_reset(&l->scratch);
    }
    return true;
}

bool taco_load_part(struct taco_tacotron2 *model, const struct taco_safetensors *st,
                    int part) {
    static bool (*const loads[TACO_MODEL_N_PARTS])(struct loader * l) = {
        load_decoder_rnn, load_attention_rnn, load_postnet, load_encoder, load_decoder};
    struct loader l = {model, st, &model->arenas[part], TACO_ARENA_INIT};
    bool good = loads[part](&l);
    taco_arena_free(&l.scratch);
    return good;
}
