/* The written forms: which there are, and the way to each. */
#include "base/error.h"
#include "base/memory.h"
#include "engine/result_forms.h"
#include <string.h>
#include <strings.h>
#include <taco/voice.h>

static const struct form {
    const char *extension, *media_type;
    taco_result_writer *write;
} forms[] = {
    [TACO_FORMAT_ALIGNMENT_JSON] = {"json", "application/json", taco_result_write_json},
    [TACO_FORMAT_ALIGNMENT_SVG] = {"svg", "image/svg+xml", taco_result_write_svg},
    [TACO_FORMAT_ALIGNMENT_PNG] = {"png", "image/png", taco_result_write_alignment_png},
    [TACO_FORMAT_ALIGNMENT_NPY] = {"npy", "application/octet-stream",
                                   taco_result_write_alignment_npy},
    [TACO_FORMAT_SRT] = {"srt", "application/x-subrip", taco_result_write_srt},
    [TACO_FORMAT_VTT] = {"vtt", "text/vtt", taco_result_write_vtt},
    [TACO_FORMAT_TEXTGRID] = {"TextGrid", "text/plain;charset=utf-8",
                              taco_result_write_textgrid},
    [TACO_FORMAT_MEL_NPY] = {"mel.npy", "application/octet-stream",
                             taco_result_write_mel_npy},
    [TACO_FORMAT_MEL_PNG] = {"mel.png", "image/png", taco_result_write_mel_png},
};

enum { N_FORMS = sizeof forms / sizeof *forms };

struct taco_format_options taco_format_options_default(void) {
    return (struct taco_format_options){.matrix = TACO_MATRIX_NONE, .compact = true};
}

const char *taco_result_media_type(enum taco_result_format format) {
    return (size_t)format < N_FORMS ? forms[format].media_type
                                    : "application/octet-stream";
}

const char *taco_result_extension(enum taco_result_format format) {
    return (size_t)format < N_FORMS ? forms[format].extension : "";
}

enum taco_status taco_result_format_parse(const char *extension,
                                          enum taco_result_format *format,
                                          struct taco_error *err) {
    for (int i = 0; i < N_FORMS; i++) {
        if (strcasecmp(extension, forms[i].extension) == 0) {
            *format = (enum taco_result_format)i;
            return TACO_OK;
        }
    }
    return taco_error_set(
        err, TACO_ERR_INVALID_ARGUMENT, "format",
        "no alignment form \"%.40s\": there are json, svg, png, npy, srt, "
        "vtt, TextGrid, mel.npy and mel.png",
        extension);
}

enum taco_status taco_result_write(const struct taco_result *result,
                                   enum taco_result_format format,
                                   const struct taco_format_options *options,
                                   char **bytes, size_t *size, struct taco_error *err) {
    struct taco_format_options chosen =
        options ? *options : taco_format_options_default();
    struct taco_buffer out = TACO_BUFFER_INIT;
    out.grow = chosen.grow;
    out.user = chosen.user;
    *bytes = NULL;
    *size = 0;
    if ((size_t)format >= N_FORMS)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "format",
                              "there is no form number %d", (int)format);
    if (taco_reserved_check(chosen.reserved, err) != TACO_OK)
        return TACO_ERR_INVALID_ARGUMENT;
    if ((size_t)chosen.matrix > TACO_MATRIX_F16)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "matrix",
                              "matrix must be none, arrays or float16");
    enum taco_status status = forms[format].write(result, &chosen, &out, err);
    if (out.stopped)
        status = taco_error_set(err, TACO_ERR_CANCELLED, NULL,
                                "the %s form was not finished: its caller stopped it",
                                forms[format].extension);
    else if (status == TACO_OK && out.failed)
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                "no memory for the %s form", forms[format].extension);
    if (status != TACO_OK) {
        taco_buffer_free(&out);
        return status;
    }
    /* Results may be kept for long: no more memory than they need. */
    char *fitted = taco_realloc(out.data, out.size + 1);
    *bytes = fitted ? fitted : out.data;
    *size = out.size;
    return TACO_OK;
}

uint64_t taco_result_n_steps(const struct taco_result *result) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        n += result->chunks[i].n_steps;
    return n;
}

uint64_t taco_result_n_frames(const struct taco_result *result) {
    uint64_t n = 0;
    for (uint32_t i = 0; i < result->n_chunks; i++)
        n += result->chunks[i].n_frames;
    return n;
}

double taco_result_duration(const struct taco_result *result) {
    return (double)result->n_samples / result->sample_rate;
}

const char *taco_result_symbol_name(const struct taco_result *result, uint32_t symbol) {
    return taco_voice_info(result->voice)->symbols[result->text->symbols[symbol].id];
}
