/* A whole clip into memory. */
#include <taco/audio.h>

#include "base/bytes.h"
#include "base/error.h"

struct buffer {
    struct taco_bytes audio;
    bool out_of_memory;
};

static int append(void *user, const void *bytes, size_t size) {
    struct buffer *b = user;
    b->out_of_memory = !taco_bytes_add(&b->audio, bytes, size);
    return b->out_of_memory;
}

enum taco_status taco_audio_encode(const float *samples, size_t n, int sample_rate,
                                   const struct taco_audio_options *options, void **bytes,
                                   size_t *size, struct taco_error *err) {
    struct taco_audio_options whole = options ? *options : taco_audio_options_default();
    struct buffer b = {0};
    struct taco_audio_writer *writer;
    *bytes = NULL;
    *size = 0;
    whole.stream = false;
    /* A sink that ran out of memory looks like one that stopped. */
    struct taco_error inner = TACO_ERROR_INIT;
    enum taco_status status =
        taco_audio_writer_open(&writer, sample_rate, n, &whole, append, &b, &inner);
    if (status == TACO_OK) {
        status = taco_audio_writer_write(writer, samples, n, &inner);
        enum taco_status finished = taco_audio_writer_finish(writer, &inner);
        status = status == TACO_OK ? finished : status;
    }
    if (status != TACO_OK) {
        taco_bytes_free(&b.audio);
        if (b.out_of_memory)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                  "no memory for the audio");
        return taco_error_set(err, status, inner.param, "%s", inner.message);
    }
    /* Not NULL even for a format that makes nothing of no samples. */
    if (!taco_bytes_reserve(&b.audio, 1))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the audio");
    *bytes = b.audio.bytes;
    *size = b.audio.size;
    return TACO_OK;
}
