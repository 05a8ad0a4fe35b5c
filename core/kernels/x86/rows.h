/* Runs a tile function over n rows, six or four at a time and then the rest at once. */
#ifndef TACO_KERNELS_ROWS_H
#define TACO_KERNELS_ROWS_H

/* tile(r, n_rows, ...) for rows r .. r + n_rows - 1. n_rows is a constant in every call,
 * so that an inlined tile keeps its sums in registers. A row's result must not depend on
 * which call it falls into. */
#define TACO_ROWS_BY_6(n, tile, ...)                                                     \
    do {                                                                                 \
        size_t row_ = 0;                                                                 \
        for (; row_ + 6 <= (n); row_ += 6)                                               \
            tile(row_, 6, __VA_ARGS__);                                                  \
        switch ((n)-row_) {                                                              \
        case 1:                                                                          \
            tile(row_, 1, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 2:                                                                          \
            tile(row_, 2, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 3:                                                                          \
            tile(row_, 3, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 4:                                                                          \
            tile(row_, 4, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 5:                                                                          \
            tile(row_, 5, __VA_ARGS__);                                                  \
            break;                                                                       \
        default:                                                                         \
            break;                                                                       \
        }                                                                                \
    } while (0)

/* The same, four at a time. */
#define TACO_ROWS_BY_4(n, tile, ...)                                                     \
    do {                                                                                 \
        size_t row_ = 0;                                                                 \
        for (; row_ + 4 <= (n); row_ += 4)                                               \
            tile(row_, 4, __VA_ARGS__);                                                  \
        switch ((n)-row_) {                                                              \
        case 1:                                                                          \
            tile(row_, 1, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 2:                                                                          \
            tile(row_, 2, __VA_ARGS__);                                                  \
            break;                                                                       \
        case 3:                                                                          \
            tile(row_, 3, __VA_ARGS__);                                                  \
            break;                                                                       \
        default:                                                                         \
            break;                                                                       \
        }                                                                                \
    } while (0)

#endif
