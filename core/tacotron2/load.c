/* Weights become what encoder, decoder and postnet compute with: converted, folded and
 * packed. */
#include "tacotron2/load.h"

#include <stdio.h>
#include <string.h>

#include "tacotron2/attention.h"
#include "tacotron2/weights.h"

/* [W_ih | W_hh] over x = [inputs, h]: one product a cell and step. */
static bool pack_lstm(struct taco_loader *l, struct taco_matrix *out, const char *part,
                      size_t dim, size_t n_in) {
    const float *bias = taco_load_borrow_part(l, part, "bias");
    const float *parts[2] = {taco_load_borrow_part(l, part, "weight_ih"),
                             taco_load_borrow_part(l, part, "weight_hh")};
    return bias && taco_load_pack(l, out, 4 * dim, 2, parts, (size_t[]){n_in, dim}, bias,
                                  l->model->precision);
}

/* The layer's weight as rows [c_out, kernel, c_in], in the arena. */
static float *reorder_convolution(struct taco_loader *l, const char *name, size_t c_out,
                                  size_t c_in, size_t kernel, struct taco_arena *arena) {
    const float *weight = taco_load_borrow(l, name);
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

static bool load_encoder_conv(struct taco_loader *l, int i) {
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
    const float *bias = packs ? taco_load_borrow(l, name) : taco_load_keep(l, name);
    size_t width = conv->c_in * kernel;
    bool good = rows && bias;
    if (good && packs)
        good = taco_load_pack(l, &conv->linear.packed, C, 1, &rows, &width, bias,
                              long_precision(m));
    else if (good)
        conv->linear = (struct taco_linear){.weight = rows, .bias = bias};
    taco_arena_reset(&l->scratch);
    return good;
}

static bool load_encoder_lstm(struct taco_loader *l, struct taco_encoder_lstm *lstm,
                              const char *prefix) {
    const struct taco_tacotron2 *m = l->model;
    enum taco_precision precision = long_precision(m);
    size_t C = (size_t)m->hparams.encoder_conv_dim;
    size_t H = (size_t)m->hparams.encoder_lstm_dim;
    const float *hidden = taco_load_borrow_part(l, prefix, "weight_hh");
    bool good = taco_load_pack(l, &lstm->hidden, 4 * H, 1, &hidden, &H, NULL, precision);
    if (precision == TACO_PRECISION_F32)
        return good && taco_load_linear_f32(l, &lstm->inputs, prefix, "weight_ih", true);
    const float *inputs = taco_load_borrow_part(l, prefix, "weight_ih");
    const float *bias = taco_load_borrow_part(l, prefix, "bias");
    good =
        good && bias &&
        taco_load_pack(l, &lstm->inputs.packed, 4 * H, 1, &inputs, &C, bias, precision);
    taco_arena_reset(&l->scratch);
    return good;
}

bool taco_load_self_attention(struct taco_loader *l, struct taco_self_attention *layer,
                              const char *part) {
    struct {
        struct taco_linear *linear;
        const char *name;
    } parts[] = {{&layer->in_proj, "in_proj."},
                 {&layer->out_proj, "out_proj."},
                 {&layer->linear[0], "linear1."},
                 {&layer->linear[1], "linear2."}};
    char name[64];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        snprintf(name, sizeof name, "%s%s", part, parts[i].name);
        if (!taco_load_linear_f32(l, parts[i].linear, name, "weight", true))
            return false;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(name, sizeof name, "%snorm%d.weight", part, i + 1);
        layer->norm[i].weight = taco_load_keep(l, name);
        snprintf(name, sizeof name, "%snorm%d.bias", part, i + 1);
        layer->norm[i].bias = taco_load_keep(l, name);
        if (!layer->norm[i].weight || !layer->norm[i].bias)
            return false;
    }
    return true;
}

static bool load_encoder(struct taco_loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    m->embedding = taco_load_keep(l, "embedding.weight");
    if (!m->embedding)
        return false;
    for (int i = 0; i < h->encoder_n_convolutions; i++)
        if (!load_encoder_conv(l, i))
            return false;
    if (h->encoder_lstm &&
        (!load_encoder_lstm(l, &m->encoder_lstm[0], "encoder.lstm.") ||
         !load_encoder_lstm(l, &m->encoder_lstm[1], "encoder.lstm_reverse.")))
        return false;
    for (int i = 0; i < h->encoder_attention_layers; i++) {
        char part[40];
        snprintf(part, sizeof part, "encoder.self_attention.%d.", i);
        if (!taco_load_self_attention(l, &m->self_attention[i], part))
            return false;
    }
    if (h->speaker_mode != TACO_SPEAKER_NONE) {
        m->speaker_embedding = taco_load_keep(l, "speaker_embedding.weight");
        return m->speaker_embedding != NULL;
    }
    return true;
}

static bool load_prenet(struct taco_loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    size_t n_in = (size_t)h->n_mels;
    if (h->prenet_all_frames)
        n_in *= (size_t)h->n_frames_per_step;
    for (int i = 0; i < h->prenet_n_layers; i++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "decoder.prenet.%d.", i);
        size_t n_out = (size_t)h->prenet_dim[i];
        if (!taco_load_linear(l, &l->model->prenet[i], prefix, n_out, n_in,
                              h->prenet_bias))
            return false;
        n_in = n_out;
    }
    return true;
}

bool taco_load_attention(struct taco_loader *l,
                         const struct taco_attention_params *params,
                         struct taco_attention *a) {
    const struct taco_hparams *h = &l->model->hparams;
    *a = (struct taco_attention){
        .params = params,
        .mechanism = params->mechanism,
        .kernels = l->model->kernels,
        .query_dim = (size_t)h->attention_rnn_dim,
        .memory_dim = (size_t)h->memory_dim,
        .n_mels = (size_t)h->n_mels,
        .scale = params->scale > 0 ? params->scale : 1,
    };
    return a->mechanism->load(l, a);
}

static bool load_attentions(struct taco_loader *l) {
    struct taco_tacotron2 *m = l->model;
    char prefix[TACO_ATTENTION_PREFIX_BYTES];
    l->prefix = prefix;
    bool good = true;
    for (int i = 0; good && i < m->hparams.n_attentions; i++) {
        taco_attention_prefix(&m->hparams, i, prefix);
        good = taco_load_attention(l, &m->hparams.attentions[i], &m->attentions[i]);
        taco_arena_reset(&l->scratch);
    }
    l->prefix = "";
    return good;
}

/* Columns [first, first + n) of x [rows, stride], in the scratch. */
static float *columns(struct taco_loader *l, const float *x, size_t rows, size_t stride,
                      size_t first, size_t n) {
    float *out = taco_arena_alloc(&l->scratch, rows * n, sizeof *out);
    for (size_t i = 0; out && i < rows; i++)
        memcpy(&out[i * n], &x[i * stride + first], n * sizeof *out);
    return out;
}

/* linear_projection and gate_layer read the same vector: one matrix, mel rows, then gate
 * rows; columns in the order in which the row's vector holds context and h2. */
static bool load_projection(struct taco_loader *l) {
    const struct taco_hparams *h = &l->model->hparams;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels;
    size_t gates = (size_t)h->gate_dim, n_out = frames + gates;
    size_t R = (size_t)h->decoder_rnn_dim, M = (size_t)h->memory_dim, width = R + M;
    const float *mel = taco_load_borrow(l, "decoder.linear_projection.weight");
    const float *mel_bias = taco_load_borrow(l, "decoder.linear_projection.bias");
    const float *gate = taco_load_borrow(l, "decoder.gate_layer.weight");
    const float *gate_bias = taco_load_borrow(l, "decoder.gate_layer.bias");
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
    return taco_load_pack(l, &l->model->projection, n_out, 2, parts, widths, bias,
                          TACO_PRECISION_F32);
}

/* What is small: all of the decoder but its LSTMs. */
static bool load_decoder(struct taco_loader *l) {
    if (!load_prenet(l))
        return false;
    taco_arena_reset(&l->scratch);
    if (!load_attentions(l))
        return false;
    return load_projection(l);
}

static bool load_attention_rnn(struct taco_loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    size_t P = (size_t)h->prenet_dim[h->prenet_n_layers - 1], M = (size_t)h->memory_dim;
    return pack_lstm(l, &m->attention_rnn, "decoder.attention_rnn.",
                     (size_t)h->attention_rnn_dim, P + M);
}

static bool load_decoder_rnn(struct taco_loader *l) {
    struct taco_tacotron2 *m = l->model;
    const struct taco_hparams *h = &m->hparams;
    size_t A = (size_t)h->attention_rnn_dim, M = (size_t)h->memory_dim;
    return pack_lstm(l, &m->decoder_rnn, "decoder.decoder_rnn.",
                     (size_t)h->decoder_rnn_dim, h->decoder_rnn_context ? A + M : A);
}

static bool load_postnet(struct taco_loader *l) {
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
        const float *bias = taco_load_borrow(l, name);
        if (!bias || !taco_load_pack(l, &conv->weight, conv->c_out, 1, &rows, &width,
                                     bias, long_precision(m)))
            return false;
        taco_arena_reset(&l->scratch);
    }
    return true;
}

bool taco_load_part(struct taco_tacotron2 *model, const struct taco_safetensors *st,
                    int part) {
    static bool (*const loads[TACO_MODEL_N_PARTS])(struct taco_loader * l) = {
        load_decoder_rnn, load_attention_rnn, load_postnet, load_encoder, load_decoder};
    struct taco_loader l = {model, st, &model->arenas[part], TACO_ARENA_INIT, ""};
    bool good = loads[part](&l);
    taco_arena_free(&l.scratch);
    return good;
}
