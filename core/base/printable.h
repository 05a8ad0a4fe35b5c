/* Text from outside made fit for messages, log lines and JSON. */
#ifndef TACO_BASE_PRINTABLE_H
#define TACO_BASE_PRINTABLE_H

#include <stddef.h>

/* Writes mark (a printable ASCII character) over every byte of s that is no part of a
 * printable UTF-8 character: controls, sequences that are cut, overlong, surrogates or beyond
 * Unicode. A sequence that the end of the buffer [size] cut in two is removed. */
void taco_make_printable(char *s, size_t size, char mark);

#endif
