/* From the file's tensors to the model, part by part. For model.c. */
#ifndef TACO_TACOTRON2_LOAD_H
#define TACO_TACOTRON2_LOAD_H

#include "tacotron2/model.h"

/* Fills the model's fields of one part, 0 <= part < TACO_MODEL_N_PARTS, the largest first;
 * hparams, kernels and precision are set, the tensors checked. Parts share nothing: they
 * may be loaded side by side. False: no memory. */
bool taco_load_part(struct taco_tacotron2 *model, const struct taco_safetensors *st,
                    int part);

#endif
