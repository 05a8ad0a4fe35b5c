#include "support/speech.h"

#include <jansson.h>
#include <math.h>
#include <sndfile.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/npy.h"
#include "vocoder/stft.h"

#define FOLDER "tests/golden/griffin_lim/"

static const char *const names[TEST_N_CLIPS] = {"LJ001-0002", "LJ001-0011", "LJ001-0013"};

static void give_up(const char *what) {
    fprintf(stderr, "speech: %s\n", what);
    exit(2);
}

static void *need(void *p) {
    if (!p)
        give_up("out of memory");
    return p;
}

struct test_clip test_clip_load(int i) {
    struct test_clip clip = {.name = names[i]};
    char path[128];
    snprintf(path, sizeof path, FOLDER "%s.wav", clip.name);
    SF_INFO info = {0};
    SNDFILE *file = sf_open(path, SFM_READ, &info);
    if (!file || info.channels != 1)
        give_up(path);
    clip.n_samples = (size_t)info.frames;
    clip.samples = need(calloc(clip.n_samples, sizeof(float)));
    if (sf_readf_float(file, clip.samples, info.frames) != info.frames)
        give_up(path);
    sf_close(file);
    size_t shape[2];
    snprintf(path, sizeof path, FOLDER "%s.npy", clip.name);
    clip.mel = test_read_npy(path, shape);
    clip.n_frames = (int)shape[0];
    json_t *reference = json_load_file(FOLDER "reference.json", 0, NULL);
    if (json_unpack(reference, "{s:{s:f,s:f,s:f}}", clip.name, "sc_db",
                    &clip.reference_sc_db, "mel_l1", &clip.reference_mel_l1,
                    "inversion_db", &clip.reference_inversion_db) != 0)
        give_up(FOLDER "reference.json");
    json_decref(reference);
    return clip;
}

void test_clip_free(struct test_clip *clip) {
    free(clip->samples);
    free(clip->mel);
}

struct taco_audio_params test_clip_params(void) {
    return (struct taco_audio_params){.sample_rate = 22050,
                                      .n_fft = 1024,
                                      .win_length = 1024,
                                      .hop_length = 256,
                                      .n_mels = 80,
                                      .window_periodic = true,
                                      .center = true,
                                      .pad_reflect = true,
                                      .fmin = 0,
                                      .fmax = 8000,
                                      .mel_power = 1,
                                      .log_gain = 1,
                                      .log_floor = 1e-5f};
}

float *test_clip_basis(void) {
    size_t shape[2];
    float *basis = test_read_npy(FOLDER "mel_basis.npy", shape);
    if (shape[0] != 80 || shape[1] != 513)
        give_up(FOLDER "mel_basis.npy");
    return basis;
}

struct taco_vocoder *test_clip_vocoder(void) {
    struct taco_audio_params params = test_clip_params();
    struct taco_vocoder *vocoder;
    float *basis = test_clip_basis();
    if (taco_vocoder_create(&vocoder, &params, basis, NULL, NULL, NULL) != TACO_OK)
        give_up("no vocoder");
    free(basis);
    return vocoder;
}

void test_clip_measure(const struct test_clip *clip, const float *out, size_t n,
                       double *sc_db, double *mel_l1) {
    struct taco_audio_params params = test_clip_params();
    struct taco_vocoder *vocoder = test_clip_vocoder();
    struct taco_arena arena = TACO_ARENA_INIT;
    struct taco_stft stft;
    if (taco_stft_init(&stft, &params, &arena, NULL) != TACO_OK)
        give_up("no transform");
    size_t t = (size_t)taco_stft_frames(&stft, clip->n_samples);
    size_t t_out = (size_t)taco_stft_frames(&stft, n), bins = (size_t)stft.n_bins;
    size_t both = t < t_out ? t : t_out;
    float *s = need(taco_arena_alloc(&arena, t * bins, sizeof *s));
    float *s_out = need(taco_arena_alloc(&arena, t_out * bins, sizeof *s_out));
    float *mel_out = need(taco_arena_alloc(&arena, t_out * 80, sizeof *mel_out));
    if (taco_stft_magnitudes(&stft, clip->samples, clip->n_samples, &arena, s) !=
            TACO_OK ||
        taco_stft_magnitudes(&stft, out, n, &arena, s_out) != TACO_OK ||
        taco_vocoder_analyse(vocoder, out, n, &arena, mel_out) != TACO_OK)
        give_up("no spectra");
    double difference = 0, norm = 0, l1 = 0;
    for (size_t i = 0; i < both * bins; i++) {
        difference += pow((double)s_out[i] - (double)s[i], 2);
        norm += pow((double)s[i], 2);
    }
    for (size_t i = 0; i < both * 80; i++)
        l1 += fabs((double)mel_out[i] - (double)clip->mel[i]);
    *sc_db = 10 * log10(difference / norm);
    *mel_l1 = l1 / (double)(both * 80);
    taco_stft_end(&stft);
    taco_arena_free(&arena);
    taco_vocoder_destroy(vocoder);
}
