#include "base/regular_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

enum taco_status taco_regular_file_open(FILE **file, const char *option, const char *path,
                                        struct taco_error *err) {
    *file = NULL;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return taco_error_set(
            err, errno == ENOENT || errno == ENOTDIR ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
            option, "cannot open '%.150s': %s", path, strerror(errno));
    struct stat info;
    enum taco_status status = TACO_OK;
    if (fstat(fd, &info) == 0 && !S_ISREG(info.st_mode))
        status = taco_error_set(err, TACO_ERR_FORMAT, option,
                                "'%.150s' is not a regular file", path);
    else if (!(*file = fdopen(fd, "r")))
        status = taco_error_set(err, TACO_ERR_IO, option, "cannot open '%.150s': %s",
                                path, strerror(errno));
    if (status)
        close(fd);
    return status;
}

enum taco_status taco_regular_file_read(char **bytes, size_t *size, size_t max,
                                        const char *option, const char *path,
                                        struct taco_error *err) {
    *bytes = NULL;
    *size = 0;
    FILE *file;
    enum taco_status status = taco_regular_file_open(&file, option, path, err);
    if (status)
        return status;
    struct stat info;
    size_t expected = fstat(fileno(file), &info) == 0 ? (size_t)info.st_size : 0;
    if (expected > max)
        status = taco_error_set(err, TACO_ERR_FORMAT, option,
                                "'%.150s' has %zu bytes; the limit is %zu", path,
                                expected, max);
    char *content = status ? NULL : taco_malloc(expected + 1);
    if (!status && !content)
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, option, "no memory for '%.150s'",
                                path);
    if (!status) {
        *size = fread(content, 1, expected, file);
        if (ferror(file))
            status = taco_error_set(err, TACO_ERR_IO, option, "cannot read '%.150s': %s",
                                    path, strerror(errno));
    }
    fclose(file);
    if (status) {
        taco_free(content);
        *size = 0;
        return status;
    }
    content[*size] = '\0';
    *bytes = content;
    return TACO_OK;
}
