/* Windows: which symbols the attention may see at a step (MODEL.md, 6.2).
 *
 *   coqui:  w = argmax of the energies of the step before, -1 at first: [w - back, w +
 * forward), and at the first step e_0 = the largest energy of the window espnet: l =
 * argmax of the weights of the step before, 0 at first: [l - back, l + forward)
 *
 * A window is known before its step's energies, so the others are never computed. */
#include "tacotron2/attention.h"

/* [at - back, at + forward) within the text; everything where that is empty. */
static void set(const struct taco_attention_params *p, struct taco_attention_row *row,
                long at) {
    long n = (long)row->n, begin = at - p->window_back;
    long end = at + p->window_forward;
    if (begin < 0)
        begin = 0;
    if (end > n)
        end = n;
    bool empty = begin >= end;
    row->begin = empty ? 0 : (size_t)begin;
    row->end = empty ? row->n : (size_t)end;
}

void taco_attention_window_start(const struct taco_attention *a,
                                 struct taco_attention_row *row) {
    const struct taco_attention_params *p = a->params;
    row->begin = 0;
    row->end = row->n;
    row->window_at = -1;
    if (p->window == TACO_WINDOW_COQUI)
        set(p, row, -1);
    else if (p->window == TACO_WINDOW_ESPNET)
        set(p, row, 0);
}

void taco_attention_window_energies(const struct taco_attention *a,
                                    struct taco_attention_row *row) {
    if (a->params->window != TACO_WINDOW_COQUI)
        return;
    size_t best =
        row->begin + taco_argmax(row->energies + row->begin, row->end - row->begin);
    if (row->window_at < 0) {
        row->energies[0] = row->energies[best];
        best = 0;
    }
    row->window_at = (int)best;
}

void taco_attention_window_next(const struct taco_attention *a,
                                struct taco_attention_row *row) {
    const struct taco_attention_params *p = a->params;
    if (p->window == TACO_WINDOW_COQUI)
        set(p, row, row->window_at);
    else if (p->window == TACO_WINDOW_ESPNET)
        set(p, row, (long)row->argmax);
}
