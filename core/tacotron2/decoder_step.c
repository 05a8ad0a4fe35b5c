/* One decoder step for all rows (Shen et al. 2018, section 2.2; MODEL.md, 5 and 7):
 *
 *   p = prenet(frame before)
 *   h1, c1 = LSTM([p, context before, h1])
 *   context = attention(h1)               with attention_first before the line above
 *   h2, c2 = LSTM([h1, context, h2])      without decoder_rnn_context: [h1, h2]
 *   mel, gate = W [context, h2] + b
 *
 * Every thread of the team runs through the same phases; in each it takes its share of
 * the blocks of a matrix, of units, of symbols or of rows, and between phases all meet. A
 * share is never more than which outputs are computed: how one is computed does not
 * change, so the bits do not tell how many threads there were. */
#include <assert.h>
#include <string.h>

#include "tacotron2/decoder.h"

/* What one thread needs to know. */
struct share {
    struct taco_decoder *d;
    struct taco_team *team;
    size_t part, n_parts;
};

struct range {
    size_t first, last;
};

static struct range share_of(const struct share *s, size_t n) {
    if (s->part >= s->n_parts)
        return (struct range){0, 0};
    return (struct range){n * s->part / s->n_parts, n * (s->part + 1) / s->n_parts};
}

static void meet(const struct share *s) {
    if (s->n_parts > 1)
        taco_team_barrier(s->team);
}

/* Columns of a matrix's output that the share computes. */
static struct range columns_of(const struct share *s, const struct taco_matrix *w) {
    struct range b = share_of(s, w->n_blocks);
    struct range c = {b.first * TACO_MATRIX_BLOCK, b.last * TACO_MATRIX_BLOCK};
    c.last = c.last < w->n_out ? c.last : w->n_out;
    return c;
}

/* The share's blocks of y = W x + b for all rows. */
static void multiply(const struct share *s, const struct taco_matrix *w, const float *x,
                     size_t x_stride, float *y, size_t y_stride) {
    struct range b = share_of(s, w->n_blocks);
    if (b.first < b.last)
        s->d->model->kernels->matmul(w, x, x_stride, y, y_stride, (size_t)s->d->n_rows,
                                     b.first, b.last, s->d->scratch[s->part]);
}

/* Calls for the share's pieces of `width` numbers a row, cut at multiples of the block:
 * vectors are whole wherever the cut is. */
#define EACH_PIECE(s, width, i, first, last, ...)                                        \
    do {                                                                                 \
        size_t blocks_ = ((width) + TACO_MATRIX_BLOCK - 1) / TACO_MATRIX_BLOCK;          \
        struct range all_ = share_of(s, blocks_ * (size_t)(s)->d->n_rows);               \
        while (all_.first < all_.last) {                                                 \
            size_t i = all_.first / blocks_, first = all_.first % blocks_;               \
            size_t last = first + (all_.last - all_.first);                              \
            last = last < blocks_ ? last : blocks_;                                      \
            all_.first += last - first;                                                  \
            first *= TACO_MATRIX_BLOCK;                                                  \
            last *= TACO_MATRIX_BLOCK;                                                   \
            last = last < (width) ? last : (width);                                      \
            __VA_ARGS__                                                                  \
        }                                                                                \
    } while (0)

/* -- phases ---------------------------------------------------------------- */

/* x = dropout(relu(W x (+ b))), layer after layer; the last writes into the rows'
 * vectors. */
static void prenet(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_hparams *h = &m->hparams;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels, at = 0;
    const float *x = d->frames + frames - m->prenet[0].n_in; /* all frames, or the last */
    size_t x_stride = frames;
    for (int layer = 0; layer < h->prenet_n_layers; layer++) {
        const struct taco_matrix *w = &m->prenet[layer];
        bool last = layer == h->prenet_n_layers - 1;
        float *y = last ? d->x + m->layout.prenet : d->prenet[layer % 2];
        size_t y_stride = last ? m->layout.size : d->prenet_width;
        multiply(s, w, x, x_stride, y, y_stride);
        struct range c = columns_of(s, w);
        for (size_t i = 0; c.first < c.last && i < (size_t)d->n_rows; i++) {
            const float *mask = &d->masks[i * d->n_masks + at];
            float *row = y + i * y_stride;
            m->kernels->relu(row + c.first, c.last - c.first);
            for (size_t j = c.first; j < c.last; j++)
                row[j] *= mask[j];
        }
        meet(s);
        at += w->n_out;
        x = y;
        x_stride = y_stride;
    }
}

/* One LSTM: its input starts at x_in of the row's vector and ends with h. */
static void lstm(const struct share *s, const struct taco_matrix *w, size_t x_in,
                 size_t h_at, float *c, size_t dim) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    size_t stride = m->layout.size;
    assert(x_in + w->n_in == h_at + dim);
    multiply(s, w, d->x + x_in, stride, d->gates, 4 * dim);
    meet(s); /* every thread has read h */
    EACH_PIECE(s, dim, i, first, last, {
        m->kernels->lstm_gates(d->gates + i * 4 * dim, dim, c + i * dim,
                               d->x + i * stride + h_at, m->hparams.zoneout, first, last);
    });
    meet(s);
}

/* The attention's query from h1, through one or two layers. */
static void query(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_matrix *w = m->attention.query;
    bool two = m->attention.n_query == 2;
    float *y = two ? d->query_hidden : d->query;
    multiply(s, &w[0], d->x + m->layout.h1, m->layout.size, y, w[0].n_out);
    if (!two) {
        meet(s);
        return;
    }
    struct range c = columns_of(s, &w[0]);
    bool relu = m->attention.mechanism->query_activation == TACO_ACTIVATION_RELU;
    for (size_t i = 0; c.first < c.last && i < (size_t)d->n_rows; i++)
        (relu ? m->kernels->relu : m->kernels->tanh)(y + i * w[0].n_out + c.first,
                                                     c.last - c.first);
    meet(s);
    multiply(s, &w[1], y, w[0].n_out, d->query, w[1].n_out);
    meet(s);
}

static float *query_of(const struct taco_decoder *d, size_t i) {
    const struct taco_attention *a = &d->model->attention;
    return d->query + i * a->query[a->n_query - 1].n_out;
}

/* The symbols of all rows, one after the other, are split: a long text's among threads
 * too. */
static void score(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_attention *a = &d->model->attention;
    size_t total = 0, before = 0;
    for (int i = 0; i < d->n_rows; i++)
        total += d->slots[i].attention.n;
    struct range all = share_of(s, total);
    for (size_t i = 0; i < (size_t)d->n_rows && before < all.last; i++) {
        struct taco_attention_row *row = &d->slots[i].attention;
        size_t first = all.first > before ? all.first - before : 0;
        size_t last = all.last - before < row->n ? all.last - before : row->n;
        if (first < last)
            a->mechanism->score(a, row, query_of(d, i), first, last, d->tiles[s->part]);
        before += row->n;
    }
}

static float *alignment_of(const struct taco_slot *slot) {
    return slot->row->alignment + (size_t)slot->row->n_steps * slot->attention.n;
}

static void attention(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_row_layout *at = &m->layout;
    const struct taco_attention *a = &m->attention;
    const struct taco_attention_mechanism *mechanism = a->mechanism;
    size_t M = (size_t)m->hparams.memory_dim, stride = at->size;
    struct range rows = share_of(s, (size_t)d->n_rows);
    query(s);
    if (mechanism->prepare) {
        for (size_t i = rows.first; i < rows.last; i++)
            mechanism->prepare(a, &d->slots[i].attention, query_of(d, i));
        meet(s);
    }
    if (mechanism->score) {
        score(s);
        meet(s);
    }
    for (size_t i = rows.first; i < rows.last; i++)
        mechanism->weigh(a, &d->slots[i].attention, query_of(d, i),
                         alignment_of(&d->slots[i]));
    meet(s);
    /* context = sum of w_j m_j, to both its places: attention_rnn's input is that of the
     * step before, or with attention_first of this step. */
    EACH_PIECE(s, M, i, first, last, {
        const struct taco_slot *slot = &d->slots[i];
        float *x = d->x + i * stride;
        m->kernels->weighted_sum(alignment_of(slot), slot->attention.memory->memory,
                                 slot->attention.n, M, x + at->context, first, last);
        memcpy(x + at->context_in + first, x + at->context + first,
               (last - first) * sizeof *x);
    });
    meet(s);
    if (mechanism->transit) /* before the next phase but one changes h1 */
        for (size_t i = rows.first; i < rows.last; i++) {
            const float *x = d->x + i * stride;
            size_t n_mels = (size_t)m->hparams.n_mels;
            size_t frames = (size_t)m->hparams.n_frames_per_step * n_mels;
            mechanism->transit(a, &d->slots[i].attention, x + at->context, x + at->h1,
                               d->frames + (i + 1) * frames - n_mels);
        }
}

/* mel and gate; and the dropout of the next step, which depends on nothing. */
static void project(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_matrix *w = &m->projection;
    multiply(s, w, d->x + m->layout.projection_in, m->layout.size, d->out, w->n_out);
    struct range rows = share_of(s, (size_t)d->n_rows);
    for (size_t i = rows.first; i < rows.last; i++) {
        int next = d->slots[i].row->n_steps + 1;
        if (next < d->slots[i].row->max_steps)
            taco_decoder_draw_masks(d, (int)i, next);
    }
}

struct step {
    struct taco_decoder *d;
    struct taco_team *team;
};

static void run_part(void *arg, int part, int n_parts) {
    const struct step *step = arg;
    struct taco_decoder *d = step->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_hparams *h = &m->hparams;
    const struct share s = {
        d, step->team, (size_t)part,
        (size_t)(n_parts < TACO_DECODER_MAX_PARTS ? n_parts : TACO_DECODER_MAX_PARTS)};
    if (h->attention_first)
        attention(&s);
    prenet(&s);
    lstm(&s, &m->attention_rnn, m->layout.prenet, m->layout.h1, d->c1,
         (size_t)h->attention_rnn_dim);
    if (!h->attention_first)
        attention(&s);
    lstm(&s, &m->decoder_rnn, m->layout.h1, m->layout.h2, d->c2,
         (size_t)h->decoder_rnn_dim);
    project(&s);
}

void taco_decoder_compute(struct taco_decoder *decoder, struct taco_team *team) {
    struct step step = {decoder, team};
    taco_team_run(team, run_part, &step);
}
