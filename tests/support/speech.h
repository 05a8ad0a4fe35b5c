/* Recorded speech for the vocoder's tests and bench: the clips of
 * tests/golden/griffin_lim, and how near a vocoder's output comes to them. */
#ifndef TACO_TESTS_SPEECH_H
#define TACO_TESTS_SPEECH_H

#include "vocoder/vocoder.h"
#include <stddef.h>

enum { TEST_N_CLIPS = 3 };

struct test_clip {
    const char *name;
    float *samples; /* [n_samples] at 22,050 Hz */
    size_t n_samples;
    float *mel; /* [n_frames, 80] ln mel, as torchaudio computes it */
    int n_frames;
    double reference_sc_db, reference_mel_l1, reference_inversion_db; /* reference.json */
};

/* Ends the program when a file cannot be read. */
struct test_clip test_clip_load(int i);
void test_clip_free(struct test_clip *clip);

/* The settings of the clips' mels: 22,050 Hz, 1024, hop 256, 80 bands, 0 to 8000 Hz, ln.
 */
struct taco_audio_params test_clip_params(void);
/* Their mel basis [80, 513]; free(). */
float *test_clip_basis(void);
/* A vocoder of these; ends the program when it cannot be made. */
struct taco_vocoder *test_clip_vocoder(void);

/* Spectral convergence of out [n] against clip, 20 log10(|| |STFT(out)| - S || / || S ||)
 * over all bins of all frames that both have, and the mean |ln mel(out) - ln mel(clip)|.
 */
void test_clip_measure(const struct test_clip *clip, const float *out, size_t n,
                       double *sc_db, double *mel_l1);

#endif
