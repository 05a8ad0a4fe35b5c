/* From the file's tensors to the model, part by part. For model.c, and the helpers of the
 * parts for the attention mechanisms. */
#ifndef TACO_TACOTRON2_LOAD_H
#define TACO_TACOTRON2_LOAD_H

#include "tacotron2/model.h"

/* What a part needs while it is loaded. */
struct taco_loader {
    struct taco_tacotron2 *model;
    const struct taco_safetensors *st;
    struct taco_arena *arena;  /* what the model keeps */
    struct taco_arena scratch; /* f32 forms of 16-bit tensors that are packed further */
    const char *prefix;        /* before every name given to the helpers */
};

/* Fills the model's fields of one part, 0 <= part < TACO_MODEL_N_PARTS, the largest first;
 * hparams, kernels and precision are set, the tensors checked. Parts share nothing: they
 * may be loaded side by side. False: no memory. */
bool taco_load_part(struct taco_tacotron2 *model, const struct taco_safetensors *st,
                    int part);

/* One attention's weights; l->model has kernels and hparams, l->prefix names the tensors. */
bool taco_load_attention(struct taco_loader *l,
                         const struct taco_attention_params *params,
                         struct taco_attention *a);

/* One self-attention layer of the encoder: tensors l->prefix + part + .... */
bool taco_load_self_attention(struct taco_loader *l, struct taco_self_attention *layer,
                              const char *part);

/* -- helpers (load_tensors.c): NULL and false mean that there was no memory ----
 *
 * The tensors have been checked: a name that the list of weights has is there. */

/* Values of a tensor that the model keeps; those that are needed while it is loaded. */
const float *taco_load_keep(struct taco_loader *l, const char *name);
const float *taco_load_borrow(struct taco_loader *l, const char *name);
const float *taco_load_borrow_part(struct taco_loader *l, const char *part,
                                   const char *name);
/* The only value of a tensor [1]. */
bool taco_load_scalar(struct taco_loader *l, float *out, const char *name);

/* Packs parts [n_out, n_in[p]] side by side with bias [n_out] (may be NULL). */
bool taco_load_pack(struct taco_loader *l, struct taco_matrix *out, size_t n_out,
                    int n_parts, const float *const *parts, const size_t *n_in,
                    const float *bias, enum taco_precision precision);

/* y = W x + b packed in f32: tensors part + "weight" and, if has_bias, part + "bias". */
bool taco_load_linear(struct taco_loader *l, struct taco_matrix *out, const char *part,
                      size_t n_out, size_t n_in, bool has_bias);
/* Several layers over the same x as one: the rows of parts[i] + "weight", n_out[i] each,
 * behind one another; biases where has_bias[i]. */
bool taco_load_stacked(struct taco_loader *l, struct taco_matrix *out, int n_parts,
                       const char *const *parts, const size_t *n_out, size_t n_in,
                       const bool *has_bias);
/* The same for OpenBLAS: part + weight_name and, if has_bias, part + "bias". */
bool taco_load_linear_f32(struct taco_loader *l, struct taco_linear *out,
                          const char *part, const char *weight_name, bool has_bias);

/* memory_layer [key_dim, M], by which the encoder makes processed_memory. */
bool taco_load_memory_layer(struct taco_loader *l, struct taco_attention *a,
                            size_t key_dim, bool has_bias);

/* dense x conv as one matrix over the taps of all channels (kernels.h,
 * location_features): out[c * kernel + k, d] = sum_f dense[d, f] conv[f, c, k] summed in
 * double, so that the folding adds no error to speak of. dense and conv may be NULL: no
 * memory. */
const float *taco_load_fold(struct taco_loader *l, const float *dense /* [D, F] */,
                            const float *conv /* [F, taps] */, size_t D, size_t F,
                            size_t taps);

/* x [rows, columns] (may be NULL: no memory) transposed. */
const float *taco_load_transpose(struct taco_loader *l, const float *x, size_t rows,
                                 size_t columns);

#endif
