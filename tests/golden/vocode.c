/* Runs a voice's vocoder on given samples and given features:
 *
 *   vocode VOICE.safetensors INPUTS.safetensors OUT_DIR
 *
 * INPUTS: `samples` F32 [n] at the voice's rate; `mel` F32 [t, n_mels] in the voice's
 * scale. OUT_DIR receives, as NumPy arrays of float32, features [frames, n_mels], what
 * the engine's own analysis makes of the samples, and speech [t * hop_length], what its
 * vocoder makes of the mel. */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/npy.h"
#include "support/vocoder_open.h"

struct work {
    struct taco_safetensors *voice, *inputs;
    json_t *config;
    struct taco_audio_params audio;
    struct taco_vocoder *vocoder;
    struct taco_arena arena;
};

static bool complain(const char *what) {
    fprintf(stderr, "vocode: %s\n", what);
    return false;
}

static bool open_all(struct work *w, char **argv) {
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_safetensors_open(&w->voice, argv[1], &err) != TACO_OK ||
        taco_safetensors_open(&w->inputs, argv[2], &err) != TACO_OK)
        return complain(err.message);
    const char *config = taco_safetensors_metadata(w->voice, "config");
    w->config = config ? json_loads(config, 0, NULL) : NULL;
    if (taco_audio_params_parse(&w->audio, json_object_get(w->config, "audio"), &err) !=
        TACO_OK)
        return complain(err.message);
    w->vocoder = test_vocoder_open(w->voice, &w->audio, &err);
    return w->vocoder || complain(err.message);
}

static bool write_out(const char *dir, const char *name, const float *x, int rows,
                      int columns) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.npy", dir, name);
    return test_write_npy(path, x, rows, columns) || complain("cannot write a result");
}

static bool analyse(struct work *w, const char *dir) {
    const struct taco_tensor *samples = taco_safetensors_find(w->inputs, "samples");
    if (!samples || samples->dtype != TACO_DTYPE_F32 || samples->n_dims != 1)
        return complain("samples must be F32 [n]");
    int frames = taco_vocoder_analysis_frames(w->vocoder, samples->n_elements);
    float *mel = taco_arena_alloc(&w->arena, (size_t)frames * (size_t)w->audio.n_mels,
                                  sizeof *mel);
    if (!mel || taco_vocoder_analyse(w->vocoder, samples->data, samples->n_elements,
                                     &w->arena, mel) != TACO_OK)
        return complain("no memory");
    return write_out(dir, "features", mel, frames, w->audio.n_mels);
}

static bool synthesize(struct work *w, const char *dir) {
    const struct taco_tensor *mel = taco_safetensors_find(w->inputs, "mel");
    if (!mel || mel->dtype != TACO_DTYPE_F32 || mel->n_dims != 2 ||
        mel->shape[1] != w->audio.n_mels)
        return complain("mel must be F32 [t, n_mels]");
    int t = (int)mel->shape[0];
    size_t n = taco_vocoder_samples(w->vocoder, t);
    struct taco_vocoder_options options = taco_vocoder_options_default();
    const struct taco_rng_key key = {.seed = 1};
    float *speech = taco_arena_alloc(&w->arena, n, sizeof *speech);
    if (!speech || taco_vocoder_synthesize(w->vocoder, mel->data, t, &options, &key, NULL,
                                           &w->arena, speech) != TACO_OK)
        return complain("no memory");
    return write_out(dir, "speech", speech, (int)n, 0);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: %s VOICE.safetensors INPUTS.safetensors OUT_DIR\n",
                argv[0]);
        return 2;
    }
    struct work w = {.arena = TACO_ARENA_INIT};
    bool good = open_all(&w, argv) && analyse(&w, argv[3]) && synthesize(&w, argv[3]);
    taco_vocoder_destroy(w.vocoder);
    taco_arena_free(&w.arena);
    json_decref(w.config);
    taco_safetensors_close(w.inputs);
    taco_safetensors_close(w.voice);
    return good ? 0 : 1;
}
