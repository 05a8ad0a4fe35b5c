/* What the homograph model sees of a sentence: the words around, their classes, pairs of
 * them. models/homographs/features.py is the same in Python and trains the model. */
#ifndef TACO_TEXT_HOMOGRAPH_FEATURES_H
#define TACO_TEXT_HOMOGRAPH_FEATURES_H

#include "text/code_points.h"

enum { TACO_CONTEXT_SIDE = 10, TACO_CONTEXT_WORD = 32 };

/* A word, a number or one other character. */
struct taco_context_word {
    char text[TACO_CONTEXT_WORD];  /* as it is written */
    char lower[TACO_CONTEXT_WORD]; /* in lower case */
};

struct taco_context {
    struct taco_context_word words[2 * TACO_CONTEXT_SIDE + 1]; /* [n] */
    int n, at;                                                 /* at: the homograph */
};

/* Words of the sentence, code points [begin, end), around the one at [at, at_end). */
void taco_context_read(struct taco_context *context,
                       const struct taco_code_points *code_points, uint32_t begin,
                       uint32_t end, uint32_t at, uint32_t at_end);

/* Calls take for every feature. around: a word that stands anywhere in the context. */
void taco_context_features(const struct taco_context *context,
                           void (*take)(void *user, const char *feature, bool around),
                           void *user);

#endif
