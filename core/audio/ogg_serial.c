/* See ogg_serial.h. libogg finds the pages and reckons their checksums. */
#include "audio/ogg_serial.h"

#include <string.h>

/* Any; a file with a single stream needs no other. */
static const unsigned char serial_number[4] = {'t', 'a', 'c', 'o'};
enum { SERIAL_AT = 14 }; /* byte of a page's header */

void taco_ogg_serial_init(struct taco_ogg_serial *serial, taco_audio_sink sink,
                          void *user) {
    *serial = (struct taco_ogg_serial){.sink = sink, .user = user};
    ogg_sync_init(&serial->pages);
}

int taco_ogg_serial_write(void *user, const void *bytes, size_t size) {
    struct taco_ogg_serial *serial = user;
    char *room = ogg_sync_buffer(&serial->pages, (long)size);
    if (!room) {
        serial->out_of_memory = true;
        return 1;
    }
    memcpy(room, bytes, size);
    ogg_sync_wrote(&serial->pages, (long)size);
    ogg_page page;
    while (ogg_sync_pageout(&serial->pages, &page) == 1) {
        memcpy(page.header + SERIAL_AT, serial_number, sizeof serial_number);
        ogg_page_checksum_set(&page);
        if (serial->sink(serial->user, page.header, (size_t)page.header_len) != 0 ||
            serial->sink(serial->user, page.body, (size_t)page.body_len) != 0)
            return 1;
    }
    return 0;
}

void taco_ogg_serial_clear(struct taco_ogg_serial *serial) {
    ogg_sync_clear(&serial->pages);
}
