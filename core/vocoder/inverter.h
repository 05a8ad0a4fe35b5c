/* Learnt mel inversion: magnitudes of all bins of the FFT from log mels, by a small network
 * that sees some frames on either side (models/FORMAT.md, "The inverter"):
 *
 *     u = (ln mel - offset) gain
 *     h = relu(conv_0(u));  h = h + relu(conv_i(h)), i = 1 ...
 *     magnitude = exp(W [h, u] + b)
 *
 * No convolution is padded. A clip is lengthened by `reach` silent frames at both ends
 * instead, so a frame at the edge is computed as any other. It takes the place of the
 * equations of mel_inversion.h, which know nothing of speech; the CBHG of Tacotron (Wang et
 * al. 2017, section 3.3) did the same work. */
#ifndef TACO_INVERTER_H
#define TACO_INVERTER_H

#include "base/arena.h"
#include "kernels/kernels.h"
#include <jansson.h>
#include <taco/status.h>

enum { TACO_INVERTER_MOST_CONVOLUTIONS = 8 };

/* The object "inverter" (models/FORMAT.md). */
struct taco_inverter_params {
    int n_convolutions; /* 1 to TACO_INVERTER_MOST_CONVOLUTIONS */
    int kernel_size;    /* odd, 1 to 15 */
    int channels;       /* 1 to 4096 */
    float offset, gain; /* finite */
};

/* Unknown keys, wrong types, values out of range: TACO_ERR_FORMAT, err->param. */
enum taco_status taco_inverter_params_parse(struct taco_inverter_params *params,
                                            const json_t *inverter,
                                            struct taco_error *err);

/* Const after taco_inverter_init, shared by all threads. */
struct taco_inverter {
    struct taco_inverter_params params;
    const struct taco_kernels *kernels;
    int n_mels, n_bins; /* n_bins: n_fft / 2 + 1 */
    int reach;          /* frames on either side that an output sees */
    float silence; /* ln mel of a silent frame: the logarithm of the analysis' floor */
    struct taco_matrix conv[TACO_INVERTER_MOST_CONVOLUTIONS], out;
};

/* Values [shape] of the tensors of models/FORMAT.md; copied. */
struct taco_inverter_weights {
    const float
        *conv_weight[TACO_INVERTER_MOST_CONVOLUTIONS]; /* [C, C or n_mels, kernel] */
    const float *conv_bias[TACO_INVERTER_MOST_CONVOLUTIONS]; /* [C] */
    const float *out_weight;                                 /* [n_bins, C + n_mels] */
    const float *out_bias;                                   /* [n_bins] */
};

/* Packs the weights for the kernels into the arena. silence: see above. precision: F32 or
 * BF16. TACO_ERR_NO_MEMORY. */
enum taco_status taco_inverter_init(struct taco_inverter *inverter,
                                    const struct taco_inverter_params *params,
                                    const struct taco_inverter_weights *weights,
                                    int n_mels, int n_bins, float silence,
                                    const struct taco_kernels *kernels,
                                    enum taco_precision precision,
                                    struct taco_arena *arena);

/* One clip's passage through the network: every layer keeps the inputs that its next output
 * looks back on, so nothing is computed twice. One thread's. */
struct taco_inverter_stream;

/* Frames that may be fed at once. */
enum { TACO_INVERTER_MOST_FRAMES = 16 };

/* Lives in the arena; borrows the inverter. TACO_ERR_NO_MEMORY. */
enum taco_status taco_inverter_stream_init(struct taco_inverter_stream **stream,
                                           const struct taco_inverter *inverter,
                                           struct taco_arena *arena);

/* ln mels [t, n_mels], 0 <= t <= TACO_INVERTER_MOST_FRAMES, every value finite; NULL: silent
 * frames. Writes the magnitudes [n, n_bins], each at most `largest`, of the next n frames
 * to out and returns n <= t: an output comes out `reach` frames behind its input. The
 * portions have no influence on any bit. Once all frames are in, `reach` silent ones bring
 * the last out. */
int taco_inverter_stream_feed(struct taco_inverter_stream *stream, const float *ln_mel,
                              int t, float largest, float *out);

#endif
