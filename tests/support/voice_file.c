#include "support/voice_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/numbers.h"
#include "tacotron2/attention.h"
#include "tacotron2/weights.h"

static _Noreturn void give_up(const char *what, const char *detail) {
    fprintf(stderr, "test voice: %s: %s\n", what, detail);
    abort();
}

static void *allocate(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p)
        give_up("no memory", "");
    return p;
}

/* -- config ---------------------------------------------------------------- */

static const char default_config[] =
    "{'name': 'test', 'description': 'random weights', 'language': 'en-US',"
    " 'licence': 'none', 'source': 'tests/support',"
    " 'model': {"
    "  'n_symbols': 38, 'n_mels': 16, 'n_frames_per_step': 1, 'symbols_embedding_dim': "
    "24,"
    "  'encoder_n_convolutions': 2, 'encoder_kernel_size': 5, 'encoder_conv_dim': 24,"
    "  'encoder_lstm_dim': 12, 'prenet_dims': [16, 20], 'prenet_dropout': 0.5,"
    "  'attention_rnn_dim': 32, 'decoder_rnn_dim': 40,"
    "  'attention': {'type': 'location', 'dim': 16, 'location_n_filters': 4,"
    "   'location_kernel_size': 7, 'location_channels': ['prev', 'cum']},"
    "  'gate_threshold': 0.5, 'firing_frame': 'keep', 'max_frames_per_symbol': 6,"
    "  'max_frames_base': 20, 'postnet_n_convolutions': 3, 'postnet_kernel_size': 5,"
    "  'postnet_embedding_dim': 20},"
    " 'audio': {'sample_rate': 16000, 'n_fft': 512, 'win_length': 400, 'hop_length': 80,"
    "  'n_mels': 16, 'fmin': 0, 'fmax': 8000, 'log': 'ln', 'log_floor': 1e-5},"
    " 'text': {'front_end': 'characters', 'punctuation': '!,.:;?'}}";

static json_t *parse(const char *text) {
    char *json = allocate(strlen(text) + 1, 1);
    for (size_t i = 0; text[i]; i++)
        json[i] = text[i] == '\'' ? '"' : text[i];
    json_error_t error;
    json_t *value = json_loads(json, JSON_REJECT_DUPLICATES, &error);
    if (!value)
        give_up(error.text, json);
    free(json);
    return value;
}

static void merge(json_t *into, json_t *from) {
    const char *key;
    json_t *value;
    json_object_foreach(from, key, value) {
        json_t *old = json_object_get(into, key);
        if (json_is_null(value))
            json_object_del(into, key);
        else if (json_is_object(value) && json_is_object(old))
            merge(old, value);
        else
            json_object_set(into, key, value);
    }
}

/* As many of torchaudio's characters as the model has symbols, then made-up names. */
static json_t *symbols(json_int_t n) {
    static const char characters[] = "_-!'(),.:;? abcdefghijklmnopqrstuvwxyz";
    json_t *list = json_array();
    for (json_int_t i = 0; i < n; i++) {
        char name[24] = {0};
        if (i < (json_int_t)sizeof characters - 1)
            name[0] = characters[i];
        else
            snprintf(name, sizeof name, "#%lld", (long long)i);
        json_array_append_new(list, json_string(name));
    }
    return list;
}

/* -- values ---------------------------------------------------------------- */

static float *values_of(struct test_voice *voice, const char *name) {
    return test_voice_tensor(voice, name)->data;
}

static size_t elements(int n_dims, const int64_t *shape) {
    size_t n = 1;
    for (int i = 0; i < n_dims; i++)
        n *= (size_t)shape[i];
    return n;
}

struct test_tensor *test_voice_add(struct test_voice *voice, const char *name, int n_dims,
                                   const int64_t *shape) {
    if (voice->n == TEST_VOICE_MAX_TENSORS)
        give_up("too many tensors", name);
    struct test_tensor *tensor = &voice->tensors[voice->n++];
    memset(tensor, 0, sizeof *tensor);
    snprintf(tensor->name, sizeof tensor->name, "%s", name);
    tensor->n_dims = n_dims;
    memcpy(tensor->shape, shape, (size_t)n_dims * sizeof *shape);
    tensor->data = allocate(elements(n_dims, shape), sizeof *tensor->data);
    tensor->dtype = TACO_DTYPE_F32;
    return tensor;
}

/* Uniform values whose products with unit-variance inputs have a variance of about
 * gain^2: a network that is neither dead nor saturated, so that a wrong stage shows. */
static void draw(struct test_tensor *tensor, uint64_t *seed) {
    static const struct {
        const char *part;
        float gain;
    } gains[] = {
        {"embedding.weight", 1.0f},
        {"convolutions", 1.4f},
        {"weight_ih", 1.5f},
        {"weight_hh", 1.0f},
        {"prenet", 1.2f},
        {"query_layer", 1.5f},
        {"memory_layer", 1.5f},
        {"v.weight", 3.0f},
        {"location", 1.5f},
        {"static", 1.5f},
        {"linear_projection", 1.5f},
        {"gate_layer", 1.5f},
    };
    float gain = 1.0f;
    for (size_t i = 0; i < sizeof gains / sizeof *gains; i++)
        if (strstr(tensor->name, gains[i].part)) {
            gain = gains[i].gain;
            break;
        }
    size_t n = elements(tensor->n_dims, tensor->shape);
    bool bias = strstr(tensor->name, "bias") != NULL;
    bool table = strstr(tensor->name, "embedding") != NULL;
    size_t n_in = tensor->n_dims > 1 ? n / (size_t)tensor->shape[0] : n;
    float scale = bias ? 0.1f : gain * sqrtf(3.0f / (table ? 1.0f : (float)n_in));
    test_random_fill(seed, scale, tensor->data, n);
}

/* Triangles of equal width along the mel scale, so wide that none misses every bin. */
static void draw_mel_basis(struct test_voice *voice, const json_t *audio) {
    int64_t n_mels = json_integer_value(json_object_get(audio, "n_mels"));
    int64_t n_bins = json_integer_value(json_object_get(audio, "n_fft")) / 2 + 1;
    double rate = json_number_value(json_object_get(audio, "sample_rate"));
    double fmin = json_number_value(json_object_get(audio, "fmin"));
    double fmax = json_number_value(json_object_get(audio, "fmax"));
    double low = log1p(fmin / 700), high = log1p(fmax / 700);
    double step = (high - low) / (double)(n_mels + 1),
           bin = rate / 2 / (double)(n_bins - 1);
    float *basis =
        test_voice_add(voice, "audio.mel_basis", 2, (int64_t[]){n_mels, n_bins})->data;
    for (int64_t m = 0; m < n_mels; m++) {
        double centre = 700 * expm1(low + step * (double)(m + 1));
        double left = centre - 700 * expm1(low + step * (double)m);
        double right = 700 * expm1(low + step * (double)(m + 2)) - centre;
        left = left > bin ? left : bin;
        right = right > bin ? right : bin;
        for (int64_t b = 0; b < n_bins; b++) {
            double d = bin * (double)b - centre, x = 1 - (d < 0 ? -d / left : d / right);
            basis[m * n_bins + b] = x > 0 ? (float)(2 * x / (left + right)) : 0;
        }
    }
    if (!json_is_true(json_object_get(audio, "mean_std")))
        return;
    float *mean = test_voice_add(voice, "audio.mean", 1, &n_mels)->data;
    float *std = test_voice_add(voice, "audio.std", 1, &n_mels)->data;
    for (int64_t m = 0; m < n_mels; m++) {
        mean[m] = -4.0f + 0.1f * (float)m;
        std[m] = 1.0f + 0.05f * (float)m;
    }
}

void test_voice_init(struct test_voice *voice, const char *overrides, uint64_t seed) {
    memset(voice, 0, sizeof *voice);
    voice->format = "taco-voice";
    voice->config = parse(default_config);
    if (overrides) {
        json_t *changes = parse(overrides);
        merge(voice->config, changes);
        json_decref(changes);
    }
    json_t *model = json_object_get(voice->config, "model");
    json_t *text = json_object_get(voice->config, "text");
    json_t *n_symbols = json_object_get(model, "n_symbols");
    if (text && !json_object_get(text, "symbols"))
        json_object_set_new(text, "symbols", symbols(json_integer_value(n_symbols)));

    struct taco_hparams hparams;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_hparams_parse(&hparams, model, &err) != TACO_OK)
        give_up("model", err.message);
    json_t *speakers = json_object_get(voice->config, "speakers");
    if (hparams.speaker_mode != TACO_SPEAKER_NONE)
        hparams.n_speakers = (int)json_array_size(speakers);
    struct taco_weight list[TACO_MAX_WEIGHTS];
    int n = taco_weights_list(&hparams, list);
    for (int i = 0; i < n; i++)
        draw(test_voice_add(voice, list[i].name, list[i].n_dims, list[i].shape), &seed);
    draw_mel_basis(voice, json_object_get(voice->config, "audio"));

    /* Mels of quiet speech, a gate that fires now and then, a prior that goes forward. */
    float *mel_bias = values_of(voice, "decoder.linear_projection.bias");
    for (int i = 0; i < hparams.n_frames_per_step * hparams.n_mels; i++)
        mel_bias[i] -= 4.0f;
    float *gate_bias = values_of(voice, "decoder.gate_layer.bias");
    for (int i = 0; i < hparams.gate_dim; i++)
        gate_bias[i] -= 2.5f;
    if (hparams.attention.mechanism == &taco_attention_dynamic_convolution) {
        float *prior = values_of(voice, "decoder.attention.prior");
        for (int i = 0; i < hparams.attention.prior_length; i++)
            prior[i] = 1.0f / (float)hparams.attention.prior_length;
    }
}

void test_voice_free(struct test_voice *voice) {
    for (int i = 0; i < voice->n; i++)
        free(voice->tensors[i].data);
    json_decref(voice->config);
    memset(voice, 0, sizeof *voice);
}

struct test_tensor *test_voice_tensor(struct test_voice *voice, const char *name) {
    for (int i = 0; i < voice->n; i++)
        if (strcmp(voice->tensors[i].name, name) == 0)
            return &voice->tensors[i];
    give_up("no such tensor", name);
}

void test_voice_drop(struct test_voice *voice, const char *name) {
    struct test_tensor *tensor = test_voice_tensor(voice, name);
    free(tensor->data);
    size_t behind = (size_t)(&voice->tensors[voice->n] - tensor) - 1;
    memmove(tensor, tensor + 1, behind * sizeof *tensor);
    voice->n--;
}

void test_voice_reshape(struct test_voice *voice, const char *name, int n_dims,
                        const int64_t *shape) {
    struct test_tensor *tensor = test_voice_tensor(voice, name);
    size_t old = elements(tensor->n_dims, tensor->shape), n = elements(n_dims, shape);
    float *data = allocate(n, sizeof *data);
    memcpy(data, tensor->data, (old < n ? old : n) * sizeof *data);
    free(tensor->data);
    tensor->data = data;
    tensor->n_dims = n_dims;
    memcpy(tensor->shape, shape, (size_t)n_dims * sizeof *shape);
}

/* -- file ------------------------------------------------------------------ */

/* Cut, not rounded: a test that compares values takes such as have few bits. */
static uint16_t to_half(float f) {
    uint32_t bits;
    memcpy(&bits, &f, sizeof bits);
    uint32_t sign = bits >> 16 & 0x8000, exponent = bits >> 23 & 0xFF;
    uint32_t fraction = bits >> 13 & 0x3FF;
    if (exponent == 0xFF) /* infinite, or no number */
        return (uint16_t)(sign | 0x7C00 | fraction);
    if (exponent < 113)
        return (uint16_t)sign; /* smaller than the smallest normal number */
    if (exponent > 142)
        give_up("a value does not fit f16", "");
    return (uint16_t)(sign | (exponent - 112) << 10 | fraction);
}

static const char *type_name(enum taco_dtype dtype) {
    static const char *const names[] = {"F32", "F16", "BF16", "I32"};
    return names[dtype];
}

static size_t type_size(enum taco_dtype dtype) {
    return dtype == TACO_DTYPE_F32 || dtype == TACO_DTYPE_OTHER ? 4 : 2;
}

static void store(const struct test_tensor *tensor, unsigned char *out) {
    size_t n = elements(tensor->n_dims, tensor->shape), size = type_size(tensor->dtype);
    for (size_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, &tensor->data[i], sizeof bits);
        if (tensor->dtype == TACO_DTYPE_F16)
            bits = to_half(tensor->data[i]);
        if (tensor->dtype == TACO_DTYPE_BF16)
            bits >>= 16;
        if (tensor->dtype == TACO_DTYPE_OTHER)
            bits = (uint32_t)(int32_t)tensor->data[i];
        memcpy(out + i * size, &bits, size); /* little-endian, as the file's */
    }
}

/* Tensors of four-byte elements first, so that each finds its alignment without a gap. */
static json_t *make_header(const struct test_voice *voice, size_t *offsets,
                           size_t *total) {
    json_t *header = json_object();
    char *config = json_dumps(voice->config, JSON_COMPACT);
    json_object_set_new(header, "__metadata__",
                        json_pack("{s:s, s:s, s:s}", "format", voice->format, "version",
                                  "1", "config", config));
    free(config);
    *total = 0;
    for (size_t size = 4; size >= 2; size -= 2)
        for (int i = 0; i < voice->n; i++) {
            const struct test_tensor *tensor = &voice->tensors[i];
            if (type_size(tensor->dtype) != size)
                continue;
            json_t *shape = json_array();
            for (int d = 0; d < tensor->n_dims; d++)
                json_array_append_new(shape, json_integer(tensor->shape[d]));
            offsets[i] = *total;
            *total += elements(tensor->n_dims, tensor->shape) * size;
            json_object_set_new(header, tensor->name,
                                json_pack("{s:s, s:o, s:[I, I]}", "dtype",
                                          type_name(tensor->dtype), "shape", shape,
                                          "data_offsets", (json_int_t)offsets[i],
                                          (json_int_t)*total));
        }
    return header;
}

void *test_voice_bytes(const struct test_voice *voice, size_t *size) {
    size_t offsets[TEST_VOICE_MAX_TENSORS], n_data;
    json_t *header = make_header(voice, offsets, &n_data);
    char *json = json_dumps(header, JSON_COMPACT);
    json_decref(header);
    if (!json)
        give_up("header", "cannot be written");
    size_t length = strlen(json), padded = (length + 8 + 63) / 64 * 64 - 8;
    *size = 8 + padded + n_data;
    unsigned char *bytes = aligned_alloc(64, (*size + 63) / 64 * 64);
    if (!bytes)
        give_up("no memory", "");
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(padded >> 8 * i);
    memset(bytes + 8, ' ', padded);
    memcpy(bytes + 8, json, length);
    free(json);
    for (int i = 0; i < voice->n; i++)
        store(&voice->tensors[i], bytes + 8 + padded + offsets[i]);
    return bytes;
}

void test_voice_save(const struct test_voice *voice, const char *path) {
    size_t size;
    void *bytes = test_voice_bytes(voice, &size);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        give_up("cannot write", path);
    free(bytes);
}
