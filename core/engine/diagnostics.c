/* Diagnostics of an alignment (taco/result.h, struct taco_diagnostics). */
#include "engine/diagnostics.h"
#include <string.h>

/* The share of the row's weight that its most attended symbol j has. */
static float share_of(const float *row /* [n] */, uint32_t n, uint32_t j) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += (double)row[i];
    return sum > 0 ? (float)((double)row[j] / sum) : 0.0f;
}

/* Of the symbols that belong to words, the share that got at least half a frame's worth
 * of weight in all; blanks and signs between words need not be spoken. */
static float coverage(const float *alignment, uint32_t n_steps, uint32_t n_symbols,
                      const struct taco_symbol *symbols, int frames_per_step) {
    const float enough = 0.5f / (float)frames_per_step;
    uint32_t covered = 0, wanted = 0;
    for (uint32_t j = 0; j < n_symbols; j++) {
        if (symbols[j].word == TACO_NO_WORD)
            continue;
        float sum = 0;
        for (uint32_t t = 0; t < n_steps && sum < enough; t++)
            sum += alignment[(size_t)t * n_symbols + j];
        covered += sum >= enough;
        wanted++;
    }
    return wanted ? (float)covered / (float)wanted : 1.0f;
}

void taco_diagnose(const struct taco_reading *r, struct taco_diagnostics *out) {
    memset(out, 0, sizeof *out);
    double focus = 0;
    uint32_t previous = 0, stall = 0, n = r->n_symbols;
    for (uint32_t t = 0; t < r->n_steps; t++) {
        const float *row = r->alignment + (size_t)t * n;
        uint32_t j = taco_most_attended(row, n, previous);
        focus += (double)share_of(row, n, j);
        out->backward_jumps += t > 0 && j + 1 < previous;
        out->forward_jumps += t > 0 && j > previous + 3;
        stall = t > 0 && j == previous ? stall + 1 : 1;
        if (r->symbols[j].word != TACO_NO_WORD && stall > out->longest_stall)
            out->longest_stall = stall;
        previous = j;
    }
    out->focus = (float)(focus / r->n_steps);
    out->coverage = coverage(r->alignment, r->n_steps, n, r->symbols, r->frames_per_step);
    out->frames_per_symbol = (float)r->n_frames / (float)n;
    struct taco_fault faults[TACO_MAX_FAULTS];
    uint32_t n_faults = taco_faults_find(r, faults);
    for (uint32_t i = 0; i < n_faults; i++)
        out->flaws |= faults[i].kind;
    out->ok = !out->flaws;
}

bool taco_diagnostics_better(const struct taco_diagnostics *a,
                             const struct taco_diagnostics *b) {
    if (a->ok != b->ok)
        return a->ok;
    if (a->coverage < b->coverage || a->coverage > b->coverage)
        return a->coverage > b->coverage;
    return a->backward_jumps + a->forward_jumps < b->backward_jumps + b->forward_jumps;
}

void taco_diagnostics_join(const struct taco_chunk_result *chunks, uint32_t n,
                           struct taco_diagnostics *out) {
    *out = (struct taco_diagnostics){.ok = true};
    double n_steps = 0, n_symbols = 0, n_frames = 0, covered = 0, focus = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct taco_chunk_result *c = &chunks[i];
        const struct taco_diagnostics *d = &c->diagnostics;
        n_steps += c->n_steps;
        n_symbols += c->n_symbols;
        n_frames += c->n_frames;
        covered += (double)d->coverage * c->n_symbols;
        focus += (double)d->focus * c->n_steps;
        out->backward_jumps += d->backward_jumps;
        out->forward_jumps += d->forward_jumps;
        if (d->longest_stall > out->longest_stall)
            out->longest_stall = d->longest_stall;
        out->flaws |= d->flaws;
        out->ok = out->ok && d->ok;
    }
    if (n == 0) { /* nothing was to be read, and that was done */
        out->coverage = out->focus = 1;
        return;
    }
    out->coverage = (float)(covered / n_symbols);
    out->focus = (float)(focus / n_steps);
    out->frames_per_symbol = (float)(n_frames / n_symbols);
}
