/* Growing arrays of the text layer: a pointer, how many are used, how many fit. */
#ifndef TACO_TEXT_VECTOR_H
#define TACO_TEXT_VECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes room for extra more elements of size bytes behind the n used ones of *items;
 * doubles, so that appending is cheap. False when memory is exhausted or the count would
 * not fit 32 bits; *items is unchanged then. */
bool taco_vector_reserve(void *items /* T ** */, uint32_t *capacity, uint32_t n,
                         uint32_t extra, size_t size);

/* Bytes with a NUL behind them. */
struct taco_string {
    char *bytes; /* [n + 1], NULL while nothing was added */
    uint32_t n, capacity;
};

bool taco_string_add(struct taco_string *string, const char *bytes, size_t n);
bool taco_string_add_char(struct taco_string *string, char c);
/* The UTF-8 of a code point. */
bool taco_string_add_cp(struct taco_string *string, uint32_t cp);
/* Keeps the memory. */
void taco_string_clear(struct taco_string *string);
void taco_string_free(struct taco_string *string);

#endif
