/* Counter-based random numbers: Philox 4x32-10 (Salmon et al., "Parallel random numbers:
 * as easy as 1, 2, 3", SC 2011). A number is a pure function of (seed, stream, chunk,
 * step, lane), so it does not depend on threads, batches or order. */
#ifndef TACO_BASE_RNG_H
#define TACO_BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

/* What a number is for: streams never share numbers. */
enum taco_rng_stream {
    TACO_RNG_PRENET_0 = 0, /* dropout after prenet layer i: this + i, i < 8 */
    TACO_RNG_PHASE = 8,    /* random phase of Griffin-Lim */
    TACO_RNG_ATTENTION = 9 /* hard attention's draw */
};

struct taco_rng_key {
    uint64_t seed;
    uint32_t chunk;  /* index of the chunk in the request */
    uint32_t stream; /* enum taco_rng_stream */
};

/* out [n] uniform 32-bit numbers of (key, step), lanes first..first+n-1. */
void taco_rng_u32(const struct taco_rng_key *key, uint32_t step, uint32_t first, size_t n,
                  uint32_t *out);

/* out [n] uniform floats in [0, 1), 24 bits each. */
void taco_rng_uniform(const struct taco_rng_key *key, uint32_t step, uint32_t first,
                      size_t n, float *out);

/* Dropout factors out [n]: 0 with probability p, else 1/(1-p); lane i drops when its
 * uniform number is < p. 0 <= p < 1. */
void taco_rng_dropout(const struct taco_rng_key *key, uint32_t step, float p, size_t n,
                      float *out);

/* A seed from the system's entropy, 0 <= seed < 2^53 so that JSON numbers hold it. */
uint64_t taco_rng_draw_seed(void);

#endif
