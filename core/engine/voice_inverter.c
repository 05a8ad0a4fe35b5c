#include "engine/voice_inverter.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/config.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/voice_tensors.h"

/* Of a convolution its weight and bias, then the output's; of an inverter file the basis. */
enum { MOST_TENSORS = 2 * TACO_INVERTER_MOST_CONVOLUTIONS + 3 };

struct inverter_tensors {
    struct taco_inverter_params params;
    struct taco_voice_tensor list[MOST_TENSORS];
    int n;
};

static struct taco_voice_tensor *add(struct inverter_tensors *t, const char *prefix,
                                     const char *name, int n_dims, int a, int b, int c) {
    struct taco_voice_tensor *tensor = &t->list[t->n++];
    *tensor = (struct taco_voice_tensor){.n_dims = n_dims, .shape = {a, b, c}};
    snprintf(tensor->name, sizeof tensor->name, "%s%s", prefix, name);
    return tensor;
}

/* Those that params ask for, the basis of an inverter file apart. */
static void list_tensors(struct inverter_tensors *t,
                         const struct taco_audio_params *audio, const char *prefix) {
    const int C = t->params.channels, M = audio->n_mels, bins = audio->n_fft / 2 + 1;
    t->n = 0;
    for (int i = 0; i < t->params.n_convolutions; i++) {
        char name[32];
        snprintf(name, sizeof name, "conv.%d.weight", i);
        add(t, prefix, name, 3, C, i > 0 ? C : M, t->params.kernel_size);
        snprintf(name, sizeof name, "conv.%d.bias", i);
        add(t, prefix, name, 1, C, 0, 0);
    }
    add(t, prefix, "out.weight", 2, bins, C + M, 0);
    add(t, prefix, "out.bias", 1, bins, 0, 0);
}

static enum taco_status use(struct taco_voice *voice, const struct inverter_tensors *t,
                            const struct taco_kernels *kernels,
                            enum taco_precision precision, struct taco_error *err) {
    struct taco_inverter_weights weights;
    const struct taco_voice_tensor *tensor = t->list;
    for (int i = 0; i < t->params.n_convolutions; i++) {
        weights.conv_weight[i] = (tensor++)->values;
        weights.conv_bias[i] = (tensor++)->values;
    }
    weights.out_weight = (tensor++)->values;
    weights.out_bias = (tensor++)->values;
    /* Magnitudes want more digits than int8 has. */
    if (precision == TACO_PRECISION_INT8)
        precision = TACO_PRECISION_BF16;
    return taco_vocoder_use_inverter(voice->vocoder, &t->params, &weights, kernels,
                                     precision, err);
}

static enum taco_status parse_own(const struct taco_voice *voice,
                                  struct inverter_tensors *t, struct taco_error *err) {
    if (voice->audio.mel_power != 1)
        return taco_error_set(err, TACO_ERR_FORMAT, "inverter",
                              "config: \"inverter\" with audio.mel_power 2");
    enum taco_status status =
        taco_inverter_params_parse(&t->params, voice->config.inverter, err);
    if (status == TACO_OK)
        list_tensors(t, &voice->audio, "inverter.");
    return status;
}

enum taco_status taco_voice_check_inverter(const struct taco_voice *voice,
                                           struct taco_error *err) {
    struct inverter_tensors t = {0};
    enum taco_status status =
        voice->config.inverter ? parse_own(voice, &t, err) : TACO_OK;
    if (status != TACO_OK)
        return status;
    return taco_voice_tensors_check(voice->file, "inverter.", t.list, t.n, err);
}

static enum taco_status open_own(struct taco_voice *voice,
                                 const struct taco_kernels *kernels,
                                 enum taco_precision precision, struct taco_error *err) {
    struct inverter_tensors t = {0};
    enum taco_status status = parse_own(voice, &t, err);
    if (status == TACO_OK)
        status = taco_voice_tensors_read(voice->file, t.list, t.n, err);
    if (status == TACO_OK)
        status = use(voice, &t, kernels, precision, err);
    taco_voice_tensors_free(t.list, t.n);
    return status;
}

/* -- an inverter file --------------------------------------------------------------- */

static enum taco_status check_format(const struct taco_safetensors *file,
                                     struct taco_error *err) {
    const char *format = taco_safetensors_metadata(file, "format");
    const char *version = taco_safetensors_metadata(file, "version");
    if (!format || strcmp(format, "taco-inverter") != 0)
        return taco_error_set(err, TACO_ERR_FORMAT, "format",
                              "not an inverter: its metadata does not say format "
                              "\"taco-inverter\"");
    if (!version || strcmp(version, "1") != 0)
        return taco_error_set(
            err, TACO_ERR_VERSION, "version",
            "the inverter is of version \"%.20s\", this build reads version 1",
            version ? version : "");
    return TACO_OK;
}

static enum taco_status parse_file(const struct taco_safetensors *file,
                                   struct taco_audio_params *audio,
                                   struct inverter_tensors *t, struct taco_error *err) {
    static const char *const known[] = {"audio", "inverter", "licence", "source", NULL};
    const char *text = taco_safetensors_metadata(file, "config");
    json_error_t where;
    json_t *root = text ? json_loads(text, JSON_REJECT_DUPLICATES, &where) : NULL;
    const char *unknown = root ? taco_config_unknown_key(root, known) : NULL;
    enum taco_status status;
    if (!json_is_object(root))
        status = taco_error_set(err, TACO_ERR_FORMAT, "config",
                                "the inverter's config is not a JSON object");
    else if (unknown)
        status = taco_error_set(
            err, TACO_ERR_FORMAT, unknown,
            "config: unknown key \"%.60s\": made for a later version?", unknown);
    else
        status = taco_audio_params_parse(audio, json_object_get(root, "audio"), err);
    if (status == TACO_OK)
        status = taco_inverter_params_parse(&t->params, json_object_get(root, "inverter"),
                                            err);
    json_decref(root);
    if (status != TACO_OK)
        return status;
    list_tensors(t, audio, "");
    add(t, "", "basis", 2, audio->n_mels, audio->n_fft / 2 + 1, 0);
    return taco_voice_tensors_check(file, "", t->list, t->n, err);
}

/* Which setting of the analysis differs; NULL: none does. What is undone before the network
 * sees a mel may differ: logarithm, range, mean and std. */
static const char *differs(const struct taco_audio_params *a,
                           const struct taco_audio_params *b) {
    return a->sample_rate != b->sample_rate           ? "sample_rate"
           : a->n_fft != b->n_fft                     ? "n_fft"
           : a->win_length != b->win_length           ? "win_length"
           : a->hop_length != b->hop_length           ? "hop_length"
           : a->n_mels != b->n_mels                   ? "n_mels"
           : a->window_periodic != b->window_periodic ? "window_periodic"
           : a->mel_power != 1 || b->mel_power != 1   ? "mel_power"
           : a->preemphasis > 0 || b->preemphasis > 0 ? "preemphasis"
                                                      : NULL;
}

static bool same_basis(const float *a, const float *b, size_t n) {
    float largest = 0, error = 0;
    for (size_t i = 0; i < n; i++) {
        largest = fmaxf(largest, fabsf(a[i]));
        error = fmaxf(error, fabsf(a[i] - b[i]));
    }
    return error <= 1e-3f * largest;
}

static enum taco_status read_file(struct taco_voice *voice, const char *path,
                                  const struct taco_safetensors *file,
                                  const float *mel_basis, struct inverter_tensors *t,
                                  struct taco_error *err) {
    struct taco_audio_params audio;
    enum taco_status status = check_format(file, err);
    if (status == TACO_OK)
        status = parse_file(file, &audio, t, err);
    if (status != TACO_OK)
        return status;
    const char *what = differs(&audio, &voice->audio);
    if (!what) {
        status = taco_voice_tensors_read(file, t->list, t->n, err);
        if (status != TACO_OK)
            return status;
        size_t n = (size_t)audio.n_mels * (size_t)(audio.n_fft / 2 + 1);
        what = same_basis(t->list[t->n - 1].values, mel_basis, n) ? NULL : "mel_basis";
    }
    if (what)
        return taco_error_set(err, TACO_ERR_UNSUPPORTED, "inverter",
                              "inverter %.100s: it was trained for other mels than voice "
                              "%.64s has: audio.%s differs",
                              path, voice->config.name, what);
    return TACO_OK;
}

static enum taco_status open_file(struct taco_voice *voice, const char *path,
                                  const struct taco_kernels *kernels,
                                  enum taco_precision precision, const float *mel_basis,
                                  struct taco_error *err) {
    struct taco_safetensors *file;
    struct inverter_tensors t = {0};
    struct taco_error why = TACO_ERROR_INIT;
    enum taco_status status = taco_safetensors_open(&file, path, &why);
    if (status == TACO_OK) {
        status = read_file(voice, path, file, mel_basis, &t, &why);
        if (status == TACO_OK)
            status = use(voice, &t, kernels, precision, &why);
        taco_voice_tensors_free(t.list, t.n);
        taco_safetensors_close(file);
    }
    if (status == TACO_OK)
        return status;
    bool named = strstr(why.message, path) != NULL;
    return taco_error_set(err, status, "inverter",
                          named ? "inverter: %s%s" : "inverter %.100s: %s",
                          named ? "" : path, why.message);
}

enum taco_status taco_voice_open_inverter(struct taco_voice *voice,
                                          const struct taco_voice_options *options,
                                          const struct taco_kernels *kernels,
                                          const float *mel_basis,
                                          struct taco_error *err) {
    enum taco_precision precision = taco_tacotron2_precision(voice->model);
    if (!options->inverter)
        return voice->config.inverter ? open_own(voice, kernels, precision, err)
                                      : TACO_OK;
    if (strcmp(options->inverter, "none") == 0)
        return TACO_OK;
    return open_file(voice, options->inverter, kernels, precision, mel_basis, err);
}
