/* The stage before the decoder: a chunk's symbols become the encoder's memory, and the arrays
 * of its row are made. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/engine.h"

uint32_t taco_piece_number(const struct taco_piece *piece) {
    return (uint32_t)piece->job->request.first_chunk + piece->index;
}

/* Other seeds mend what befell one reading; what this text does to every reading needs the
 * window, which keeps the attention from going far. */
enum { WINDOW_FROM_ATTEMPT = 2, RETRY_WINDOW_BACK = 2, RETRY_WINDOW_FORWARD = 6 };

/* Seed and window of the attempt that begins. */
static void begin_attempt(struct taco_piece *piece) {
    const struct taco_job *job = piece->job;
    struct taco_attempt *attempt = &piece->tried[piece->attempts];
    *attempt = (struct taco_attempt){
        .seed = (job->seed + (uint64_t)piece->attempts) & TACO_SEED_MAX,
        .window_back = job->request.window_back,
        .window_forward = job->request.window_forward,
    };
    if (piece->attempts >= WINDOW_FROM_ATTEMPT && attempt->window_forward == 0) {
        attempt->window_back = RETRY_WINDOW_BACK;
        attempt->window_forward = RETRY_WINDOW_FORWARD;
    }
}

enum taco_status taco_piece_prepare_row(struct taco_piece *piece,
                                        struct taco_error *err) {
    const struct taco_job *job = piece->job;
    const struct taco_hparams *h = &job->voice->hparams;
    uint32_t n_symbols = piece->chunk->n_symbols;
    int max_steps = taco_chunk_max_steps(job->voice, &job->request, n_symbols);
    size_t n = (size_t)max_steps;
    size_t n_heads = taco_chunk_n_heads(job->voice, &job->request);
    struct taco_row *row = &piece->row;
    begin_attempt(piece);
    const struct taco_attempt *attempt = &piece->tried[piece->attempts];
    *row = (struct taco_row){
        .memory = &piece->memory,
        .seed = attempt->seed,
        .chunk = taco_piece_number(piece),
        .max_steps = max_steps,
        .gate_threshold = job->request.gate_threshold,
        .watch_end = true,
        .temperature = job->request.temperature,
        .window_back = attempt->window_back,
        .window_forward = attempt->window_forward,
        .mel =
            taco_malloc(n * (size_t)(h->n_frames_per_step * h->n_mels) * sizeof(float)),
        .gate = taco_malloc(n * (size_t)h->gate_dim * sizeof(float)),
        .alignment = taco_malloc(n * n_symbols * sizeof(float)),
        .heads = n_heads ? taco_malloc(n * n_heads * n_symbols * sizeof(float)) : NULL,
    };
    piece->attempts++;
    if (row->mel && row->gate && row->alignment && (row->heads || !n_heads))
        return TACO_OK;
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                          "no memory for a chunk of %u symbols", n_symbols);
}

static enum taco_status encode(struct taco_piece *piece, struct taco_arena *scratch,
                               struct taco_error *err) {
    const struct taco_cancel cancel = {taco_piece_yield_or_stop, piece};
    const struct taco_job *job = piece->job;
    const struct taco_symbol *symbols = job->text->symbols + piece->chunk->first_symbol;
    uint32_t n = piece->chunk->n_symbols;
    int32_t *ids = taco_arena_alloc(scratch, n, sizeof *ids);
    if (!ids)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the encoder");
    for (uint32_t i = 0; i < n; i++)
        ids[i] = symbols[i].id;
    enum taco_status status = taco_encoder_forward(
        job->voice->model, ids, (int)n, job->request.speaker, job->request.attention,
        &cancel, &piece->keep, scratch, &piece->memory);
    if (status != TACO_OK)
        return taco_error_set(err, status, NULL, "no memory for the encoder");
    return TACO_OK;
}

enum taco_outcome taco_piece_encode(struct taco_piece *piece,
                                    struct taco_arena *scratch) {
    struct taco_job *job = piece->job;
    struct taco_error err = TACO_ERROR_INIT;
    if (taco_job_must_stop(job))
        return TACO_OUTCOME_STOPPED;
    double begin = taco_clock_now();
    enum taco_status status = encode(piece, scratch, &err);
    if (status == TACO_OK)
        status = taco_piece_prepare_row(piece, &err);
    if (status == TACO_OK && piece->streaming)
        status = taco_stream_create(piece, &err);
    taco_job_add_time(job, &job->times.encoder,
                      taco_clock_now() - begin - piece->turn.lent);
    if (status == TACO_OK)
        return TACO_OUTCOME_DONE;
    taco_job_fail(job, &err);
    return TACO_OUTCOME_STOPPED;
}
