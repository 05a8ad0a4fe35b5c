/* What a job may cost, known before it is spent: seconds of audio and bytes of memory. */
#include "base/error.h"
#include "engine/engine.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Frames that no chunk exceeds, whatever the voice's rule says. */
enum { MAX_CHUNK_FRAMES = 65536 };

/* Analysis of one byte of text: a digit may become a dozen symbols of several words. */
enum { BYTES_PER_TEXT_BYTE = 256 };

int taco_chunk_max_steps(const struct taco_voice *voice,
                         const struct taco_request *request, uint32_t n_symbols) {
    const struct taco_hparams *h = &voice->hparams;
    double frames =
        request->max_frames > 0
            ? request->max_frames
            : (double)h->max_frames_per_symbol * n_symbols + h->max_frames_base;
    frames = fmin(fmax(frames, 1), MAX_CHUNK_FRAMES);
    return ((int)frames + h->n_frames_per_step - 1) / h->n_frames_per_step;
}

size_t taco_chunk_n_heads(const struct taco_voice *voice,
                          const struct taco_request *request) {
    return (size_t)voice->info.attentions[request->attention].n_heads;
}

/* -- memory -------------------------------------------------------------------------- */

/* The largest arrays of a chunk, in numbers. */
struct chunk_size {
    size_t weights, steps, mel, samples; /* of the result */
    size_t working; /* beside these, from admission to the chunk's end */
};

static struct chunk_size size_of_chunk(const struct taco_job *job,
                                       const struct taco_piece *piece) {
    uint32_t n_symbols = piece->chunk->n_symbols;
    const struct taco_voice *voice = job->voice;
    const struct taco_hparams *h = &voice->hparams;
    size_t steps = (size_t)taco_chunk_max_steps(voice, &job->request, n_symbols);
    size_t frames = steps * (size_t)h->n_frames_per_step,
           mel = frames * (size_t)h->n_mels;
    double stretched = (double)frames / (double)piece->speed + 1;
    struct chunk_size size = {
        .weights = steps * n_symbols * (1 + taco_chunk_n_heads(voice, &job->request)),
        .steps = steps,
        .mel = mel,
        .samples = (size_t)(stretched * voice->audio.hop_length) + 1,
        .working =
            mel + steps * (size_t)h->gate_dim +
            taco_memory_bytes(voice->model, (int)n_symbols, job->request.attention) /
                sizeof(float),
    };
    if (piece->speed < 1.0f || piece->speed > 1.0f)
        size.working += (size_t)(stretched * h->n_mels);
    if (job->request.max_attempts > 1) /* the best one and the next */
        size.working += size.weights + mel + steps * (size_t)h->gate_dim;
    return size;
}

static size_t size_of_text(const struct taco_text *text) {
    return sizeof *text + text->source_length + 1 +
           text->n_chunks * sizeof *text->chunks +
           text->n_words * (sizeof *text->words + sizeof(struct taco_times)) +
           text->n_spoken * (sizeof *text->spoken + sizeof(struct taco_times)) +
           text->n_symbols * (sizeof *text->symbols + sizeof(struct taco_times)) +
           text->n_notes * sizeof *text->notes + text->n_marks * sizeof *text->marks;
}

static size_t size_of_answer(const struct taco_cost *cost, double seconds,
                             double n_symbols, double n_weights) {
    double bytes = cost->per_second * seconds + cost->per_symbol * n_symbols +
                   cost->per_weight * n_weights;
    return bytes < 0x1p60 ? (size_t)bytes : (size_t)1 << 60;
}

size_t taco_job_bound(struct taco_job *job, struct taco_piece *pieces,
                      const struct taco_text *text) {
    const struct taco_engine_options *options = &job->engine->options;
    size_t most_at_once = (size_t)(options->max_rows + options->max_rows / 8);
    size_t working = 0, largest_working = 0, largest_samples = 0;
    double n_samples = (double)job->n_pause, n_weights = 0;
    for (uint32_t i = 0; i < text->n_chunks; i++) {
        uint32_t n_symbols = text->chunks[i].n_symbols;
        struct chunk_size size = size_of_chunk(job, &pieces[i]);
        size_t kept = size.weights + size.steps + size.mel + size.samples;
        pieces[i].reserved = kept * sizeof(float) + (n_symbols + 1) * sizeof(uint32_t);
        working += size.working;
        if (size.working > largest_working)
            largest_working = size.working;
        if (size.samples > largest_samples)
            largest_samples = size.samples;
        n_samples += (double)size.samples;
        n_weights += (double)size.weights;
    }
    if (working > most_at_once * largest_working)
        working = most_at_once * largest_working;
    n_samples = fmin(n_samples, (double)job->max_samples);
    return size_of_text(text) +
           text->n_chunks *
               (sizeof(struct taco_piece) + sizeof(struct taco_chunk_result)) +
           (working + largest_samples) * sizeof(float) +
           size_of_answer(&job->request.answer, n_samples / job->voice->audio.sample_rate,
                          text->n_symbols, n_weights);
}

size_t taco_result_bound(const struct taco_job *job, const struct taco_result *result) {
    double n_weights = 0, n_matrices = 1;
    n_matrices += (double)taco_chunk_n_heads(job->voice, &job->request);
    for (uint32_t i = 0; i < result->n_chunks; i++)
        n_weights += n_matrices * result->chunks[i].n_steps * result->chunks[i].n_symbols;
    double seconds = (double)result->n_samples / result->sample_rate;
    return taco_result_bytes(result) + size_of_answer(&job->request.answer, seconds,
                                                      result->text->n_symbols, n_weights);
}

size_t taco_text_bound(size_t length) {
    return (length + 16) * BYTES_PER_TEXT_BYTE;
}

size_t taco_pool_limit(const struct taco_engine *engine, enum taco_pool pool) {
    size_t limit = engine->options.max_memory;
    if (limit == SIZE_MAX)
        return SIZE_MAX;
    return pool == TACO_POOL_LONG ? limit - 2 * (limit / 8) : limit / 8;
}

bool taco_engine_reserve(struct taco_engine *engine, enum taco_pool pool, size_t bytes) {
    size_t limit = taco_pool_limit(engine, pool);
    if (bytes > limit || engine->reserved[pool] > limit - bytes)
        return false;
    engine->reserved[pool] += bytes;
    return true;
}

void taco_engine_unreserve(struct taco_engine *engine, enum taco_pool pool,
                           size_t bytes) {
    assert(engine->reserved[pool] >= bytes);
    engine->reserved[pool] -= bytes;
}

/* The limit of the control group, as containers have one; 0: none. */
static double limit_of_group(void) {
    FILE *file = fopen("/sys/fs/cgroup/memory.max", "re");
    char text[32] = "";
    if (file) {
        if (!fgets(text, sizeof text, file))
            text[0] = '\0';
        fclose(file);
    }
    return strtod(text, NULL); /* of "max": 0 */
}

size_t taco_default_max_memory(void) {
    double bytes = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
    double group = limit_of_group();
    if (group > 0 && group < bytes)
        bytes = group;
    return bytes > 0 ? (size_t)(bytes / 2) : (size_t)1 << 30;
}

/* -- seconds of audio ---------------------------------------------------------------- */

static enum taco_status too_long(const struct taco_job *job, const char *what,
                                 double n_samples, struct taco_error *err) {
    double rate = job->voice->audio.sample_rate;
    return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "max_audio",
                          "the audio may last %g seconds, %s %.1f", job->max_audio, what,
                          n_samples / rate);
}

/* At least so many come of frames, wherever in the text they are. */
static size_t samples_of_frames(const struct taco_job *job, double n_frames) {
    return (size_t)(n_frames / (double)job->fastest * job->voice->audio.hop_length);
}

enum taco_status taco_job_limit_audio(struct taco_job *job, const struct taco_text *text,
                                      struct taco_error *err) {
    double ours = job->engine->options.max_audio, asked = job->request.max_audio;
    int rate = job->voice->audio.sample_rate;
    job->max_audio = asked > 0 && (ours == 0 || asked < ours) ? asked : ours;
    job->max_samples =
        job->max_audio > 0 ? (uint64_t)(job->max_audio * rate) : UINT64_MAX;
    job->n_pause = taco_silence_samples(text->lead, rate);
    for (uint32_t i = 0; i < text->n_chunks; i++)
        job->n_pause += taco_silence_samples(text->chunks[i].pause, rate);
    if (job->n_pause <= job->max_samples)
        return TACO_OK;
    return too_long(job, "the text's pauses alone", (double)job->n_pause, err);
}

void taco_job_count_audio(struct taco_job *job, size_t n_samples) {
    pthread_mutex_lock(&job->engine->lock);
    job->n_spoken += n_samples;
    uint64_t total = job->n_spoken + job->n_pause;
    pthread_mutex_unlock(&job->engine->lock);
    if (total <= job->max_samples)
        return;
    struct taco_error err = TACO_ERROR_INIT;
    (void)too_long(job, "this text has come to", (double)total, &err);
    taco_job_fail(job, &err);
}

void taco_job_look_at_frames(struct taco_job *job, uint64_t n_frames) {
    if (job->max_samples == UINT64_MAX)
        return;
    /* All but one of a chunk's attempts may have been in vain. */
    double least = (double)n_frames / job->request.max_attempts;
    uint64_t n_samples = samples_of_frames(job, least);
    /* The last frame of a chunk may be dropped by the voice's rule. */
    uint64_t slack = samples_of_frames(job, job->n_pieces);
    if (n_samples + job->n_pause <= job->max_samples + slack)
        return;
    struct taco_error err = TACO_ERROR_INIT;
    (void)too_long(job, "this text has come to", (double)(n_samples + job->n_pause),
                   &err);
    taco_job_fail(job, &err);
}
