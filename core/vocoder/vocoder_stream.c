/* The pipeline with short blocks and few iterations, so that samples follow their frames
 * soon. */
#include "vocoder/vocoder.h"

#include "base/error.h"
#include "base/memory.h"
#include "vocoder/pipeline.h"

enum {
    BLOCK = 2,
    /* One iteration delays the samples by two frames: see tests/bench/vocoder.c for what
       they are worth. */
    MOST_ITERATIONS = 4
};

struct taco_vocoder_stream {
    struct taco_arena arena;
    struct taco_pipeline *pipeline;
};

enum taco_status taco_vocoder_stream_create(struct taco_vocoder_stream **out,
                                            const struct taco_vocoder *vocoder,
                                            const struct taco_vocoder_options *options,
                                            const struct taco_rng_key *key,
                                            const struct taco_cancel *cancel,
                                            struct taco_error *err) {
    struct taco_vocoder_options o = *options;
    struct taco_vocoder_stream *stream = taco_calloc(1, sizeof *stream);
    o.n_iter = o.n_iter < MOST_ITERATIONS ? o.n_iter : MOST_ITERATIONS;
    *out = NULL;
    if (!stream || taco_pipeline_init(&stream->pipeline, vocoder, &o, BLOCK, key, cancel,
                                      &stream->arena) != TACO_OK) {
        taco_vocoder_stream_destroy(stream);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                              "no memory for a streaming vocoder");
    }
    *out = stream;
    return TACO_OK;
}

void taco_vocoder_stream_destroy(struct taco_vocoder_stream *stream) {
    if (!stream)
        return;
    taco_arena_free(&stream->arena);
    taco_free(stream);
}

int taco_vocoder_stream_lag(const struct taco_vocoder_stream *stream) {
    return taco_pipeline_lag(stream->pipeline);
}

size_t taco_vocoder_stream_bound(const struct taco_vocoder_stream *stream, int t) {
    return taco_pipeline_bound(stream->pipeline, t);
}

enum taco_status taco_vocoder_stream_feed(struct taco_vocoder_stream *stream,
                                          const float *mel, int t, bool last, float *out,
                                          size_t *n) {
    return taco_pipeline_feed(stream->pipeline, mel, t, last, out, n);
}
