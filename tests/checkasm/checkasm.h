/* Every kernel of every instruction set against the scalar one (see checkasm.c). */
#ifndef TACO_TESTS_CHECKASM_H
#define TACO_TESTS_CHECKASM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernels/kernels.h"

/* One table under test. */
struct checkasm {
    const struct taco_kernels *scalar, *tested;
    int n_rounds;    /* random cases a kernel */
    uint64_t seed;   /* state of the generator */
    const char *now; /* the kernel at work, for messages */
    int n_failures;
};

/* Counts a failure and prints it behind the names of the table and the kernel. */
void checkasm_fail(struct checkasm *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Prints the kernel's result since the count of failures was n_before. */
void checkasm_report(struct checkasm *c, const char *kernel, int n_before);

/* Floats [n] that end where memory that may not be touched begins, with a few in front
 * that checkasm_intact looks at. Never NULL. */
float *checkasm_floats(size_t n);
/* Whether what lies in front of the floats is untouched. */
bool checkasm_intact(const float *p);
void checkasm_free(float *p, size_t n);

/* Bytes [size] of scratch that begin at a multiple of 64, with a guard of bytes behind.
 */
void *checkasm_scratch(size_t size);
bool checkasm_scratch_intact(const void *p, size_t size);

/* Fills p [n] by one of a few plans: uniform, constant, mostly zero with a few large,
 * huge and tiny side by side, zeros of both signs, alternating. scale: of the ordinary
 * values. */
void checkasm_fill(struct checkasm *c, float scale, float *p, size_t n);

/* Whether a and b have the same bits, or are both no number. */
bool checkasm_same(float a, float b);

void checkasm_matmul(struct checkasm *c);
void checkasm_activations(struct checkasm *c);
void checkasm_attention(struct checkasm *c);

/* Sigmoid, tanh and softmax's exp over every float of their domain: prints the largest
 * error in units of the last place. */
void checkasm_all_floats(struct checkasm *c);

/* Prints the time of a call of each kernel. */
void checkasm_bench(const struct taco_kernels *k);

#endif
