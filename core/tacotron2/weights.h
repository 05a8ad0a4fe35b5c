/* The tensors of a graph: names, shapes, and their values from the voice's file. */
#ifndef TACO_TACOTRON2_WEIGHTS_H
#define TACO_TACOTRON2_WEIGHTS_H

#include "base/arena.h"
#include "base/safetensors.h"
#include "tacotron2/hparams.h"

struct taco_weight {
    char name[96];
    int n_dims;       /* 1 to 3 */
    int64_t shape[3]; /* [n_dims] */
};

/* A list being written. */
struct taco_weight_list {
    struct taco_weight *list; /* [TACO_MAX_WEIGHTS] */
    int n;
    const char *prefix; /* of the names */
};

/* Adds tensor prefix + name; a size of 0 ends the shape: every size of a graph is at least
 * 1. */
void taco_weight_add(struct taco_weight_list *w, const char *name, int64_t a, int64_t b,
                     int64_t c);

/* Adds those of a self-attention layer: W wide, F within. */
void taco_self_attention_tensors(struct taco_weight_list *w, int64_t W, int64_t F);

/* Enough for every graph that taco_hparams_parse lets through. */
#define TACO_MAX_WEIGHTS 512

/* What stands before the names of attention i's tensors: "decoder.attention." of the
 * default, "attention.NAME." of the others. */
enum { TACO_ATTENTION_PREFIX_BYTES = TACO_ATTENTION_NAME_BYTES + 16 };
void taco_attention_prefix(const struct taco_hparams *h, int i,
                           char prefix[TACO_ATTENTION_PREFIX_BYTES]);

/* Every tensor of the graph in normal form (models/FORMAT.md, "Tensors"), in the file's
 * order: fills list [TACO_MAX_WEIGHTS] and returns how many there are. n_speakers must be
 * known. */
int taco_weights_list(const struct taco_hparams *hparams, struct taco_weight *list);

/* Looks for every tensor of the list in the file. A missing one, another shape or a type
 * that is no float is TACO_ERR_SHAPE; a tensor of the file that the list lacks (except
 * "audio.…" and "inverter.…") is TACO_ERR_FORMAT. err->param is the tensor's name. */
enum taco_status taco_weights_check(const struct taco_weight *list, int n,
                                    const struct taco_safetensors *st,
                                    struct taco_error *err);

/* Whether no value of a tensor that has been found is NaN or infinite. */
bool taco_weight_is_finite(const struct taco_weight *weight,
                           const struct taco_safetensors *st);

/* Values [shape] of a tensor that has been checked: f32 as it stands, anything else converted
 * into the arena. keep: they must outlive the data of st, so f32 is copied as well, unless
 * the bytes are borrowed. NULL: no memory. */
const float *taco_weights_get(const struct taco_safetensors *st, const char *name,
                              bool keep, struct taco_arena *arena);

#endif
