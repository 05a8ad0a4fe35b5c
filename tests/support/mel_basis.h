/* Mel bases for tests. */
#ifndef TACO_TESTS_MEL_BASIS_H
#define TACO_TESTS_MEL_BASIS_H

#include "vocoder/vocoder.h"

/* Triangles on Slaney's mel scale, each of area 1 (in Hz): [n_mels, n_fft / 2 + 1];
 * free(). Bands that fall between two bins get the nearer one. */
float *test_mel_basis(const struct taco_audio_params *params);

#endif
