#include "support/files.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void template_path(char path[64]) {
    const char *directory = getenv("TMPDIR");
    int n = snprintf(path, 64, "%s/taco-test-XXXXXX", directory ? directory : "/tmp");
    if (n >= 64)
        snprintf(path, 64, "/tmp/taco-test-XXXXXX");
}

void test_temp_file(char path[64], const void *bytes, size_t size) {
    template_path(path);
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "wb") : NULL;
    if (!file || (size && fwrite(bytes, 1, size, file) != size) || fclose(file) != 0) {
        perror(path);
        exit(2);
    }
}

void test_temp_directory(char path[64]) {
    template_path(path);
    if (!mkdtemp(path)) {
        perror(path);
        exit(2);
    }
}

void *test_read_file(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    size_t n = 0, room = 0, got = 1;
    while (file && got > 0) {
        if (n + 1 >= room) {
            room = room ? 2 * room : 4096;
            char *more = realloc(bytes, room);
            if (!more)
                goto fail;
            bytes = more;
        }
        got = fread(bytes + n, 1, room - n - 1, file);
        n += got;
    }
    if (!file || ferror(file))
        goto fail;
    fclose(file);
    bytes[n] = '\0';
    *size = n;
    return bytes;
fail:
    if (file)
        fclose(file);
    free(bytes);
    return NULL;
}
