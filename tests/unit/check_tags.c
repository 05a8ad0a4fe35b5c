/* Titles and chapters in the heads of Opus and MP3, read byte by byte as RFC 7845, RFC 3533
 * and ID3v2.4 (with its chapter frames) describe them. */
#include <check.h>
#include <ogg/ogg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taco/audio.h>

#include "base/memory.h"
#include "support/runner.h"
#include "support/sound.h"

enum { RATE = 24000, N = 2 * RATE };

static float samples[N];

static struct taco_chapter_mark marks[TACO_MAX_CHAPTERS + 1];
static char titles[TACO_MAX_CHAPTERS + 1][40];

static struct taco_audio_tags tags_of(uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        snprintf(titles[i], sizeof titles[i], "Chapter %u: \xC3\xA9t\xC3\xA9", i + 1);
        marks[i] = (struct taco_chapter_mark){titles[i], i * 3.5};
    }
    return (struct taco_audio_tags){.title = "The Book",
                                    .artist = "A. Writer",
                                    .duration = n * 3.5 + 1,
                                    .n_chapters = n,
                                    .chapters = marks};
}

static unsigned char *encode(enum taco_audio_format format,
                             const struct taco_audio_tags *tags, size_t *size) {
    struct taco_audio_options options = taco_audio_options_default();
    struct taco_error err = TACO_ERROR_INIT;
    void *bytes;
    options.format = format;
    options.tags = tags;
    options.stream = format == TACO_AUDIO_MP3; /* both begin with sound then */
    ck_assert_msg(taco_audio_encode(samples, N, RATE, &options, &bytes, size, &err) ==
                      TACO_OK,
                  "%s", err.message);
    return bytes;
}

/* -- Opus ------------------------------------------------------------------------------- */

static uint32_t le32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* All packets behind one another, the second one apart; every page must follow the last. */
static void read_ogg(const unsigned char *bytes, size_t size, unsigned char **tags,
                     size_t *tags_size, unsigned char **rest, size_t *rest_size) {
    ogg_sync_state sync;
    ogg_stream_state stream;
    ogg_page page;
    ogg_packet packet;
    long n_pages = 0, n_packets = 0;
    *tags = *rest = NULL;
    *tags_size = *rest_size = 0;
    ogg_sync_init(&sync);
    memcpy(ogg_sync_buffer(&sync, (long)size), bytes, size);
    ogg_sync_wrote(&sync, (long)size);
    while (ogg_sync_pageout(&sync, &page) == 1) { /* it checks the checksum */
        ck_assert_int_eq(ogg_page_pageno(&page), n_pages);
        ck_assert_int_eq(ogg_page_bos(&page) != 0, n_pages == 0);
        if (n_pages++ == 0)
            ogg_stream_init(&stream, ogg_page_serialno(&page));
        ck_assert_int_eq(ogg_stream_pagein(&stream, &page), 0);
        int got;
        while ((got = ogg_stream_packetout(&stream, &packet)) != 0) {
            ck_assert_int_eq(got, 1);
            unsigned char **to = n_packets == 1 ? tags : rest;
            size_t *n = n_packets++ == 1 ? tags_size : rest_size;
            *to = realloc(*to, *n + (size_t)packet.bytes);
            memcpy(*to + *n, packet.packet, (size_t)packet.bytes);
            *n += (size_t)packet.bytes;
            if (n_packets == 2) /* sound begins on a page of its own */
                ck_assert_int_ne(ogg_stream_packetpeek(&stream, NULL), 1);
        }
    }
    ck_assert_int_gt(n_packets, 10);
    ck_assert(ogg_page_eos(&page));
    ogg_stream_clear(&stream);
    ogg_sync_clear(&sync);
}

static const unsigned char *next_comment(const unsigned char *at, const char *expected) {
    uint32_t n = le32(at);
    ck_assert_uint_eq(n, strlen(expected));
    ck_assert_msg(memcmp(at + 4, expected, n) == 0, "%.*s", (int)n, at + 4);
    return at + 4 + n;
}

START_TEST(opus_has_comments) {
    uint32_t counts[] = {0, 1, 3, TACO_MAX_CHAPTERS};
    uint32_t n = counts[_i];
    struct taco_audio_tags tags = tags_of(n);
    size_t size, plain_size, with_size, without_size, rest_size, sound_size;
    unsigned char *plain = encode(TACO_AUDIO_OPUS, NULL, &plain_size);
    unsigned char *tagged = encode(TACO_AUDIO_OPUS, &tags, &size);
    unsigned char *with, *without, *rest, *sound;
    read_ogg(plain, plain_size, &without, &without_size, &sound, &sound_size);
    read_ogg(tagged, size, &with, &with_size, &rest, &rest_size);
    ck_assert_uint_eq(rest_size, sound_size);
    ck_assert_mem_eq(rest, sound, sound_size);

    uint32_t vendor = le32(without + 8);
    ck_assert_mem_eq(with, without, 12 + vendor);
    const unsigned char *at = with + 12 + vendor;
    ck_assert_uint_eq(le32(at), 3 + 2 * n);
    at = next_comment(at + 4, "TITLE=The Book");
    at = next_comment(at, "ALBUM=The Book");
    at = next_comment(at, "ARTIST=A. Writer");
    for (uint32_t i = 0; i < n; i++) {
        char line[100];
        uint32_t ms = 3500 * i;
        snprintf(line, sizeof line, "CHAPTER%03u=%02u:%02u:%02u.%03u", i, ms / 3600000,
                 ms / 60000 % 60, ms / 1000 % 60, ms % 1000);
        at = next_comment(at, line);
        snprintf(line, sizeof line, "CHAPTER%03uNAME=%.40s", i, titles[i]);
        at = next_comment(at, line);
    }
    ck_assert_ptr_eq(at, with + with_size);
    free(with), free(without), free(rest), free(sound);
    taco_free(plain), taco_free(tagged);
}
END_TEST

/* -- MP3 -------------------------------------------------------------------------------- */

static size_t sync_safe(const unsigned char *p) {
    for (int i = 0; i < 4; i++)
        ck_assert_uint_lt(p[i], 0x80);
    return (size_t)p[0] << 21 | (size_t)p[1] << 14 | (size_t)p[2] << 7 | p[3];
}

static uint32_t be32(const unsigned char *p) {
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* The body of the frame at p, which must have that name; *p: behind it. */
static const unsigned char *frame(const unsigned char **p, const char *name, size_t *n) {
    ck_assert_msg(memcmp(*p, name, 4) == 0, "%.4s for %s", *p, name);
    *n = sync_safe(*p + 4);
    const unsigned char *body = *p + 10;
    *p = body + *n;
    return body;
}

static void expect_text(const unsigned char **p, const char *name, const char *text) {
    size_t n;
    const unsigned char *body = frame(p, name, &n);
    ck_assert_uint_eq(body[0], 3); /* UTF-8 */
    ck_assert_uint_eq(n, 1 + strlen(text));
    ck_assert_mem_eq(body + 1, text, n - 1);
}

static void expect_contents(const unsigned char **p, const char *id, unsigned flags,
                            const char *prefix, unsigned first, unsigned n_children) {
    size_t n;
    const unsigned char *body = frame(p, "CTOC", &n);
    ck_assert_str_eq((const char *)body, id);
    const unsigned char *at = body + strlen(id) + 1;
    ck_assert_uint_eq(at[0], flags);
    ck_assert_uint_eq(at[1], n_children);
    at += 2;
    for (unsigned i = 0; i < n_children; i++) {
        char child[16];
        snprintf(child, sizeof child, "%s%u", prefix, first + i);
        ck_assert_str_eq((const char *)at, child);
        at += strlen(child) + 1;
    }
    ck_assert_ptr_eq(at, body + n);
}

START_TEST(mp3_has_an_id3_tag) {
    uint32_t counts[] = {0, 3, 255, 256, TACO_MAX_CHAPTERS};
    uint32_t n = counts[_i];
    struct taco_audio_tags tags = tags_of(n);
    size_t size, plain_size, k;
    unsigned char *plain = encode(TACO_AUDIO_MP3, NULL, &plain_size);
    unsigned char *tagged = encode(TACO_AUDIO_MP3, &tags, &size);
    ck_assert_mem_eq(tagged, "ID3\4\0\0", 6);
    size_t tag = 10 + sync_safe(tagged + 6);
    ck_assert_uint_eq(size - tag, plain_size);
    ck_assert_mem_eq(tagged + tag, plain, plain_size);

    const unsigned char *p = tagged + 10;
    expect_text(&p, "TIT2", "The Book");
    expect_text(&p, "TALB", "The Book");
    expect_text(&p, "TPE1", "A. Writer");
    if (n && n <= 255)
        expect_contents(&p, "toc", 3, "chp", 0, n);
    if (n > 255) {
        expect_contents(&p, "toc", 3, "toc", 0, (n + 254) / 255);
        for (uint32_t first = 0; first < n; first += 255) {
            char id[16];
            snprintf(id, sizeof id, "toc%u", first / 255);
            expect_contents(&p, id, 1, "chp", first, n - first < 255 ? n - first : 255);
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        char id[16];
        snprintf(id, sizeof id, "chp%u", i);
        const unsigned char *body = frame(&p, "CHAP", &k), *at = body + strlen(id) + 1;
        ck_assert_str_eq((const char *)body, id);
        ck_assert_uint_eq(be32(at), 3500 * i);
        ck_assert_uint_eq(be32(at + 4), 3500 * (i + 1) + (i + 1 == n ? 1000 : 0));
        ck_assert_uint_eq(be32(at + 8), UINT32_MAX);
        ck_assert_uint_eq(be32(at + 12), UINT32_MAX);
        at += 16;
        expect_text(&at, "TIT2", titles[i]);
        ck_assert_ptr_eq(at, body + k);
    }
    ck_assert_ptr_eq(p, tagged + tag);
    taco_free(plain), taco_free(tagged);
}
END_TEST

/* -- failures --------------------------------------------------------------------------- */

static void refused(enum taco_audio_format format, const struct taco_audio_tags *tags,
                    const char *why) {
    struct taco_audio_options options = taco_audio_options_default();
    struct taco_error err = TACO_ERROR_INIT;
    options.format = format;
    options.tags = tags;
    ck_assert_int_eq(taco_audio_options_check(&options, RATE, N, &err),
                     TACO_ERR_INVALID_ARGUMENT);
    ck_assert_str_eq(err.param, "tags");
    ck_assert_msg(strstr(err.message, why) != NULL, "%s", err.message);
}

START_TEST(wrong_tags_are_refused) {
    static char endless[1002];
    struct taco_audio_tags tags = tags_of(3);
    refused(TACO_AUDIO_WAV, &tags, "wav holds no tags");
    refused(TACO_AUDIO_FLAC, &tags, "flac holds no tags");
    tags.n_chapters = TACO_MAX_CHAPTERS + 1;
    refused(TACO_AUDIO_OPUS, &tags, "1000 chapters");
    tags = tags_of(3);
    tags.duration = 6.9;
    refused(TACO_AUDIO_OPUS, &tags, "in order");
    tags = tags_of(3);
    marks[2].start = 3;
    refused(TACO_AUDIO_MP3, &tags, "in order");
    tags = tags_of(3);
    marks[1].title = "";
    refused(TACO_AUDIO_MP3, &tags, "1 at least");
    tags = tags_of(3);
    memset(endless, 'x', sizeof endless - 1);
    tags.title = endless;
    refused(TACO_AUDIO_MP3, &tags, "up to 1000 bytes");
    tags = tags_of(3);
    tags.duration = 5e6;
    refused(TACO_AUDIO_MP3, &tags, "within the duration");
}
END_TEST

START_TEST(failed_allocations_are_told) {
    struct taco_audio_tags tags = tags_of(300);
    struct taco_audio_options options = taco_audio_options_default();
    options.format = _i ? TACO_AUDIO_MP3 : TACO_AUDIO_OPUS;
    options.tags = &tags;
    options.stream = true;
    enum taco_status status = TACO_ERR_NO_MEMORY;
    for (long n = 1; status != TACO_OK; n++) {
        void *bytes = NULL;
        size_t size;
        taco_memory_fail_at(n);
        status = taco_audio_encode(samples, N, RATE, &options, &bytes, &size, NULL);
        taco_memory_fail_at(0);
        ck_assert(status == TACO_OK || status == TACO_ERR_NO_MEMORY);
        ck_assert_int_eq(status == TACO_OK, bytes != NULL);
        taco_free(bytes);
        ck_assert_int_lt(n, 200);
    }
}
END_TEST

int main(void) {
    test_sine(0.5f, 440, RATE, samples, N);
    Suite *suite = suite_create("tags");
    TCase *tcase = tcase_create("tags");
    tcase_add_loop_test(tcase, opus_has_comments, 0, 4);
    tcase_add_loop_test(tcase, mp3_has_an_id3_tag, 0, 5);
    tcase_add_test(tcase, wrong_tags_are_refused);
    tcase_add_loop_test(tcase, failed_allocations_are_told, 0, 2);
    suite_add_tcase(suite, tcase);
    return test_run(suite);
}
