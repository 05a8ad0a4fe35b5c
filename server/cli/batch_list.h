/* The list of tacod batch: what to speak, and under which name. */
#ifndef TACO_SERVER_BATCH_LIST_H
#define TACO_SERVER_BATCH_LIST_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

#include "speech/fields.h"

#define TACO_BATCH_MAX_ID 128 /* bytes */

struct taco_batch_item {
    const char *id;   /* a file name without its ending; owned by fields */
    const char *text; /* owned by fields */
    json_t *fields;   /* "id", "text" and the options of this line */
    size_t line;      /* in the list, from 1 */
};

struct taco_batch_list {
    struct taco_batch_item *items; /* [n], in order */
    size_t n;
};

/* Reads the list at path, "-" for standard input: JSON Lines, objects with "id", "text" and
 * options of a request; or lines of an id, a tab or a bar (|), and the text, of which a
 * second bar ends the text (metadata.csv of LJ Speech). The first line decides. Every line is checked before anything is spoken.
 * TACO_ERR_NOT_FOUND, _IO: the file; TACO_ERR_FORMAT: a line (the message tells which);
 * TACO_ERR_NO_MEMORY. On any outcome the list is ended with taco_batch_list_free. */
TACO_MUST_CHECK enum taco_status taco_batch_list_read(struct taco_batch_list *list,
                                                      const char *path,
                                                      struct taco_error *err);
void taco_batch_list_free(struct taco_batch_list *list);

/* The request of an item: the command's own options, and over them those of its line.
 * TACO_ERR_INVALID_ARGUMENT, TACO_ERR_NO_MEMORY and the codes of taco_speech_set. On
 * any outcome it is ended with taco_speech_free. */
TACO_MUST_CHECK int taco_batch_request(struct taco_speech *speech,
                                       const struct taco_speech *command,
                                       const struct taco_batch_item *item,
                                       struct taco_error *err);

/* The options that were given, as an object; NULL: no memory. */
json_t *taco_batch_given(const struct taco_speech *speech);

#endif
