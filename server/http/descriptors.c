#include "http/descriptors.h"

#include <dirent.h>
#include <limits.h>
#include <stddef.h>
#include <sys/resource.h>

/* For a reload, which opens voices and certificates, and for the pipes of HTTP threads. */
#define RESERVE 16

static int count_open(void) {
    int n = 0;
    DIR *folder = opendir("/proc/self/fd");
    if (!folder)
        return RESERVE;
    for (const struct dirent *entry; (entry = readdir(folder)) != NULL;)
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

int taco_descriptors_for_connections(void) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
        return INT_MAX;
    if (limit.rlim_cur < limit.rlim_max) {
        struct rlimit raised = {limit.rlim_max, limit.rlim_max};
        if (setrlimit(RLIMIT_NOFILE, &raised) == 0)
            limit = raised;
    }
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > INT_MAX)
        return INT_MAX;
    int left = (int)limit.rlim_cur - count_open() - RESERVE;
    return left > 1 ? left : 1;
}
