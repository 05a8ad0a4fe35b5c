/* A whole clip into memory. */
#include <string.h>
#include <taco/audio.h>

#include "base/error.h"
#include "base/memory.h"

struct buffer {
    unsigned char *bytes;
    size_t size, capacity;
    bool out_of_memory;
};

static int append(void *user, const void *bytes, size_t size) {
    struct buffer *b = user;
    if (size > b->capacity - b->size) {
        size_t capacity = b->size + size + b->capacity;
        unsigned char *grown = taco_realloc(b->bytes, capacity);
        if (!grown) {
            b->out_of_memory = true;
            return 1;
        }
        b->bytes = grown;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    return 0;
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
        taco_free(b.bytes);
        if (b.out_of_memory)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                  "no memory for the audio");
        return taco_error_set(err, status, inner.param, "%s", inner.message);
    }
    /* Not NULL even for a format that makes nothing of no samples. */
    if (!b.bytes && !(b.bytes = taco_malloc(1)))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the audio");
    *bytes = b.bytes;
    *size = b.size;
    return TACO_OK;
}
