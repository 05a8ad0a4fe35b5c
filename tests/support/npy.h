/* Float arrays in NumPy's format, as the golden data has them. */
#ifndef TACO_TESTS_NPY_H
#define TACO_TESTS_NPY_H

#include <stdbool.h>
#include <stddef.h>

/* A float32, C-ordered array of one or two dimensions: shape[1] is 1 for a vector.
 * free(). Ends the program when the file cannot be read. */
float *test_read_npy(const char *path, size_t shape[2]);

/* Writes x [rows, columns], or [rows] where columns is 0. False when the file cannot be
 * written. */
bool test_write_npy(const char *path, const float *x, int rows, int columns);

#endif
