/* The inverter of a voice: from its own file, or from an inverter file (models/FORMAT.md,
 * "The inverter"). */
#ifndef TACO_ENGINE_VOICE_INVERTER_H
#define TACO_ENGINE_VOICE_INVERTER_H

#include "engine/voice.h"

/* Checks what the voice's file has of an inverter. TACO_ERR_FORMAT, TACO_ERR_SHAPE. */
enum taco_status taco_voice_check_inverter(const struct taco_voice *voice,
                                           struct taco_error *err);

/* Gives the voice's vocoder, which is open, the inverter that options->inverter asks for.
 * mel_basis: the voice's.
 * The voice's own: TACO_ERR_FORMAT, TACO_ERR_NO_MEMORY. Of a file: these, TACO_ERR_NOT_FOUND,
 * _IO, _VERSION, _SHAPE, and TACO_ERR_UNSUPPORTED with err->param "inverter" where it was
 * trained for other mels than the voice's. */
enum taco_status taco_voice_open_inverter(struct taco_voice *voice,
                                          const struct taco_voice_options *options,
                                          const struct taco_kernels *kernels,
                                          const float *mel_basis, struct taco_error *err);

#endif
