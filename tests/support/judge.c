#include "support/judge.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "support/measure.h"

enum {
    WIDTH = 4, /* mels a band */
    PAIR = 2,  /* frames that count as one */
    MOST_READINGS = 8,
    MOST_STEP = 3, /* frames of the reference a frame of the reading */
    JUMPED = MOST_STEP + 1,
    RETURNED, /* how a place was reached, behind the steps */
    WINDOW = 8,
    OUTSIDE = -1
};
/* Costs, in nepers of a frame. */
static const float jump_cost = 25, leave_cost = 6, outside_cost = 1.3f, most = 2,
                   hurry_cost = 0.2f, edge_cost = 0.15f;
/* What is less is silence. */
static const float floor_level = -5.5f, silence_level = -4;

struct test_sound {
    float *bands; /* [n, n_bands] */
    size_t n, n_bands;
    int n_frames, silence;
};

struct test_reference {
    const struct test_sound *readings[MOST_READINGS];
    int *places[MOST_READINGS]; /* [n] frame of the reading at each of the first's */
    int n_readings;
};

struct test_sound *test_sound_of(const float *log_mel, int n_frames, int n_mels) {
    struct test_sound *s = test_need(1, sizeof *s);
    size_t n = (size_t)n_frames / PAIR, mels = (size_t)n_mels;
    s->n_bands = mels / WIDTH;
    s->n_frames = n_frames;
    s->bands = test_need((n + 1) * s->n_bands, sizeof *s->bands);
    int silence = 0;
    for (size_t t = 0; t < n; t++) {
        float *out = s->bands + s->n * s->n_bands, loudest = floor_level;
        for (size_t b = 0; b < s->n_bands; b++) {
            float sum = 0;
            for (size_t i = 0; i < PAIR * WIDTH; i++)
                sum += log_mel[(PAIR * t + i / WIDTH) * mels + b * WIDTH + i % WIDTH];
            out[b] = fmaxf(sum / (PAIR * WIDTH), floor_level);
            loudest = fmaxf(loudest, out[b]);
        }
        silence = loudest > silence_level ? 0 : silence + PAIR;
        s->silence = silence > s->silence ? silence : s->silence;
        s->n += silence <= PAIR; /* of a silence its first frame stays */
    }
    return s;
}

void test_sound_free(struct test_sound *s) {
    if (s)
        free(s->bands);
    free(s);
}

static float distance(const struct test_sound *a, size_t i, const struct test_sound *b,
                      size_t j) {
    const float *x = a->bands + i * a->n_bands, *y = b->bands + j * b->n_bands;
    float sum = 0;
    for (size_t k = 0; k < a->n_bands; k++)
        sum += fabsf(x[k] - y[k]);
    return fminf(sum / (float)a->n_bands, most);
}

/* The least of the readings that the reference has. */
static float nearest(const struct test_reference *r, const struct test_sound *x, size_t t,
                     size_t j) {
    float best = distance(x, t, r->readings[0], j);
    for (int i = 1; i < r->n_readings; i++)
        if (r->places[i][j] >= 0)
            best = fminf(best, distance(x, t, r->readings[i], (size_t)r->places[i][j]));
    return best;
}

/* c(t, j) = d(t, j) + min of c(t - 1, j - k) + hurry (k - 1), 0 <= k <= 3, of the cheapest
 * c(t - 1, .) + jump, and of g(t - 1) + leave; g(t) = outside + min of g(t - 1) and the
 * cheapest c(t - 1, .) + leave. To path [x->n] the place of each frame or OUTSIDE. */
static void find_path(const struct test_reference *r, const struct test_sound *x,
                      int *path) {
    size_t n = x->n, m = r->readings[0]->n;
    float *cost = test_need(m, sizeof *cost), *next = test_need(m, sizeof *next);
    uint8_t *from = test_need(n * m, 1); /* the step to this place, JUMPED, RETURNED */
    int *source = test_need(n, sizeof *source); /* of jumps */
    int *left = test_need(n, sizeof *left); /* where it left; OUTSIDE: it was outside */
    float outside = leave_cost + outside_cost;
    for (size_t j = 0; j < m; j++)
        cost[j] = fminf(edge_cost * (float)j, jump_cost) + nearest(r, x, 0, j);
    for (size_t t = 1; t < n; t++) {
        size_t cheapest = 0;
        for (size_t j = 1; j < m; j++)
            cheapest = cost[j] < cost[cheapest] ? j : cheapest;
        source[t] = (int)cheapest;
        for (size_t j = 0; j < m; j++) {
            float best = cost[j];
            uint8_t how = 0;
            for (size_t k = 1; k <= MOST_STEP && k <= j; k++)
                if (cost[j - k] + hurry_cost * (float)(k - 1) < best) {
                    best = cost[j - k] + hurry_cost * (float)(k - 1);
                    how = (uint8_t)k;
                }
            if (cost[cheapest] + jump_cost < best) {
                best = cost[cheapest] + jump_cost;
                how = JUMPED;
            }
            if (outside + leave_cost < best) {
                best = outside + leave_cost;
                how = RETURNED;
            }
            next[j] = best + nearest(r, x, t, j);
            from[t * m + j] = how;
        }
        bool leaves = cost[cheapest] + leave_cost < outside;
        left[t] = leaves ? (int)cheapest : OUTSIDE;
        outside = outside_cost + (leaves ? cost[cheapest] + leave_cost : outside);
        float *swap = cost;
        cost = next;
        next = swap;
    }
    int at = OUTSIDE;
    float best = outside + jump_cost;
    for (size_t j = 0; j < m; j++) {
        float end = cost[j] + fminf(edge_cost * (float)(m - 1 - j), jump_cost);
        if (end < best) {
            best = end;
            at = (int)j;
        }
    }
    for (size_t t = n; t-- > 0;) {
        path[t] = at;
        uint8_t how = at >= 0 && t > 0 ? from[t * m + (size_t)at] : 0;
        if (at < 0)
            at = t > 0 ? left[t] : OUTSIDE;
        else
            at = how <= MOST_STEP ? at - how : how == JUMPED ? source[t] : OUTSIDE;
    }
    free(cost);
    free(next);
    free(from);
    free(source);
    free(left);
}

struct test_reference *test_reference_of(struct test_sound *const *readings, int n) {
    struct test_reference *r = test_need(1, sizeof *r);
    const struct test_sound *first = readings[0];
    for (int i = 0; i < n && i < MOST_READINGS; i++) {
        struct test_reference one = {.readings = {readings[i]}, .n_readings = 1};
        r->places[i] = test_need(first->n, sizeof(int));
        if (i > 0 && first->n > 0 && readings[i]->n > 0)
            find_path(&one, first, r->places[i]);
        r->readings[r->n_readings++] = readings[i];
    }
    return r;
}

void test_reference_free(struct test_reference *r) {
    for (int i = 0; r && i < r->n_readings; i++)
        free(r->places[i]);
    free(r);
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

static void follow_path(const struct test_reference *r, const struct test_sound *x,
                        const int *path, struct test_hearing *h) {
    int last = -1, foreign = 0, held = 0;
    double sum = 0, window[WINDOW] = {0};
    for (size_t t = 0; t < x->n; t++) {
        int at = path[t];
        double d = at < 0 ? (double)outside_cost : (double)nearest(r, x, t, (size_t)at);
        sum += d - window[t % WINDOW];
        window[t % WINDOW] = d;
        if (t + 1 >= WINDOW || t + 1 == x->n)
            h->far = fmax(h->far, sum / (t + 1 < WINDOW ? (double)(t + 1) : WINDOW));
        foreign = at < 0 ? foreign + PAIR : 0;
        h->foreign = larger(h->foreign, foreign);
        if (at < 0)
            continue;
        held = t > 0 && path[t - 1] == at ? held + PAIR : 0;
        h->held = larger(h->held, held);
        if (at > last + MOST_STEP)
            h->skipped = larger(h->skipped, PAIR * (at - last - 1));
        else if (at < last)
            h->repeated = larger(h->repeated, PAIR * (last - at + 1));
        last = at;
    }
    h->cut = PAIR * ((int)r->readings[0]->n - 1 - last);
}

struct test_hearing test_hear(const struct test_reference *r,
                              const struct test_sound *x) {
    const struct test_sound *first = r->readings[0];
    struct test_hearing h = {.silence = x->silence,
                             .ratio = (double)x->n_frames / first->n_frames};
    if (x->n == 0 || first->n == 0) {
        h.cut = PAIR * (int)first->n;
        return h;
    }
    int *path = test_need(x->n, sizeof *path);
    find_path(r, x, path);
    follow_path(r, x, path, &h);
    free(path);
    return h;
}

bool test_hearing_failed(const struct test_hearing *h, double far_limit) {
    enum { SYLLABLE = 14, MUMBLE = 12, STALL = 46, SILENCE = 100 };
    return h->skipped >= SYLLABLE || h->repeated >= SYLLABLE || h->cut >= SYLLABLE ||
           h->foreign >= MUMBLE || h->held >= STALL || h->silence >= SILENCE ||
           h->ratio > 1.4 || h->far > far_limit;
}
