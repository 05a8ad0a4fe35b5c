#include "base/safetensors.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/cancel.h"
#include "base/error.h"
#include "base/memory.h"

enum { MAX_HEADER = 16 << 20, MAX_TENSORS = 65536, MAX_DIMS = 8, SHOWN_NAME = 64 };

struct metadata_entry {
    const char *key, *value;
};

struct taco_safetensors {
    const unsigned char *bytes; /* [size] the whole file */
    size_t size;
    unsigned char *pages; /* a file's: the same bytes; NULL: the caller's, or dropped */
    int fd;               /* of the file, while there are pages */
    const char *path;
    size_t n_read;           /* bytes of the file that have been read */
    struct taco_arena arena; /* everything below */
    size_t n_tensors;
    struct taco_tensor *tensors;        /* [n_tensors] in the order of their data */
    const struct taco_tensor **by_name; /* [n_tensors] */
    size_t n_metadata;
    struct metadata_entry *metadata; /* [n_metadata] */
};

static const struct {
    const char *name;
    size_t size; /* bytes an element */
    enum taco_dtype dtype;
} dtypes[] = {
    {"F32", 4, TACO_DTYPE_F32},       {"F16", 2, TACO_DTYPE_F16},
    {"BF16", 2, TACO_DTYPE_BF16},     {"F64", 8, TACO_DTYPE_OTHER},
    {"I64", 8, TACO_DTYPE_OTHER},     {"U64", 8, TACO_DTYPE_OTHER},
    {"I32", 4, TACO_DTYPE_OTHER},     {"U32", 4, TACO_DTYPE_OTHER},
    {"I16", 2, TACO_DTYPE_OTHER},     {"U16", 2, TACO_DTYPE_OTHER},
    {"I8", 1, TACO_DTYPE_OTHER},      {"U8", 1, TACO_DTYPE_OTHER},
    {"BOOL", 1, TACO_DTYPE_OTHER},    {"F8_E4M3", 1, TACO_DTYPE_OTHER},
    {"F8_E5M2", 1, TACO_DTYPE_OTHER},
};

static enum taco_status no_memory(struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                          "no memory for the table of a safetensors file");
}

/* Reads {"dtype", "shape", "data_offsets"} of one tensor; data_bytes: what the file has
 * behind its header. */
static enum taco_status read_tensor(struct taco_tensor *t, const json_t *entry,
                                    const unsigned char *data, size_t data_bytes,
                                    struct taco_error *err) {
    const char *dtype_name;
    const json_t *shape, *offsets, *value;
    const char *key;
    if (!json_is_object(entry))
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: its entry in the header is not an object",
                              SHOWN_NAME, t->name);
    json_object_foreach((json_t *)(uintptr_t)entry, key, value) {
        if (strcmp(key, "dtype") != 0 && strcmp(key, "shape") != 0 &&
            strcmp(key, "data_offsets") != 0)
            return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                                  "tensor %.*s: unknown key \"%.32s\" in the header",
                                  SHOWN_NAME, t->name, key);
    }
    dtype_name = json_string_value(json_object_get(entry, "dtype"));
    size_t d = 0;
    while (d < sizeof dtypes / sizeof *dtypes &&
           (!dtype_name || strcmp(dtype_name, dtypes[d].name) != 0))
        d++;
    if (d == sizeof dtypes / sizeof *dtypes)
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: dtype \"%.16s\" is not one of safetensors",
                              SHOWN_NAME, t->name, dtype_name ? dtype_name : "");
    t->dtype = dtypes[d].dtype;
    memcpy(t->dtype_name, dtypes[d].name, strlen(dtypes[d].name) + 1);

    shape = json_object_get(entry, "shape");
    if (!json_is_array(shape) || json_array_size(shape) > MAX_DIMS)
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: shape is not a list of at most %d sizes",
                              SHOWN_NAME, t->name, MAX_DIMS);
    t->n_dims = (int)json_array_size(shape);
    t->n_elements = 1;
    for (int i = 0; i < t->n_dims; i++) {
        value = json_array_get(shape, (size_t)i);
        json_int_t n = json_is_integer(value) ? json_integer_value(value) : -1;
        if (n < 0 || __builtin_mul_overflow(t->n_elements, (uint64_t)n, &t->n_elements))
            return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                                  "tensor %.*s: size %d of its shape is not possible",
                                  SHOWN_NAME, t->name, i);
        t->shape[i] = n;
    }
    if (__builtin_mul_overflow(t->n_elements, dtypes[d].size, &t->n_bytes))
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: its shape is larger than any memory",
                              SHOWN_NAME, t->name);

    offsets = json_object_get(entry, "data_offsets");
    const json_t *b = json_array_get(offsets, 0), *e = json_array_get(offsets, 1);
    if (!json_is_array(offsets) || json_array_size(offsets) != 2 || !json_is_integer(b) ||
        !json_is_integer(e) || json_integer_value(b) < 0 ||
        json_integer_value(e) < json_integer_value(b))
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: data_offsets is not a pair of begin <= end",
                              SHOWN_NAME, t->name);
    uint64_t begin = (uint64_t)json_integer_value(b),
             end = (uint64_t)json_integer_value(e);
    if (end > data_bytes)
        return taco_error_set(
            err, TACO_ERR_FORMAT, t->name,
            "tensor %.*s: its data end at byte %llu of %zu: the file is "
            "truncated or damaged",
            SHOWN_NAME, t->name, (unsigned long long)end, data_bytes);
    if (end - begin != t->n_bytes)
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: its shape needs %zu bytes, its data_offsets "
                              "give %llu",
                              SHOWN_NAME, t->name, t->n_bytes,
                              (unsigned long long)(end - begin));
    t->data = data + begin;
    if ((uintptr_t)t->data % dtypes[d].size != 0)
        return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                              "tensor %.*s: its data are not aligned to %zu bytes",
                              SHOWN_NAME, t->name, dtypes[d].size);
    return TACO_OK;
}

static enum taco_status read_metadata(struct taco_safetensors *st, json_t *map,
                                      struct taco_error *err) {
    const char *key;
    json_t *value;
    if (!json_is_object(map))
        return taco_error_set(err, TACO_ERR_FORMAT, "__metadata__",
                              "__metadata__ is not an object");
    st->metadata =
        taco_arena_alloc(&st->arena, json_object_size(map), sizeof *st->metadata);
    if (!st->metadata)
        return no_memory(err);
    json_object_foreach(map, key, value) {
        if (!json_is_string(value))
            return taco_error_set(err, TACO_ERR_FORMAT, "__metadata__",
                                  "__metadata__: the value of \"%.32s\" is not a string",
                                  key);
        struct metadata_entry *m = &st->metadata[st->n_metadata++];
        m->key = taco_arena_strndup(&st->arena, key, strlen(key));
        m->value = taco_arena_strndup(&st->arena, json_string_value(value),
                                      json_string_length(value));
        if (!m->key || !m->value)
            return no_memory(err);
    }
    return TACO_OK;
}

static int compare_data(const void *a, const void *b) {
    const struct taco_tensor *ta = a, *tb = b;
    if (ta->data != tb->data)
        return (uintptr_t)ta->data < (uintptr_t)tb->data ? -1 : 1;
    /* Empty tensors share their place with the one that follows them. */
    if ((ta->n_bytes == 0) != (tb->n_bytes == 0))
        return ta->n_bytes == 0 ? -1 : 1;
    return strcmp(ta->name, tb->name);
}

static int compare_name(const void *a, const void *b) {
    const struct taco_tensor *const *ta = a, *const *tb = b;
    return strcmp((*ta)->name, (*tb)->name);
}

/* The data must be the tensors one behind the other, from the first byte to the last:
 * what lies between is no tensor's, and what lies in two is a trick. */
static enum taco_status check_layout(const struct taco_safetensors *st,
                                     const unsigned char *data, size_t data_bytes,
                                     struct taco_error *err) {
    size_t end = 0;
    for (size_t i = 0; i < st->n_tensors; i++) {
        const struct taco_tensor *t = &st->tensors[i];
        size_t begin = (size_t)((const unsigned char *)t->data - data);
        if (begin != end)
            return taco_error_set(err, TACO_ERR_FORMAT, t->name,
                                  "tensor %.*s: begins at byte %zu of the data, where %s",
                                  SHOWN_NAME, t->name, begin,
                                  begin < end ? "another tensor lies"
                                              : "the one before has left a gap");
        end = begin + t->n_bytes;
    }
    if (end != data_bytes)
        return taco_error_set(
            err, TACO_ERR_FORMAT, NULL,
            "the tensors end at byte %zu of the data, the file at byte %zu", end,
            data_bytes);
    return TACO_OK;
}

static enum taco_status read_header(struct taco_safetensors *st, struct taco_error *err) {
    if (st->size < 8)
        return taco_error_set(
            err, TACO_ERR_FORMAT, NULL,
            "not a safetensors file: it has %zu bytes, 8 are needed for "
            "the header's length",
            st->size);
    uint64_t header_bytes = 0;
    for (int i = 7; i >= 0; i--)
        header_bytes = header_bytes << 8 | st->bytes[i];
    if (header_bytes > MAX_HEADER)
        return taco_error_set(
            err, TACO_ERR_FORMAT, NULL,
            "not a safetensors file: its first 8 bytes give a header of "
            "%llu bytes, at most %d are possible",
            (unsigned long long)header_bytes, (int)MAX_HEADER);
    if (header_bytes > st->size - 8)
        return taco_error_set(
            err, TACO_ERR_FORMAT, NULL,
            "truncated safetensors file: a header of %llu bytes, %zu are "
            "there",
            (unsigned long long)header_bytes, st->size - 8);
    json_error_t json_err;
    json_t *header = json_loadb((const char *)st->bytes + 8, (size_t)header_bytes,
                                JSON_REJECT_DUPLICATES, &json_err);
    if (!header) {
        if (json_error_code(&json_err) == json_error_out_of_memory)
            return no_memory(err);
        return taco_error_set_at(err, TACO_ERR_FORMAT, NULL, 8L + json_err.position,
                                 "the header of the safetensors file is not JSON: %s",
                                 json_err.text);
    }

    enum taco_status status = TACO_OK;
    const unsigned char *data = st->bytes + 8 + header_bytes;
    size_t data_bytes = st->size - 8 - (size_t)header_bytes;
    if (!json_is_object(header)) {
        status =
            taco_error_set(err, TACO_ERR_FORMAT, NULL,
                           "the header of the safetensors file is not a JSON object");
        goto done;
    }
    json_t *metadata = json_object_get(header, "__metadata__");
    if (metadata) {
        status = read_metadata(st, metadata, err);
        if (status != TACO_OK)
            goto done;
    }
    size_t n = json_object_size(header) - (metadata ? 1 : 0);
    if (n > MAX_TENSORS) {
        status = taco_error_set(err, TACO_ERR_FORMAT, NULL,
                                "%zu tensors in one file, at most %d are read", n,
                                (int)MAX_TENSORS);
        goto done;
    }
    st->tensors = taco_arena_alloc(&st->arena, n, sizeof *st->tensors);
    st->by_name = taco_arena_alloc(&st->arena, n, sizeof *st->by_name);
    if (!st->tensors || !st->by_name) {
        status = no_memory(err);
        goto done;
    }
    const char *name;
    json_t *entry;
    json_object_foreach(header, name, entry) {
        if (entry == metadata)
            continue;
        struct taco_tensor *t = &st->tensors[st->n_tensors++];
        t->name = taco_arena_strndup(&st->arena, name, strlen(name));
        if (!t->name) {
            status = no_memory(err);
            goto done;
        }
        status = read_tensor(t, entry, data, data_bytes, err);
        if (status != TACO_OK)
            goto done;
    }
    qsort(st->tensors, n, sizeof *st->tensors, compare_data);
    for (size_t i = 0; i < n; i++)
        st->by_name[i] = &st->tensors[i];
    qsort(st->by_name, n, sizeof *st->by_name, compare_name);
    status = check_layout(st, data, data_bytes, err);
done:
    json_decref(header);
    return status;
}

enum taco_status taco_safetensors_open_memory(struct taco_safetensors **out,
                                              const void *bytes, size_t size,
                                              struct taco_error *err) {
    *out = NULL;
    struct taco_safetensors *st = taco_calloc(1, sizeof *st);
    if (!st)
        return no_memory(err);
    st->bytes = bytes;
    st->size = size;
    enum taco_status status = read_header(st, err);
    if (status != TACO_OK) {
        taco_safetensors_close(st);
        return status;
    }
    *out = st;
    return TACO_OK;
}

/* -- files ------------------------------------------------------------------------------
 */

static enum taco_status cannot_read(const struct taco_safetensors *st,
                                    struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_IO, NULL, "%.150s: %s", st->path,
                          strerror(errno));
}

/* Bytes [begin, end) of the file to where they belong. */
static enum taco_status read_bytes(struct taco_safetensors *st, size_t begin, size_t end,
                                   struct taco_error *err) {
    while (begin < end) {
        ssize_t n = pread(st->fd, st->pages + begin, end - begin, (off_t)begin);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return cannot_read(st, err);
        if (n == 0)
            return taco_error_set(err, TACO_ERR_FORMAT, NULL,
                                  "%.150s: it became shorter while it was read",
                                  st->path);
        begin += (size_t)n;
    }
    return TACO_OK;
}

/* The header alone: its length is bounded, and what it says of the data is checked before
 * any of them are read. */
static enum taco_status read_file_header(struct taco_safetensors *st,
                                         struct taco_error *err) {
    uint64_t length = 0;
    enum taco_status status = read_bytes(st, 0, 8, err);
    if (status != TACO_OK)
        return status;
    for (int i = 7; i >= 0; i--)
        length = length << 8 | st->bytes[i];
    if (length > MAX_HEADER || length > st->size - 8)
        return read_header(st, err); /* which says so */
    st->n_read = 8 + (size_t)length;
    status = read_bytes(st, 8, st->n_read, err);
    return status == TACO_OK ? read_header(st, err) : status;
}

/* The file's pages, none of them in memory yet. */
static enum taco_status begin_file(struct taco_safetensors *st, struct taco_error *err) {
    struct stat info;
    if (fstat(st->fd, &info) != 0)
        return cannot_read(st, err);
    if (!S_ISREG(info.st_mode))
        return taco_error_set(err, TACO_ERR_FORMAT, NULL, "%.150s: not a regular file",
                              st->path);
    if (info.st_size < 8)
        return taco_error_set(err, TACO_ERR_FORMAT, NULL,
                              "%.150s: not a safetensors file: it has %lld bytes",
                              st->path, (long long)info.st_size);
    st->size = (size_t)info.st_size;
    st->pages = taco_alloc_pages(st->size);
    st->bytes = st->pages;
    return st->pages ? TACO_OK : no_memory(err);
}

enum taco_status taco_safetensors_open_header(struct taco_safetensors **out,
                                              const char *path, struct taco_error *err) {
    *out = NULL;
    /* A pipe without a writer must not be waited for. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return taco_error_set(
            err, errno == ENOENT || errno == ENOTDIR ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
            NULL, "%.150s: %s", path, strerror(errno));
    struct taco_safetensors *st = taco_calloc(1, sizeof *st);
    if (!st) {
        close(fd);
        return no_memory(err);
    }
    st->fd = fd;
    st->path = taco_arena_strndup(&st->arena, path, strlen(path));
    enum taco_status status = st->path ? begin_file(st, err) : no_memory(err);
    if (status == TACO_OK)
        status = read_file_header(st, err);
    if (status != TACO_OK) {
        taco_safetensors_close(st);
        return status;
    }
    *out = st;
    return TACO_OK;
}

enum taco_status taco_safetensors_read(struct taco_safetensors *st,
                                       const struct taco_cancel *cancel,
                                       struct taco_error *err) {
    enum { BLOCK = 1 << 20 };
    while (st->pages && st->n_read < st->size) {
        size_t end = st->size - st->n_read > BLOCK ? st->n_read + BLOCK : st->size;
        if (taco_is_cancelled(cancel))
            return taco_error_set(err, TACO_ERR_CANCELLED, NULL,
                                  "%.150s: it is no longer wanted", st->path);
        enum taco_status status = read_bytes(st, st->n_read, end, err);
        if (status != TACO_OK)
            return status;
        st->n_read = end;
    }
    return TACO_OK;
}

enum taco_status taco_safetensors_open(struct taco_safetensors **out, const char *path,
                                       struct taco_error *err) {
    enum taco_status status = taco_safetensors_open_header(out, path, err);
    if (status == TACO_OK)
        status = taco_safetensors_read(*out, NULL, err);
    if (status != TACO_OK) {
        taco_safetensors_close(*out);
        *out = NULL;
    }
    return status;
}

bool taco_safetensors_is_borrowed(const struct taco_safetensors *st) {
    return !st->pages;
}

static void close_file(struct taco_safetensors *st) {
    if (st->path)
        close(st->fd);
    st->path = NULL;
    taco_free_pages(st->pages, st->size);
    st->pages = NULL;
}

void taco_safetensors_drop_data(struct taco_safetensors *st) {
    if (!st->pages)
        return;
    close_file(st);
    st->bytes = NULL;
    for (size_t i = 0; i < st->n_tensors; i++)
        st->tensors[i].data = NULL;
}

void taco_safetensors_close(struct taco_safetensors *st) {
    if (!st)
        return;
    close_file(st);
    taco_arena_free(&st->arena);
    taco_free(st);
}

static int compare_key(const void *key, const void *element) {
    const struct taco_tensor *const *t = element;
    return strcmp(key, (*t)->name);
}

const struct taco_tensor *taco_safetensors_find(const struct taco_safetensors *st,
                                                const char *name) {
    const struct taco_tensor **found =
        bsearch(name, st->by_name, st->n_tensors, sizeof *st->by_name, compare_key);
    return found ? *found : NULL;
}

size_t taco_safetensors_count(const struct taco_safetensors *st) {
    return st->n_tensors;
}

const struct taco_tensor *taco_safetensors_at(const struct taco_safetensors *st,
                                              size_t i) {
    return &st->tensors[i];
}

const char *taco_safetensors_metadata(const struct taco_safetensors *st,
                                      const char *key) {
    for (size_t i = 0; i < st->n_metadata; i++)
        if (strcmp(st->metadata[i].key, key) == 0)
            return st->metadata[i].value;
    return NULL;
}

size_t taco_safetensors_file_bytes(const struct taco_safetensors *st) {
    return st->size;
}
