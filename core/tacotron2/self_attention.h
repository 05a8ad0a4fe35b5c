/* Self-attention layers of the encoder (MODEL.md, section 3). */
#ifndef TACO_TACOTRON2_SELF_ATTENTION_H
#define TACO_TACOTRON2_SELF_ATTENTION_H

#include "tacotron2/model.h"

/* x [n, W] through one layer, in place; W = 2 encoder_lstm_dim. weights [heads, n, n], or
 * NULL: who looks at whom. False: no memory. */
bool taco_self_attention_forward(const struct taco_tacotron2 *model,
                                 const struct taco_self_attention *layer, float *x,
                                 size_t n, struct taco_arena *scratch, float *weights);

#endif
