/* Short-time Fourier transform: window, FFT plans, frames.
 *
 * Two real frames a, b are one complex transform of a + ib: with Z its spectrum, bin k of
 * a is (Z[k] + conj Z[N - k]) / 2 and of b (Z[k] - conj Z[N - k]) / 2i. FFTW does that in
 * less time than two real transforms. So frames go in pairs (2p, 2p + 1) everywhere,
 * whatever the portions in which they come: a frame's rounding depends on its partner. */
#ifndef TACO_STFT_H
#define TACO_STFT_H

#include "vocoder/vocoder.h"
#include <fftw3.h>

struct taco_stft {
    int n_fft, win_length, hop_length;
    int n_bins; /* n_fft / 2 + 1 */
    int pad;    /* zeros before the window in a frame of n_fft */
    int offset; /* frame t's window begins at t * hop - offset of the signal */
    bool center;
    bool pad_reflect;
    const float *window;          /* [win_length] Hann */
    fftwf_plan forward, backward; /* complex, n_fft, out of place, 64-byte aligned */
};

/* Arrays come from the arena. The plans are not measured but estimated, so that the same
 * machine always computes the same bits. TACO_ERR_NO_MEMORY. */
enum taco_status taco_stft_init(struct taco_stft *stft,
                                const struct taco_audio_params *params,
                                struct taco_arena *arena, struct taco_error *err);
/* Ends the plans; a zeroed stft is allowed. */
void taco_stft_end(struct taco_stft *stft);

/* Unscaled; in and out [n_fft] are different and 64-byte aligned. Thread-safe. */
void taco_stft_forward(const struct taco_stft *stft, float (*in)[2], float (*out)[2]);
void taco_stft_backward(const struct taco_stft *stft, float (*in)[2], float (*out)[2]);

/* Frames of n samples: 1 + n / hop when centred, n / hop otherwise. */
int taco_stft_frames(const struct taco_stft *stft, size_t n);

/* |STFT| of samples [n], padded at both ends: out [taco_stft_frames(n), n_bins].
 * TACO_ERR_NO_MEMORY. */
enum taco_status taco_stft_magnitudes(const struct taco_stft *stft, const float *samples,
                                      size_t n, struct taco_arena *scratch, float *out);

#endif
