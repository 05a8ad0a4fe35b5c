#include "vocoder/griffin_lim.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/cancel.h"
#include "vocoder/frame_pair.h"

/* Overlapping windows add up to at least this part of their largest sum before they are
 * divided out: at the two ends of a clip there are fewer, and noise would grow without
 * bound. */
static const float LEAST_OVERLAP = 0.05f;

/* Pairs that a stage's buffer holds beyond what it needs, between two moves. */
enum { SLACK = 8 };

/* One ISTFT and the STFT behind it. */
struct stage {
    float *signal;   /* [capacity] overlapped windows; from start + need on it is zero */
    size_t start;    /* where the window of the oldest frame in use begins */
    float *previous; /* [lag + 1, 4, n_bins] spectra of the STFT before, a slot a pair */
};

struct taco_griffin_lim {
    const struct taco_stft *stft;
    struct taco_frame_pair pair;
    int n_iter, reach, lag; /* frames that overlap at each side; pairs a stage lags */
    float beta;
    size_t need, capacity;
    size_t magnitude_slots;
    float *magnitudes;      /* [magnitude_slots, 2, n_bins] of the pairs in flight */
    struct stage *stages;   /* [n_iter + 1]; the last one gives the samples */
    const float *synthesis; /* [win_length] window / n_fft */
    const float *analysis;  /* [2, win_length] window / overlap, even and odd frames */
    const float *inverse_overlap; /* [hop_length] 1 / sum of the squared windows */
    float least_overlap;
    float *edges;  /* [2 * reach, win_length] the same for the first and the last */
    long n_pairs;  /* pushed */
    long n_frames; /* -1 until the end is known */
    long step;
    size_t emitted; /* samples, those before the first middle included */
    bool single;    /* the last pair is one frame and silence */
};

/* Sum of squared windows at sample i of frame t's window over the frames 0..last that are
 * at most `ahead` behind it. */
static float overlap_at(const struct taco_stft *stft, long t, int i, int ahead,
                        long last) {
    int reach = (stft->win_length - 1) / stft->hop_length;
    float sum = 0;
    for (int d = -reach; d <= ahead; d++) {
        int at = i - d * stft->hop_length;
        if (at >= 0 && at < stft->win_length && t + d >= 0 && t + d <= last)
            sum += stft->window[at] * stft->window[at];
    }
    return sum;
}

/* Frames behind frame t that the STFT of a stage sees. */
static int ahead_of(const struct taco_griffin_lim *gl, long t) {
    int ahead = 2 * gl->lag + 1 - (int)(t % 2);
    return ahead < gl->reach ? ahead : gl->reach;
}

static long last_frame(const struct taco_griffin_lim *gl) {
    return gl->n_frames < 0 ? LONG_MAX : gl->n_frames - 1;
}

/* window / overlap for frame t. */
static void make_analysis(const struct taco_griffin_lim *gl, long t, float *out) {
    const struct taco_stft *stft = gl->stft;
    for (int i = 0; i < stft->win_length; i++)
        out[i] = stft->window[i] /
                 fmaxf(overlap_at(stft, t, i, ahead_of(gl, t), last_frame(gl)),
                       gl->least_overlap);
}

static void make_windows(struct taco_griffin_lim *gl, float *synthesis,
                         float *inverse_overlap, float *analysis) {
    const struct taco_stft *stft = gl->stft;
    long inner = 2L * gl->reach; /* an even frame that has all neighbours */
    float largest = 0;
    for (int i = 0; i < stft->hop_length; i++)
        largest = fmaxf(largest, overlap_at(stft, inner, i, gl->reach, LONG_MAX));
    gl->least_overlap = LEAST_OVERLAP * largest;
    for (int i = 0; i < stft->hop_length; i++)
        inverse_overlap[i] =
            1 / fmaxf(overlap_at(stft, inner, i, gl->reach, LONG_MAX), gl->least_overlap);
    for (int i = 0; i < stft->win_length; i++)
        synthesis[i] = stft->window[i] / (float)stft->n_fft;
    make_analysis(gl, inner, analysis);
    make_analysis(gl, inner + 1, analysis + stft->win_length);
}

/* Analysis windows of the first and, once their number is known, of the last frames. */
static void make_edges(struct taco_griffin_lim *gl) {
    size_t n = (size_t)gl->stft->win_length;
    for (int e = 0; e < gl->reach; e++) {
        make_analysis(gl, e, gl->edges + (size_t)e * n);
        long t = gl->n_frames - gl->reach + e;
        if (t >= gl->reach)
            make_analysis(gl, t, gl->edges + (size_t)(gl->reach + e) * n);
    }
}

static const float *analysis_window(const struct taco_griffin_lim *gl, long t) {
    size_t n = (size_t)gl->stft->win_length;
    if (t < gl->reach)
        return gl->edges + (size_t)t * n;
    if (gl->n_frames >= 0 && t >= gl->n_frames - gl->reach && t < gl->n_frames)
        return gl->edges + (size_t)(t - gl->n_frames + 2 * gl->reach) * n;
    return gl->analysis + (size_t)(t % 2) * n;
}

enum taco_status taco_griffin_lim_init(struct taco_griffin_lim **out,
                                       const struct taco_stft *stft, int first_bin,
                                       int n_bins, int n_iter, float momentum,
                                       struct taco_arena *arena) {
    struct taco_griffin_lim *gl = taco_arena_alloc(arena, 1, sizeof *gl);
    if (!gl)
        return TACO_ERR_NO_MEMORY;
    size_t win = (size_t)stft->win_length, hop = (size_t)stft->hop_length;
    size_t bins = (size_t)n_bins;
    gl->stft = stft;
    gl->n_iter = n_iter;
    gl->reach = (stft->win_length - 1) / stft->hop_length;
    gl->lag = gl->reach > 1 ? gl->reach / 2 : 1;
    gl->beta = momentum / (1 + momentum);
    gl->need = (2 * (size_t)gl->lag + 1) * hop + win;
    gl->capacity = gl->need + 2 * SLACK * hop;
    gl->magnitude_slots = (size_t)n_iter * (size_t)gl->lag + 1;
    gl->n_frames = -1;
    float *synthesis = taco_arena_alloc(arena, win, sizeof *synthesis);
    float *analysis = taco_arena_alloc(arena, 2 * win, sizeof *analysis);
    float *inverse_overlap = taco_arena_alloc(arena, hop, sizeof *inverse_overlap);
    gl->edges = taco_arena_alloc(arena, 2 * (size_t)gl->reach * win, sizeof *gl->edges);
    gl->magnitudes =
        taco_arena_alloc(arena, gl->magnitude_slots * 2 * bins, sizeof(float));
    gl->stages = taco_arena_alloc(arena, (size_t)n_iter + 1, sizeof *gl->stages);
    if (!synthesis || !analysis || !inverse_overlap || !gl->edges || !gl->magnitudes ||
        !gl->stages ||
        taco_frame_pair_init(&gl->pair, stft, first_bin, n_bins, arena) != TACO_OK)
        return TACO_ERR_NO_MEMORY;
    for (int j = 0; j <= n_iter; j++) {
        struct stage *stage = &gl->stages[j];
        stage->signal = taco_arena_alloc(arena, gl->capacity, sizeof(float));
        /* The first stage's STFT is the first one, the last stage has none. */
        if (j > 0 && j < n_iter)
            stage->previous =
                taco_arena_alloc(arena, ((size_t)gl->lag + 1) * 4 * bins, sizeof(float));
        if (!stage->signal || (j > 0 && j < n_iter && !stage->previous))
            return TACO_ERR_NO_MEMORY;
    }
    make_windows(gl, synthesis, inverse_overlap, analysis);
    gl->synthesis = synthesis;
    gl->analysis = analysis;
    gl->inverse_overlap = inverse_overlap;
    make_edges(gl);
    *out = gl;
    return TACO_OK;
}

int taco_griffin_lim_lag(const struct taco_griffin_lim *gl) {
    int hop = gl->stft->hop_length;
    return 2 * gl->lag * gl->n_iter + (gl->stft->offset + hop - 1) / hop + 1;
}

static float *magnitudes_of(struct taco_griffin_lim *gl, long q) {
    return gl->magnitudes + (size_t)q % gl->magnitude_slots * 2 * (size_t)gl->pair.n_bins;
}

/* The slot of pair q in the spectra that stage j reads (and stage j - 1 writes). */
static float *previous_of(struct taco_griffin_lim *gl, int j, long q) {
    if (j == 0 || j >= gl->n_iter)
        return NULL;
    return gl->stages[j].previous +
           (size_t)q % ((size_t)gl->lag + 1) * 4 * (size_t)gl->pair.n_bins;
}

/* Makes room for the pair after the next. */
static void advance(const struct taco_griffin_lim *gl, struct stage *stage) {
    size_t step = 2 * (size_t)gl->stft->hop_length, kept = gl->need - step;
    stage->start += step;
    if (stage->start + gl->need <= gl->capacity)
        return;
    memmove(stage->signal, stage->signal + stage->start, kept * sizeof(float));
    memset(stage->signal + kept, 0, (gl->capacity - kept) * sizeof(float));
    stage->start = 0;
}

/* Samples up to `end`, counted from the first window's begin, are complete in the last
 * stage; signal[0] is sample `first`. Those before the first frame's middle are not
 * wanted. */
static size_t emit(struct taco_griffin_lim *gl, const float *signal, size_t first,
                   size_t end, float *out) {
    const struct taco_stft *stft = gl->stft;
    size_t hop = (size_t)stft->hop_length, offset = (size_t)stft->offset, n = 0;
    size_t inner =
        (size_t)gl->reach * hop; /* from here on every sample has all its frames */
    size_t outer = gl->n_frames < 0 ? end : (size_t)gl->n_frames * hop;
    size_t i = gl->emitted > offset ? gl->emitted : offset;
    while (i < end) {
        size_t t = i / hop, at = i - t * hop;
        size_t stop = (t + 1) * hop < end ? hop : end - t * hop;
        if (i >= inner && i < outer)
            for (; at < stop; at++, i++)
                out[n++] = signal[i - first] * gl->inverse_overlap[at];
        else
            for (; at < stop; at++, i++)
                out[n++] =
                    signal[i - first] /
                    fmaxf(overlap_at(stft, (long)t, (int)at, gl->reach, last_frame(gl)),
                          gl->least_overlap);
    }
    gl->emitted = end > gl->emitted ? end : gl->emitted;
    return n;
}

/* Advances every stage by one pair; the pair itself, if there still is one, has been put
 * into gl->pair. Returns the number of samples. */
static size_t run_step(struct taco_griffin_lim *gl, float *out) {
    const struct taco_stft *stft = gl->stft;
    size_t hop = (size_t)stft->hop_length, n = 0;
    for (int j = 0; j <= gl->n_iter; j++) {
        struct stage *stage = &gl->stages[j];
        long q = gl->step - (long)j * gl->lag; /* the pair that comes in */
        long r = q - gl->lag; /* the pair whose neighbours are all there */
        if (q < 0)
            break;
        float *signal = stage->signal + stage->start;
        size_t newest = 2 * (size_t)gl->lag * hop;
        if (q < gl->n_pairs)
            taco_frame_pair_synthesize(&gl->pair, gl->synthesis, signal + newest,
                                       signal + newest + hop);
        if (j == gl->n_iter) {
            size_t first = (size_t)(2 * q) * hop;
            size_t end = q < gl->n_pairs ? first + 2 * hop : first;
            if (gl->n_frames >= 0 && q >= gl->n_pairs - 1)
                end = (size_t)gl->n_frames * hop + (size_t)stft->offset;
            n = emit(gl, signal + newest, first, end, out);
        } else if (r >= 0 && r < gl->n_pairs) {
            taco_frame_pair_analyse(&gl->pair, analysis_window(gl, 2 * r), signal,
                                    analysis_window(gl, 2 * r + 1), signal + hop);
            taco_frame_pair_project(&gl->pair, magnitudes_of(gl, r), gl->beta,
                                    previous_of(gl, j, r), previous_of(gl, j + 1, r));
        }
        advance(gl, stage);
    }
    gl->step++;
    return n;
}

void taco_griffin_lim_push(struct taco_griffin_lim *gl, int n,
                           const float *const *magnitudes, const float *const *phase,
                           float *out, size_t *n_samples) {
    assert((n == 1 || n == 2) && !gl->single);
    size_t bins = (size_t)gl->pair.n_bins;
    float *pair = magnitudes_of(gl, gl->n_pairs);
    memcpy(pair, magnitudes[0], bins * sizeof(float));
    if (n == 2)
        memcpy(pair + bins, magnitudes[1], bins * sizeof(float));
    else /* a frame of silence fills the pair up */
        memset(pair + bins, 0, bins * sizeof(float));
    taco_frame_pair_start(&gl->pair, pair, phase[0], phase[n - 1]);
    gl->single = n == 1;
    gl->n_pairs++;
    /* The samples of a single frame wait for the end: there are fewer of them. */
    *n_samples = n == 2 ? run_step(gl, out) : 0;
}

enum taco_status taco_griffin_lim_finish(struct taco_griffin_lim *gl,
                                         const struct taco_cancel *cancel, float *out,
                                         size_t *n_samples) {
    gl->n_frames = 2 * gl->n_pairs - (gl->single ? 1 : 0);
    make_edges(gl);
    size_t end = (size_t)gl->n_frames * (size_t)gl->stft->hop_length, done = 0;
    *n_samples = 0;
    while (gl->n_frames > 0 && gl->emitted < end + (size_t)gl->stft->offset) {
        if (taco_is_cancelled(cancel))
            return TACO_ERR_CANCELLED;
        done += run_step(gl, out + done);
    }
    *n_samples = done;
    return TACO_OK;
}
