/* The written forms of a result: one function and file each, chosen by result_write.c.
 * They append to out; a failed allocation shows there (out->failed). */
#ifndef TACO_ENGINE_RESULT_FORMS_H
#define TACO_ENGINE_RESULT_FORMS_H

#include "engine/buffer.h"
#include <taco/result.h>

typedef enum taco_status taco_result_writer(const struct taco_result *result,
                                            const struct taco_format_options *options,
                                            struct taco_buffer *out,
                                            struct taco_error *err);

taco_result_writer taco_result_write_json;
taco_result_writer taco_result_write_svg;
taco_result_writer taco_result_write_alignment_png;
taco_result_writer taco_result_write_alignment_npy;
taco_result_writer taco_result_write_srt;
taco_result_writer taco_result_write_vtt;
taco_result_writer taco_result_write_textgrid;
taco_result_writer taco_result_write_mel_npy;
taco_result_writer taco_result_write_mel_png;

/* Sums over the chunks. */
uint64_t taco_result_n_steps(const struct taco_result *result);
uint64_t taco_result_n_frames(const struct taco_result *result);
double taco_result_duration(const struct taco_result *result); /* seconds */

/* The voice's words for a symbol of the text. */
const char *taco_result_symbol_name(const struct taco_result *result, uint32_t symbol);

#endif
