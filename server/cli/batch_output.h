/* The folder that tacod batch writes:
 *
 *   wavs/ID.wav            audio, in the format that was chosen
 *   alignments/ID.json     alignments, in the forms that were chosen
 *   manifest.jsonl         a line for every item that is done, as it is finished
 *   metadata.csv           the same in the form of LJ Speech, in the order of the list
 *   failures.jsonl         a line for every item that failed in the last run
 *   batch.json             the options of the command
 *
 * Files appear whole: they are written beside their name and renamed. The manifest's line
 * is written last, so that a run that was killed goes on where it ended. */
#ifndef TACO_SERVER_BATCH_OUTPUT_H
#define TACO_SERVER_BATCH_OUTPUT_H

#include <stdbool.h>
#include <taco/result.h>
#include <taco/status.h>

#include "cli/batch_list.h"
#include "config/options.h"

struct taco_batch_output;

/* Opens the folder, which is created if it is missing, and reads its manifest.
 * TACO_ERR_IO; TACO_ERR_INVALID_ARGUMENT: it was begun with other options of a request, or
 * a form of alignment is unknown; TACO_ERR_FORMAT: a line of its manifest is damaged;
 * TACO_ERR_NO_MEMORY. forms is borrowed until it is closed. */
TACO_MUST_CHECK enum taco_status taco_batch_output_open(struct taco_batch_output **output,
                                                        const char *folder,
                                                        const struct taco_strings *forms,
                                                        const struct taco_speech *command,
                                                        struct taco_error *err);

/* NULL is allowed. */
void taco_batch_output_close(struct taco_batch_output *output);

/* Whether the item was done by a run before, with the same text and options. */
bool taco_batch_output_has(const struct taco_batch_output *output,
                           const struct taco_batch_item *item);

/* Writes the files of an item and its line. Thread-safe. TACO_ERR_IO, _NO_MEMORY, and what
 * encoding returns. */
TACO_MUST_CHECK enum taco_status
taco_batch_output_write(struct taco_batch_output *output,
                        const struct taco_batch_item *item,
                        const struct taco_speech *speech,
                        const struct taco_result *result, struct taco_error *err);

/* Writes the line of an item that failed. Thread-safe. TACO_ERR_IO, _NO_MEMORY. */
TACO_MUST_CHECK enum taco_status
taco_batch_output_fail(struct taco_batch_output *output,
                       const struct taco_batch_item *item, const struct taco_error *why,
                       struct taco_error *err);

/* Writes metadata.csv: of the items that are done, ID|text|text as spoken. TACO_ERR_IO,
 * _NO_MEMORY. */
TACO_MUST_CHECK enum taco_status
taco_batch_output_finish(struct taco_batch_output *output,
                         const struct taco_batch_list *list, struct taco_error *err);

#endif
