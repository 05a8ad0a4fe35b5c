/* Tacotron 2 in double precision, straight from models/FORMAT.md and without any of the
 * engine's foldings: what the engine's stages are compared with. Slow and plain on
 * purpose. */
#ifndef TACO_TESTS_REFERENCE_H
#define TACO_TESTS_REFERENCE_H

#include "support/voice_file.h"
#include "tacotron2/hparams.h"

struct test_reference {
    struct test_voice *voice;
    struct taco_hparams h;
};

/* memory [n, memory_dim] */
void test_reference_encode(const struct test_reference *ref, const int32_t *ids, int n,
                           int speaker, double *memory);

/* What a step of the decoder is fed besides its own past. */
struct test_feed {
    const float *const *masks; /* [prenet_n_layers] arrays [n_steps, dim] */
    const float *teacher;      /* [n_steps x r, n_mels], or NULL: its own output */
};

/* Runs n_steps whatever the gate says: mel [n_steps x r, n_mels], gate [n_steps,
 * gate_dim], alignment [n_steps, n]. */
void test_reference_decode(const struct test_reference *ref, const double *memory, int n,
                           int n_steps, const struct test_feed *feed, double *mel,
                           double *gate, double *alignment);

/* out [t, n_mels] from mel [t, n_mels] */
void test_reference_postnet(const struct test_reference *ref, const double *mel, int t,
                            double *out);

/* -- reference_attention.c ------------------------------------------------- */

struct test_attention {
    const struct test_reference *ref;
    const double *memory; /* [n, memory_dim] */
    int n, step;
    double *before; /* [n] weights of the step before, as the recurrence sees them */
    double *seen;   /* [n] the same, as the location convolution sees them */
    double *sum;    /* [n] */
    double mu[64], u;
    int window; /* argmax that the window follows */
};

void test_attention_start(struct test_attention *a, const struct test_reference *ref,
                          const double *memory, int n);
/* weights [n], context [memory_dim]; query h1 [A], frame [n_mels]: the last one fed. */
void test_attention_step(struct test_attention *a, const double *query,
                         const double *frame, double *weights, double *context);
void test_attention_end(struct test_attention *a);

/* y [n_out] = W x + b; tensors `name`weight [n_out, n_in] and, if it is there,
 * `name`bias. */
void test_reference_linear(const struct test_reference *ref, const char *name,
                           const double *x, double *y);
const float *test_reference_tensor(const struct test_reference *ref, const char *name);
double *test_doubles(size_t n);
double test_sigmoid(double x);

#endif
