/* See ogg_pages.h. libogg finds the pages and reckons their checksums. */
#include "audio/ogg_pages.h"

#include <stdint.h>
#include <string.h>

#include "audio/tags.h"

/* Any; a file with a single stream needs no other. */
#define SERIAL "taco"
/* Bytes of a page's header. */
enum { SERIAL_AT = 14, SEQUENCE_AT = 18 };
/* Pages of the stream: the header of the codec, then the tags, then sound. */
enum { TAGS_PAGE = 1 };

void taco_ogg_pages_init(struct taco_ogg_pages *ogg, const struct taco_audio_tags *tags,
                         taco_audio_sink sink, void *user) {
    *ogg = (struct taco_ogg_pages){.sink = sink, .user = user, .tags = tags};
    ogg_sync_init(&ogg->pages);
}

static int deliver(struct taco_ogg_pages *ogg, ogg_page *page) {
    memcpy(page->header + SERIAL_AT, SERIAL, 4);
    ogg_page_checksum_set(page);
    return ogg->sink(ogg->user, page->header, (size_t)page->header_len) != 0 ||
           ogg->sink(ogg->user, page->body, (size_t)page->body_len) != 0;
}

static uint32_t le32(const unsigned char *p) {
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* In the place of libsndfile's page of tags: ours, which may need several. */
static int write_tags(struct taco_ogg_pages *ogg, const ogg_page *page) {
    const char *vendor = "";
    size_t vendor_size = 0;
    if (page->body_len >= 12 && le32(page->body + 8) <= (size_t)page->body_len - 12) {
        vendor = (const char *)page->body + 12;
        vendor_size = le32(page->body + 8);
    }
    unsigned char *bytes = NULL;
    size_t size = 0;
    ogg_stream_state stream;
    if (taco_tags_opus(ogg->tags, vendor, vendor_size, &bytes, &size) != TACO_OK ||
        ogg_stream_init(&stream, 0) != 0) {
        taco_free(bytes);
        ogg->out_of_memory = true;
        return 1;
    }
    stream.pageno = TAGS_PAGE;
    stream.b_o_s = 1; /* the page before has begun the stream */
    ogg_packet packet = {.packet = bytes, .bytes = (long)size, .packetno = TAGS_PAGE};
    int stopped = ogg_stream_packetin(&stream, &packet) != 0;
    ogg->out_of_memory = stopped;
    ogg_page out;
    for (ogg->n_added = -1; !stopped && ogg_stream_flush(&stream, &out); ogg->n_added++)
        stopped = deliver(ogg, &out);
    ogg_stream_clear(&stream);
    taco_free(bytes);
    return stopped;
}

int taco_ogg_pages_write(void *user, const void *bytes, size_t size) {
    struct taco_ogg_pages *ogg = user;
    char *room = ogg_sync_buffer(&ogg->pages, (long)size);
    if (!room) {
        ogg->out_of_memory = true;
        return 1;
    }
    memcpy(room, bytes, size);
    ogg_sync_wrote(&ogg->pages, (long)size);
    ogg_page page;
    while (ogg_sync_pageout(&ogg->pages, &page) == 1) {
        long number = ogg->n_read++;
        if (number == TAGS_PAGE && ogg->tags) {
            if (write_tags(ogg, &page) != 0)
                return 1;
            continue;
        }
        number += ogg->n_added;
        for (int i = 0; i < 4; i++)
            page.header[SEQUENCE_AT + i] = (unsigned char)(number >> (8 * i));
        if (deliver(ogg, &page) != 0)
            return 1;
    }
    return 0;
}

void taco_ogg_pages_clear(struct taco_ogg_pages *ogg) {
    ogg_sync_clear(&ogg->pages);
}
