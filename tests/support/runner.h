/* The main function of a unit test. */
#ifndef TACO_TESTS_RUNNER_H
#define TACO_TESTS_RUNNER_H

#include <check.h>

/* Runs the suite, frees it; 0 when nothing failed, otherwise 1: main's result. */
int test_run(Suite *suite);

#endif
