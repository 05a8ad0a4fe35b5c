/* The tensors of a graph (weights.h). */
#include "tacotron2/weights.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "tacotron2/attention.h"

/* -- names and shapes ------------------------------------------------------ */

void taco_weight_add(struct taco_weight_list *w, const char *name, int64_t a, int64_t b,
                     int64_t c) {
    assert(w->n < TACO_MAX_WEIGHTS);
    struct taco_weight *weight = &w->list[w->n++];
    int length = snprintf(weight->name, sizeof weight->name, "%s%s", w->prefix, name);
    assert(length < (int)sizeof weight->name);
    (void)length;
    weight->shape[0] = a;
    weight->shape[1] = b;
    weight->shape[2] = c;
    weight->n_dims = c ? 3 : b ? 2 : 1;
}

static void add(struct taco_weight_list *w, const char *prefix, const char *name,
                int64_t a, int64_t b, int64_t c) {
    w->prefix = prefix;
    taco_weight_add(w, name, a, b, c);
}

static void add_convolutions(struct taco_weight_list *w, const char *part, int n,
                             int64_t c_in, int64_t c_hidden, int64_t c_out,
                             int64_t kernel) {
    for (int i = 0; i < n; i++) {
        char prefix[40];
        int64_t in = i == 0 ? c_in : c_hidden, out = i == n - 1 ? c_out : c_hidden;
        snprintf(prefix, sizeof prefix, "%s.convolutions.%d.", part, i);
        add(w, prefix, "weight", out, in, kernel);
        add(w, prefix, "bias", out, 0, 0);
    }
}

static void add_lstm(struct taco_weight_list *w, const char *prefix, int64_t dim,
                     int64_t n_in) {
    add(w, prefix, "weight_ih", 4 * dim, n_in, 0);
    add(w, prefix, "weight_hh", 4 * dim, dim, 0);
    add(w, prefix, "bias", 4 * dim, 0, 0);
}

void taco_self_attention_tensors(struct taco_weight_list *w, int64_t W, int64_t F) {
    taco_weight_add(w, "in_proj.weight", 3 * W, W, 0);
    taco_weight_add(w, "in_proj.bias", 3 * W, 0, 0);
    taco_weight_add(w, "out_proj.weight", W, W, 0);
    taco_weight_add(w, "out_proj.bias", W, 0, 0);
    taco_weight_add(w, "linear1.weight", F, W, 0);
    taco_weight_add(w, "linear1.bias", F, 0, 0);
    taco_weight_add(w, "linear2.weight", W, F, 0);
    taco_weight_add(w, "linear2.bias", W, 0, 0);
    taco_weight_add(w, "norm1.weight", W, 0, 0);
    taco_weight_add(w, "norm1.bias", W, 0, 0);
    taco_weight_add(w, "norm2.weight", W, 0, 0);
    taco_weight_add(w, "norm2.bias", W, 0, 0);
}

static void add_encoder(struct taco_weight_list *w, const struct taco_hparams *h) {
    int64_t C = h->encoder_conv_dim, E = h->symbols_embedding_dim;
    add(w, "", "embedding.weight", h->n_symbols, E, 0);
    add_convolutions(w, "encoder", h->encoder_n_convolutions, E, C, C,
                     h->encoder_kernel_size);
    if (h->encoder_lstm) {
        add_lstm(w, "encoder.lstm.", h->encoder_lstm_dim, C);
        add_lstm(w, "encoder.lstm_reverse.", h->encoder_lstm_dim, C);
    }
    for (int i = 0; i < h->encoder_attention_layers; i++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "encoder.self_attention.%d.", i);
        w->prefix = prefix;
        taco_self_attention_tensors(w, 2 * h->encoder_lstm_dim, h->encoder_attention_dim);
    }
    if (h->speaker_mode != TACO_SPEAKER_NONE)
        add(w, "", "speaker_embedding.weight", h->n_speakers, h->speaker_embedding_dim,
            0);
}

static void add_prenet(struct taco_weight_list *w, const struct taco_hparams *h) {
    int64_t in = h->n_mels * (h->prenet_all_frames ? h->n_frames_per_step : 1);
    for (int i = 0; i < h->prenet_n_layers; i++) {
        char prefix[40];
        snprintf(prefix, sizeof prefix, "decoder.prenet.%d.", i);
        add(w, prefix, "weight", h->prenet_dim[i], in, 0);
        if (h->prenet_bias)
            add(w, prefix, "bias", h->prenet_dim[i], 0, 0);
        in = h->prenet_dim[i];
    }
}

void taco_attention_prefix(const struct taco_hparams *h, int i,
                           char prefix[TACO_ATTENTION_PREFIX_BYTES]) {
    snprintf(prefix, TACO_ATTENTION_PREFIX_BYTES,
             i ? "attention.%s." : "decoder.attention.", h->attentions[i].name);
}

int taco_weights_list(const struct taco_hparams *h, struct taco_weight *list) {
    struct taco_weight_list w = {list, 0, ""};
    int64_t A = h->attention_rnn_dim, R = h->decoder_rnn_dim, M = h->memory_dim;
    int64_t P = h->prenet_dim[h->prenet_n_layers - 1];
    int64_t frames = (int64_t)h->n_frames_per_step * h->n_mels;
    add_encoder(&w, h);
    add_prenet(&w, h);
    add_lstm(&w, "decoder.attention_rnn.", A, P + M);
    for (int i = 0; i < h->n_attentions; i++) {
        char prefix[TACO_ATTENTION_PREFIX_BYTES];
        taco_attention_prefix(h, i, prefix);
        w.prefix = prefix;
        h->attentions[i].mechanism->tensors(&w, h, &h->attentions[i]);
    }
    add_lstm(&w, "decoder.decoder_rnn.", R, h->decoder_rnn_context ? A + M : A);
    add(&w, "decoder.", "linear_projection.weight", frames, R + M, 0);
    add(&w, "decoder.", "linear_projection.bias", frames, 0, 0);
    add(&w, "decoder.", "gate_layer.weight", h->gate_dim, R + M, 0);
    add(&w, "decoder.", "gate_layer.bias", h->gate_dim, 0, 0);
    add_convolutions(&w, "postnet", h->postnet_n_convolutions, h->n_mels,
                     h->postnet_embedding_dim, h->n_mels, h->postnet_kernel_size);
    return w.n;
}

/* -- the file -------------------------------------------------------------- */

static void shape_text(int n_dims, const int64_t *shape, char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "[");
    for (int i = 0; i < n_dims && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%lld", i ? ", " : "",
                                 (long long)shape[i]);
    if (used < size)
        snprintf(out + used, size - used, "]");
}

/* A number is NaN or infinite when all bits of its exponent are set. The inner loop has a
 * fixed length so that the compiler makes vectors of it: a voice holds millions. */
#define ALL_FINITE(type, exponent)                                                       \
    do {                                                                                 \
        const type *x = data;                                                            \
        type bad = 0;                                                                    \
        size_t i = 0;                                                                    \
        for (; i + 64 <= n && !bad; i += 64)                                             \
            for (size_t j = 0; j < 64; j++)                                              \
                bad |= (type)((x[i + j] & exponent) == exponent);                        \
        for (; i < n; i++)                                                               \
            bad |= (type)((x[i] & exponent) == exponent);                                \
        return !bad;                                                                     \
    } while (0)

static bool finite_32(const void *data, size_t n) {
    ALL_FINITE(uint32_t, 0x7F800000u);
}
static bool finite_f16(const void *data, size_t n) {
    ALL_FINITE(uint16_t, 0x7C00u);
}
static bool finite_bf16(const void *data, size_t n) {
    ALL_FINITE(uint16_t, 0x7F80u);
}

bool taco_weight_is_finite(const struct taco_weight *weight,
                           const struct taco_safetensors *st) {
    const struct taco_tensor *tensor = taco_safetensors_find(st, weight->name);
    switch (tensor->dtype) {
    case TACO_DTYPE_F32:
        return finite_32(tensor->data, tensor->n_elements);
    case TACO_DTYPE_F16:
        return finite_f16(tensor->data, tensor->n_elements);
    case TACO_DTYPE_BF16:
        return finite_bf16(tensor->data, tensor->n_elements);
    case TACO_DTYPE_OTHER:
        break;
    }
    return false;
}

static enum taco_status check_one(const struct taco_weight *weight,
                                  const struct taco_tensor *tensor,
                                  struct taco_error *err) {
    char want[80], found[80];
    const char *name = weight->name;
    shape_text(weight->n_dims, weight->shape, want, sizeof want);
    if (!tensor)
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "%s: missing; the config asks for it with shape %s", name,
                              want);
    bool same = tensor->n_dims == weight->n_dims;
    for (int i = 0; same && i < weight->n_dims; i++)
        same = tensor->shape[i] == weight->shape[i];
    if (!same) {
        shape_text(tensor->n_dims, tensor->shape, found, sizeof found);
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "%s: the config asks for shape %s, the file has %s", name,
                              want, found);
    }
    if (tensor->dtype == TACO_DTYPE_OTHER)
        return taco_error_set(err, TACO_ERR_SHAPE, name,
                              "%s: type %s; weights are F32, F16 or BF16", name,
                              tensor->dtype_name);
    return TACO_OK;
}

enum taco_status taco_weights_check(const struct taco_weight *list, int n,
                                    const struct taco_safetensors *st,
                                    struct taco_error *err) {
    for (int i = 0; i < n; i++) {
        enum taco_status status =
            check_one(&list[i], taco_safetensors_find(st, list[i].name), err);
        if (status != TACO_OK)
            return status;
    }
    for (size_t i = 0; i < taco_safetensors_count(st); i++) {
        const char *name = taco_safetensors_at(st, i)->name;
        bool known =
            strncmp(name, "audio.", 6) == 0 || strncmp(name, "inverter.", 9) == 0;
        for (int j = 0; j < n && !known; j++)
            known = strcmp(name, list[j].name) == 0;
        if (!known)
            return taco_error_set(
                err, TACO_ERR_FORMAT, name,
                "%.100s: a tensor that the config's graph does not have", name);
    }
    return TACO_OK;
}

const float *taco_weights_get(const struct taco_safetensors *st, const char *name,
                              bool keep, struct taco_arena *arena) {
    const struct taco_tensor *tensor = taco_safetensors_find(st, name);
    assert(tensor);
    if (tensor->dtype == TACO_DTYPE_F32 && (!keep || taco_safetensors_is_borrowed(st)))
        return tensor->data;
    float *values = taco_arena_alloc(arena, tensor->n_elements, sizeof *values);
    if (values)
        taco_tensor_to_f32(tensor, values);
    return values;
}
