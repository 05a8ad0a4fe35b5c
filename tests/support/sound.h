/* Reading back what has been encoded, by libsndfile. */
#ifndef TACO_TESTS_SOUND_H
#define TACO_TESTS_SOUND_H

#include <stddef.h>
#include <taco/audio.h>

/* Samples of the encoded bytes [size]; *n of them at *rate. format and raw_rate tell what
 * headerless formats are. free(). NULL: libsndfile does not take them. */
float *test_decode(const void *bytes, size_t size, enum taco_audio_format format,
                   int raw_rate, size_t *n, int *rate);

/* out [n]: a sine of amplitude at frequency, then faded in and out. */
void test_sine(float amplitude, double frequency, int rate, float *out, size_t n);

/* 20 log10 of ||b|| / ||a - g b|| for the best gain g and delay of 0..max_delay samples
 * of a. */
double test_snr_db(const float *a, size_t n_a, const float *b, size_t n_b,
                   size_t max_delay);

#endif
