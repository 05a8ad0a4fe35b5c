/* The vocoder of a voice file. */
#ifndef TACO_TESTS_VOCODER_OPEN_H
#define TACO_TESTS_VOCODER_OPEN_H

#include "base/safetensors.h"
#include "vocoder/vocoder.h"

/* From the tensors audio.… of the file and its settings; NULL and err when it cannot be
 * made. */
struct taco_vocoder *test_vocoder_open(const struct taco_safetensors *file,
                                       const struct taco_audio_params *params,
                                       struct taco_error *err);

#endif
