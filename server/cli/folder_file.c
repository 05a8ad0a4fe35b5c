#include "cli/folder_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

enum { MAX_NAME = 200 };

enum taco_status taco_folder_fail(struct taco_error *err, const char *verb,
                                  const char *name) {
    return taco_error_set(err, TACO_ERR_IO, "output", "cannot %s '%.150s': %s", verb,
                          name, strerror(errno));
}

enum taco_status taco_folder_open(int *folder, const char *path, struct taco_error *err) {
    *folder = -1;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return taco_folder_fail(err, "create the folder", path);
    *folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return *folder < 0 ? taco_folder_fail(err, "open the folder", path) : TACO_OK;
}

enum taco_status taco_folder_write(int folder, const char *name, const void *bytes,
                                   size_t size, struct taco_error *err) {
    char partial[MAX_NAME + 16];
    snprintf(partial, sizeof partial, "%s.partial", name);
    int fd = openat(folder, partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0)
        return taco_folder_fail(err, "create", partial);
    const char *next = bytes;
    size_t left = size;
    while (left) {
        ssize_t n = write(fd, next, left);
        if (n < 0 && errno != EINTR)
            break;
        if (n > 0) {
            next += n;
            left -= (size_t)n;
        }
    }
    int reason = errno;
    bool bad = close(fd) != 0 || left;
    errno = left ? reason : errno;
    if (bad || renameat(folder, partial, folder, name) != 0) {
        enum taco_status status = taco_folder_fail(err, "write", name);
        unlinkat(folder, partial, 0);
        return status;
    }
    return TACO_OK;
}
