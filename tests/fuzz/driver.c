/* Runs a fuzz target without libFuzzer: on files, and on changes of them.
 *
 *   fuzz_NAME [-rounds=N] [-seed=N] [FILE...]
 *
 * Every file is an input as it is; then each round takes one of them (or nothing), changes
 * a few bytes, and runs it. The same seed gives the same inputs. A target that finds a fault
 * aborts; its input is then in fuzz-input in the current folder. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/numbers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MAX_INPUT = 1 << 16, MAX_FILES = 64 };

struct input {
    uint8_t *bytes; /* [size] */
    size_t size;
};

static uint64_t state; /* of the random numbers */

/* 0 to n - 1. */
static size_t draw(size_t n) {
    return test_random_below(&state, n);
}

static struct input read_input(const char *path) {
    struct input in = {malloc(MAX_INPUT), 0};
    FILE *file = fopen(path, "rb");
    if (!file || !in.bytes) {
        perror(path);
        exit(2);
    }
    in.size = fread(in.bytes, 1, MAX_INPUT, file);
    fclose(file);
    return in;
}

/* The input lies in a file while it runs, and in memory that ends where it does. */
static void run(const uint8_t *bytes, size_t size) {
    FILE *file = fopen("fuzz-input", "wb");
    if (!file || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror("fuzz-input");
        exit(2);
    }
    uint8_t *exact = malloc(size ? size : 1);
    if (!exact)
        exit(2);
    memcpy(exact, bytes, size);
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

/* One change; bytes [*size] has room for MAX_INPUT. */
static void change(uint8_t *bytes, size_t *size) {
    static const char telling[] =
        "0123456789\"\\{}[]:,.-+eE_aZ $%&/'\n\0\x7F\x80\xC3\xFF";
    size_t at = draw(*size + 1), n = 1 + draw(8);
    switch (*size ? draw(6) : 0) {
    case 0: /* put in */
        if (*size + n > MAX_INPUT)
            return;
        memmove(bytes + at + n, bytes + at, *size - at);
        for (size_t i = 0; i < n; i++)
            bytes[at + i] = (uint8_t)telling[draw(sizeof telling - 1)];
        *size += n;
        return;
    case 1: /* take out */
        n = n < *size - at ? n : *size - at;
        memmove(bytes + at, bytes + at + n, *size - at - n);
        *size -= n;
        return;
    case 2: /* say a piece again elsewhere */
        n = draw(*size) % 64 + 1;
        if (at + n <= *size)
            memmove(bytes + draw(*size - n + 1), bytes + at, n);
        return;
    case 3: /* cut off */
        if (draw(8) == 0)
            *size = at;
        return;
    case 4:
        bytes[draw(*size)] ^= (uint8_t)(1U << draw(8));
        return;
    default:
        bytes[draw(*size)] = (uint8_t)telling[draw(sizeof telling - 1)];
        return;
    }
}

int main(int argc, char **argv) {
    unsigned long rounds = 1000;
    struct input inputs[MAX_FILES];
    size_t n_inputs = 0;
    for (int i = 1; i < argc; i++) {
        if (strncmp(argv[i], "-rounds=", 8) == 0)
            rounds = strtoul(argv[i] + 8, NULL, 10);
        else if (strncmp(argv[i], "-seed=", 6) == 0)
            state = strtoull(argv[i] + 6, NULL, 10);
        else if (n_inputs < MAX_FILES)
            inputs[n_inputs++] = read_input(argv[i]);
    }
    for (size_t i = 0; i < n_inputs; i++)
        run(inputs[i].bytes, inputs[i].size);
    uint8_t *bytes = malloc(MAX_INPUT);
    if (!bytes)
        return 2;
    for (unsigned long round = 0; round < rounds; round++) {
        size_t which = draw(n_inputs + 1), size = 0;
        if (which < n_inputs) {
            size = inputs[which].size;
            memcpy(bytes, inputs[which].bytes, size);
        }
        for (size_t n = 1 + draw(which < n_inputs ? 6 : 40); n > 0; n--)
            change(bytes, &size);
        run(bytes, size);
    }
    free(bytes);
    for (size_t i = 0; i < n_inputs; i++)
        free(inputs[i].bytes);
    remove("fuzz-input");
    printf("%lu rounds from %zu files\n", rounds, n_inputs);
    return 0;
}
