/* The patterns of the grammar: what a rule of reading_rules.c is made of.
 *
 * A pattern is matched against the window (reading_rules.h) from one place on:
 *
 *   {name}     a token class (grammar_classes.c); what it matched is group 1, 2, ... in the
 *              order of the braces in the pattern
 *   (a|b)      the first alternative that matches; nothing is tried again after that
 *   (a)?       a, or nothing; (a)* a, any number of times
 *   &(a)       a must follow, but is not part of the match
 *   space      the space between two tokens; _ the same, or nothing
 *   \c         the character c; other characters stand for themselves, small letters for
 *              capitals too
 *
 * A class matches as much as it can and never gives any of it back, so matching takes time
 * in proportion to the pattern. */
#ifndef TACO_TEXT_GRAMMAR_H
#define TACO_TEXT_GRAMMAR_H

#include "text/reading_rules.h"

enum { TACO_MATCH_GROUPS = 12 };

struct taco_match {
    struct taco_part group[TACO_MATCH_GROUPS]; /* 0: all; begin == end: not there */
};

/* A token class: where what begins at `at` ends; `at` if the class does not fit there. */
struct taco_token_class {
    const char *name;
    uint32_t (*end)(const struct taco_reader *r, uint32_t at);
    const char *what; /* for the reader of the grammar */
};

/* NULL behind the last. */
const struct taco_token_class *taco_token_class_at(uint32_t i);
/* NULL if there is none of that name [n]. */
const struct taco_token_class *taco_token_class_find(const char *name, size_t n);

/* A pattern with its classes looked up. */
struct taco_pattern {
    const char *text;
    const struct taco_token_class *classes[TACO_MATCH_GROUPS]; /* by group */
};

/* False if text names a class that is not there, or has too many. */
bool taco_pattern_compile(struct taco_pattern *pattern, const char *text);

/* Does pattern match at `at`? Its end need not be a word's. */
bool taco_pattern_match(const struct taco_reader *r, const struct taco_pattern *pattern,
                        uint32_t at, struct taco_match *m);

#endif
