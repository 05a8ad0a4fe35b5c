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

/* -- attention ----------------------------------------------------------------
 *
 * Rows of different mechanisms share the batch: each phase does of every row what its
 * mechanism has, and all threads meet after it when any row has it. */

/* What a phase of the attention is for: whether row i takes part. */
static bool any_row(const struct taco_decoder *d,
                    bool (*has)(const struct taco_attention *a)) {
    for (int i = 0; i < d->n_rows; i++)
        if (has(d->slots[i].mechanism))
            return true;
    return false;
}
static bool has_query(const struct taco_attention *a) {
    return a->n_query > 0;
}
static bool has_two_queries(const struct taco_attention *a) {
    return a->n_query == 2;
}
static bool has_prepare(const struct taco_attention *a) {
    return a->mechanism->prepare != NULL;
}
static bool has_score(const struct taco_attention *a) {
    return a->mechanism->score != NULL;
}

/* The end of the run of rows from `first` on that have one mechanism. */
static int run_end(const struct taco_decoder *d, int first) {
    int end = first + 1;
    while (end < d->n_rows && d->slots[end].mechanism == d->slots[first].mechanism)
        end++;
    return end;
}

/* One query layer: a product for every run of rows of one mechanism. */
static void query_layer(const struct share *s, int layer) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    for (int first = 0, end; first < d->n_rows; first = end) {
        const struct taco_attention *a = d->slots[first].mechanism;
        end = run_end(d, first);
        if (layer >= a->n_query)
            continue;
        const struct taco_matrix *w = &a->query[layer];
        bool last = layer == a->n_query - 1;
        const float *x = layer == 0 ? d->x + m->layout.h1 : d->query_hidden;
        float *y = last ? d->query : d->query_hidden;
        size_t x_stride = layer == 0 ? m->layout.size : d->hidden_width;
        size_t y_stride = last ? d->query_width : d->hidden_width;
        size_t from = (size_t)first, n = (size_t)(end - first);
        struct range b = share_of(s, w->n_blocks);
        if (b.first == b.last)
            continue;
        y += from * y_stride;
        m->kernels->matmul(w, x + from * x_stride, x_stride, y, y_stride, n, b.first,
                           b.last, s->d->scratch[s->part]);
        struct range c = columns_of(s, w);
        bool relu = a->mechanism->query_activation == TACO_ACTIVATION_RELU;
        for (size_t i = 0; !last && i < n; i++)
            (relu ? m->kernels->relu : m->kernels->tanh)(y + i * y_stride + c.first,
                                                         c.last - c.first);
    }
    meet(s);
}

/* Row i's query after its layers; h1 where it has none. */
static const float *query_of(const struct taco_decoder *d, size_t i) {
    const struct taco_row_layout *at = &d->model->layout;
    return d->slots[i].mechanism->n_query > 0 ? d->query + i * d->query_width
                                              : d->x + i * at->size + at->h1;
}

/* The symbols of all rows, one after the other, are split: a long text's among threads
 * too. */
static void score(const struct share *s) {
    struct taco_decoder *d = s->d;
    size_t total = 0, before = 0;
    for (int i = 0; i < d->n_rows; i++)
        total += d->slots[i].attention.n;
    struct range all = share_of(s, total);
    for (size_t i = 0; i < (size_t)d->n_rows && before < all.last; i++) {
        const struct taco_attention *a = d->slots[i].mechanism;
        struct taco_attention_row *row = &d->slots[i].attention;
        size_t first = all.first > before ? all.first - before : 0;
        size_t last = all.last - before < row->n ? all.last - before : row->n;
        if (first < last && a->mechanism->score)
            a->mechanism->score(a, row, query_of(d, i), first, last, d->tiles[s->part]);
        before += row->n;
    }
}

static float *alignment_of(const struct taco_slot *slot) {
    return slot->row->alignment + (size_t)slot->row->n_steps * slot->attention.n;
}

static void keep_heads(const struct taco_slot *slot) {
    const struct taco_attention *a = slot->mechanism;
    size_t n = slot->attention.n, n_heads = (size_t)a->params->n_heads;
    if (!slot->row->heads || !a->mechanism->head)
        return;
    float *out = slot->row->heads + (size_t)slot->row->n_steps * n_heads * n;
    for (size_t i = 0; i < n_heads; i++)
        memcpy(out + i * n, a->mechanism->head(a, &slot->attention, i), n * sizeof *out);
}

/* The context goes to both its places: attention_rnn's input is that of the step before,
 * or with attention_first of this step. */
static void context(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_row_layout *at = &m->layout;
    size_t M = (size_t)m->hparams.memory_dim, stride = at->size;
    EACH_PIECE(s, M, i, first, last, {
        const struct taco_slot *slot = &d->slots[i];
        float *x = d->x + i * stride;
        if (!slot->mechanism->mechanism->context) {
            m->kernels->weighted_sum(alignment_of(slot), slot->attention.memory->memory,
                                     slot->attention.n, M, x + at->context, first, last);
            memcpy(x + at->context_in + first, x + at->context + first,
                   (last - first) * sizeof *x);
        }
    });
    struct range rows = share_of(s, (size_t)d->n_rows);
    for (size_t i = rows.first; i < rows.last; i++) {
        const struct taco_slot *slot = &d->slots[i];
        const struct taco_attention *a = slot->mechanism;
        float *x = d->x + i * stride;
        if (a->mechanism->context) {
            a->mechanism->context(a, &slot->attention, alignment_of(slot),
                                  x + at->context, d->tiles[s->part]);
            memcpy(x + at->context_in, x + at->context, M * sizeof *x);
        }
    }
    meet(s);
}

static void attention(const struct share *s) {
    struct taco_decoder *d = s->d;
    const struct taco_tacotron2 *m = d->model;
    const struct taco_row_layout *at = &m->layout;
    struct range rows = share_of(s, (size_t)d->n_rows);
    if (any_row(d, has_query))
        query_layer(s, 0);
    if (any_row(d, has_two_queries))
        query_layer(s, 1);
    if (any_row(d, has_prepare)) {
        for (size_t i = rows.first; i < rows.last; i++) {
            const struct taco_attention *a = d->slots[i].mechanism;
            if (a->mechanism->prepare)
                a->mechanism->prepare(a, &d->slots[i].attention, query_of(d, i));
        }
        meet(s);
    }
    if (any_row(d, has_score)) {
        score(s);
        meet(s);
    }
    for (size_t i = rows.first; i < rows.last; i++) {
        const struct taco_attention *a = d->slots[i].mechanism;
        a->mechanism->weigh(a, &d->slots[i].attention, query_of(d, i),
                            alignment_of(&d->slots[i]));
        keep_heads(&d->slots[i]);
    }
    meet(s);
    context(s);
    /* before the next phase but one changes h1 */
    for (size_t i = rows.first; i < rows.last; i++) {
        const struct taco_attention *a = d->slots[i].mechanism;
        const float *x = d->x + i * at->size;
        size_t n_mels = (size_t)m->hparams.n_mels;
        size_t frames = (size_t)m->hparams.n_frames_per_step * n_mels;
        if (a->mechanism->transit)
            a->mechanism->transit(a, &d->slots[i].attention, x + at->context, x + at->h1,
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
