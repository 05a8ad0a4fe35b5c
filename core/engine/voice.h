/* What a voice is made of, for the engine's own files. Const after opening. */
#ifndef TACO_ENGINE_VOICE_H
#define TACO_ENGINE_VOICE_H

#include "base/safetensors.h"
#include "engine/voice_config.h"
#include "tacotron2/tacotron2.h"
#include "text/front_end.h"
#include "vocoder/vocoder.h"
#include <taco/voice.h>

struct taco_voice {
    struct taco_safetensors *file;
    struct taco_voice_config config; /* info's strings point into it */
    struct taco_hparams hparams;
    struct taco_audio_params audio;
    struct taco_tacotron2 *model;
    struct taco_vocoder *vocoder;
    struct taco_front_end *front_end;
    struct taco_attention_info attentions[TACO_MAX_ATTENTIONS];
    struct taco_voice_info info;
    char graph[192]; /* info.graph */
};

/* Fills voice->info from what has been opened. kernels_isa: static storage. */
void taco_voice_describe(struct taco_voice *voice, const char *kernels_isa);

#endif
