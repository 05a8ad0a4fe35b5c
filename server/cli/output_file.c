#include "cli/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"

static enum taco_status fail(const char *verb, const char *option, const char *path,
                             struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_IO, option, "cannot %s '%.150s': %s", verb, path,
                          strerror(errno ? errno : EIO));
}

/* path with a random ending, or NULL. */
static char *name_beside(const char *path) {
    static const char ending[] = ".XXXXXX";
    size_t n = strlen(path);
    char *name = taco_malloc(n + sizeof ending);
    if (name) {
        memcpy(name, path, n);
        memcpy(name + n, ending, sizeof ending);
    }
    return name;
}

/* The permissions of the file that is replaced, or those of a new file. */
static mode_t permissions(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0)
        return info.st_mode & 07777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* A path whose last link is followed, so that a rename replaces the file, not the link. */
static char *resolve(const char *path) {
    char *resolved = realpath(path, NULL);
    char *copy = taco_strdup(resolved ? resolved : path);
    free(resolved);
    return copy;
}

static enum taco_status open_beside(struct taco_output_file *output, const char *option,
                                    const char *path, struct taco_error *err) {
    output->path = resolve(path);
    output->temporary = output->path ? name_beside(output->path) : NULL;
    if (!output->temporary)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, option, "no memory");
    int fd = mkostemp(output->temporary, O_CLOEXEC);
    if (fd < 0)
        return fail("open", option, path, err);
    if (fchmod(fd, permissions(output->path)) < 0 ||
        (output->file = fdopen(fd, "w")) == NULL) {
        int reason = errno;
        close(fd);
        unlink(output->temporary);
        errno = reason;
        return fail("open", option, path, err);
    }
    return TACO_OK;
}

enum taco_status taco_output_file_open(struct taco_output_file *output,
                                       const char *option, const char *path,
                                       struct taco_error *err) {
    *output = (struct taco_output_file){0};
    struct stat info;
    if (stat(path, &info) == 0 && !S_ISREG(info.st_mode)) {
        output->file = fopen(path, "we");
        return output->file ? TACO_OK : fail("open", option, path, err);
    }
    if (access(path, F_OK) == 0 && access(path, W_OK) < 0)
        return fail("open", option, path, err);
    enum taco_status status = open_beside(output, option, path, err);
    if (status) {
        taco_free(output->path);
        taco_free(output->temporary);
        *output = (struct taco_output_file){0};
    }
    return status;
}

enum taco_status taco_output_file_close(struct taco_output_file *output, bool failed,
                                        const char *option, const char *path,
                                        struct taco_error *err) {
    errno = 0;
    bool bad = fflush(output->file) != 0 || ferror(output->file);
    int reason = errno;
    if (fclose(output->file) != 0 && !bad) {
        bad = true;
        reason = errno;
    }
    if (!failed && !bad && output->path && rename(output->temporary, output->path) < 0) {
        bad = true;
        reason = errno;
    }
    if (output->temporary && (failed || bad))
        unlink(output->temporary);
    taco_free(output->path);
    taco_free(output->temporary);
    *output = (struct taco_output_file){0};
    errno = reason;
    return bad ? fail("write", option, path, err) : TACO_OK;
}
