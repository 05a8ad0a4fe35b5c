#include "http/secret_file.h"

#include <sys/stat.h>

#include "base/log.h"

void taco_secret_file_check(const char *path) {
    struct stat info;
    if (stat(path, &info) == 0 && S_ISREG(info.st_mode) &&
        (info.st_mode & (S_IROTH | S_IWOTH)))
        taco_log(TACO_LOG_WARNING, "%s: everybody may %s it: chmod o-rw", path,
                 info.st_mode & S_IWOTH ? "write" : "read");
}
