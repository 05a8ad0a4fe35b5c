/* Fast Griffin-Lim (Griffin and Lim 1984; Perraudin, Balazs, Sondergaard 2013) as a
 * pipeline.
 *
 *     t_0 = c_0 = S exp(i phase)
 *     c_n = S angle(r_n - beta r_{n-1}),  r_n = STFT(ISTFT(c_{n-1})), r_0 = 0
 *     beta = alpha / (1 + alpha)
 *
 * which is the update c + alpha (c - c') of the paper up to the magnitude, that is
 * replaced by S anyway. One iteration needs, for a frame, only the frames that overlap
 * it. So every iteration is a stage that runs some frames behind the stage before it, all
 * stages advance together, and frames can be pushed as they come: the memory in use does
 * not grow with the length, and what comes out does not depend on the portions.
 *
 * Of frames with an odd number a stage sees all neighbours but the last one: waiting for
 * it would double the delay, and the result is no better. */
#ifndef TACO_GRIFFIN_LIM_H
#define TACO_GRIFFIN_LIM_H

#include "base/arena.h"
#include "vocoder/stft.h"

struct taco_griffin_lim;

/* One use, one thread. Lives in the arena. Magnitudes outside the bins first_bin to
 * first_bin + n_bins - 1 are 0. TACO_ERR_NO_MEMORY. */
enum taco_status taco_griffin_lim_init(struct taco_griffin_lim **gl,
                                       const struct taco_stft *stft, int first_bin,
                                       int n_bins, int n_iter, float momentum,
                                       struct taco_arena *arena);

/* Frames that must have been pushed behind a frame until its samples come out. */
int taco_griffin_lim_lag(const struct taco_griffin_lim *gl);

/* The next n frames: 2, or 1 when it is the last of all. magnitudes[f], phase[f] [n_bins]
 * of each, phases in turns counted from the middle of the window. Writes *n_samples, at
 * most 2 * hop, to out. */
void taco_griffin_lim_push(struct taco_griffin_lim *gl, int n,
                           const float *const *magnitudes, const float *const *phase,
                           float *out, size_t *n_samples);

/* No more frames will come. Writes what is left to out, at most (lag + 2) * hop samples:
 * in all hop samples a frame. cancel (may be NULL) is asked before every pair of frames,
 * which is what n_iter iterations take the longest for. TACO_ERR_CANCELLED. */
enum taco_status taco_griffin_lim_finish(struct taco_griffin_lim *gl,
                                         const struct taco_cancel *cancel, float *out,
                                         size_t *n_samples);

#endif
