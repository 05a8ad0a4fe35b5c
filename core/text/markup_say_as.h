/* What a say-as element of SSML says, written so that the grammar reads it so. */
#ifndef TACO_TEXT_MARKUP_SAY_AS_H
#define TACO_TEXT_MARKUP_SAY_AS_H

#include "text/vector.h"

enum taco_say_as_outcome {
    TACO_SAY_AS_DONE,
    TACO_SAY_AS_TEXT, /* out has the text as it was: that kind has no other form of it */
    TACO_SAY_AS_NO_MEMORY /* out is incomplete */
};

/* Writes text [n], the content of an element with interpret-as="as" and format (NULL: none),
 * to out. english: words may be added; otherwise numbers stay as they are. */
enum taco_say_as_outcome taco_say_as(struct taco_string *out, const char *as,
                                     const char *format, bool english, const char *text,
                                     size_t n);

#endif
