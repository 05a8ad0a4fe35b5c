/* See tags.h. */
#include "audio/tags.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"

enum {
    MAX_STRING = 1000, /* bytes */
    TOC_CHILDREN = 255 /* of one CTOC, which counts them in a byte */
};

static bool is_short(const char *s) {
    return !s || strnlen(s, MAX_STRING + 1) <= MAX_STRING;
}

enum taco_status taco_tags_check(const struct taco_audio_tags *tags,
                                 enum taco_audio_format format, struct taco_error *err) {
    if (!tags)
        return TACO_OK;
    if (format != TACO_AUDIO_OPUS && format != TACO_AUDIO_MP3)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "tags",
                              "%s holds no tags and chapters: choose opus or mp3",
                              taco_audio_format_name(format));
    if (tags->n_chapters > TACO_MAX_CHAPTERS)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "tags",
                              "%u chapters; a file holds up to %d", tags->n_chapters,
                              TACO_MAX_CHAPTERS);
    double last = 0;
    bool ok = is_short(tags->title) && is_short(tags->artist);
    for (uint32_t i = 0; i < tags->n_chapters && ok; i++) {
        const struct taco_chapter_mark *mark = &tags->chapters[i];
        ok = mark->title && *mark->title && is_short(mark->title) && mark->start >= last;
        last = mark->start;
    }
    /* ID3 counts milliseconds in 32 bits. */
    if (!ok || !(tags->duration >= last) || !(tags->duration < UINT32_MAX / 1e3))
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "tags",
            "titles must have up to %d bytes, those of chapters 1 at least; chapters "
            "must be in order and begin within the duration",
            MAX_STRING);
    return TACO_OK;
}

/* -- bytes that grow ------------------------------------------------------------------- */

struct packet {
    struct taco_bytes bytes;
    bool out_of_memory;
};

static void put(struct packet *p, const void *bytes, size_t n) {
    p->out_of_memory = p->out_of_memory || !taco_bytes_add(&p->bytes, bytes, n);
}

/* Byte at of what has been put. */
static unsigned char *byte_at(struct packet *p, size_t at) {
    return (unsigned char *)p->bytes.bytes + at;
}

static enum taco_status take(struct packet *p, unsigned char **bytes, size_t *size) {
    if (p->out_of_memory) {
        taco_bytes_free(&p->bytes);
        return TACO_ERR_NO_MEMORY;
    }
    *bytes = byte_at(p, 0);
    *size = p->bytes.size;
    return TACO_OK;
}

/* -- ID3v2.4: big-endian numbers; sizes have seven bits a byte --------------------------- */

static void be32(unsigned char out[4], uint32_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (8 * (3 - i)));
}

static void sync_safe(unsigned char out[4], size_t value) {
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> (7 * (3 - i)) & 0x7F);
}

/* Begins a frame, or the tag itself; end_frame writes its size. */
static size_t begin_frame(struct packet *p, const char id[4]) {
    put(p, id, 4);
    put(p, "\0\0\0\0\0\0", 6); /* size, flags */
    return p->bytes.size;
}

static void end_frame(struct packet *p, size_t begin) {
    if (!p->out_of_memory)
        sync_safe(byte_at(p, begin - 6), p->bytes.size - begin);
}

/* TIT2 and its like: 3 says UTF-8. */
static void put_text(struct packet *p, const char id[4], const char *text) {
    if (!text)
        return;
    size_t frame = begin_frame(p, id);
    put(p, "\3", 1);
    put(p, text, strlen(text));
    end_frame(p, frame);
}

static uint32_t milliseconds(double seconds) {
    return (uint32_t)(seconds * 1e3 + 0.5);
}

static double end_of(const struct taco_audio_tags *tags, uint32_t i) {
    return i + 1 < tags->n_chapters ? tags->chapters[i + 1].start : tags->duration;
}

/* Element ID, start, end, and no byte offsets; the title is a frame inside. */
static void put_chapter(struct packet *p, const struct taco_audio_tags *tags,
                        uint32_t i) {
    unsigned char times[16];
    char id[16];
    size_t frame = begin_frame(p, "CHAP");
    int n = snprintf(id, sizeof id, "chp%u", i);
    put(p, id, (size_t)n + 1);
    be32(times, milliseconds(tags->chapters[i].start));
    be32(times + 4, milliseconds(end_of(tags, i)));
    memset(times + 8, 0xFF, 8);
    put(p, times, sizeof times);
    put_text(p, "TIT2", tags->chapters[i].title);
    end_frame(p, frame);
}

/* children [n] are called PREFIX and a number from first on. Flags: 2 top level, 1 ordered. */
static void put_contents(struct packet *p, const char *id, bool top, const char *prefix,
                         uint32_t first, uint32_t n) {
    char child[16];
    size_t frame = begin_frame(p, "CTOC");
    put(p, id, strlen(id) + 1);
    unsigned char head[2] = {top ? 3 : 1, (unsigned char)n};
    put(p, head, 2);
    for (uint32_t i = 0; i < n; i++) {
        int length = snprintf(child, sizeof child, "%s%u", prefix, first + i);
        put(p, child, (size_t)length + 1);
    }
    end_frame(p, frame);
}

enum taco_status taco_tags_id3(const struct taco_audio_tags *tags, unsigned char **bytes,
                               size_t *size) {
    struct packet p = {0};
    put(&p, "ID3\4\0\0\0\0\0\0", 10);
    put_text(&p, "TIT2", tags->title);
    put_text(&p, "TALB", tags->title);
    put_text(&p, "TPE1", tags->artist);
    uint32_t n = tags->n_chapters, n_tables = (n + TOC_CHILDREN - 1) / TOC_CHILDREN;
    if (n_tables == 1)
        put_contents(&p, "toc", true, "chp", 0, n);
    else if (n_tables > 1)
        put_contents(&p, "toc", true, "toc", 0, n_tables);
    for (uint32_t i = 0; i < n_tables && n_tables > 1; i++) {
        char id[16];
        uint32_t first = i * TOC_CHILDREN;
        snprintf(id, sizeof id, "toc%u", i);
        put_contents(&p, id, false, "chp", first,
                     n - first < TOC_CHILDREN ? n - first : TOC_CHILDREN);
    }
    for (uint32_t i = 0; i < n; i++)
        put_chapter(&p, tags, i);
    if (!p.out_of_memory)
        sync_safe(byte_at(&p, 6), p.bytes.size - 10);
    return take(&p, bytes, size);
}

/* -- Vorbis comments: little-endian lengths --------------------------------------------- */

static void put_length(struct packet *p, size_t n) {
    unsigned char le[4] = {(unsigned char)n, (unsigned char)(n >> 8),
                           (unsigned char)(n >> 16), (unsigned char)(n >> 24)};
    put(p, le, 4);
}

static void put_comment(struct packet *p, const char *name, const char *text) {
    if (!text)
        return;
    put_length(p, strlen(name) + 1 + strlen(text));
    put(p, name, strlen(name));
    put(p, "=", 1);
    put(p, text, strlen(text));
}

enum taco_status taco_tags_opus(const struct taco_audio_tags *tags, const char *vendor,
                                size_t vendor_size, unsigned char **bytes, size_t *size) {
    struct packet p = {0};
    put(&p, "OpusTags", 8);
    put_length(&p, vendor_size);
    put(&p, vendor, vendor_size);
    put_length(&p, (tags->title ? 2u : 0u) + (tags->artist ? 1u : 0u) +
                       2 * (size_t)tags->n_chapters);
    put_comment(&p, "TITLE", tags->title);
    put_comment(&p, "ALBUM", tags->title);
    put_comment(&p, "ARTIST", tags->artist);
    for (uint32_t i = 0; i < tags->n_chapters; i++) {
        char name[32], time[32];
        uint32_t ms = milliseconds(tags->chapters[i].start);
        snprintf(time, sizeof time, "%02u:%02u:%02u.%03u", ms / 3600000, ms / 60000 % 60,
                 ms / 1000 % 60, ms % 1000);
        snprintf(name, sizeof name, "CHAPTER%03u", i);
        put_comment(&p, name, time);
        snprintf(name, sizeof name, "CHAPTER%03uNAME", i);
        put_comment(&p, name, tags->chapters[i].title);
    }
    return take(&p, bytes, size);
}
