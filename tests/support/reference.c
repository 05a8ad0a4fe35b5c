#include "support/reference.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- pieces ---------------------------------------------------------------- */

double *test_doubles(size_t n) {
    double *p = calloc(n ? n : 1, sizeof *p);
    if (!p)
        abort();
    return p;
}

double test_sigmoid(double x) {
    return 1 / (1 + exp(-x));
}

static const struct test_tensor *find(const struct test_reference *ref,
                                      const char *prefix, const char *name) {
    char full[64];
    snprintf(full, sizeof full, "%s%s", prefix, name);
    for (int i = 0; i < ref->voice->n; i++)
        if (strcmp(ref->voice->tensors[i].name, full) == 0)
            return &ref->voice->tensors[i];
    return NULL;
}

const float *test_reference_tensor(const struct test_reference *ref, const char *name) {
    return test_voice_tensor(ref->voice, name)->data;
}

void test_reference_linear(const struct test_reference *ref, const char *name,
                           const double *x, double *y) {
    const struct test_tensor *w = find(ref, name, "weight"), *b = find(ref, name, "bias");
    int64_t n_in = w->n_dims > 1 ? w->shape[1] : w->shape[0];
    int64_t n_out = w->n_dims > 1 ? w->shape[0] : 1;
    for (int64_t o = 0; o < n_out; o++) {
        y[o] = b ? b->data[o] : 0;
        for (int64_t i = 0; i < n_in; i++)
            y[o] += w->data[o * n_in + i] * x[i];
    }
}

/* y [t, c_out] = conv1d(x [t, c_in]), zeros beyond both ends */
static void convolve(const struct test_reference *ref, const char *name, const double *x,
                     int t, double *y) {
    const struct test_tensor *w = find(ref, name, "weight"), *b = find(ref, name, "bias");
    int c_out = (int)w->shape[0], c_in = (int)w->shape[1], kernel = (int)w->shape[2];
    for (int i = 0; i < t; i++)
        for (int o = 0; o < c_out; o++) {
            double sum = b->data[o];
            for (int k = 0; k < kernel; k++) {
                int j = i + k - kernel / 2;
                for (int c = 0; j >= 0 && j < t && c < c_in; c++)
                    sum += w->data[(o * c_in + c) * kernel + k] * x[j * c_in + c];
            }
            y[i * c_out + o] = sum;
        }
}

/* One step of an LSTM; h, c [dim]. */
static void lstm(const struct test_reference *ref, const char *name, const double *x,
                 double *h, double *c, double zoneout) {
    const struct test_tensor *ih = find(ref, name, "weight_ih");
    const struct test_tensor *hh = find(ref, name, "weight_hh");
    const struct test_tensor *bias = find(ref, name, "bias");
    int dim = (int)hh->shape[1], n_in = (int)ih->shape[1];
    double *gates = test_doubles(4 * (size_t)dim);
    for (int o = 0; o < 4 * dim; o++) {
        gates[o] = bias->data[o];
        for (int i = 0; i < n_in; i++)
            gates[o] += ih->data[o * n_in + i] * x[i];
        for (int i = 0; i < dim; i++)
            gates[o] += hh->data[o * dim + i] * h[i];
    }
    for (int j = 0; j < dim; j++) {
        double i = test_sigmoid(gates[j]), f = test_sigmoid(gates[dim + j]);
        double g = tanh(gates[2 * dim + j]), o = test_sigmoid(gates[3 * dim + j]);
        double new_c = f * c[j] + i * g, new_h = o * tanh(new_c);
        c[j] = zoneout * c[j] + (1 - zoneout) * new_c;
        h[j] = zoneout * h[j] + (1 - zoneout) * new_h;
    }
    free(gates);
}

/* -- stages ---------------------------------------------------------------- */

void test_reference_encode(const struct test_reference *ref, const int32_t *ids, int n,
                           int speaker, double *memory) {
    const struct taco_hparams *p = &ref->h;
    int E = p->symbols_embedding_dim, C = p->encoder_conv_dim, H = p->encoder_lstm_dim;
    int width = E > C ? E : C, M = p->memory_dim;
    double *x = test_doubles((size_t)n * (size_t)width);
    double *y = test_doubles((size_t)n * (size_t)width);
    const float *table = test_reference_tensor(ref, "embedding.weight");
    for (int i = 0; i < n; i++)
        for (int j = 0; j < E; j++)
            x[i * E + j] = table[ids[i] * E + j];
    for (int layer = 0; layer < p->encoder_n_convolutions; layer++) {
        char name[40];
        snprintf(name, sizeof name, "encoder.convolutions.%d.", layer);
        convolve(ref, name, x, n, y);
        for (int i = 0; i < n * C; i++)
            x[i] = fmax(y[i], 0) + (p->encoder_residual ? x[i] : 0);
    }
    for (int d = 0; d < 2; d++) {
        double *h = test_doubles((size_t)H), *c = test_doubles((size_t)H);
        for (int i = 0; i < n; i++) {
            int t = d ? n - 1 - i : i;
            lstm(ref, d ? "encoder.lstm_reverse." : "encoder.lstm.", &x[t * C], h, c, 0);
            for (int j = 0; j < H; j++)
                memory[t * M + d * H + j] = h[j];
        }
        free(h);
        free(c);
    }
    for (int i = 0; p->speaker_mode != TACO_SPEAKER_NONE && i < n; i++)
        for (int j = 0; j < p->speaker_embedding_dim; j++) {
            double s = test_reference_tensor(
                ref, "speaker_embedding.weight")[speaker * p->speaker_embedding_dim + j];
            if (p->speaker_mode == TACO_SPEAKER_ADD)
                memory[i * M + j] += s;
            else
                memory[i * M + 2 * H + j] = s;
        }
    free(x);
    free(y);
}

/* The prenet's output [P] from the frames before. */
static void prenet(const struct test_reference *ref, const double *frames,
                   const float *const *masks, int step, double *out) {
    const struct taco_hparams *p = &ref->h;
    int skip = p->prenet_all_frames ? 0 : (p->n_frames_per_step - 1) * p->n_mels;
    const double *x = frames + skip;
    double *y = NULL;
    for (int layer = 0; layer < p->prenet_n_layers; layer++) {
        char name[40];
        int dim = p->prenet_dim[layer];
        double *next = test_doubles((size_t)dim);
        snprintf(name, sizeof name, "decoder.prenet.%d.", layer);
        test_reference_linear(ref, name, x, next);
        for (int j = 0; j < dim; j++)
            next[j] = fmax(next[j], 0) * masks[layer][step * dim + j];
        free(y);
        x = y = next;
    }
    memcpy(out, y, (size_t)p->prenet_dim[p->prenet_n_layers - 1] * sizeof *out);
    free(y);
}

void test_reference_decode(const struct test_reference *ref, const double *memory, int n,
                           int n_steps, const struct test_feed *feed, double *mel,
                           double *gate, double *alignment) {
    const struct taco_hparams *p = &ref->h;
    int P = p->prenet_dim[p->prenet_n_layers - 1], A = p->attention_rnn_dim;
    int R = p->decoder_rnn_dim, M = p->memory_dim, r = p->n_frames_per_step;
    int frames = r * p->n_mels;
    double *h1 = test_doubles((size_t)A), *c1 = test_doubles((size_t)A);
    double *h2 = test_doubles((size_t)R), *c2 = test_doubles((size_t)R);
    double *context = test_doubles((size_t)M), *fed = test_doubles((size_t)frames);
    double *x = test_doubles((size_t)(P + A + R + M));
    struct test_attention attention;
    test_attention_start(&attention, ref, memory, n);
    for (int t = 0; t < n_steps; t++) {
        const double *last = fed + frames - p->n_mels;
        if (p->attention_first)
            test_attention_step(&attention, h1, last, &alignment[t * n], context);
        prenet(ref, fed, feed->masks, t, x);
        memcpy(x + P, context, (size_t)M * sizeof *x);
        lstm(ref, "decoder.attention_rnn.", x, h1, c1, p->zoneout);
        if (!p->attention_first)
            test_attention_step(&attention, h1, last, &alignment[t * n], context);
        memcpy(x, h1, (size_t)A * sizeof *x);
        memcpy(x + A, context, (size_t)M * sizeof *x);
        lstm(ref, "decoder.decoder_rnn.", x, h2, c2, p->zoneout);
        memcpy(x, h2, (size_t)R * sizeof *x);
        memcpy(x + R, context, (size_t)M * sizeof *x);
        test_reference_linear(ref, "decoder.linear_projection.", x, &mel[t * frames]);
        test_reference_linear(ref, "decoder.gate_layer.", x, &gate[t * p->gate_dim]);
        for (int i = 0; i < frames; i++)
            fed[i] = feed->teacher ? feed->teacher[t * frames + i] : mel[t * frames + i];
    }
    test_attention_end(&attention);
    double *const all[] = {h1, c1, h2, c2, context, fed, x};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        free(all[i]);
}

void test_reference_postnet(const struct test_reference *ref, const double *mel, int t,
                            double *out) {
    const struct taco_hparams *p = &ref->h;
    int n_mels = p->n_mels, layers = p->postnet_n_convolutions;
    int width = n_mels > p->postnet_embedding_dim ? n_mels : p->postnet_embedding_dim;
    double *x = test_doubles((size_t)t * (size_t)width);
    double *y = test_doubles((size_t)t * (size_t)width);
    memcpy(x, mel, (size_t)(t * n_mels) * sizeof *x);
    for (int layer = 0; layer < layers; layer++) {
        char name[40];
        int c_out = layer == layers - 1 ? n_mels : p->postnet_embedding_dim;
        snprintf(name, sizeof name, "postnet.convolutions.%d.", layer);
        convolve(ref, name, x, t, y);
        for (int i = 0; i < t * c_out; i++)
            x[i] = layer == layers - 1 ? y[i] : tanh(y[i]);
    }
    for (int i = 0; i < t * n_mels; i++)
        out[i] = mel[i] + (layers ? x[i] : 0);
    free(x);
    free(y);
}
