/* Opening a voice: file, config, model, vocoder, front end, each checked against the
 * others. */
#include "engine/voice.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/voice_inverter.h"
#include "engine/voice_tensors.h"
#include "kernels/kernels.h"
#include <math.h>
#include <string.h>

static const char format_name[] = "taco-voice";
static const char format_version[] = "1";

struct taco_voice_options taco_voice_options_default(void) {
    return (struct taco_voice_options){.precision = TACO_PRECISION_AUTO};
}

static enum taco_status check_metadata(const struct taco_safetensors *file,
                                       struct taco_error *err) {
    const char *format = taco_safetensors_metadata(file, "format");
    const char *version = taco_safetensors_metadata(file, "version");
    if (!format || strcmp(format, format_name) != 0)
        return taco_error_set(err, TACO_ERR_FORMAT, "format",
                              "not a voice: its metadata does not say format \"%s\" (a "
                              "checkpoint must be exported first)",
                              format_name);
    if (!version || strcmp(version, format_version) != 0)
        return taco_error_set(
            err, TACO_ERR_VERSION, "version",
            "the voice is of version \"%.20s\", this build reads version %s",
            version ? version : "", format_version);
    if (!taco_safetensors_metadata(file, "config"))
        return taco_error_set(err, TACO_ERR_FORMAT, "config",
                              "the voice has no config in its metadata");
    return TACO_OK;
}

/* What two objects of the config say of the same thing must agree. */
static enum taco_status check_agreement(const struct taco_voice *voice,
                                        struct taco_error *err) {
    const struct taco_hparams *h = &voice->hparams;
    int n_symbols = taco_front_end_n_symbols(voice->front_end);
    if (n_symbols != h->n_symbols)
        return taco_error_set(
            err, TACO_ERR_FORMAT, "symbols",
            "config: text.symbols has %d entries, model.n_symbols is %d", n_symbols,
            h->n_symbols);
    if (voice->audio.n_mels != h->n_mels)
        return taco_error_set(err, TACO_ERR_FORMAT, "n_mels",
                              "config: audio.n_mels is %d, model.n_mels is %d",
                              voice->audio.n_mels, h->n_mels);
    return TACO_OK;
}

/* "speakers" stands if and only if the model has a speaker table, and names its rows. */
static enum taco_status bind_speakers(struct taco_voice *voice, struct taco_error *err) {
    bool table = voice->hparams.speaker_mode != TACO_SPEAKER_NONE;
    if (table != (voice->config.n_speakers > 0))
        return taco_error_set(
            err, TACO_ERR_FORMAT, "speakers",
            table ? "config: model.speaker_mode wants \"speakers\", which "
                    "is missing"
                  : "config: \"speakers\" without a model.speaker_mode");
    voice->hparams.n_speakers = table ? voice->config.n_speakers : 1;
    return TACO_OK;
}

/* The tensors named "audio.", which are settings of the vocoder. */
enum { MEL_BASIS, MEAN, STD, N_AUDIO_TENSORS };

static void list_audio_tensors(const struct taco_audio_params *audio,
                               struct taco_voice_tensor list[N_AUDIO_TENSORS]) {
    int vectors = audio->has_mean_std ? 1 : 0, n = audio->n_mels;
    list[MEL_BASIS] =
        (struct taco_voice_tensor){"audio.mel_basis", 2, {n, audio->n_fft / 2 + 1}, NULL};
    list[MEAN] = (struct taco_voice_tensor){"audio.mean", vectors, {n}, NULL};
    list[STD] = (struct taco_voice_tensor){"audio.std", vectors, {n}, NULL};
}

/* Those that the config asks for are there, with their shapes, and no others: nothing is
 * ignored in silence. */
static enum taco_status check_audio_tensors(const struct taco_voice *voice,
                                            struct taco_error *err) {
    struct taco_voice_tensor list[N_AUDIO_TENSORS];
    list_audio_tensors(&voice->audio, list);
    return taco_voice_tensors_check(voice->file, "audio.", list, N_AUDIO_TENSORS, err);
}

static enum taco_status open_vocoder(struct taco_voice *voice,
                                     const struct taco_voice_options *options,
                                     const struct taco_kernels *kernels,
                                     struct taco_error *err) {
    struct taco_voice_tensor list[N_AUDIO_TENSORS];
    list_audio_tensors(&voice->audio, list);
    enum taco_status status =
        taco_voice_tensors_read(voice->file, list, N_AUDIO_TENSORS, err);
    for (int i = 0; status == TACO_OK && list[STD].n_dims > 0 && i < list[STD].shape[0];
         i++)
        if (!(list[STD].values[i] > 0))
            status = taco_error_set(err, TACO_ERR_FORMAT, "audio.std",
                                    "tensor audio.std: element %d is not above 0", i);
    if (status == TACO_OK)
        status =
            taco_vocoder_create(&voice->vocoder, &voice->audio, list[MEL_BASIS].values,
                                list[MEAN].values, list[STD].values, err);
    if (status == TACO_OK)
        status = taco_voice_open_inverter(voice, options, kernels, list[MEL_BASIS].values,
                                          err);
    taco_voice_tensors_free(list, N_AUDIO_TENSORS);
    return status;
}

/* Everything behind the opened file. */
static enum taco_status open_parts(struct taco_voice *voice,
                                   const struct taco_voice_options *options,
                                   struct taco_error *err) {
    const struct taco_kernels *kernels = taco_kernels_get(taco_cpu_flags());
    enum taco_status status = check_metadata(voice->file, err);
    if (status == TACO_OK)
        status = taco_voice_config_parse(
            &voice->config, taco_safetensors_metadata(voice->file, "config"), err);
    if (status == TACO_OK)
        status = taco_hparams_parse(&voice->hparams, voice->config.model, err);
    if (status == TACO_OK)
        status = taco_audio_params_parse(&voice->audio, voice->config.audio, err);
    if (status == TACO_OK)
        status = bind_speakers(voice, err);
    if (status == TACO_OK)
        status = taco_front_end_create(&voice->front_end, voice->config.text,
                                       voice->config.language, err);
    if (status == TACO_OK && options->lexicon)
        status = taco_front_end_load_lexicon(voice->front_end, options->lexicon, err);
    if (status == TACO_OK)
        status = check_agreement(voice, err);
    if (status == TACO_OK)
        status = check_audio_tensors(voice, err);
    if (status == TACO_OK)
        status = taco_voice_check_inverter(voice, err);
    if (status == TACO_OK)
        status = taco_tacotron2_open(&voice->model, &voice->hparams, voice->file, kernels,
                                     options->precision, options->cancel, err);
    if (status == TACO_OK)
        status = open_vocoder(voice, options, kernels, err);
    if (status == TACO_OK)
        taco_voice_describe(voice, kernels->isa);
    taco_safetensors_drop_data(
        voice->file); /* the model and the vocoder have their own */
    return status;
}

/* bytes NULL: from the file at path. */
static enum taco_status open_voice(struct taco_voice **out, const char *path,
                                   const void *bytes, size_t size,
                                   const struct taco_voice_options *options,
                                   struct taco_error *err) {
    struct taco_voice_options chosen = options ? *options : taco_voice_options_default();
    if (chosen.precision < TACO_PRECISION_AUTO || chosen.precision > TACO_PRECISION_INT8)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "precision",
                              "precision must be auto, f32, bf16 or int8");
    if (taco_reserved_check(chosen.reserved, err) != TACO_OK)
        return TACO_ERR_INVALID_ARGUMENT;
    struct taco_voice *voice = taco_calloc(1, sizeof *voice);
    if (!voice)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a voice");
    enum taco_status status =
        bytes ? taco_safetensors_open_memory(&voice->file, bytes, size, err)
              : taco_safetensors_open_header(&voice->file, path, err);
    if (status == TACO_OK)
        status = open_parts(voice, &chosen, err);
    if (status != TACO_OK) {
        taco_voice_close(voice);
        return status;
    }
    *out = voice;
    return TACO_OK;
}

enum taco_status taco_voice_open(struct taco_voice **voice, const char *path,
                                 const struct taco_voice_options *options,
                                 struct taco_error *err) {
    *voice = NULL;
    if (!path || !*path)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "path",
                              "a voice needs the path of its file");
    return open_voice(voice, path, NULL, 0, options, err);
}

enum taco_status taco_voice_open_memory(struct taco_voice **voice, const void *bytes,
                                        size_t size,
                                        const struct taco_voice_options *options,
                                        struct taco_error *err) {
    *voice = NULL;
    if (!bytes || (uintptr_t)bytes % 64 != 0)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "bytes",
                              "a voice in memory must stand at a multiple of 64 bytes");
    return open_voice(voice, NULL, bytes, size, options, err);
}

void taco_voice_close(struct taco_voice *voice) {
    if (!voice)
        return;
    taco_tacotron2_close(voice->model);
    taco_vocoder_destroy(voice->vocoder);
    taco_front_end_destroy(voice->front_end);
    taco_voice_config_free(&voice->config);
    taco_safetensors_close(voice->file);
    taco_free(voice);
}

const struct taco_voice_info *taco_voice_info(const struct taco_voice *voice) {
    return &voice->info;
}

enum taco_status taco_text_analyse(const struct taco_voice *voice, const char *text,
                                   size_t length, const struct taco_text_options *options,
                                   struct taco_text **out, struct taco_error *err) {
    struct taco_text_options defaults = taco_text_options_default();
    return taco_front_end_analyse(voice->front_end, text, length,
                                  options ? options : &defaults, out, err);
}

enum taco_status taco_text_first_sentence(const struct taco_voice *voice,
                                          const char *text, size_t length,
                                          struct taco_sentence *sentence,
                                          struct taco_error *err) {
    return taco_front_end_first_sentence(voice->front_end, text, length, sentence, err);
}
