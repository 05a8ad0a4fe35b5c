/* Temporary files for tests. */
#ifndef TACO_TESTS_FILES_H
#define TACO_TESTS_FILES_H

#include <stddef.h>

/* A new file with bytes [size]; path [64] is written. Ends the program when it cannot. */
void test_temp_file(char path[64], const void *bytes, size_t size);

/* A new directory; path [64] is written. Ends the program when it cannot. */
void test_temp_directory(char path[64]);

/* The whole file, NUL behind it, *size its bytes; NULL when it cannot be read. free(). */
void *test_read_file(const char *path, size_t *size);

#endif
