/* The learnt mel inverter: against a twin in double precision, in portions, in voices and in
 * files of its own. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpu.h"
#include "engine/voice.h"
#include "support/files.h"
#include "support/numbers.h"
#include "support/runner.h"
#include "support/voice_file.h"
#include "vocoder/inverter.h"

enum {
    MELS = 16,
    BINS = 257,
    WIDTH = 24,
    KERNEL = 5,
    LAYERS = 3,
    REACH = 6,
    FRAMES = 41
};

static const struct taco_inverter_params params = {.n_convolutions = LAYERS,
                                                   .kernel_size = KERNEL,
                                                   .channels = WIDTH,
                                                   .offset = -4,
                                                   .gain = 0.5f};
static const float silence = -11.5f;

/* Weights of a network, drawn. */
struct network {
    float *conv_weight[LAYERS], *conv_bias[LAYERS], *out_weight, *out_bias;
};

static float *drawn(uint64_t *seed, float scale, size_t n) {
    float *x = malloc(n * sizeof *x);
    test_random_fill(seed, scale, x, n);
    return x;
}

static void network_init(struct network *net, uint64_t seed) {
    for (int i = 0; i < LAYERS; i++) {
        size_t c_in = i > 0 ? WIDTH : MELS;
        net->conv_weight[i] = drawn(&seed, 0.2f, WIDTH * c_in * KERNEL);
        net->conv_bias[i] = drawn(&seed, 0.2f, WIDTH);
    }
    net->out_weight = drawn(&seed, 0.1f, (size_t)BINS * (WIDTH + MELS));
    net->out_bias = drawn(&seed, 1, BINS);
}

static void network_free(struct network *net) {
    for (int i = 0; i < LAYERS; i++) {
        free(net->conv_weight[i]);
        free(net->conv_bias[i]);
    }
    free(net->out_weight);
    free(net->out_bias);
}

static void open_inverter(struct taco_inverter *inverter, const struct network *net,
                          enum taco_precision precision, struct taco_arena *arena) {
    struct taco_inverter_weights weights = {.out_weight = net->out_weight,
                                            .out_bias = net->out_bias};
    for (int i = 0; i < LAYERS; i++) {
        weights.conv_weight[i] = net->conv_weight[i];
        weights.conv_bias[i] = net->conv_bias[i];
    }
    ck_assert_int_eq(taco_inverter_init(inverter, &params, &weights, MELS, BINS, silence,
                                        taco_kernels_get(taco_cpu_flags()), precision,
                                        arena),
                     TACO_OK);
}

/* The equations of inverter.h: n_out frames of layer i from those of the layer before. */
static double *layer(const struct network *net, int i, const double *x, int n_out) {
    int c_in = i > 0 ? WIDTH : MELS;
    double *y = calloc((size_t)(n_out * WIDTH), sizeof *y);
    for (int t = 0; t < n_out; t++)
        for (int c = 0; c < WIDTH; c++) {
            double sum = net->conv_bias[i][c];
            for (int k = 0; k < KERNEL; k++)
                for (int d = 0; d < c_in; d++)
                    sum += net->conv_weight[i][(c * c_in + d) * KERNEL + k] *
                           x[(t + k) * c_in + d];
            sum = sum > 0 ? sum : 0;
            y[t * WIDTH + c] = (i > 0 ? x[(t + KERNEL / 2) * c_in + c] : 0) + sum;
        }
    return y;
}

/* Magnitudes [n, BINS] of a clip lengthened by silence. */
static float *twin(const struct network *net, const float *mel, int n) {
    int wide = n + 2 * REACH;
    double *u = malloc((size_t)(wide * MELS) * sizeof *u);
    for (int t = 0; t < wide; t++)
        for (int c = 0; c < MELS; c++) {
            int at = t - REACH;
            double x = at >= 0 && at < n ? mel[at * MELS + c] : silence;
            u[t * MELS + c] = (x - params.offset) * params.gain;
        }
    double *h[LAYERS];
    for (int i = 0; i < LAYERS; i++)
        h[i] = layer(net, i, i > 0 ? h[i - 1] : u, wide - (i + 1) * (KERNEL - 1));
    float *out = malloc((size_t)(n * BINS) * sizeof *out);
    for (int t = 0; t < n; t++)
        for (int k = 0; k < BINS; k++) {
            double sum = net->out_bias[k];
            const float *w = net->out_weight + k * (WIDTH + MELS);
            for (int c = 0; c < WIDTH; c++)
                sum += w[c] * h[LAYERS - 1][t * WIDTH + c];
            for (int c = 0; c < MELS; c++)
                sum += w[WIDTH + c] * u[(t + REACH) * MELS + c];
            out[t * BINS + k] = (float)exp(sum);
        }
    for (int i = 0; i < LAYERS; i++)
        free(h[i]);
    free(u);
    return out;
}

/* Feeds a clip in portions of 1 to most frames. */
static float *run(const struct taco_inverter *inverter, const float *mel, int n, int most,
                  uint64_t seed) {
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_inverter_stream *stream;
    float *out = malloc((size_t)(n * BINS + 1) * sizeof *out);
    int fed = 0, done = 0, silent = 0;
    ck_assert_int_eq(taco_inverter_stream_init(&stream, inverter, &arena), TACO_OK);
    while (done < n) {
        int left = fed < n ? n - fed : REACH - silent;
        int take = 1 + (int)test_random_below(&seed, (size_t)most);
        take = take < left ? take : left;
        int got = taco_inverter_stream_feed(stream, fed < n ? mel + fed * MELS : NULL,
                                            take, 1e9f, out + (ptrdiff_t)done * BINS);
        ck_assert_int_le(got, take);
        done += got;
        *(fed < n ? &fed : &silent) += take;
        ck_assert_int_le(silent, REACH);
        ck_assert_int_eq(done, fed + silent > REACH ? fed + silent - REACH : 0);
    }
    taco_arena_free(&arena);
    return out;
}

static void draw_mel(float *mel, int n, uint64_t seed) {
    test_random_fill(&seed, 4, mel, (size_t)(n * MELS));
    for (int i = 0; i < n * MELS; i++)
        mel[i] -= 5;
}

START_TEST(it_computes_what_its_equations_say) {
    struct network net;
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_inverter inverter;
    float mel[FRAMES * MELS];
    network_init(&net, 3);
    draw_mel(mel, FRAMES, 4);
    open_inverter(&inverter, &net, TACO_PRECISION_F32, &arena);
    ck_assert_int_eq(inverter.reach, REACH);
    for (int n = 1; n <= FRAMES; n += n < 9 ? 1 : 16) {
        float *expected = twin(&net, mel, n);
        float *found = run(&inverter, mel, n, TACO_INVERTER_MOST_FRAMES, 1);
        for (int i = 0; i < n * BINS; i++)
            ck_assert_float_eq_tol(found[i] / expected[i], 1, 2e-4f);
        free(expected);
        free(found);
    }
    taco_arena_free(&arena);
    network_free(&net);
}
END_TEST

START_TEST(portions_do_not_matter) {
    struct network net;
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_inverter inverter;
    float mel[FRAMES * MELS];
    network_init(&net, 5);
    draw_mel(mel, FRAMES, 6);
    for (int p = 0; p < 2; p++) {
        open_inverter(&inverter, &net, p ? TACO_PRECISION_BF16 : TACO_PRECISION_F32,
                      &arena);
        float *whole = run(&inverter, mel, FRAMES, TACO_INVERTER_MOST_FRAMES, 1);
        for (int most = 1; most <= TACO_INVERTER_MOST_FRAMES; most++) {
            float *parts = run(&inverter, mel, FRAMES, most, (uint64_t)most);
            ck_assert_mem_eq(parts, whole, FRAMES * BINS * sizeof *whole);
            free(parts);
        }
        free(whole);
    }
    taco_arena_free(&arena);
    network_free(&net);
}
END_TEST

START_TEST(magnitudes_have_a_limit) {
    struct network net;
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_inverter inverter;
    float mel[FRAMES * MELS];
    network_init(&net, 7);
    for (int k = 0; k < BINS; k++)
        net.out_bias[k] = k % 2 ? 1000 : -1000;
    draw_mel(mel, FRAMES, 8);
    open_inverter(&inverter, &net, TACO_PRECISION_F32, &arena);
    float *found = run(&inverter, mel, FRAMES, 4, 1);
    for (int i = 0; i < FRAMES * BINS; i++)
        ck_assert_float_eq(found[i], i % BINS % 2 ? 1e9f : 0);
    free(found);
    taco_arena_free(&arena);
    network_free(&net);
}
END_TEST

/* -- in files ------------------------------------------------------------------------ */

static const char own[] = "{'inverter': {'n_convolutions': 2, 'kernel_size': 3, "
                          "'channels': 8, 'offset': -5, 'gain': 0.4}}";

/* Adds an inverter's tensors for the test voice's mels: 2 convolutions, 3 wide, 8 channels. */
static void add_tensors(struct test_voice *file, const char *prefix) {
    static const struct {
        const char *name;
        int n_dims;
        int64_t shape[3];
    } list[] = {{"conv.0.weight", 3, {8, MELS, 3}},  {"conv.0.bias", 1, {8}},
                {"conv.1.weight", 3, {8, 8, 3}},     {"conv.1.bias", 1, {8}},
                {"out.weight", 2, {BINS, 8 + MELS}}, {"out.bias", 1, {BINS}}};
    uint64_t seed = 11;
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s%s", prefix, list[i].name);
        struct test_tensor *t = test_voice_add(file, name, list[i].n_dims, list[i].shape);
        size_t n = 1;
        for (int d = 0; d < t->n_dims; d++)
            n *= (size_t)t->shape[d];
        test_random_fill(&seed, 0.05f, t->data, n);
    }
}

/* An inverter file for the test voice. */
static void init_file(struct test_voice *file) {
    struct test_voice voice;
    test_voice_init(&voice, own, 1);
    struct test_tensor *basis = test_voice_tensor(&voice, "audio.mel_basis");
    *file = (struct test_voice){.format = "taco-inverter"};
    file->config = json_pack(
        "{s:O, s:O, s:s}", "audio", json_object_get(voice.config, "audio"), "inverter",
        json_object_get(voice.config, "inverter"), "licence", "none");
    struct test_tensor *copy = test_voice_add(file, "basis", 2, basis->shape);
    memcpy(copy->data, basis->data, sizeof(float) * MELS * BINS);
    add_tensors(file, "");
    test_voice_free(&voice);
}

/* Opens the test voice with the inverter at path (NULL: its own); err tells what failed. */
static enum taco_status open_with(const struct test_voice *file, const char *inverter,
                                  struct taco_voice **voice, void **bytes,
                                  struct taco_error *err) {
    struct taco_voice_options options = taco_voice_options_default();
    size_t size;
    options.inverter = inverter;
    options.precision = TACO_PRECISION_F32;
    *bytes = test_voice_bytes(file, &size);
    *err = (struct taco_error)TACO_ERROR_INIT;
    return taco_voice_open_memory(voice, *bytes, size, &options, err);
}

/* Samples of a mel by the voice's vocoder, [taco_vocoder_samples(t)]. */
static float *vocode(const struct taco_voice *voice, const float *mel, int t) {
    struct taco_vocoder_options options = taco_request_default().vocoder;
    struct taco_rng_key key = {.seed = 1};
    struct taco_arena arena = TACO_ARENA_INIT;
    float *out = malloc(taco_vocoder_samples(voice->vocoder, t) * sizeof *out);
    ck_assert_int_eq(taco_vocoder_synthesize(voice->vocoder, mel, t, &options, &key, NULL,
                                             &arena, out),
                     TACO_OK);
    taco_arena_free(&arena);
    return out;
}

START_TEST(a_voice_brings_its_own_or_takes_a_file) {
    struct test_voice plain, with, file;
    struct taco_voice *voices[4];
    void *bytes[4];
    struct taco_error err;
    char path[64];
    float mel[20 * MELS], *samples[4];
    draw_mel(mel, 20, 1);
    test_voice_init(&plain, NULL, 1);
    test_voice_init(&with, own, 1);
    add_tensors(&with, "inverter.");
    init_file(&file);
    test_temp_file(path, "", 0);
    test_voice_save(&file, path);
    const char *const inverters[4] = {NULL, "none", NULL, path};
    for (int i = 0; i < 4; i++) {
        enum taco_status status = open_with(i == 1 || i == 2 ? &with : &plain,
                                            inverters[i], &voices[i], &bytes[i], &err);
        ck_assert_msg(status == TACO_OK, "%d: %s", i, err.message);
        ck_assert_str_eq(taco_voice_info(voices[i])->inversion,
                         i < 2 ? "equations" : "network");
        samples[i] = vocode(voices[i], mel, 20);
    }
    size_t n = taco_vocoder_samples(voices[0]->vocoder, 20) * sizeof(float);
    ck_assert_mem_eq(samples[0], samples[1], n);
    ck_assert_mem_eq(samples[2], samples[3], n);
    ck_assert_mem_ne(samples[0], samples[2], n);
    for (int i = 0; i < 4; i++) {
        free(samples[i]);
        taco_voice_close(voices[i]);
        free(bytes[i]);
    }
    unlink(path);
    test_voice_free(&plain);
    test_voice_free(&with);
    test_voice_free(&file);
}
END_TEST

static void expect_refusal(const struct test_voice *voice, const char *inverter,
                           enum taco_status status, const char *param,
                           const char *message) {
    struct taco_voice *opened;
    struct taco_error err;
    void *bytes;
    ck_assert_int_eq(open_with(voice, inverter, &opened, &bytes, &err), status);
    ck_assert_str_eq(err.param, param);
    ck_assert_msg(strstr(err.message, message) != NULL, "%s", err.message);
    ck_assert_ptr_null(opened);
    free(bytes);
}

START_TEST(what_a_voice_lacks_or_has_too_much_is_named) {
    struct test_voice voice;
    test_voice_init(&voice, own, 1);
    add_tensors(&voice, "inverter.");
    test_voice_drop(&voice, "inverter.conv.1.bias");
    expect_refusal(&voice, NULL, TACO_ERR_SHAPE, "inverter.conv.1.bias", "missing");
    test_voice_free(&voice);

    test_voice_init(&voice, own, 1);
    add_tensors(&voice, "inverter.");
    test_voice_reshape(&voice, "inverter.out.weight", 2, (int64_t[]){BINS, 8});
    expect_refusal(&voice, NULL, TACO_ERR_SHAPE, "inverter.out.weight",
                   "wants shape [257, 24]");
    test_voice_free(&voice);

    test_voice_init(&voice, own, 1);
    add_tensors(&voice, "inverter.");
    test_voice_tensor(&voice, "inverter.out.bias")->data[5] = NAN;
    expect_refusal(&voice, NULL, TACO_ERR_FORMAT, "inverter.out.bias", "element 5");
    test_voice_free(&voice);

    test_voice_init(&voice, NULL, 1); /* tensors without the object */
    add_tensors(&voice, "inverter.");
    expect_refusal(&voice, NULL, TACO_ERR_FORMAT, "inverter.conv.0.weight", "no use");
    test_voice_free(&voice);

    test_voice_init(&voice,
                    "{'inverter': {'n_convolutions': 9, 'kernel_size': 3, "
                    "'channels': 8, 'offset': -5, 'gain': 0.4}}",
                    1);
    expect_refusal(&voice, NULL, TACO_ERR_FORMAT, "n_convolutions", "1 to 8");
    test_voice_free(&voice);

    test_voice_init(&voice, "{'audio': {'mel_power': 2}, 'inverter': {}}", 1);
    expect_refusal(&voice, NULL, TACO_ERR_FORMAT, "inverter", "mel_power");
    test_voice_free(&voice);
}
END_TEST

START_TEST(files_that_do_not_fit_are_refused) {
    struct test_voice voice, file;
    char path[64];
    test_voice_init(&voice, NULL, 1);
    test_temp_file(path, "not an inverter", 15);
    expect_refusal(&voice, path, TACO_ERR_FORMAT, "inverter", path);
    expect_refusal(&voice, "no/such/file", TACO_ERR_NOT_FOUND, "inverter",
                   "no/such/file");

    init_file(&file);
    file.format = "taco-voice";
    test_voice_save(&file, path);
    expect_refusal(&voice, path, TACO_ERR_FORMAT, "inverter", "not an inverter");
    file.format = "taco-inverter";
    test_voice_tensor(&file, "basis")->data[40] += 0.1f;
    test_voice_save(&file, path);
    expect_refusal(&voice, path, TACO_ERR_UNSUPPORTED, "inverter", "audio.mel_basis");
    test_voice_free(&file);

    init_file(&file);
    json_object_set_new(json_object_get(file.config, "audio"), "hop_length",
                        json_integer(100));
    test_voice_save(&file, path);
    expect_refusal(&voice, path, TACO_ERR_UNSUPPORTED, "inverter", "audio.hop_length");
    test_voice_free(&file);

    init_file(&file);
    json_object_set_new(file.config, "more", json_integer(1));
    test_voice_save(&file, path);
    expect_refusal(&voice, path, TACO_ERR_FORMAT, "inverter", "unknown key \"more\"");
    test_voice_free(&file);
    unlink(path);
    test_voice_free(&voice);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("inverter");
    TCase *tcase = tcase_create("inverter");
    tcase_set_timeout(tcase, 120);
    tcase_add_test(tcase, it_computes_what_its_equations_say);
    tcase_add_test(tcase, portions_do_not_matter);
    tcase_add_test(tcase, magnitudes_have_a_limit);
    tcase_add_test(tcase, a_voice_brings_its_own_or_takes_a_file);
    tcase_add_test(tcase, what_a_voice_lacks_or_has_too_much_is_named);
    tcase_add_test(tcase, files_that_do_not_fit_are_refused);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
