/* Facts about an open voice, put together from its file, config and model. */
#include "engine/voice.h"
#include "tacotron2/attention.h"
#include <stdio.h>
#include <string.h>

/* Tensors named "audio." are settings rather than parameters: they neither count nor
 * decide the type. */
static void describe_tensors(const struct taco_safetensors *file,
                             struct taco_voice_info *info) {
    static const char *const names[] = {"f32", "f16", "bf16", "mixed"};
    int stored = -1;
    for (size_t i = 0; i < taco_safetensors_count(file); i++) {
        const struct taco_tensor *tensor = taco_safetensors_at(file, i);
        if (strncmp(tensor->name, "audio.", 6) == 0)
            continue;
        info->n_parameters += tensor->n_elements;
        if (stored >= 0 && stored != (int)tensor->dtype)
            stored = TACO_DTYPE_OTHER;
        else
            stored = (int)tensor->dtype;
    }
    info->stored = stored < 0 ? "" : names[stored];
}

static void describe_graph(struct taco_voice *voice) {
    const struct taco_hparams *h = &voice->hparams;
    char speakers[64] = "", postnet[64] = "no postnet", encoder[96] = "";
    if (h->encoder_lstm)
        snprintf(encoder, sizeof encoder, "BiLSTM 2 x %d", h->encoder_lstm_dim);
    size_t used = strlen(encoder);
    if (h->encoder_attention_layers > 0)
        snprintf(encoder + used, sizeof encoder - used, "%sself-attention %d x %d heads",
                 used ? ", " : "", h->encoder_attention_layers,
                 h->encoder_attention_heads);
    if (h->speaker_mode != TACO_SPEAKER_NONE)
        snprintf(speakers, sizeof speakers, ", %d speakers", h->n_speakers);
    if (h->postnet_n_convolutions > 0)
        snprintf(postnet, sizeof postnet, "postnet %d x %d", h->postnet_n_convolutions,
                 h->postnet_embedding_dim);
    snprintf(voice->graph, sizeof voice->graph,
             "encoder %d x %d and %s%s; LSTM %d and %d%s; %d mels x %d a step; %s",
             h->encoder_n_convolutions, h->encoder_conv_dim, encoder, speakers,
             h->attention_rnn_dim, h->decoder_rnn_dim,
             h->attention_first ? ", attention first" : "", h->n_mels,
             h->n_frames_per_step, postnet);
}

static void describe_attentions(struct taco_voice *voice) {
    for (int i = 0; i < voice->hparams.n_attentions; i++) {
        const struct taco_attention_params *params = &voice->hparams.attentions[i];
        const struct taco_attention_mechanism *mechanism = params->mechanism;
        voice->attentions[i] = (struct taco_attention_info){
            params->name, mechanism->name, mechanism->summary,
            mechanism->head ? params->n_heads : 0, !mechanism->no_energies};
    }
}

void taco_voice_describe(struct taco_voice *voice, const char *kernels_isa) {
    const struct taco_voice_config *config = &voice->config;
    describe_graph(voice);
    describe_attentions(voice);
    voice->info = (struct taco_voice_info){
        .name = config->name,
        .description = config->description,
        .language = config->language,
        .licence = config->licence,
        .source = config->source,
        .front_end = taco_front_end_name(voice->front_end),
        .attention = voice->hparams.attention.mechanism->name,
        .graph = voice->graph,
        .isa = kernels_isa,
        .inversion = taco_vocoder_has_inverter(voice->vocoder) ? "network" : "equations",
        .precision = taco_tacotron2_precision(voice->model),
        .file_bytes = taco_safetensors_file_bytes(voice->file),
        .sample_rate = voice->audio.sample_rate,
        .n_fft = voice->audio.n_fft,
        .win_length = voice->audio.win_length,
        .hop_length = voice->audio.hop_length,
        .n_mels = voice->hparams.n_mels,
        .fmin = voice->audio.fmin,
        .fmax = voice->audio.fmax,
        .n_frames_per_step = voice->hparams.n_frames_per_step,
        .n_symbols = voice->hparams.n_symbols,
        .symbols = taco_front_end_symbols(voice->front_end),
        .n_attentions = voice->hparams.n_attentions,
        .attentions = voice->attentions,
        .n_speakers = config->n_speakers > 0 ? config->n_speakers : 1,
        .speakers = config->speakers,
    };
    describe_tensors(voice->file, &voice->info);
}
