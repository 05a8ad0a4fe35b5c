/* The main function of a unit test. Inline, so that programs without libcheck can link
 * the other helpers. */
#ifndef TACO_TESTS_RUNNER_H
#define TACO_TESTS_RUNNER_H

#include <check.h>

/* Runs the suite, frees it; 0 when nothing failed, otherwise 1: main's result. */
static inline int test_run(Suite *suite) {
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#endif
