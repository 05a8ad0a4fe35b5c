/* What a voice is made of, for the engine's own files. Const after opening. */
#ifndef TACO_ENGINE_VOICE_H
#define TACO_ENGINE_VOICE_H

#include "base/safetensors.h"
#include "tacotron2/tacotron2.h"
#include "text/front_end.h"
#include "vocoder/vocoder.h"
#include <taco/voice.h>

struct taco_voice {
    struct taco_safetensors *file;
    struct taco_hparams hparams;
    struct taco_audio_params audio;
    struct taco_tacotron2 *model;
    struct taco_vocoder *vocoder;
    struct taco_front_end *front_end;
    struct taco_voice_info info;
    void *strings; /* json_t of the config: info points into it */
};

#endif
