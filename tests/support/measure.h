/* What the programs of tests/bench share: clocks, medians, and an end when something
 * fails. */
#ifndef TACO_TESTS_MEASURE_H
#define TACO_TESTS_MEASURE_H

#include <stddef.h>
#include <taco/status.h>
#include <taco/voice.h>

/* Seconds of the monotonic clock. */
double test_now(void);

/* Seconds that the calling thread has worked: what others take of the processor does not
 * count, what they take of its caches and its memory does. */
double test_worked(void);

/* Of values [n], n >= 1, which are sorted; the mean of the middle two when n is even. */
double test_median(double *values, size_t n);
/* The value below which the given part of values [n] lies, 0 <= part <= 1; sorts. */
double test_quantile(double *values, size_t n, double part);

/* n * size bytes of zeros; ends the program when there is no memory. */
void *test_need(size_t n, size_t size);

/* Ends the program with the error when status is not TACO_OK. */
void test_expect(enum taco_status status, const struct taco_error *err);

/* Opens a voice in a precision by name, or ends the program. */
struct taco_voice *test_open_file(const char *path, const char *precision);

/* The lines of a text file that are not empty, without their ends; NULL behind the last.
 * free() of the array frees all. */
char **test_read_lines(const char *path, size_t *n);

#endif
