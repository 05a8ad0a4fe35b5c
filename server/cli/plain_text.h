/* Text from outside on a terminal, which it may not steer. */
#ifndef TACO_SERVER_PLAIN_TEXT_H
#define TACO_SERVER_PLAIN_TEXT_H

#include <stddef.h>

/* Prints UTF-8 text [n], each control character as mark; returns the columns, one a code
 * point. */
int taco_print_plain(const char *text, size_t n, char mark);

#endif
