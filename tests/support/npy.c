#include "support/npy.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/files.h"

static void give_up(const char *path, const char *why) {
    fprintf(stderr, "%s: %s\n", path, why);
    exit(2);
}

/* 6 bytes of magic, 2 of version, 2 of header length, a Python dictionary, the data. */
float *test_read_npy(const char *path, size_t shape[2]) {
    size_t size;
    unsigned char *file = test_read_file(path, &size);
    if (!file || size < 10 || memcmp(file, "\x93NUMPY\x01", 7) != 0)
        give_up(path, "no .npy file of version 1");
    size_t begin = 10 + file[8] + 256 * (size_t)file[9];
    char header[512] = "";
    if (begin > size || begin - 10 >= sizeof header)
        give_up(path, "header too long");
    memcpy(header, file + 10, begin - 10);
    const char *at = strstr(header, "'shape': (");
    shape[1] = 1;
    if (!strstr(header, "'<f4'") || !strstr(header, "'fortran_order': False") || !at ||
        sscanf(at, "'shape': (%zu, %zu", &shape[0], &shape[1]) < 1)
        give_up(path, "not float32 of one or two dimensions in C order");
    if (size - begin != shape[0] * shape[1] * sizeof(float))
        give_up(path, "size does not fit the shape");
    float *out = malloc(size - begin + 1);
    if (!out)
        give_up(path, "out of memory");
    memcpy(out, file + begin, size - begin);
    free(file);
    return out;
}

bool test_write_npy(const char *path, const float *x, int rows, int columns) {
    char shape[40], header[118 + 1];
    snprintf(shape, sizeof shape, columns ? "(%d, %d)" : "(%d,)", rows, columns);
    snprintf(header, sizeof header,
             "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }", shape);
    size_t used = strlen(header);
    memset(header + used, ' ', 117 - used);
    header[117] = '\n';
    static const unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, 118, 0};
    size_t n = (size_t)rows * (size_t)(columns ? columns : 1);
    FILE *f = fopen(path, "wb");
    if (!f)
        return false;
    bool good = fwrite(magic, sizeof magic, 1, f) == 1 &&
                fwrite(header, 118, 1, f) == 1 && fwrite(x, sizeof *x, n, f) == n;
    return fclose(f) == 0 && good;
}
