/* The field "lexicon": {"gnocchi": "N Y AO1 K IY0", "W3C": "world wide web consortium"}. */
#ifndef TACO_SERVER_LEXICON_H
#define TACO_SERVER_LEXICON_H

#include <jansson.h>
#include <taco/status.h>

/* Writes the object's words as lines of taco_text_options.lexicon, to be given back with
 * taco_free. TACO_ERR_INVALID_ARGUMENT: a word or what it is spoken as cannot stand in
 * such a line, or there is too much (the message names the word);
 * TACO_CODE_WRONG_TYPE; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK int taco_lexicon_lines(char **lines, const json_t *object,
                                       struct taco_error *err);

#endif
