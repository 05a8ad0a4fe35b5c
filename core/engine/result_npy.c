/* NumPy's .npy files, version 1.0: a magic word, a dict of the shape, the numbers. */
#include "base/error.h"
#include "engine/result_forms.h"
#include <stdio.h>
#include <string.h>
#include <taco/voice.h>

/* An array of all chunks on a diagonal is mostly zeros: beyond this it is of no use. */
#define MAX_NUMBERS (1ULL << 28)

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define F32_TYPE ">f4"
#else
#define F32_TYPE "<f4"
#endif

/* The header and room for rows x columns numbers, returned; NULL: see out and err. */
static float *begin_array(struct taco_buffer *out, uint64_t rows, uint64_t columns) {
    char dict[128];
    int n = snprintf(dict, sizeof dict,
                     "{'descr': '" F32_TYPE
                     "', 'fortran_order': False, 'shape': (%llu, %llu), }",
                     (unsigned long long)rows, (unsigned long long)columns);
    /* The numbers begin at a multiple of 64 bytes; spaces and a line end fill up. */
    size_t length = ((10 + (size_t)n + 1 + 63) & ~(size_t)63) - 10;
    const unsigned char magic[10] = {0x93,
                                     'N',
                                     'U',
                                     'M',
                                     'P',
                                     'Y',
                                     1,
                                     0,
                                     (unsigned char)(length & 255),
                                     (unsigned char)(length >> 8)};
    taco_buffer_add(out, magic, sizeof magic);
    char *header = taco_buffer_grow(out, length);
    if (!header)
        return NULL;
    memset(header, ' ', length);
    memcpy(header, dict, (size_t)n);
    header[length - 1] = '\n';
    return taco_buffer_grow(out, (size_t)(rows * columns) * sizeof(float));
}

enum taco_status
taco_result_write_alignment_npy(const struct taco_result *result,
                                const struct taco_format_options *options,
                                struct taco_buffer *out, struct taco_error *err) {
    (void)options;
    uint64_t rows = taco_result_n_steps(result), columns = result->text->n_symbols;
    if (rows * columns > MAX_NUMBERS)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "format",
            "the alignment of %llu steps by %llu symbols is too large for "
            "one array: the JSON form has it chunk by chunk",
            (unsigned long long)rows, (unsigned long long)columns);
    float *row = begin_array(out, rows, columns);
    if (!row)
        return TACO_OK;
    memset(row, 0, (size_t)(rows * columns) * sizeof *row);
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *chunk = &result->chunks[i];
        for (uint32_t t = 0; t < chunk->n_steps; t++, row += columns)
            memcpy(row + result->text->chunks[i].first_symbol,
                   chunk->alignment + (size_t)t * chunk->n_symbols,
                   chunk->n_symbols * sizeof *row);
    }
    return TACO_OK;
}

enum taco_status taco_result_write_mel_npy(const struct taco_result *result,
                                           const struct taco_format_options *options,
                                           struct taco_buffer *out,
                                           struct taco_error *err) {
    (void)options;
    (void)err;
    size_t n_mels = (size_t)taco_voice_info(result->voice)->n_mels;
    float *row = begin_array(out, taco_result_n_frames(result), n_mels);
    for (uint32_t i = 0; row && i < result->n_chunks; i++) {
        size_t n = result->chunks[i].n_frames * n_mels;
        memcpy(row, result->chunks[i].mel, n * sizeof *row);
        row += n;
    }
    return TACO_OK;
}
