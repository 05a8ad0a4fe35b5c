/* Time-stretch of a mel spectrogram: speech gets faster or slower, pitch stays. */
#include "vocoder/vocoder.h"
#include <assert.h>
#include <math.h>
#include <string.h>

int taco_mel_stretched(int t, float speed) {
    if (t <= 0)
        return 0;
    long n = lround((double)t / (double)speed);
    return n < 1 ? 1 : (int)n;
}

int taco_mel_stretchable(int t, float speed) {
    /* Frame i reads floor(i speed) + 1 at the most: i speed < t - 1. */
    return t < 2 ? 0 : (int)ceil((double)(t - 1) / (double)speed);
}

void taco_mel_stretch_window(const float *mel, int t, int n_mels, float speed, int begin,
                             int end, float *out) {
    assert(t > 0 && begin >= 0);
    size_t n = (size_t)n_mels;
    for (int i = begin; i < end; i++, out += n) {
        double at = (double)i * (double)speed;
        if (at >= t - 1) {
            memcpy(out, mel + (size_t)(t - 1) * n, n * sizeof *out);
            continue;
        }
        size_t first = (size_t)at;
        float b = (float)(at - (double)first), a = 1.0f - b;
        const float *x = mel + first * n, *y = x + n;
        for (size_t k = 0; k < n; k++)
            out[k] = a * x[k] + b * y[k];
    }
}

void taco_mel_stretch(const float *mel, int t, int n_mels, float speed, float *out) {
    if (t > 0)
        taco_mel_stretch_window(mel, t, n_mels, speed, 0, taco_mel_stretched(t, speed),
                                out);
}
