/* Phase gradient heap integration: a phase for magnitudes alone (Prusa, Balazs,
 * Sondergaard 2017; with known frames before it, Prusa and Sondergaard 2016).
 *
 * For a Gaussian window the phase's derivatives follow from those of the log magnitude; a
 * Hann window of length M is nearly one with gamma = 0.25645 M^2. With hop a, N = n_fft,
 * s = ln|X|, bin k of frame n, and phases counted from the middle of the window, the
 * steps to the next frame and to the next bin are
 *
 *     dn(k, n) = 2 pi a k / N + a N / (2 gamma) (s(k + 1, n) - s(k - 1, n))
 *     dk(k, n) = -gamma / (2 a N) (s(k, n + 1) - s(k, n - 1))
 *
 * and are summed by the trapezoidal rule from the loudest bins outwards: a bin is reached
 * from the loudest neighbour that has been reached before. */
#ifndef TACO_PGHI_H
#define TACO_PGHI_H

#include "base/arena.h"
#include "vocoder/stft.h"
#include <stdbool.h>
#include <stdint.h>

struct taco_pghi {
    int n_bins;           /* those from first_bin on */
    int stride;           /* of a row: n_bins and a border at each side */
    float time_slope;     /* a N / (2 gamma), in turns */
    float bin_slope;      /* gamma / (2 a N), in turns */
    const float *advance; /* [n_bins] frac(a k / N) */
};

/* Rows of frames: row 0 is the frame before, rows 1..t are to be solved, row t + 1 is the
 * frame behind; column 1 + k is bin first_bin + k. Rows and columns outside the signal
 * repeat the edge. */
struct taco_pghi_rows {
    float *log_magnitude; /* [t + 2, stride] */
    float *phase;         /* [t + 2, stride] in turns */
    int32_t *link;        /* [t + 2, stride] work space */
};

/* TACO_ERR_NO_MEMORY. */
enum taco_status taco_pghi_init(struct taco_pghi *pghi, const struct taco_stft *stft,
                                int first_bin, int n_bins, struct taco_arena *arena,
                                struct taco_error *err);

/* Row `row` of rows from magnitudes [n_bins] >= 0. */
void taco_pghi_set_row(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                       int row, const float *magnitudes);

/* Row `to` is made a copy of row `from`, phases too. */
void taco_pghi_copy_row(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                        int to, int from);

/* Phases of rows 1..t. continued: row 0 has phases, which the others continue; otherwise
 * they start at the loudest bin with 0. Bins 120 dB below the loudest get 0. */
void taco_pghi_integrate(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                         int t, bool continued);

#endif
