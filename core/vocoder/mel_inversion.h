/* Mel inversion: magnitudes x >= 0 of the FFT's bins whose mel spectrum B x is the given
 * m.
 *
 * 80 bands do not determine 513 bins: of all the solutions the one nearest to a smooth
 * start is wanted. The start interpolates between the bands that see a bin;
 * multiplicative updates (of the Kullback-Leibler divergence, Lee and Seung 2001, with
 * over-relaxation) then bring B x to m and keep the start's shape where m does not speak.
 * On speech this lies nearer to the true magnitudes than the least-squares solution
 * (tests/bench/vocoder.c prints both). */
#ifndef TACO_MEL_INVERSION_H
#define TACO_MEL_INVERSION_H

#include "base/arena.h"
#include <taco/status.h>

/* Updates until nothing is gained any more: see the table of tests/bench/vocoder.c. */
#define TACO_MEL_INVERSION_UPDATES 8

struct taco_mel_inversion {
    int n_mels;
    int first_bin, n_bins; /* the basis sees these bins of the FFT alone */
    /* Column k of the basis, entries column[k] <= e < column[k + 1]. */
    const int *column;         /* [n_bins + 1] */
    const int *band;           /* of an entry */
    const float *weight;       /* B[band, k] */
    const float *share;        /* B[band, k] / sum of column k */
    const float *start;        /* share of the band in the start */
    const float *inverse_area; /* [n_mels] 1 / sum of the band */
};

/* mel_basis [n_mels, n_fft_bins]; arrays come from the arena. TACO_ERR_NO_MEMORY;
 * TACO_ERR_FORMAT: a band that is empty, or an entry that is negative or not finite. */
enum taco_status taco_mel_inversion_init(struct taco_mel_inversion *inversion,
                                         const float *mel_basis, int n_mels,
                                         int n_fft_bins, struct taco_arena *arena,
                                         struct taco_error *err);

/* Floats that taco_mel_inversion_solve needs. */
size_t taco_mel_inversion_scratch(const struct taco_mel_inversion *inversion);

/* out [t, n_bins] from linear mels [t, n_mels] >= 0 after n_updates. A frame's result
 * does not depend on its neighbours. */
void taco_mel_inversion_solve(const struct taco_mel_inversion *inversion,
                              const float *mel, int t, int n_updates, float *scratch,
                              float *out);

/* n_updates of magnitudes that were found otherwise, in place: x + i * stride [n_bins] is
 * frame i's, and its linear mel is mel + i * n_mels. scratch: as above. */
void taco_mel_inversion_refine(const struct taco_mel_inversion *inversion,
                               const float *mel, int t, int n_updates, float *scratch,
                               float *x, size_t stride);

/* out [t, n_mels] = basis x magnitudes [t, n_bins]. */
void taco_mel_inversion_project(const struct taco_mel_inversion *inversion,
                                const float *magnitudes, int t, float *out);

#endif
