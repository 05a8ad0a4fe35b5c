/* The last stage: pieces, in order, become one result. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/diagnostics.h"
#include "engine/engine.h"
#include "engine/owned_result.h"
#include <string.h>

/* One array of all samples. A single piece's array is taken as it is; several are copied
 * into pages of zeros, in which the pauses between them are never written, so that silence
 * takes no memory however long it is. */
static enum taco_status join_samples(struct taco_job *job,
                                     struct taco_owned_result *owned) {
    struct taco_result *result = &owned->result;
    uint64_t total = taco_silence_samples(job->text->lead, job->voice->audio.sample_rate);
    for (uint32_t i = 0; i < job->n_pieces; i++) {
        struct taco_piece *piece = &job->pieces[i];
        owned->chunks[i].first_sample = total;
        owned->chunks[i].n_samples = piece->n_samples;
        result->n_clipped += piece->n_clipped;
        total += piece->n_samples + taco_piece_pause(piece);
    }
    struct taco_piece *first = &job->pieces[0];
    if (job->n_pieces == 1 && first->n_samples == first->max_samples &&
        first->n_samples == total) {
        owned->samples = first->samples;
        first->samples = NULL;
    } else {
        owned->sample_pages = (total ? total : 1) * sizeof *owned->samples;
        owned->samples = taco_alloc_pages(owned->sample_pages);
        if (!owned->samples)
            return TACO_ERR_NO_MEMORY;
        for (uint32_t i = 0; i < job->n_pieces; i++) {
            if (taco_job_is_unwanted(job))
                return TACO_ERR_CANCELLED;
            struct taco_piece *piece = &job->pieces[i];
            memcpy(owned->samples + owned->chunks[i].first_sample, piece->samples,
                   piece->n_samples * sizeof *owned->samples);
            taco_free(piece->samples);
            piece->samples = NULL;
        }
    }
    result->samples = owned->samples;
    result->n_samples = total;
    return TACO_OK;
}

static void take_piece(struct taco_piece *piece, struct taco_chunk_result *chunk) {
    struct taco_decoded *best = &piece->best;
    chunk->n_steps = (uint32_t)best->n_steps;
    chunk->n_frames = (uint32_t)best->n_frames;
    chunk->n_symbols = piece->chunk->n_symbols;
    chunk->alignment = best->alignment;
    chunk->gate = best->gate;
    chunk->mel = piece->mel;
    chunk->stop_reason = best->stop_reason;
    chunk->seed = best->seed;
    chunk->attempts = piece->attempts;
    memcpy(chunk->tried, piece->tried, sizeof chunk->tried);
    chunk->speed = piece->speed;
    chunk->diagnostics = best->diagnostics;
    chunk->heads = best->heads;
    best->alignment = best->gate = best->heads = piece->mel = NULL;
}

static enum taco_status fill_times(const struct taco_job *job,
                                   struct taco_owned_result *owned) {
    const struct taco_text *text = owned->text;
    owned->symbols = taco_calloc(text->n_symbols, sizeof *owned->symbols);
    owned->words = taco_calloc(text->n_words, sizeof *owned->words);
    owned->spoken = taco_calloc(text->n_spoken, sizeof *owned->spoken);
    if (!owned->symbols || !owned->words || !owned->spoken)
        return TACO_ERR_NO_MEMORY;
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        const struct taco_chunk_result *chunk = &owned->chunks[i];
        struct taco_time_base base =
            taco_piece_time_base(&job->pieces[i], chunk->first_sample);
        taco_symbol_times(&base, job->pieces[i].edges, chunk->n_symbols,
                          owned->symbols + text->chunks[i].first_symbol);
    }
    taco_word_times(text, owned->symbols, owned->words, owned->spoken);
    owned->result.symbols = owned->symbols;
    owned->result.words = owned->words;
    owned->result.spoken = owned->spoken;
    return TACO_OK;
}

static size_t count_bytes(const struct taco_owned_result *owned, int n_mels) {
    const struct taco_result *result = &owned->result;
    const struct taco_text *text = result->text;
    size_t bytes = sizeof *owned;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *c = &result->chunks[i];
        size_t n_heads = c->heads ? (size_t)result->attention->n_heads : 0;
        size_t numbers = (size_t)c->n_steps * (c->n_symbols * (1 + n_heads) + 1) +
                         (size_t)c->n_frames * (size_t)n_mels + (size_t)c->n_samples;
        bytes += sizeof *c + numbers * sizeof(float);
    }
    bytes +=
        (text->n_symbols + text->n_words + text->n_spoken) * sizeof(struct taco_times);
    bytes += sizeof *text + text->source_length + text->n_chunks * sizeof *text->chunks +
             text->n_words * sizeof *text->words + text->n_spoken * sizeof *text->spoken +
             text->n_symbols * sizeof *text->symbols +
             text->n_notes * sizeof *text->notes + text->n_marks * sizeof *text->marks;
    return bytes;
}

enum taco_status taco_job_assemble(struct taco_job *job, const struct taco_result **out,
                                   struct taco_error *err) {
    struct taco_owned_result *owned = taco_owned_result_create(job->n_pieces);
    enum taco_status status = owned ? TACO_OK : TACO_ERR_NO_MEMORY;
    if (status == TACO_OK)
        status = join_samples(job, owned);
    if (status != TACO_OK)
        goto fail;
    for (uint32_t i = 0; i < job->n_pieces; i++)
        take_piece(&job->pieces[i], &owned->chunks[i]);
    owned->text = job->text;
    job->text = NULL;
    struct taco_result *result = &owned->result;
    result->voice = job->voice;
    result->text = owned->text;
    result->attention = &job->voice->info.attentions[job->request.attention];
    result->sample_rate = job->voice->audio.sample_rate;
    result->speed = job->request.speed;
    result->seed = job->seed;
    result->times = job->times;
    status = fill_times(job, owned);
    if (status != TACO_OK)
        goto fail;
    taco_diagnostics_join(owned->chunks, result->n_chunks, &result->diagnostics);
    owned->bytes = count_bytes(owned, job->voice->hparams.n_mels);
    *out = result;
    return TACO_OK;
fail:
    if (owned)
        taco_result_unref(&owned->result);
    if (status == TACO_ERR_CANCELLED)
        return taco_job_say_why(job, err);
    return taco_error_set(err, status, NULL, "no memory for the result");
}
