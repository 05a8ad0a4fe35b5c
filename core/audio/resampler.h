/* Another sample rate, by libsoxr, in any portions. n samples in make exactly
 * round(n * out_rate / in_rate) samples out. */
#ifndef TACO_RESAMPLER_H
#define TACO_RESAMPLER_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

struct taco_resampler;

/* TACO_ERR_NO_MEMORY. */
enum taco_status taco_resampler_create(struct taco_resampler **resampler, int in_rate,
                                       int out_rate, struct taco_error *err);
void taco_resampler_destroy(struct taco_resampler *resampler); /* NULL is allowed */

/* Rounded half up. */
uint64_t taco_resampled(uint64_t n, int in_rate, int out_rate);

/* Takes in [n] up to *taken samples and writes *made up to room samples to out. in NULL:
 * the end; to be called again until *made is 0. TACO_ERR_NO_MEMORY. */
enum taco_status taco_resampler_run(struct taco_resampler *resampler, const float *in,
                                    size_t n, size_t *taken, float *out, size_t room,
                                    size_t *made);

#endif
