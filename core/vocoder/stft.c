#include "vocoder/stft.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <pthread.h>

#include "base/error.h"

/* FFTW's planner is one for the process and not thread-safe; executing a plan is. */
static pthread_mutex_t planner = PTHREAD_MUTEX_INITIALIZER;

static void make_window(float *window, int n, bool periodic) {
    double period = periodic ? n : n - 1;
    for (int i = 0; i < n; i++)
        window[i] = (float)(0.5 - 0.5 * cos(2 * M_PI * i / period));
}

enum taco_status taco_stft_init(struct taco_stft *stft,
                                const struct taco_audio_params *params,
                                struct taco_arena *arena, struct taco_error *err) {
    size_t n = (size_t)params->n_fft;
    *stft = (struct taco_stft){.n_fft = params->n_fft,
                               .win_length = params->win_length,
                               .hop_length = params->hop_length,
                               .n_bins = params->n_fft / 2 + 1,
                               .pad = (params->n_fft - params->win_length) / 2,
                               .center = params->center,
                               .pad_reflect = params->pad_reflect};
    int before =
        params->center ? params->n_fft / 2 : (params->n_fft - params->hop_length) / 2;
    stft->offset = before - stft->pad;
    float *window = taco_arena_alloc(arena, (size_t)params->win_length, sizeof *window);
    fftwf_complex *in = taco_arena_alloc(arena, n, sizeof *in);
    fftwf_complex *out = taco_arena_alloc(arena, n, sizeof *out);
    if (!window || !in || !out)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the window");
    make_window(window, params->win_length, params->window_periodic);
    stft->window = window;
    pthread_mutex_lock(&planner);
    stft->forward =
        fftwf_plan_dft_1d(params->n_fft, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    stft->backward =
        fftwf_plan_dft_1d(params->n_fft, in, out, FFTW_BACKWARD, FFTW_ESTIMATE);
    pthread_mutex_unlock(&planner);
    if (stft->forward && stft->backward)
        return TACO_OK;
    taco_stft_end(stft);
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                          "no memory for the FFT of %d points", params->n_fft);
}

void taco_stft_end(struct taco_stft *stft) {
    pthread_mutex_lock(&planner);
    if (stft->forward)
        fftwf_destroy_plan(stft->forward);
    if (stft->backward)
        fftwf_destroy_plan(stft->backward);
    pthread_mutex_unlock(&planner);
    stft->forward = stft->backward = NULL;
}

void taco_stft_forward(const struct taco_stft *stft, float (*in)[2], float (*out)[2]) {
    fftwf_execute_dft(stft->forward, in, out);
}

void taco_stft_backward(const struct taco_stft *stft, float (*in)[2], float (*out)[2]) {
    fftwf_execute_dft(stft->backward, in, out);
}

int taco_stft_frames(const struct taco_stft *stft, size_t n) {
    size_t t = n / (size_t)stft->hop_length + (stft->center ? 1 : 0);
    return t > INT_MAX ? INT_MAX : (int)t;
}

/* Sample i of the padded signal. A mirror does not repeat the edge; a signal shorter than
 * the padding is mirrored again and again. */
static float sample_at(const struct taco_stft *stft, const float *samples, long long n,
                       long long i) {
    if (i >= 0 && i < n)
        return samples[i];
    if (n == 0 || !stft->pad_reflect)
        return 0;
    if (n == 1)
        return samples[0];
    long long period = 2 * (n - 1);
    i = ((i % period) + period) % period;
    return samples[i < n ? i : period - i];
}

/* Frame t's windowed samples become part (0: real, 1: imaginary) of in [n_fft]. */
static void load_frame(const struct taco_stft *stft, const float *samples, size_t n,
                       int t, int part, float (*in)[2]) {
    long long first = (long long)t * stft->hop_length - stft->offset;
    for (int i = 0; i < stft->win_length; i++)
        in[stft->pad + i][part] =
            stft->window[i] * sample_at(stft, samples, (long long)n, first + i);
}

enum taco_status taco_stft_magnitudes(const struct taco_stft *stft, const float *samples,
                                      size_t n, struct taco_arena *scratch, float *out) {
    int t = taco_stft_frames(stft, n), last = stft->n_bins - 1;
    fftwf_complex *in = taco_arena_alloc(scratch, (size_t)stft->n_fft, sizeof *in);
    fftwf_complex *z = taco_arena_alloc(scratch, (size_t)stft->n_fft + 1, sizeof *z);
    if (!in || !z)
        return TACO_ERR_NO_MEMORY;
    for (int i = 0; i < t; i += 2) {
        float *a = out + (ptrdiff_t)i * stft->n_bins, *b = a + stft->n_bins;
        load_frame(stft, samples, n, i, 0, in);
        if (i + 1 < t)
            load_frame(stft, samples, n, i + 1, 1, in);
        taco_stft_forward(stft, in, z);
        z[stft->n_fft][0] = z[0][0]; /* bin N is bin 0 */
        z[stft->n_fft][1] = z[0][1];
        for (int k = 0; k <= last; k++) {
            const float *p = z[k], *q = z[stft->n_fft - k];
            a[k] = 0.5f * hypotf(p[0] + q[0], p[1] - q[1]);
            if (i + 1 < t)
                b[k] = 0.5f * hypotf(p[1] + q[1], p[0] - q[0]);
        }
    }
    return TACO_OK;
}
