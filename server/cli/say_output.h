/* What tacod say writes: audio, alignments, and words to the person. */
#ifndef TACO_SERVER_SAY_OUTPUT_H
#define TACO_SERVER_SAY_OUTPUT_H

#include <stdio.h>
#include <taco/result.h>
#include <taco/status.h>

#include "cli/output_file.h"
#include "config/options.h"
#include "speech/fields.h"

/* Opens the audio's destination: a file, or standard output for "-" and NULL.
 * TACO_ERR_INVALID_ARGUMENT: standard output is a terminal; TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_say_open(struct taco_output_file *out,
                                               const char *path, struct taco_error *err);

/* Closes it; standard output is only flushed. failed: something went wrong before, and an
 * existing file stays as it is. TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_say_close(struct taco_output_file *out,
                                                const char *path, bool failed,
                                                struct taco_error *err);

/* Chooses the audio's format by the path's ending unless --format did.
 * TACO_ERR_INVALID_ARGUMENT. */
TACO_MUST_CHECK enum taco_status taco_say_choose_format(struct taco_speech *speech,
                                                        const char *path,
                                                        struct taco_error *err);

/* The form of an alignment file by its ending: "a.svg", "a.mel.npy".
 * TACO_ERR_INVALID_ARGUMENT. */
TACO_MUST_CHECK enum taco_status
taco_say_alignment_format(const char *path, enum taco_result_format *format,
                          struct taco_error *err);

/* Writes every alignment file. TACO_ERR_IO, _NO_MEMORY. */
TACO_MUST_CHECK enum taco_status
taco_say_write_alignments(const struct taco_strings *paths,
                          const struct taco_result *result,
                          enum taco_matrix_encoding matrix, struct taco_error *err);

/* To standard error: what of the text was changed or left out, and what the attention
 * did. */
void taco_say_print_notes(const struct taco_result *result);
void taco_say_print_summary(const struct taco_result *result);

#endif
