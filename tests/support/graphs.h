/* Every kind of graph and attention that the engine runs, as overrides of the test
 * voice's config: tests walk the list. */
#ifndef TACO_TESTS_GRAPHS_H
#define TACO_TESTS_GRAPHS_H

#include <stddef.h>

struct test_graph {
    const char *name, *overrides; /* for test_voice_init */
};

extern const struct test_graph test_graphs[];
extern const size_t test_n_graphs;
/* The first of them, which tests/support/reference*.c computes too. The twin of the others is
 * tests/golden/reference.py (tests/golden/twin). */
extern const size_t test_n_referenced;

#endif
