/* Voices by name: where `make install` puts them. */
#include "base/error.h"
#include <dirent.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/voice.h>
#include <unistd.h>

enum { MAX_PATH = 1024, MAX_DIRECTORIES = 16, MAX_NAME = 64 };

static const char default_name[] = "heart";
static const char suffix[] = ".safetensors";

struct directories {
    char paths[MAX_DIRECTORIES][MAX_PATH];
    int n;
};

static void add(struct directories *d, const char *path, size_t n, const char *below) {
    if (n == 0 || d->n == MAX_DIRECTORIES)
        return;
    int length = snprintf(d->paths[d->n], MAX_PATH, "%.*s%s",
                          (int)(n < MAX_PATH ? n : MAX_PATH), path, below);
    d->n += length > 0 && length < MAX_PATH;
}

/* share/tacod/voices beside the lib or bin in which this code is, or beside the directory
 * above it where libraries have one of their own for each architecture. */
static void add_prefix(struct directories *d) {
    Dl_info info;
    if (!dladdr(default_name, &info) || !info.dli_fname)
        return;
    const char *slash = strrchr(info.dli_fname, '/');
    size_t n = slash ? (size_t)(slash - info.dli_fname) : 0;
    add(d, info.dli_fname, n, "/../share/tacod/voices");
    add(d, info.dli_fname, n, "/../../share/tacod/voices");
}

static void find_directories(struct directories *d) {
    static const char *const usual[] = {"/usr/local/share/tacod/voices",
                                        "/usr/share/tacod/voices"};
    const char *list = getenv("TACO_VOICES");
    d->n = 0;
    while (list && *list) {
        size_t n = strcspn(list, ":");
        add(d, list, n, "");
        list += n + (list[n] == ':');
    }
    add_prefix(d);
    for (size_t i = 0; i < sizeof usual / sizeof *usual; i++)
        add(d, usual[i], strlen(usual[i]), "");
}

/* [A-Za-z0-9][A-Za-z0-9._-]{0,63}: a file's own name and never a path. */
static bool is_name(const char *name) {
    size_t n = strlen(name);
    if (n < 1 || n > MAX_NAME || strchr("._-", name[0]))
        return false;
    for (size_t i = 0; i < n; i++)
        if (!(name[i] >= 'A' && name[i] <= 'Z') && !(name[i] >= 'a' && name[i] <= 'z') &&
            !(name[i] >= '0' && name[i] <= '9') && !strchr("._-", name[i]))
            return false;
    return true;
}

/* "heart, other" of all directories. */
static void list_voices(const struct directories *d, char *list, size_t size) {
    list[0] = '\0';
    for (int i = 0; i < d->n; i++) {
        DIR *directory = opendir(d->paths[i]);
        const struct dirent *entry;
        while (directory && (entry = readdir(directory)) != NULL) {
            size_t n = strlen(entry->d_name), end = sizeof suffix - 1,
                   used = strlen(list);
            if (n > end && strcmp(entry->d_name + n - end, suffix) == 0)
                snprintf(list + used, size - used, "%s%.*s", used ? ", " : "",
                         (int)(n - end), entry->d_name);
        }
        if (directory)
            closedir(directory);
    }
}

enum taco_status taco_voice_open_installed(struct taco_voice **voice, const char *name,
                                           const struct taco_voice_options *options,
                                           struct taco_error *err) {
    struct directories d;
    char path[MAX_PATH + MAX_NAME + sizeof suffix + 1], list[128];
    *voice = NULL;
    name = name ? name : default_name;
    if (!is_name(name))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "name",
                              "\"%.64s\" is not the name of a voice", name);
    find_directories(&d);
    for (int i = 0; i < d.n; i++) {
        snprintf(path, sizeof path, "%s/%s%s", d.paths[i], name, suffix);
        if (access(path, R_OK) == 0)
            return taco_voice_open(voice, path, options, err);
    }
    list_voices(&d, list, sizeof list);
    return taco_error_set(err, TACO_ERR_NOT_FOUND, "name",
                          "no voice \"%.64s\" is installed; there are %s", name,
                          *list ? list : "none: set TACO_VOICES to their directory");
}
