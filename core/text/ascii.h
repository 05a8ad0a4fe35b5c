/* Kinds of ASCII characters, whatever the locale. */
#ifndef TACO_TEXT_ASCII_H
#define TACO_TEXT_ASCII_H

#include <stdbool.h>

static inline bool taco_char_is_digit(char c) {
    return c >= '0' && c <= '9';
}

static inline bool taco_char_is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static inline bool taco_char_is_letter(char c) {
    return taco_char_is_upper(c) || (c >= 'a' && c <= 'z');
}

static inline char taco_char_lower(char c) {
    return taco_char_is_upper(c) ? (char)(c | 32) : c;
}

/* What XML calls white space. */
static inline bool taco_char_is_white(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

#endif
