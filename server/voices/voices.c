#include "voices/voices.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "config/options.h"
#include "voices/embedded.h"

#define ENDING ".safetensors"

struct taco_voices {
    atomic_int refs;
    struct taco_named_voice *items; /* [n], sorted by name */
    size_t n;
    const struct taco_named_voice *fallback; /* the default */
};

/* How voices are opened for a set. */
struct opening {
    struct taco_voice_options how;
    struct taco_voice_stamps stamps; /* but for each voice's own */
    struct taco_engine *engine;
    const struct taco_voices *previous; /* or NULL */
};

static enum taco_status voice_options(const struct taco_options *options,
                                      struct taco_voice_options *how,
                                      struct taco_error *err) {
    *how = taco_voice_options_default();
    how->lexicon = options->lexicon;
    how->inverter = options->inverter;
    return taco_precision_parse(options->precision, &how->precision, err);
}

static enum taco_status open_embedded(struct taco_voice **voice,
                                      const struct taco_voice_options *options,
                                      struct taco_error *err) {
    return taco_voice_open_memory(voice, taco_embedded_voice,
                                  (size_t)(taco_embedded_voice_end - taco_embedded_voice),
                                  options, err);
}

/* Tells a file that cannot be opened as people know it, and puts the file's name before a
 * message that lacks it. */
static enum taco_status open_file(struct taco_voice **voice, const char *path,
                                  const struct taco_voice_options *options,
                                  struct taco_error *err) {
    *voice = NULL;
    if (access(path, R_OK) < 0)
        return taco_error_set(err, errno == ENOENT ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
                              "voice", "cannot open '%.150s': %s", path, strerror(errno));
    struct taco_error why = TACO_ERROR_INIT;
    enum taco_status status = taco_voice_open(voice, path, options, &why);
    if (status)
        (void)taco_error_set(err, status, why.param,
                             strstr(why.message, path) ? "%s" : "%s: %s",
                             strstr(why.message, path) ? why.message : path, why.message);
    return status;
}

/* path NULL: the built-in one. A voice without phones is served without the lexicon, a voice
 * with other mels than the inverter's without that inverter. */
static enum taco_status open_anew(struct taco_voice **voice, const char *path,
                                  const struct taco_voice_options *options,
                                  struct taco_error *err) {
    struct taco_voice_options how = *options;
    for (;;) {
        struct taco_error why = TACO_ERROR_INIT;
        enum taco_status status =
            path ? open_file(voice, path, &how, &why) : open_embedded(voice, &how, &why);
        if (!status)
            return status;
        const char **without = strcmp(why.param, "lexicon") == 0    ? &how.lexicon
                               : strcmp(why.param, "inverter") == 0 ? &how.inverter
                                                                    : NULL;
        if (status != TACO_ERR_UNSUPPORTED || !without)
            return taco_error_set_at(err, status, why.param, why.offset, "%s",
                                     why.message);
        taco_log(TACO_LOG_WARNING, "%s", why.message);
        *without = NULL;
    }
}

/* A reference on the voice, which is the previous set's if its file has not changed. */
static enum taco_status open_served(struct taco_shared_voice **shared, const char *path,
                                    const struct opening *opening,
                                    struct taco_error *err) {
    const struct taco_voices *previous = opening->previous;
    struct taco_voice_stamps stamps = opening->stamps;
    stamps.voice = taco_file_stamp_of(path);
    for (size_t i = 0; previous && i < previous->n; i++)
        if (taco_shared_voice_is_fresh(previous->items[i].shared, path, &stamps)) {
            *shared = taco_shared_voice_ref(previous->items[i].shared);
            return TACO_OK;
        }
    struct taco_voice *voice;
    enum taco_status status = open_anew(&voice, path, &opening->how, err);
    if (status)
        return status;
    *shared = taco_shared_voice_create(voice, opening->engine, path, &stamps);
    return *shared ? TACO_OK
                   : taco_error_set(err, TACO_ERR_NO_MEMORY, "voice", "no memory");
}

/* Takes the reference on shared, which takes the place of the built-in one of the same name.
 */
static enum taco_status add(struct taco_voices *voices, const char *name,
                            struct taco_shared_voice *shared, bool built_in,
                            struct taco_error *err) {
    size_t i = 0;
    while (i < voices->n && strcmp(voices->items[i].name, name) != 0)
        i++;
    if (i < voices->n && voices->items[i].built_in) {
        taco_shared_voice_unref(voices->items[i].shared);
        voices->items[i].shared = shared;
        voices->items[i].voice = shared->voice;
        voices->items[i].built_in = false;
        return TACO_OK;
    }
    if (i < voices->n) {
        taco_shared_voice_unref(shared);
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "voice",
                              "two voices are called '%.64s': give one another name with "
                              "--voice NAME=FILE",
                              name);
    }
    struct taco_named_voice *items =
        taco_realloc(voices->items, (voices->n + 1) * sizeof *items);
    char *copy = taco_strdup(name);
    if (items)
        voices->items = items;
    if (!items || !copy) {
        taco_free(copy);
        taco_shared_voice_unref(shared);
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "voice", "no memory");
    }
    items[voices->n++] = (struct taco_named_voice){copy, shared->voice, built_in, shared};
    return TACO_OK;
}

static bool is_name(const char *name) {
    static const char signs[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                "0123456789._-";
    size_t n = strlen(name);
    return n >= 1 && n <= 64 && strspn(name, signs) == n && !strchr("._-", *name);
}

/* "NAME=FILE" or "FILE"; name [65] tells what it is called now. */
static enum taco_status add_argument(struct taco_voices *voices, const char *argument,
                                     const struct opening *opening, char *name,
                                     struct taco_error *err) {
    const char *equals = strchr(argument, '=');
    const char *path = argument;
    *name = '\0';
    if (equals && equals - argument <= 64) {
        snprintf(name, 65, "%.*s", (int)(equals - argument), argument);
        if (is_name(name))
            path = equals + 1;
        else
            *name = '\0';
    }
    struct taco_shared_voice *shared;
    enum taco_status status = open_served(&shared, path, opening, err);
    if (status)
        return status;
    if (!*name)
        snprintf(name, 65, "%s", taco_voice_info(shared->voice)->name);
    return add(voices, name, shared, false, err);
}

static bool has_ending(const char *name) {
    size_t n = strlen(name);
    return n > strlen(ENDING) && strcmp(name + n - strlen(ENDING), ENDING) == 0;
}

static int is_voice_file(const struct dirent *file) {
    return file->d_name[0] != '.' && has_ending(file->d_name);
}

static enum taco_status add_folder(struct taco_voices *voices, const char *folder,
                                   const struct opening *opening,
                                   struct taco_error *err) {
    struct dirent **files;
    int n = scandir(folder, &files, is_voice_file, alphasort);
    if (n < 0)
        return taco_error_set(err, errno == ENOENT ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
                              "voices", "cannot read the folder '%.150s': %s", folder,
                              strerror(errno));
    enum taco_status status = TACO_OK;
    for (int i = 0; i < n; i++) {
        char path[4096];
        int length = snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        struct taco_shared_voice *shared;
        if (!status && (size_t)length >= sizeof path)
            status = taco_error_set(err, TACO_ERR_IO, "voices",
                                    "the path is too long: %.150s", path);
        if (!status)
            status = open_served(&shared, path, opening, err);
        if (!status)
            status =
                add(voices, taco_voice_info(shared->voice)->name, shared, false, err);
        free(files[i]);
    }
    free(files);
    return status;
}

static int by_name(const void *a, const void *b) {
    return strcmp(((const struct taco_named_voice *)a)->name,
                  ((const struct taco_named_voice *)b)->name);
}

enum taco_status taco_voices_open(struct taco_voices **voices_out,
                                  const struct taco_options *options,
                                  struct taco_engine *engine,
                                  const struct taco_voices *previous,
                                  struct taco_error *err) {
    struct taco_voices *voices = *voices_out = taco_calloc(1, sizeof *voices);
    if (!voices)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    atomic_init(&voices->refs, 1);
    char fallback[65] = "", built_in[65] = "";
    struct opening how = {.stamps = {.lexicon = taco_file_stamp_of(options->lexicon),
                                     .inverter = taco_file_stamp_of(options->inverter)},
                          .engine = engine,
                          .previous = previous};
    struct taco_shared_voice *shared;
    enum taco_status status = voice_options(options, &how.how, err);
    if (!status)
        status = open_served(&shared, NULL, &how, err);
    if (!status) {
        snprintf(built_in, sizeof built_in, "%s", taco_voice_info(shared->voice)->name);
        status = add(voices, built_in, shared, true, err);
    }
    if (!status && options->voices)
        status = add_folder(voices, options->voices, &how, err);
    for (size_t i = 0; i < options->voice.n && !status; i++) {
        char name[65];
        status = add_argument(voices, options->voice.items[i], &how, name, err);
        if (!status && i == 0)
            memcpy(fallback, name, sizeof fallback);
    }
    if (!status && options->default_voice)
        snprintf(fallback, sizeof fallback, "%s", options->default_voice);
    if (!status) {
        qsort(voices->items, voices->n, sizeof *voices->items, by_name);
        voices->fallback = taco_voices_find(voices, *fallback ? fallback : built_in);
        char names[160];
        taco_voices_list(voices, names, sizeof names);
        if (!voices->fallback)
            status = taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "default_voice",
                                    "there is no voice '%.64s': there are %s", fallback,
                                    names);
    }
    if (status) {
        taco_voices_unref(voices);
        *voices_out = NULL;
    }
    return status;
}

struct taco_voices *taco_voices_ref(struct taco_voices *voices) {
    atomic_fetch_add_explicit(&voices->refs, 1, memory_order_relaxed);
    return voices;
}

void taco_voices_unref(struct taco_voices *voices) {
    if (!voices || atomic_fetch_sub_explicit(&voices->refs, 1, memory_order_acq_rel) > 1)
        return;
    for (size_t i = 0; i < voices->n; i++) {
        taco_free(voices->items[i].name);
        taco_shared_voice_unref(voices->items[i].shared);
    }
    taco_free(voices->items);
    taco_free(voices);
}

const struct taco_named_voice *taco_voices_find(const struct taco_voices *voices,
                                                const char *name) {
    if (!name)
        return voices->fallback;
    for (size_t i = 0; i < voices->n; i++)
        if (strcmp(voices->items[i].name, name) == 0)
            return &voices->items[i];
    return NULL;
}

const struct taco_named_voice *taco_voices_at(const struct taco_voices *voices,
                                              size_t i) {
    return i < voices->n ? &voices->items[i] : NULL;
}

void taco_voices_list(const struct taco_voices *voices, char *out, size_t size) {
    *out = '\0';
    for (size_t i = 0, n = 0; i < voices->n && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s", i ? ", " : "",
                              voices->items[i].name);
}

enum taco_status taco_voice_open_named(struct taco_voice **voice,
                                       const char *name_or_path,
                                       const struct taco_options *options,
                                       struct taco_error *err) {
    struct taco_voice_options how;
    *voice = NULL;
    enum taco_status status = voice_options(options, &how, err);
    if (status)
        return status;
    bool is_path =
        name_or_path && (strchr(name_or_path, '/') || has_ending(name_or_path));
    char built_in[65] = "";
    if (!is_path) {
        status = open_embedded(voice, &how, err);
        if (status || !name_or_path ||
            strcmp(taco_voice_info(*voice)->name, name_or_path) == 0)
            return status;
        snprintf(built_in, sizeof built_in, "%s", taco_voice_info(*voice)->name);
        taco_voice_close(*voice);
        *voice = NULL;
        if (access(name_or_path, F_OK) < 0)
            return taco_error_set(err, TACO_ERR_NOT_FOUND, "voice",
                                  "'%.150s' is neither a file nor a built-in voice: the "
                                  "built-in voice is %s",
                                  name_or_path, built_in);
    }
    return open_file(voice, name_or_path, &how, err);
}
