#include "base/rng.h"

#include <errno.h>
#include <sys/random.h>
#include <time.h>

/* Philox 4x32 with ten rounds: multipliers and Weyl increments of section 4.3 of Salmon
 * et al. 2011. The counter is (lane / 4, step, chunk, stream), the key is the seed. */
static void philox(const struct taco_rng_key *key, uint32_t block, uint32_t step,
                   uint32_t out[4]) {
    uint32_t k0 = (uint32_t)key->seed, k1 = (uint32_t)(key->seed >> 32);
    uint32_t c0 = block, c1 = step, c2 = key->chunk, c3 = key->stream;
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * c0, p1 = (uint64_t)0xCD9E8D57u * c2;
        c0 = (uint32_t)(p1 >> 32) ^ c1 ^ k0;
        c2 = (uint32_t)(p0 >> 32) ^ c3 ^ k1;
        c1 = (uint32_t)p1;
        c3 = (uint32_t)p0;
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    out[0] = c0;
    out[1] = c1;
    out[2] = c2;
    out[3] = c3;
}

void taco_rng_u32(const struct taco_rng_key *key, uint32_t step, uint32_t first, size_t n,
                  uint32_t *out) {
    uint32_t lane = first, four[4];
    for (size_t i = 0; i < n; i++, lane++) {
        if (i == 0 || lane % 4 == 0)
            philox(key, lane / 4, step, four);
        out[i] = four[lane % 4];
    }
}

static float to_uniform(uint32_t u) {
    return (float)(u >> 8) * 0x1p-24f;
}

void taco_rng_uniform(const struct taco_rng_key *key, uint32_t step, uint32_t first,
                      size_t n, float *out) {
    uint32_t lane = first, four[4];
    for (size_t i = 0; i < n; i++, lane++) {
        if (i == 0 || lane % 4 == 0)
            philox(key, lane / 4, step, four);
        out[i] = to_uniform(four[lane % 4]);
    }
}

void taco_rng_dropout(const struct taco_rng_key *key, uint32_t step, float p, size_t n,
                      float *out) {
    taco_rng_uniform(key, step, 0, n, out);
    float scale = 1.0f / (1.0f - p);
    for (size_t i = 0; i < n; i++)
        out[i] = out[i] < p ? 0.0f : scale;
}

uint64_t taco_rng_draw_seed(void) {
    uint64_t seed = 0;
    for (;;) {
        ssize_t n = getrandom(&seed, sizeof seed, 0);
        if (n == (ssize_t)sizeof seed)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        /* A kernel without the call: the seed need be different, not secret. */
        struct timespec now;
        clock_gettime(CLOCK_REALTIME, &now);
        struct taco_rng_key key = {(uint64_t)now.tv_sec, (uint32_t)now.tv_nsec, ~0u};
        uint32_t four[4];
        clock_gettime(CLOCK_MONOTONIC, &now);
        philox(&key, (uint32_t)now.tv_nsec, (uint32_t)now.tv_sec, four);
        seed = (uint64_t)four[0] << 32 | four[1];
        break;
    }
    return seed & (((uint64_t)1 << 53) - 1);
}
