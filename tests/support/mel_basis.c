#include "support/mel_basis.h"

#include <math.h>
#include <stdlib.h>

/* Linear below 1000 Hz (15 mels), then 27 mels to a factor of 6.4. */
static double hz_to_mel(double hz) {
    return hz < 1000 ? hz * 3 / 200 : 15 + log(hz / 1000) * 27 / log(6.4);
}

static double mel_to_hz(double mel) {
    return mel < 15 ? mel * 200 / 3 : 1000 * exp((mel - 15) * log(6.4) / 27);
}

float *test_mel_basis(const struct taco_audio_params *p) {
    int n_bins = p->n_fft / 2 + 1;
    float *basis = calloc((size_t)p->n_mels * (size_t)n_bins, sizeof *basis);
    double low = hz_to_mel(p->fmin), step = (hz_to_mel(p->fmax) - low) / (p->n_mels + 1);
    for (int j = 0; basis && j < p->n_mels; j++) {
        double left = mel_to_hz(low + j * step), middle = mel_to_hz(low + (j + 1) * step);
        double right = mel_to_hz(low + (j + 2) * step), sum = 0;
        float *band = basis + (size_t)j * (size_t)n_bins;
        for (int k = 0; k < n_bins; k++) {
            double hz = (double)k * p->sample_rate / p->n_fft;
            double up = (hz - left) / (middle - left),
                   down = (right - hz) / (right - middle);
            band[k] = (float)(fmax(0, fmin(up, down)) * 2 / (right - left));
            sum += (double)band[k];
        }
        if (sum == 0)
            band[(int)lround(middle * p->n_fft / p->sample_rate)] =
                (float)(2 / (right - left));
    }
    return basis;
}
