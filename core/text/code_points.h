/* The text's characters after normalisation, each with the bytes of the source behind it.
 *
 * White space is one code point a run; quotes, dashes and compatibility forms are written
 * plainly; letters with marks lose them (English front ends) or are composed (others). */
#ifndef TACO_TEXT_CODE_POINTS_H
#define TACO_TEXT_CODE_POINTS_H

#include "text/builder.h"
#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

/* White space code points. */
#define TACO_CP_SPACE ' '
#define TACO_CP_LINE '\n'      /* the run has one line end */
#define TACO_CP_PARAGRAPH '\f' /* the run has an empty line */

struct taco_code_point {
    uint32_t cp;         /* code point */
    uint32_t begin, end; /* bytes of the source; empty for a space that was put in */
};

struct taco_code_points {
    struct taco_code_point *at; /* [n]; no white space at either end */
    uint32_t n, capacity;
};

struct taco_code_point_options {
    bool fold; /* write letters beyond ASCII as ASCII ones, drop what has no such form */
    /* Folding only: true for a character that the voice can take as it is. May be NULL.
     */
    bool (*keeps)(const void *user, uint32_t cp);
    /* Not folding: false for a letter, a mark or a digit that the front end must not see:
     * it is written in Latin letters or dropped. May be NULL. */
    bool (*speaks)(const void *user, uint32_t cp);
    const void *user;
};

/* Checks text [length]: TACO_ERR_INVALID_UTF8 (err->offset) for a byte that is not UTF-8
 * or is NUL, TACO_ERR_EMPTY_TEXT if nothing in it is visible. */
enum taco_status taco_code_points_check(const char *text, size_t length,
                                        struct taco_error *err);

/* Normalises text [length], which taco_code_points_check accepted. What is replaced or dropped
 * is noted in builder. code_points starts zeroed and is ended with taco_code_points_free whatever
 * comes back: TACO_OK or TACO_ERR_NO_MEMORY. */
enum taco_status taco_code_points_read(struct taco_code_points *code_points,
                                       const char *text, size_t length,
                                       const struct taco_code_point_options *options,
                                       struct taco_builder *builder,
                                       struct taco_error *err);
void taco_code_points_free(struct taco_code_points *code_points);

/* Quotes, brackets, dashes, full stops and their like: punctuation, which is not spoken. */
bool taco_cp_is_punctuation(uint32_t cp);
bool taco_cp_is_white(uint32_t cp);
/* ASCII only. */
bool taco_cp_is_digit(uint32_t cp);
bool taco_cp_is_upper(uint32_t cp);
bool taco_cp_is_lower(uint32_t cp);
/* Letters of every script, and their marks. */
bool taco_cp_is_letter(uint32_t cp);

#endif
