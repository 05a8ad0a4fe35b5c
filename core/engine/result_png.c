/* Heat maps as PNG: the alignment and the mel spectrogram, time to the right, the first
 * symbol and the lowest band at the bottom. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/colour_map.h"
#include "engine/result_forms.h"
#include <math.h>
#include <png.h>
#include <setjmp.h>
#include <string.h>
#include <taco/voice.h>

/* A picture of numbers, n_columns x n_rows cells of levels 0 to 255, enlarged to pixels.
 */
struct picture {
    uint32_t n_columns, n_rows;
    uint32_t pool;           /* steps or frames that share a column */
    uint32_t cell_w, cell_h; /* pixels of a cell */
    unsigned char *cells;    /* [n_rows, n_columns], row 0 at the top */
};

enum { MAX_SIDE = 8192, COMFORTABLE_WIDTH = 1000, COMFORTABLE_HEIGHT = 500 };

static uint32_t clamp(uint32_t x, uint32_t low, uint32_t high) {
    return x < low ? low : x > high ? high : x;
}

/* columns x rows numbers are to be drawn: too many columns share pixels. */
static enum taco_status begin_picture(struct picture *picture, uint64_t columns,
                                      uint32_t rows, struct taco_buffer *out,
                                      struct taco_error *err) {
    if (rows > MAX_SIDE)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "format",
            "a picture of %u rows is too high, %d are possible: the JSON "
            "form has the alignment chunk by chunk",
            rows, MAX_SIDE);
    memset(picture, 0, sizeof *picture);
    picture->pool = (uint32_t)((columns + MAX_SIDE - 1) / MAX_SIDE);
    if (picture->pool < 1)
        picture->pool = 1;
    picture->n_columns = (uint32_t)((columns + picture->pool - 1) / picture->pool);
    picture->n_rows = rows;
    if (picture->n_columns == 0) /* no frame and no symbol are still a picture */
        picture->n_columns = 1;
    if (picture->n_rows == 0)
        picture->n_rows = 1;
    picture->cell_w = clamp(COMFORTABLE_WIDTH / picture->n_columns, 1, 4);
    picture->cell_h = clamp(COMFORTABLE_HEIGHT / picture->n_rows, 1, 8);
    size_t n_cells = (size_t)picture->n_columns * picture->n_rows;
    if (taco_buffer_may_hold(out, n_cells))
        picture->cells = taco_calloc(n_cells, 1);
    if (!picture->cells)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the picture");
    return TACO_OK;
}

/* A value from 0 to 1 at (column, row from the bottom); of those that share a pixel the
 * highest shows. */
static void put(struct picture *picture, uint64_t column, uint32_t row, float value) {
    unsigned char level = (unsigned char)lroundf(255 * fminf(fmaxf(value, 0.0f), 1.0f));
    uint32_t x = (uint32_t)(column / picture->pool), y = picture->n_rows - 1 - row;
    unsigned char *cell = &picture->cells[(size_t)y * picture->n_columns + x];
    if (level > *cell)
        *cell = level;
}

/* -- libpng -------------------------------------------------------------------------- */

static void on_error(png_structp png, png_const_charp message) {
    (void)message;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message) {
    (void)png, (void)message;
}

static void on_bytes(png_structp png, png_bytep bytes, size_t n) {
    struct taco_buffer *out = png_get_io_ptr(png);
    taco_buffer_add(out, bytes, n);
    if (out->failed)
        png_error(png, "no room");
}

static void on_flush(png_structp png) {
    (void)png;
}

/* Row by row, so that the enlarged picture is never in memory; row has room for one. libpng
 * leaves by longjmp: nothing here is changed after setjmp. */
static void write_rows(const struct picture *picture, png_structp png, png_infop info,
                       unsigned char *row, struct taco_buffer *out) {
    const uint32_t width = picture->n_columns * picture->cell_w;
    png_color colours[256];
    if (setjmp(png_jmpbuf(png))) {
        out->failed = true;
        return;
    }
    for (int i = 0; i < 256; i++) {
        unsigned char rgb[3];
        taco_colour_map((float)i / 255.0f, rgb);
        colours[i] = (png_color){rgb[0], rgb[1], rgb[2]};
    }
    png_set_write_fn(png, out, on_bytes, on_flush);
    png_set_IHDR(png, info, width, picture->n_rows * picture->cell_h, 8,
                 PNG_COLOR_TYPE_PALETTE, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_PLTE(png, info, colours, 256);
    png_write_info(png, info);
    for (uint32_t y = 0; y < picture->n_rows; y++) {
        const unsigned char *cells = picture->cells + (size_t)y * picture->n_columns;
        for (uint32_t x = 0; x < width; x++)
            row[x] = cells[x / picture->cell_w];
        for (uint32_t k = 0; k < picture->cell_h; k++)
            png_write_row(png, row);
        if (!taco_buffer_may_hold(out, 0)) /* deflate may hold back for long */
            png_error(png, "stopped");
    }
    png_write_end(png, info);
}

static enum taco_status write_picture(const struct picture *picture,
                                      struct taco_buffer *out, struct taco_error *err) {
    png_structp png =
        png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    unsigned char *row = taco_malloc((size_t)picture->n_columns * picture->cell_w);
    if (info && row)
        write_rows(picture, png, info, row, out);
    else
        out->failed = true;
    png_destroy_write_struct(&png, &info);
    taco_free(row);
    if (out->failed && !out->stopped)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for the picture");
    return TACO_OK;
}

enum taco_status
taco_result_write_alignment_png(const struct taco_result *result,
                                const struct taco_format_options *options,
                                struct taco_buffer *out, struct taco_error *err) {
    (void)options;
    struct picture picture;
    enum taco_status status = begin_picture(&picture, taco_result_n_steps(result),
                                            result->text->n_symbols, out, err);
    if (status != TACO_OK)
        return status;
    uint64_t column = 0;
    for (uint32_t i = 0; i < result->n_chunks && taco_buffer_may_hold(out, 0); i++) {
        const struct taco_chunk_result *chunk = &result->chunks[i];
        uint32_t first = result->text->chunks[i].first_symbol;
        const float *weight = chunk->alignment;
        for (uint32_t t = 0; t < chunk->n_steps; t++, column++)
            for (uint32_t j = 0; j < chunk->n_symbols; j++)
                put(&picture, column, first + j, *weight++);
    }
    status = write_picture(&picture, out, err);
    taco_free(picture.cells);
    return status;
}

/* Lowest and highest value of all chunks' mels. */
static void find_range(const struct taco_result *result, size_t n_mels, float *low,
                       float *high) {
    *low = INFINITY;
    *high = -INFINITY;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        for (size_t k = 0; k < result->chunks[i].n_frames * n_mels; k++) {
            *low = fminf(*low, result->chunks[i].mel[k]);
            *high = fmaxf(*high, result->chunks[i].mel[k]);
        }
    }
    if (!(*high > *low))
        *high = *low + 1;
}

enum taco_status taco_result_write_mel_png(const struct taco_result *result,
                                           const struct taco_format_options *options,
                                           struct taco_buffer *out,
                                           struct taco_error *err) {
    (void)options;
    uint32_t n_mels = (uint32_t)taco_voice_info(result->voice)->n_mels;
    struct picture picture;
    enum taco_status status =
        begin_picture(&picture, taco_result_n_frames(result), n_mels, out, err);
    if (status != TACO_OK)
        return status;
    float low, high;
    find_range(result, n_mels, &low, &high);
    uint64_t column = 0;
    for (uint32_t i = 0; i < result->n_chunks && taco_buffer_may_hold(out, 0); i++) {
        const float *value = result->chunks[i].mel;
        for (uint32_t t = 0; t < result->chunks[i].n_frames; t++, column++)
            for (uint32_t k = 0; k < n_mels; k++)
                put(&picture, column, k, (*value++ - low) / (high - low));
    }
    status = write_picture(&picture, out, err);
    taco_free(picture.cells);
    return status;
}
