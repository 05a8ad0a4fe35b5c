/* Runs a tile function over rows of x, up to six or four at a time.
 *
 * tile(r, n_rows, ...) computes rows r .. r + n_rows - 1. n_rows is a constant in every
 * call, so that an inlined tile keeps its sums in registers; the rows are dealt out
 * evenly, seven as four and three. A row's result must not depend on which call it falls
 * into. */
#ifndef TACO_KERNELS_ROWS_H
#define TACO_KERNELS_ROWS_H

#include <stddef.h>

/* Rows of each call, all but the last: n dealt out over as few calls of at most `most` as
 * there can be. */
static inline size_t rows_a_call(size_t n, size_t most) {
    size_t n_calls = (n + most - 1) / most;
    return n_calls ? (n + n_calls - 1) / n_calls : 1;
}

#define TACO_ROWS_CASE(k, tile, ...)                                                     \
    case k:                                                                              \
        tile(row_, k, __VA_ARGS__);                                                      \
        break

#define TACO_ROWS_BY_6(n, tile, ...)                                                     \
    for (size_t row_ = 0, step_ = rows_a_call(n, 6); row_ < (n); row_ += step_)          \
        switch ((n)-row_ < step_ ? (n)-row_ : step_) {                                   \
            TACO_ROWS_CASE(1, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(2, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(3, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(4, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(5, tile, __VA_ARGS__);                                        \
        default:                                                                         \
            tile(row_, 6, __VA_ARGS__);                                                  \
        }

#define TACO_ROWS_BY_4(n, tile, ...)                                                     \
    for (size_t row_ = 0, step_ = rows_a_call(n, 4); row_ < (n); row_ += step_)          \
        switch ((n)-row_ < step_ ? (n)-row_ : step_) {                                   \
            TACO_ROWS_CASE(1, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(2, tile, __VA_ARGS__);                                        \
            TACO_ROWS_CASE(3, tile, __VA_ARGS__);                                        \
        default:                                                                         \
            tile(row_, 4, __VA_ARGS__);                                                  \
        }

#endif
