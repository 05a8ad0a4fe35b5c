#include "support/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds_of(clockid_t clock) {
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double test_now(void) {
    return seconds_of(CLOCK_MONOTONIC);
}

double test_worked(void) {
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

static int compare(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double test_median(double *values, size_t n) {
    qsort(values, n, sizeof *values, compare);
    return n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

double test_quantile(double *values, size_t n, double part) {
    qsort(values, n, sizeof *values, compare);
    return values[(size_t)(part * (double)(n - 1) + 0.5)];
}

static void die(const char *what, const char *why) {
    fprintf(stderr, "%s: %s\n", what, why);
    exit(1);
}

void *test_need(size_t n, size_t size) {
    void *p = calloc(n ? n : 1, size);
    if (!p)
        die("bench", "out of memory");
    return p;
}

void test_expect(enum taco_status status, const struct taco_error *err) {
    if (status != TACO_OK)
        die(taco_status_name(status), err->message);
}

struct taco_voice *test_open_file(const char *path, const char *precision) {
    struct taco_error err = TACO_ERROR_INIT;
    struct taco_voice_options options = taco_voice_options_default();
    struct taco_voice *voice = NULL;
    test_expect(taco_precision_parse(precision, &options.precision, &err), &err);
    test_expect(taco_voice_open(&voice, path, &options, &err), &err);
    return voice;
}

char **test_read_lines(const char *path, size_t *n) {
    FILE *file = fopen(path, "rb");
    long size = file && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    if (size < 0)
        die(path, "cannot be read");
    rewind(file);
    /* At most every other byte begins a line; the text lies behind the pointers. */
    size_t most = (size_t)size / 2 + 2;
    char **lines = test_need(1, most * sizeof *lines + (size_t)size + 1);
    char *text = (char *)(lines + most), *place = NULL;
    if (fread(text, 1, (size_t)size, file) != (size_t)size)
        die(path, "cannot be read");
    fclose(file);
    *n = 0;
    for (char *line = strtok_r(text, "\r\n", &place); line;
         line = strtok_r(NULL, "\r\n", &place))
        lines[(*n)++] = line;
    return lines;
}
