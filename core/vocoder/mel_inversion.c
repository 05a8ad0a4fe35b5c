#include "vocoder/mel_inversion.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/error.h"

/* Frames that are solved side by side, one a vector lane. */
enum { LANES = 8 };

/* The ratio m / (B x) of one update stays below this where B x is next to nothing. */
static const float LARGEST_RATIO = 1e6f;
static const float TINY = 1e-30f;

/* Every band has a weight between these: magnitudes stay inside float's range. */
static const float LEAST_WEIGHT = 1e-6f, LARGEST_WEIGHT = 1e6f;

static enum taco_status check_basis(const float *mel_basis, int n_mels, int n_fft_bins,
                                    struct taco_error *err) {
    for (int j = 0; j < n_mels; j++) {
        float largest = 0;
        for (int k = 0; k < n_fft_bins; k++) {
            float b = mel_basis[(ptrdiff_t)j * n_fft_bins + k];
            if (!(b >= 0 && b <= LARGEST_WEIGHT))
                return taco_error_set(
                    err, TACO_ERR_FORMAT, "audio.mel_basis",
                    "audio.mel_basis: band %d, bin %d is %g, must be 0 to "
                    "1e6",
                    j, k, (double)b);
            largest = fmaxf(largest, b);
        }
        if (!(largest >= LEAST_WEIGHT))
            return taco_error_set(err, TACO_ERR_FORMAT, "audio.mel_basis",
                                  "audio.mel_basis: band %d sees no bin", j);
    }
    return TACO_OK;
}

static int count_entries(const float *mel_basis, int n_mels, int n_fft_bins,
                         struct taco_mel_inversion *inversion) {
    int n = 0, first = n_fft_bins, last = -1;
    for (int j = 0; j < n_mels; j++)
        for (int k = 0; k < n_fft_bins; k++)
            if (mel_basis[(ptrdiff_t)j * n_fft_bins + k] > 0) {
                n++;
                first = k < first ? k : first;
                last = k > last ? k : last;
            }
    inversion->n_mels = n_mels;
    inversion->first_bin = first;
    inversion->n_bins = last - first + 1;
    return n;
}

enum taco_status taco_mel_inversion_init(struct taco_mel_inversion *inversion,
                                         const float *mel_basis, int n_mels,
                                         int n_fft_bins, struct taco_arena *arena,
                                         struct taco_error *err) {
    enum taco_status status = check_basis(mel_basis, n_mels, n_fft_bins, err);
    if (status != TACO_OK)
        return status;
    size_t n = (size_t)count_entries(mel_basis, n_mels, n_fft_bins, inversion);
    int *column = taco_arena_alloc(arena, (size_t)inversion->n_bins + 1, sizeof *column);
    int *band = taco_arena_alloc(arena, n, sizeof *band);
    float *weight = taco_arena_alloc(arena, n, sizeof *weight);
    float *share = taco_arena_alloc(arena, n, sizeof *share);
    float *start = taco_arena_alloc(arena, n, sizeof *start);
    float *area = taco_arena_alloc(arena, (size_t)n_mels, sizeof *area);
    if (!column || !band || !weight || !share || !start || !area)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for the mel basis");
    int e = 0;
    for (int k = 0; k < inversion->n_bins; k++) {
        float sum = 0, roots = 0;
        column[k] = e;
        for (int j = 0; j < n_mels; j++) {
            float b = mel_basis[(ptrdiff_t)j * n_fft_bins + inversion->first_bin + k];
            if (!(b > 0))
                continue;
            band[e] = j;
            weight[e] = b;
            area[j] += b;
            sum += b;
            roots += cbrtf(b);
            e++;
        }
        for (int i = column[k]; i < e; i++) {
            share[i] = weight[i] / sum;
            start[i] = cbrtf(weight[i]) / roots;
        }
    }
    column[inversion->n_bins] = e;
    for (int j = 0; j < n_mels; j++)
        area[j] = 1 / area[j];
    inversion->column = column;
    inversion->band = band;
    inversion->weight = weight;
    inversion->share = share;
    inversion->start = start;
    inversion->inverse_area = area;
    return TACO_OK;
}

size_t taco_mel_inversion_scratch(const struct taco_mel_inversion *inversion) {
    return (size_t)LANES * (3 * (size_t)inversion->n_mels + (size_t)inversion->n_bins);
}

/* x_k = (sum_j start_jk sqrt(m_j / area_j))^2: between two bands the square root of the
 * magnitude is interpolated, with weights that are flatter than the bands' own. Any start
 * above 0 would converge; this one gave the smallest error of those tried. */
static void make_start(const struct taco_mel_inversion *v,
                       const float *mel /* [n_mels, LANES] */,
                       float *level /* [n_mels, LANES] */,
                       float *x /* [n_bins, LANES] */) {
    for (int j = 0; j < v->n_mels; j++)
        for (int l = 0; l < LANES; l++)
            level[j * LANES + l] = sqrtf(mel[j * LANES + l] * v->inverse_area[j]);
    for (int k = 0; k < v->n_bins; k++) {
        float sum[LANES] = {0};
        for (int e = v->column[k]; e < v->column[k + 1]; e++)
            for (int l = 0; l < LANES; l++)
                sum[l] += v->start[e] * level[v->band[e] * LANES + l];
        for (int l = 0; l < LANES; l++)
            x[k * LANES + l] = sum[l] * sum[l];
    }
}

static void project(const struct taco_mel_inversion *v, const float *x, float *y) {
    memset(y, 0, sizeof *y * LANES * (size_t)v->n_mels);
    for (int k = 0; k < v->n_bins; k++)
        for (int e = v->column[k]; e < v->column[k + 1]; e++) {
            float *restrict to = y + v->band[e] * LANES;
            for (int l = 0; l < LANES; l++)
                to[l] += v->weight[e] * x[k * LANES + l];
        }
}

/* x_k *= sum_j share_jk (m_j / y_j)^1.5 with y = B x. Exponent 1 is the plain update; 1.5
 * needs half as many updates, 2 no longer converges. */
static void update(const struct taco_mel_inversion *v, const float *mel, const float *y,
                   float *ratio, float *x) {
    for (int i = 0; i < v->n_mels * LANES; i++) {
        float r = mel[i] / (y[i] + TINY);
        r = r < LARGEST_RATIO ? r : LARGEST_RATIO;
        ratio[i] = r * sqrtf(r);
    }
    for (int k = 0; k < v->n_bins; k++) {
        float sum[LANES] = {0};
        for (int e = v->column[k]; e < v->column[k + 1]; e++)
            for (int l = 0; l < LANES; l++)
                sum[l] += v->share[e] * ratio[v->band[e] * LANES + l];
        for (int l = 0; l < LANES; l++)
            x[k * LANES + l] *= sum[l];
    }
}

/* n_updates of n <= LANES frames: from the start, or from what stands in out. */
static void solve_lanes(const struct taco_mel_inversion *v, const float *mel, int n,
                        int n_updates, bool started, float *scratch, float *out,
                        size_t stride) {
    size_t n_mels = (size_t)v->n_mels, n_bins = (size_t)v->n_bins;
    float *m = scratch, *y = m + n_mels * LANES; /* [n_mels, LANES] */
    float *ratio = y + n_mels * LANES;           /* [n_mels, LANES] */
    float *x = ratio + n_mels * LANES;           /* [n_bins, LANES] */
    memset(m, 0, sizeof *m * n_mels * LANES);
    for (int l = 0; l < n; l++)
        for (size_t j = 0; j < n_mels; j++)
            m[j * LANES + (size_t)l] = mel[(size_t)l * n_mels + j];
    if (!started)
        make_start(v, m, ratio, x);
    else
        for (size_t k = 0; k < n_bins; k++)
            for (int l = 0; l < LANES; l++)
                x[k * LANES + (size_t)l] = l < n ? out[(size_t)l * stride + k] : 0;
    for (int i = 0; i < n_updates; i++) {
        project(v, x, y);
        update(v, m, y, ratio, x);
    }
    for (int l = 0; l < n; l++)
        for (size_t k = 0; k < n_bins; k++)
            out[(size_t)l * stride + k] = x[k * LANES + (size_t)l];
}

static void solve(const struct taco_mel_inversion *v, const float *mel, int t,
                  int n_updates, bool started, float *scratch, float *out,
                  size_t stride) {
    for (int first = 0; first < t; first += LANES)
        solve_lanes(v, mel + (ptrdiff_t)first * v->n_mels,
                    t - first < LANES ? t - first : LANES, n_updates, started, scratch,
                    out + (size_t)first * stride, stride);
}

void taco_mel_inversion_solve(const struct taco_mel_inversion *v, const float *mel, int t,
                              int n_updates, float *scratch, float *out) {
    solve(v, mel, t, n_updates, false, scratch, out, (size_t)v->n_bins);
}

void taco_mel_inversion_refine(const struct taco_mel_inversion *v, const float *mel,
                               int t, int n_updates, float *scratch, float *x,
                               size_t stride) {
    solve(v, mel, t, n_updates, true, scratch, x, stride);
}

void taco_mel_inversion_project(const struct taco_mel_inversion *v,
                                const float *magnitudes, int t, float *out) {
    memset(out, 0, sizeof *out * (size_t)t * (size_t)v->n_mels);
    for (int i = 0; i < t; i++) {
        const float *x = magnitudes + (ptrdiff_t)i * v->n_bins;
        float *y = out + (ptrdiff_t)i * v->n_mels;
        for (int k = 0; k < v->n_bins; k++)
            for (int e = v->column[k]; e < v->column[k + 1]; e++)
                y[v->band[e]] += v->weight[e] * x[k];
    }
}
