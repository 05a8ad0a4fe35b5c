/* Windows: which symbols the attention may see at a step (MODEL.md, 6.2).
 *
 *   coqui:  w = argmax of the energies of the step before, -1 at first: [w - back, w +
 * forward), and at the first step e_0 = the largest energy of the window espnet: l =
 * argmax of the weights of the step before, 0 at first: [l - back, l + forward)
 *
 * A request's own window is espnet's. A window is known before its step's energies, so the others are never computed. */
#include <math.h>

#include "tacotron2/attention.h"

/* [at - back, at + forward) within the text; everything where that is empty. */
static void set(struct taco_attention_row *row, long at) {
    long n = (long)row->n, begin = at - row->window_back;
    long end = at + row->window_forward;
    if (begin < 0)
        begin = 0;
    if (end > n)
        end = n;
    bool empty = begin >= end;
    row->begin = empty ? 0 : (size_t)begin;
    row->end = empty ? row->n : (size_t)end;
}

void taco_attention_window_start(struct taco_attention_row *row) {
    row->begin = 0;
    row->end = row->n;
    row->window_at = -1;
    if (row->window == TACO_WINDOW_COQUI)
        set(row, -1);
    else if (row->window == TACO_WINDOW_ESPNET)
        set(row, 0);
}

void taco_attention_window_energies(struct taco_attention_row *row) {
    if (row->window != TACO_WINDOW_COQUI)
        return;
    size_t best =
        row->begin + taco_argmax(row->energies + row->begin, row->end - row->begin);
    if (row->window_at < 0) {
        row->energies[0] = row->energies[best];
        best = 0;
    }
    row->window_at = (int)best;
}

void taco_attention_window_next(struct taco_attention_row *row) {
    if (row->window == TACO_WINDOW_COQUI)
        set(row, row->window_at);
    else if (row->window == TACO_WINDOW_ESPNET)
        set(row, (long)row->argmax);
}

void taco_attention_local_window(const struct taco_attention *a,
                                 struct taco_attention_row *row, float p) {
    p = p >= 0 ? p : 0; /* no number */
    float width = (float)a->params->local_width, low = ceilf(p - width);
    size_t begin = low > 0 ? (size_t)low : 0, end = (size_t)floorf(p + width) + 1;
    if (begin >= row->n)
        begin = row->n - 1;
    if (end > row->n)
        end = row->n;
    if (row->window != TACO_WINDOW_NONE && begin < row->end && row->begin < end) {
        begin = begin > row->begin ? begin : row->begin;
        end = end < row->end ? end : row->end;
    }
    row->begin = begin;
    row->end = end;
}
