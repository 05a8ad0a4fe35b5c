/* Tensors of a voice that are not the model's: settings of the vocoder. */
#ifndef TACO_ENGINE_VOICE_TENSORS_H
#define TACO_ENGINE_VOICE_TENSORS_H

#include "base/safetensors.h"

struct taco_voice_tensor {
    char name[48];
    int n_dims;    /* 1 to 3; 0: the config has no use for it */
    int shape[3];  /* [n_dims] */
    float *values; /* owned, once read: taco_free */
};

/* Whether the file has each tensor of the list with its shape and a type of floats, and none
 * else whose name begins with prefix. TACO_ERR_SHAPE, TACO_ERR_FORMAT; err->param is the
 * tensor's name. */
enum taco_status taco_voice_tensors_check(const struct taco_safetensors *file,
                                          const char *prefix,
                                          const struct taco_voice_tensor *list, int n,
                                          struct taco_error *err);

/* Reads the values of a list that has been checked. TACO_ERR_FORMAT: one is not finite;
 * TACO_ERR_NO_MEMORY. taco_voice_tensors_free ends the list in any case. */
enum taco_status taco_voice_tensors_read(const struct taco_safetensors *file,
                                         struct taco_voice_tensor *list, int n,
                                         struct taco_error *err);

void taco_voice_tensors_free(struct taco_voice_tensor *list, int n);

#endif
