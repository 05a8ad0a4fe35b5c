#include "vocoder/pghi.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

/* A priority queue of bins by log magnitude: one list for every 0.5 dB, so that putting
 * a bin in and taking the loudest out take constant time. A finer order changes nothing
 * that could be measured. Inside a list the last one in is the first one out. */
enum { N_LISTS = 256, LIST_BITS = 64, N_WORDS = N_LISTS / LIST_BITS };

/* Links of bins that are in no list. */
enum { END = -1, UNREACHED = -2, BLOCKED = -3 };

static const float RANGE = 13.8155f; /* ln 10^6: bins further down have no useful phase */
static const float SILENCE = 1e-20f; /* a magnitude below counts as this one */

struct queue {
    const float *log_magnitude;
    int32_t *link;
    float lowest, scale;      /* list = (log magnitude - lowest) * scale */
    uint64_t filled[N_WORDS]; /* bit: the list is not empty */
    int32_t head[N_LISTS];
};

static void push(struct queue *q, int32_t i) {
    int list = (int)((q->log_magnitude[i] - q->lowest) * q->scale);
    list = list < 0 ? 0 : list >= N_LISTS ? N_LISTS - 1 : list;
    uint64_t bit = (uint64_t)1 << (list % LIST_BITS);
    q->link[i] = q->filled[list / LIST_BITS] & bit ? q->head[list] : END;
    q->filled[list / LIST_BITS] |= bit;
    q->head[list] = i;
}

/* The loudest, or -1. */
static int32_t pop(struct queue *q) {
    int word = N_WORDS - 1;
    while (word >= 0 && !q->filled[word])
        word--;
    if (word < 0)
        return -1;
    int bit = LIST_BITS - 1 - __builtin_clzll(q->filled[word]);
    int list = word * LIST_BITS + bit;
    int32_t i = q->head[list];
    q->head[list] = q->link[i];
    if (q->link[i] == END)
        q->filled[word] &= ~((uint64_t)1 << bit);
    return i;
}

enum taco_status taco_pghi_init(struct taco_pghi *pghi, const struct taco_stft *stft,
                                int first_bin, int n_bins, struct taco_arena *arena,
                                struct taco_error *err) {
    float *advance = taco_arena_alloc(arena, (size_t)n_bins, sizeof *advance);
    if (!advance)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the phases");
    for (int k = 0; k < n_bins; k++)
        advance[k] = (float)((int64_t)stft->hop_length * (first_bin + k) % stft->n_fft) /
                     (float)stft->n_fft;
    double gamma = 0.25645 * stft->win_length * stft->win_length;
    double an = (double)stft->hop_length * stft->n_fft;
    pghi->n_bins = n_bins;
    pghi->stride = n_bins + 2;
    pghi->time_slope = (float)(an / (2 * gamma) / (2 * M_PI));
    pghi->bin_slope = (float)(gamma / (2 * an) / (2 * M_PI));
    pghi->advance = advance;
    return TACO_OK;
}

void taco_pghi_set_row(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                       int row, const float *magnitudes) {
    float *s = rows->log_magnitude + (ptrdiff_t)row * pghi->stride;
    int n = pghi->n_bins;
    for (int k = 0; k < n; k++)
        s[1 + k] = logf(fmaxf(magnitudes[k], SILENCE));
    s[0] = s[1];
    s[n + 1] = s[n];
}

void taco_pghi_copy_row(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                        int to, int from) {
    size_t n = (size_t)pghi->stride, a = (size_t)to * n, b = (size_t)from * n;
    memmove(rows->log_magnitude + a, rows->log_magnitude + b, n * sizeof(float));
    memmove(rows->phase + a, rows->phase + b, n * sizeof(float));
}

/* Reaches the neighbours of bin i that nobody has reached. */
static void spread(const struct taco_pghi *pghi, struct queue *q, float *phase,
                   int32_t i) {
    const float *s = q->log_magnitude;
    int32_t row = pghi->stride;
    float half_time = 0.5f * pghi->time_slope, half_bin = 0.5f * pghi->bin_slope;
    float advance = pghi->advance[(uint32_t)i % (uint32_t)row - 1];
    float across = s[i + 1] - s[i - 1]; /* bins */
    int32_t j = i + row;
    if (q->link[j] == UNREACHED) {
        phase[j] = phase[i] + advance + half_time * (across + s[j + 1] - s[j - 1]);
        push(q, j);
    }
    if (i < row)
        return; /* row 0 has no frame before it and its own bins are known */
    j = i - row;
    if (q->link[j] == UNREACHED) {
        phase[j] = phase[i] - advance - half_time * (across + s[j + 1] - s[j - 1]);
        push(q, j);
    }
    float along = s[i + row] - s[i - row]; /* frames */
    j = i + 1;
    if (q->link[j] == UNREACHED) {
        phase[j] = phase[i] - half_bin * (along + s[j + row] - s[j - row]);
        push(q, j);
    }
    j = i - 1;
    if (q->link[j] == UNREACHED) {
        phase[j] = phase[i] + half_bin * (along + s[j + row] - s[j - row]);
        push(q, j);
    }
}

/* From i uphill to where no unreached neighbour is louder. */
static int32_t climb(const struct queue *q, int32_t i, int32_t row) {
    for (;;) {
        const int32_t near[4] = {i + row, i - row, i + 1, i - 1};
        int32_t best = i;
        for (int d = 0; d < 4; d++)
            if (q->link[near[d]] == UNREACHED &&
                q->log_magnitude[near[d]] > q->log_magnitude[best])
                best = near[d];
        if (best == i)
            return i;
        i = best;
    }
}

/* Everything that can be reached from the bins in the queue. */
static void drain(const struct taco_pghi *pghi, struct queue *q, float *phase) {
    for (int32_t i = pop(q); i >= 0; i = pop(q))
        spread(pghi, q, phase, i);
}

static void plant(const struct taco_pghi *pghi, struct queue *q, float *phase,
                  int32_t seed) {
    if (q->link[seed] != UNREACHED)
        return;
    phase[seed] = 0;
    push(q, seed);
    drain(pghi, q, phase);
}

static int32_t find_loudest(const float *s, int32_t stride, int t) {
    int32_t loudest = stride + 1;
    for (int32_t n = 1; n <= t; n++)
        for (int32_t i = n * stride + 1; i < (n + 1) * stride - 1; i++)
            if (s[i] > s[loudest])
                loudest = i;
    return loudest;
}

void taco_pghi_integrate(const struct taco_pghi *pghi, const struct taco_pghi_rows *rows,
                         int t, bool continued) {
    const float *s = rows->log_magnitude;
    int32_t stride = pghi->stride, end = stride * (t + 1);
    int32_t loudest = find_loudest(s, stride, t);
    struct queue q = {.log_magnitude = s,
                      .link = rows->link,
                      .lowest = s[loudest] - RANGE,
                      .scale = (float)N_LISTS / RANGE};
    for (int32_t i = 0; i < end + stride; i++)
        q.link[i] = i >= stride && i < end && s[i] > q.lowest ? UNREACHED : BLOCKED;
    memset(rows->phase + stride, 0, sizeof(float) * (size_t)(end - stride));
    for (int n = 1; n <= t; n++)
        q.link[n * stride] = q.link[(n + 1) * stride - 1] = BLOCKED;
    if (continued)
        for (int32_t i = 1; i < stride - 1; i++)
            if (s[i] > q.lowest)
                push(&q, i);
    drain(pghi, &q, rows->phase);
    plant(pghi, &q, rows->phase, loudest);
    /* Islands behind bins that are too soft. */
    for (int32_t i = stride; i < end; i++)
        if (q.link[i] == UNREACHED)
            plant(pghi, &q, rows->phase, climb(&q, i, stride));
}
