/* A voice's front end: from text to chunks, words and symbols (include/taco/text.h). */
#ifndef TACO_TEXT_FRONT_END_H
#define TACO_TEXT_FRONT_END_H

#include <jansson.h>
#include <taco/text.h>

struct taco_front_end;

/* Reads the config's "text" object (models/FORMAT.md). language: BCP 47, for eSpeak NG.
 * TACO_ERR_FORMAT (err->param is the key), TACO_ERR_UNSUPPORTED (a front end that this
 * build does not have), TACO_ERR_NO_MEMORY. */
enum taco_status taco_front_end_create(struct taco_front_end **front_end,
                                       const json_t *text, const char *language,
                                       struct taco_error *err);
void taco_front_end_destroy(struct taco_front_end *front_end);

int taco_front_end_n_symbols(const struct taco_front_end *front_end);
const char *const *taco_front_end_symbols(const struct taco_front_end *front_end);
/* "characters", "arpabet", "ipa" */
const char *taco_front_end_name(const struct taco_front_end *front_end);

/* Ranges of the options: TACO_ERR_INVALID_ARGUMENT (err->param). */
enum taco_status taco_text_options_check(const struct taco_text_options *options,
                                         struct taco_error *err);

/* What can be told of text [length] at once: TACO_ERR_TEXT_TOO_LONG, _INVALID_UTF8
 * (err->offset), _EMPTY_TEXT. */
enum taco_status taco_text_check(const char *text, size_t length,
                                 const struct taco_text_options *options,
                                 struct taco_error *err);

/* taco_text_analyse over a front end; thread-safe. */
enum taco_status taco_front_end_analyse(const struct taco_front_end *front_end,
                                        const char *text, size_t length,
                                        const struct taco_text_options *options,
                                        struct taco_text **out, struct taco_error *err);

/* taco_text_first_sentence over a front end; thread-safe. */
enum taco_status taco_front_end_first_sentence(const struct taco_front_end *front_end,
                                               const char *text, size_t length,
                                               struct taco_sentence *sentence,
                                               struct taco_error *err);

/* A user lexicon over the voice's: lines "WORD PH PH PH" (CMU style), '#' comments.
 * Replaces the one before; only while no analysis runs. TACO_ERR_NOT_FOUND, _IO, _FORMAT
 * (err->offset: line). */
enum taco_status taco_front_end_load_lexicon(struct taco_front_end *front_end,
                                             const char *path, struct taco_error *err);

/* Lines for a person: which symbols the front end can make that the table lacks, and
 * which of the table it never makes. *report is freed with free(). TACO_OK when every
 * symbol it can make is there, else TACO_ERR_FORMAT. */
enum taco_status taco_front_end_coverage(const struct taco_front_end *front_end,
                                         char **report, struct taco_error *err);

#endif
