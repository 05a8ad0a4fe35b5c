/* Two neighbouring frames between spectrum and samples: the inner loops of Griffin-Lim,
 * on one complex transform for both frames (stft.h). */
#ifndef TACO_FRAME_PAIR_H
#define TACO_FRAME_PAIR_H

#include "vocoder/stft.h"

struct taco_frame_pair {
    const struct taco_stft *stft;
    int first_bin, n_bins; /* the bins that are not silent */
    float (*spectrum)[2];  /* [n_fft + 1] of a + ib, to be synthesized */
    float (*samples)[2];   /* [n_fft] a, b; zero outside the window before the analysis */
    float (*overlapped)[2]; /* [n_fft] a, b after the synthesis */
    float (*transform)[2];  /* [n_fft + 1] of what has been analysed */
    float *parts, *spare;   /* [6, n_bins], [4, n_bins] work space */
};

/* TACO_ERR_NO_MEMORY. */
enum taco_status taco_frame_pair_init(struct taco_frame_pair *pair,
                                      const struct taco_stft *stft, int first_bin,
                                      int n_bins, struct taco_arena *arena);

/* spectrum from magnitudes [2, n_bins] and phases [n_bins] of either frame, in turns
 * counted from the window's middle. */
void taco_frame_pair_start(struct taco_frame_pair *pair, const float *magnitudes,
                           const float *phase_a, const float *phase_b);

/* Inverse transform of spectrum, times window [win_length], added to a and b
 * [win_length]. The two may overlap. */
void taco_frame_pair_synthesize(struct taco_frame_pair *pair, const float *window,
                                float *a, float *b);

/* transform of window_a a, window_b b, all [win_length]. */
void taco_frame_pair_analyse(struct taco_frame_pair *pair, const float *window_a,
                             const float *a, const float *window_b, const float *b);

/* spectrum = magnitudes * angle(r - beta * previous) with r from transform. magnitudes
 * [2, n_bins]; previous [4, n_bins] is r of the iteration before (NULL: none), next [4,
 * n_bins] is given r (NULL: not wanted): 2 Re a, 2 Im a, 2 Re b, 2 Im b. */
void taco_frame_pair_project(struct taco_frame_pair *pair, const float *magnitudes,
                             float beta, const float *previous, float *next);

#endif
