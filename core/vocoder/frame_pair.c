#include "vocoder/frame_pair.h"

#include <string.h>

#include <math.h>

/* Squared length below which a direction is taken for none. */
static const float TINY = 1e-30f;

enum taco_status taco_frame_pair_init(struct taco_frame_pair *pair,
                                      const struct taco_stft *stft, int first_bin,
                                      int n_bins, struct taco_arena *arena) {
    size_t n = (size_t)stft->n_fft;
    pair->stft = stft;
    pair->first_bin = first_bin;
    pair->n_bins = n_bins;
    pair->spectrum = taco_arena_alloc(arena, n + 1, sizeof *pair->spectrum);
    pair->samples = taco_arena_alloc(arena, n, sizeof *pair->samples);
    pair->overlapped = taco_arena_alloc(arena, n, sizeof *pair->overlapped);
    pair->transform = taco_arena_alloc(arena, n + 1, sizeof *pair->transform);
    pair->parts = taco_arena_alloc(arena, 6 * (size_t)n_bins, sizeof *pair->parts);
    pair->spare = taco_arena_alloc(arena, 4 * (size_t)n_bins, sizeof *pair->spare);
    return pair->spectrum && pair->samples && pair->overlapped && pair->transform &&
                   pair->parts && pair->spare
               ? TACO_OK
               : TACO_ERR_NO_MEMORY;
}

/* sin 2 pi x for any |x| < 2^31: whole turns off, folded to a quarter, Taylor up to x^11
 * (error 6e-8). Plain enough for the compiler to do several at once. */
static inline float sin_turns(float x) {
    x -= (float)(int)(x + (x < 0 ? -0.5f : 0.5f));
    x = x > 0.25f ? 0.5f - x : x < -0.25f ? -0.5f - x : x;
    float y = x * 6.28318531f, z = y * y;
    float p = -2.50521084e-8f;
    p = p * z + 2.75573192e-6f;
    p = p * z - 1.98412698e-4f;
    p = p * z + 8.33333333e-3f;
    p = p * z - 1.66666667e-1f;
    return y + y * z * p;
}

/* Re and Im of magnitude * exp(2 pi i phase), phase counted from the begin of the n_fft
 * samples: half a turn for every odd bin. The signals are real, so the first and the last
 * bin are. */
static void to_complex(const struct taco_frame_pair *pair,
                       const float *restrict magnitude, const float *restrict phase,
                       float *restrict re, float *restrict im) {
    int n = pair->n_bins, first = pair->first_bin;
    for (int k = 0; k < n; k++) {
        float sign = (first + k) % 2 ? -magnitude[k] : magnitude[k];
        re[k] = sign * sin_turns(phase[k] + 0.25f);
        im[k] = sign * sin_turns(phase[k]);
    }
    int ends[2] = {-first, pair->stft->n_bins - 1 - first};
    for (int e = 0; e < 2; e++)
        if (ends[e] >= 0 && ends[e] < n) {
            int k = ends[e];
            re[k] = copysignf(magnitude[k], re[k]);
            im[k] = 0;
        }
}

/* spectrum[k] = a + ib, spectrum[n_fft - k] = conj a + i conj b, from the parts Re a, Im
 * a, Re b, Im b [n_bins]. */
static void combine(struct taco_frame_pair *pair, const float *restrict parts) {
    int n = pair->n_bins;
    const float *ar = parts, *ai = ar + n, *br = ai + n, *bi = br + n;
    float *restrict low = pair->spectrum[pair->first_bin];
    float *restrict high = pair->spectrum[pair->stft->n_fft - pair->first_bin - n + 1];
    for (int k = 0; k < n; k++) {
        low[2 * k] = ar[k] - bi[k];
        low[2 * k + 1] = ai[k] + br[k];
    }
    for (int k = 0; k < n; k++) {
        high[2 * k] = ar[n - 1 - k] + bi[n - 1 - k];
        high[2 * k + 1] = br[n - 1 - k] - ai[n - 1 - k];
    }
}

void taco_frame_pair_start(struct taco_frame_pair *pair, const float *magnitudes,
                           const float *phase_a, const float *phase_b) {
    size_t n = (size_t)pair->n_bins;
    float *parts = pair->parts;
    to_complex(pair, magnitudes, phase_a, parts, parts + n);
    to_complex(pair, magnitudes + n, phase_b, parts + 2 * n, parts + 3 * n);
    combine(pair, parts);
}

void taco_frame_pair_synthesize(struct taco_frame_pair *pair, const float *window,
                                float *a, float *b) {
    int n = pair->stft->win_length;
    taco_stft_backward(pair->stft, pair->spectrum, pair->overlapped);
    const float *restrict both = pair->overlapped[pair->stft->pad];
    for (int i = 0; i < n; i++)
        a[i] += window[i] * both[2 * i];
    for (int i = 0; i < n; i++)
        b[i] += window[i] * both[2 * i + 1];
}

static void load(float *restrict both, int n, const float *window_a, const float *a,
                 const float *window_b, const float *b) {
    for (int i = 0; i < n; i++) {
        both[2 * i] = window_a[i] * a[i];
        both[2 * i + 1] = window_b[i] * b[i];
    }
}

void taco_frame_pair_analyse(struct taco_frame_pair *pair, const float *window_a,
                             const float *a, const float *window_b, const float *b) {
    load(pair->samples[pair->stft->pad], pair->stft->win_length, window_a, a, window_b,
         b);
    taco_stft_forward(pair->stft, pair->samples, pair->transform);
}

/* r, twice the spectra of a and b, from the transform of a + ib: parts [4, n_bins]. */
static void separate(const struct taco_frame_pair *pair, float *restrict upper,
                     float *restrict parts) {
    int n = pair->n_bins;
    float *ar = parts, *ai = ar + n, *br = ai + n, *bi = br + n;
    const float *restrict low = pair->transform[pair->first_bin];
    const float *restrict high =
        pair->transform[pair->stft->n_fft - pair->first_bin - n + 1];
    for (int k = 0; k < n; k++) {
        upper[n - 1 - k] = high[2 * k];
        upper[2 * n - 1 - k] = high[2 * k + 1];
    }
    for (int k = 0; k < n; k++) {
        float pr = low[2 * k], pi = low[2 * k + 1], qr = upper[k], qi = upper[n + k];
        ar[k] = pr + qr;
        ai[k] = pi - qi;
        br[k] = pi + qi;
        bi[k] = qr - pr;
    }
}

/* c = magnitude * u / |u|, u = r - beta * previous: parts re, im [n]. */
static void direct(int n, const float *restrict magnitude, float beta,
                   const float *restrict r_re, const float *restrict r_im,
                   const float *restrict p_re, const float *restrict p_im,
                   float *restrict re, float *restrict im) {
    for (int k = 0; k < n; k++) {
        float x = r_re[k] - beta * p_re[k], y = r_im[k] - beta * p_im[k];
        float scale = magnitude[k] / sqrtf(x * x + y * y + TINY);
        re[k] = scale * x;
        im[k] = scale * y;
    }
}

void taco_frame_pair_project(struct taco_frame_pair *pair, const float *magnitudes,
                             float beta, const float *previous, float *next) {
    int n = pair->n_bins;
    float *c = pair->parts, *r = next ? next : pair->spare;
    pair->transform[pair->stft->n_fft][0] = pair->transform[0][0]; /* bin N is bin 0 */
    pair->transform[pair->stft->n_fft][1] = pair->transform[0][1];
    separate(pair, pair->parts + 4 * (size_t)n, r);
    for (int f = 0; f < 2; f++) {
        size_t re = 2 * (size_t)f * (size_t)n, im = re + (size_t)n;
        const float *p = previous ? previous : r;
        direct(n, magnitudes + (size_t)f * (size_t)n, previous ? beta : 0, r + re, r + im,
               p + re, p + im, c + re, c + im);
    }
    combine(pair, c);
}
