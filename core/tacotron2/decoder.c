/* The decoder's batch: rows join, are given their outputs, stop and leave (MODEL.md, 7).
 *
 * Nothing here or in decoder_step.c depends on which slot a row has or which rows share
 * the batch: that is what makes its bits its own. */
#include "tacotron2/decoder.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"

/* watch_end. The attention is at rest at the text's end when its largest weight has
 * stayed there: a frame on the last symbol counts 2, one on the symbol before it 1 (a
 * text's last sound may be held while its full stop is never looked at), any other symbol
 * starts anew. Speech that the gate ends reaches 25 to 50 (the shipped voice); at 2 x 40
 * frames, half a second of the last symbol, what follows is silence that the gate has
 * missed. A text of under 4 symbols has no "before the last". */
enum { REST_FRAMES = 40, REST_MIN_SYMBOLS = 4 };

/* -- creation -------------------------------------------------------------- */

static size_t largest(size_t a, size_t b) {
    return a > b ? a : b;
}

static float *rows_of(struct taco_decoder *d, size_t width) {
    return taco_arena_alloc(&d->arena, (size_t)d->max_rows * width, sizeof(float));
}

/* The widest input of any product: what its conversion scratch must hold. */
static size_t widest_input(const struct taco_tacotron2 *m) {
    size_t widest = largest(m->attention_rnn.n_in, m->decoder_rnn.n_in);
    widest = largest(widest, m->projection.n_in);
    for (int i = 0; i < m->hparams.prenet_n_layers; i++)
        widest = largest(widest, m->prenet[i].n_in);
    for (int i = 0; i < m->hparams.n_attentions; i++)
        for (int q = 0; q < m->attentions[i].n_query; q++)
            widest = largest(widest, m->attentions[i].query[q].n_in);
    return widest;
}

/* Widths of the queries; returns the floats of a thread's tile. */
static size_t measure_attentions(struct taco_decoder *d) {
    const struct taco_tacotron2 *m = d->model;
    size_t tile = 0;
    for (int i = 0; i < m->hparams.n_attentions; i++) {
        const struct taco_attention *a = &m->attentions[i];
        if (a->n_query == 2)
            d->hidden_width = largest(d->hidden_width, a->query[0].n_out);
        if (a->n_query > 0)
            d->query_width = largest(d->query_width, a->query[a->n_query - 1].n_out);
        tile = largest(tile, TACO_ATTENTION_TILE * (size_t)a->params->dim);
        if (a->mechanism->context)
            tile = largest(tile, a->mechanism->context_floats(a));
    }
    return tile;
}

static bool allocate(struct taco_decoder *d) {
    const struct taco_tacotron2 *m = d->model;
    const struct taco_hparams *h = &m->hparams;
    size_t A = (size_t)h->attention_rnn_dim, R = (size_t)h->decoder_rnn_dim;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels;
    size_t tile = measure_attentions(d);
    for (int i = 0; i < h->prenet_n_layers; i++) {
        d->n_masks += (size_t)h->prenet_dim[i];
        d->prenet_width = largest(d->prenet_width, (size_t)h->prenet_dim[i]);
    }
    d->slots = taco_arena_alloc(&d->arena, (size_t)d->max_rows, sizeof *d->slots);
    d->x = rows_of(d, m->layout.size);
    d->c1 = rows_of(d, A);
    d->c2 = rows_of(d, R);
    d->frames = rows_of(d, frames);
    d->masks = rows_of(d, d->n_masks);
    d->prenet[0] = rows_of(d, d->prenet_width);
    d->prenet[1] = rows_of(d, d->prenet_width);
    d->gates = rows_of(d, 4 * largest(A, R));
    d->query_hidden = rows_of(d, d->hidden_width);
    d->query = rows_of(d, d->query_width);
    d->out = rows_of(d, m->projection.n_out);
    bool good = d->slots && d->x && d->c1 && d->c2 && d->frames && d->masks &&
                d->prenet[0] && d->prenet[1] && d->gates && d->query_hidden && d->query &&
                d->out;
    size_t scratch = taco_matmul_scratch((size_t)d->max_rows, widest_input(m));
    for (int part = 0; good && part < TACO_DECODER_MAX_PARTS; part++) {
        d->scratch[part] = taco_arena_alloc(&d->arena, scratch, 1);
        d->tiles[part] = taco_arena_alloc(&d->arena, tile, sizeof(float));
        good = d->scratch[part] && d->tiles[part];
    }
    return good;
}

enum taco_status taco_decoder_create(struct taco_decoder **decoder,
                                     const struct taco_tacotron2 *model, int max_rows,
                                     struct taco_error *err) {
    assert(max_rows >= 1);
    *decoder = NULL;
    struct taco_decoder *d = taco_calloc(1, sizeof *d);
    if (d) {
        d->model = model;
        d->max_rows = max_rows;
    }
    if (!d || !allocate(d)) {
        taco_decoder_destroy(d);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for a decoder of %d rows", max_rows);
    }
    *decoder = d;
    return TACO_OK;
}

void taco_decoder_destroy(struct taco_decoder *d) {
    if (!d)
        return;
    for (int i = 0; d->slots && i < d->max_rows; i++)
        taco_free(d->slots[i].block);
    taco_arena_free(&d->arena);
    taco_free(d);
}

/* -- rows come and go ------------------------------------------------------ */

void taco_decoder_draw_masks(struct taco_decoder *d, int i, int step) {
    const struct taco_hparams *h = &d->model->hparams;
    const struct taco_row *row = d->slots[i].row;
    float *mask = &d->masks[(size_t)i * d->n_masks];
    for (int layer = 0; layer < h->prenet_n_layers; layer++) {
        size_t dim = (size_t)h->prenet_dim[layer];
        struct taco_rng_key key = {row->seed, row->chunk,
                                   (uint32_t)(TACO_RNG_PRENET_0 + layer)};
        if (row->masks)
            memcpy(mask, &row->masks[layer][(size_t)step * dim], dim * sizeof *mask);
        else if (h->prenet_dropout > 0)
            taco_rng_dropout(&key, (uint32_t)step, h->prenet_dropout, dim, mask);
        else
            for (size_t j = 0; j < dim; j++)
                mask[j] = 1.0f;
        mask += dim;
    }
}

enum taco_status taco_decoder_add(struct taco_decoder *d, struct taco_row *row,
                                  struct taco_error *err) {
    const struct taco_tacotron2 *m = d->model;
    const struct taco_hparams *h = &m->hparams;
    assert(d->n_rows < d->max_rows && row->max_steps >= 1 && row->memory->n_symbols >= 1);
    int i = d->n_rows;
    struct taco_slot *slot = &d->slots[i];
    const struct taco_attention *a = &m->attentions[row->memory->attention];
    size_t need = taco_attention_row_floats(a, (size_t)row->memory->n_symbols);
    if (need == 0 || need > slot->block_floats) {
        float *block = need ? taco_aligned_alloc64(need * sizeof *block) : NULL;
        if (!block)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                  "no memory to attend to %d symbols",
                                  row->memory->n_symbols);
        taco_free(slot->block);
        slot->block = block;
        slot->block_floats = need;
    }
    slot->row = row;
    slot->rest = 0;
    slot->gate_threshold =
        row->gate_threshold > 0 ? row->gate_threshold : h->gate_threshold;
    slot->mechanism = a;
    taco_attention_row_start(a, &slot->attention, row, slot->block);

    size_t at = (size_t)i, A = (size_t)h->attention_rnn_dim,
           R = (size_t)h->decoder_rnn_dim;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels;
    memset(&d->x[at * m->layout.size], 0, m->layout.size * sizeof(float));
    memset(&d->c1[at * A], 0, A * sizeof(float));
    memset(&d->c2[at * R], 0, R * sizeof(float));
    memset(&d->frames[at * frames], 0, frames * sizeof(float)); /* the go frame */
    taco_decoder_draw_masks(d, i, 0);
    row->n_steps = 0;
    row->done = false;
    row->end = TACO_ROW_RUNNING;
    d->n_rows++;
    return TACO_OK;
}

/* The last row takes the place of row i. */
static void leave(struct taco_decoder *d, int i) {
    const struct taco_hparams *h = &d->model->hparams;
    const size_t widths[] = {
        d->model->layout.size, (size_t)h->attention_rnn_dim, (size_t)h->decoder_rnn_dim,
        (size_t)h->n_frames_per_step * (size_t)h->n_mels, d->n_masks};
    float *const arrays[] = {d->x, d->c1, d->c2, d->frames, d->masks};
    int last = --d->n_rows;
    struct taco_slot gone = d->slots[i];
    gone.row = NULL;
    if (i != last) {
        for (size_t a = 0; a < sizeof arrays / sizeof *arrays; a++)
            memcpy(&arrays[a][(size_t)i * widths[a]],
                   &arrays[a][(size_t)last * widths[a]], widths[a] * sizeof(float));
        d->slots[i] = d->slots[last];
    }
    d->slots[last] = gone;
}

void taco_decoder_remove(struct taco_decoder *d, struct taco_row *row) {
    for (int i = 0; i < d->n_rows; i++)
        if (d->slots[i].row == row) {
            leave(d, i);
            return;
        }
}

int taco_decoder_count(const struct taco_decoder *decoder) {
    return decoder->n_rows;
}

/* -- after a step ---------------------------------------------------------- */

static bool gate_fires(const struct taco_hparams *h, const struct taco_slot *slot,
                       const float *logits /* [gate_dim] */) {
    if (slot->row->ignore_gate || slot->row->n_steps < h->min_steps)
        return false;
    for (int k = 0; k < h->gate_dim; k++) {
        float p = 1.0f / (1.0f + expf(-logits[k]));
        if (p > slot->gate_threshold || (h->gate_inclusive && p >= slot->gate_threshold))
            return true;
    }
    return false;
}

static bool rests_at_end(const struct taco_hparams *h, struct taco_slot *slot) {
    size_t n = slot->attention.n, at = slot->attention.argmax;
    int frames = h->n_frames_per_step;
    if (at == n - 1)
        slot->rest += 2 * frames;
    else if (n >= REST_MIN_SYMBOLS && at == n - 2)
        slot->rest += frames;
    else
        slot->rest = 0;
    return slot->row->watch_end && slot->rest >= 2 * REST_FRAMES;
}

/* Hands row i its step's outputs, keeps what the next step is fed, and looks whether it
 * ends. */
static void finish_step(struct taco_decoder *d, int i) {
    const struct taco_hparams *h = &d->model->hparams;
    struct taco_slot *slot = &d->slots[i];
    struct taco_row *row = slot->row;
    size_t frames = (size_t)h->n_frames_per_step * (size_t)h->n_mels;
    size_t gates = (size_t)h->gate_dim, t = (size_t)row->n_steps;
    const float *mel = &d->out[(size_t)i * (frames + gates)], *logits = mel + frames;
    memcpy(&row->mel[t * frames], mel, frames * sizeof *mel);
    memcpy(&row->gate[t * gates], logits, gates * sizeof *logits);
    memcpy(&d->frames[(size_t)i * frames], row->teacher ? &row->teacher[t * frames] : mel,
           frames * sizeof *mel);
    row->n_steps++;
    bool rests = rests_at_end(h, slot);
    if (gate_fires(h, slot, logits))
        row->end = TACO_ROW_GATE;
    else if (rests)
        row->end = TACO_ROW_ATTENTION_END;
    else if (row->n_steps == row->max_steps)
        row->end = TACO_ROW_MAX_STEPS;
    row->done = row->end != TACO_ROW_RUNNING;
}

void taco_decoder_step(struct taco_decoder *d, struct taco_team *team) {
    if (d->n_rows == 0)
        return;
    taco_decoder_compute(d, team);
    for (int i = d->n_rows - 1; i >= 0; i--) {
        finish_step(d, i);
        if (d->slots[i].row->done)
            leave(d, i);
    }
}

void taco_row_frames(const struct taco_tacotron2 *model, const struct taco_row *row,
                     int *n_frames, int *n_postnet_frames) {
    const struct taco_hparams *h = &model->hparams;
    int all = row->n_steps * h->n_frames_per_step;
    int fired = row->end == TACO_ROW_GATE ? h->n_frames_per_step : 0;
    *n_frames = all - (h->firing_frame == TACO_FIRING_KEEP ? 0 : fired);
    *n_postnet_frames = all - (h->firing_frame == TACO_FIRING_DROP ? fired : 0);
}
