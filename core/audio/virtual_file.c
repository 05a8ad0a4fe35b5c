#include "audio/virtual_file.h"

#include <string.h>

#include "base/memory.h"

static sf_count_t end_of(const struct taco_virtual_file *file) {
    return file->n_delivered + (sf_count_t)file->size;
}

static sf_count_t get_length(void *user) {
    return end_of(user);
}

static sf_count_t get_position(void *user) {
    const struct taco_virtual_file *file = user;
    return file->position;
}

static sf_count_t set_position(sf_count_t offset, int whence, void *user) {
    struct taco_virtual_file *file = user;
    sf_count_t base = whence == SEEK_SET   ? 0
                      : whence == SEEK_CUR ? file->position
                                           : end_of(file);
    if (offset < -base || base + offset > end_of(file))
        return -1;
    file->position = base + offset;
    return file->position;
}

static sf_count_t read_nothing(void *bytes, sf_count_t n, void *user) {
    (void)bytes;
    (void)n;
    (void)user;
    return 0;
}

static bool grow(struct taco_virtual_file *file, size_t need) {
    if (need <= file->capacity)
        return true;
    size_t capacity = file->capacity ? file->capacity : 4096;
    while (capacity < need)
        capacity *= 2;
    unsigned char *bytes = taco_realloc(file->bytes, capacity);
    if (!bytes)
        return false;
    file->bytes = bytes;
    file->capacity = capacity;
    return true;
}

/* At the position, over what has not been delivered or behind the end. */
static sf_count_t write_bytes(const void *bytes, sf_count_t n, void *user) {
    struct taco_virtual_file *file = user;
    const unsigned char *from = bytes;
    sf_count_t at = file->position - file->n_delivered, lost = 0;
    if (at < 0) {
        lost = -at < n ? -at : n;
        at = 0;
    }
    size_t count = (size_t)(n - lost), need = (size_t)at + count;
    if (count > 0 && !grow(file, need)) {
        file->out_of_memory = true;
        return 0;
    }
    if (count > 0)
        memcpy(file->bytes + at, from + lost, count);
    file->size = count > 0 && need > file->size ? need : file->size;
    file->position += n;
    return n;
}

const SF_VIRTUAL_IO taco_virtual_file_io = {.get_filelen = get_length,
                                            .seek = set_position,
                                            .read = read_nothing,
                                            .write = write_bytes,
                                            .tell = get_position};

enum taco_status taco_virtual_file_deliver(struct taco_virtual_file *file) {
    if (file->out_of_memory)
        return TACO_ERR_NO_MEMORY;
    if (!file->stopped && file->size > 0)
        file->stopped = file->sink(file->user, file->bytes, file->size) != 0;
    file->n_delivered += (sf_count_t)file->size;
    file->size = 0;
    return file->stopped ? TACO_ERR_CANCELLED : TACO_OK;
}

void taco_virtual_file_drop(struct taco_virtual_file *file, size_t n) {
    memmove(file->bytes, file->bytes + n, file->size - n);
    file->size -= n;
    file->n_delivered += (sf_count_t)n;
}

void taco_virtual_file_free(struct taco_virtual_file *file) {
    taco_free(file->bytes);
    file->bytes = NULL;
    file->size = file->capacity = 0;
}
