/* A model opened from a test voice, and a run of its stages with all the memory they
 * need. */
#ifndef TACO_TESTS_MODEL_H
#define TACO_TESTS_MODEL_H

#include "support/voice_file.h"
#include "tacotron2/tacotron2.h"

struct test_model {
    struct test_voice voice;
    void *bytes; /* the voice's file */
    struct taco_safetensors *st;
    struct taco_hparams hparams;
    struct taco_tacotron2 *model;
};

/* Opens the voice's default with the overrides; ends the program when it cannot. */
void test_model_open(struct test_model *m, const char *overrides, uint64_t seed);
/* Opens what m->voice holds now; on failure m is to be closed all the same. */
enum taco_status test_model_load(struct test_model *m, enum taco_precision precision,
                                 struct taco_error *err);
void test_model_close(struct test_model *m);

/* One text: its symbols, its memory, a row with room for max_steps. */
struct test_text {
    int32_t *ids; /* [n] */
    int n;
    struct taco_arena keep, scratch;
    struct taco_memory memory;
    struct taco_row row;
    float *masks[TACO_MAX_PRENET_LAYERS]; /* [max_steps, dim], drawn */
};

/* n symbols drawn from the seed; the row ignores the gate, and its seed is the seed. */
void test_text_make(struct test_text *text, const struct test_model *m, int n,
                    int max_steps, uint64_t seed);
/* The same by another of the voice's attentions. */
void test_text_make_by(struct test_text *text, const struct test_model *m, int attention,
                       int n, int max_steps, uint64_t seed);
void test_text_free(struct test_text *text);

/* Decodes the text's row alone until it is done. */
void test_text_decode(struct test_text *text, const struct test_model *m);

#endif
