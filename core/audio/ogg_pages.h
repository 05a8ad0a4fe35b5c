/* Ogg pages between libsndfile and the receiver: they repeat, and carry our tags.
 *
 * libsndfile draws the serial number of each stream, which would make the same samples other
 * bytes at every call (RFC 3533, section 6). And it writes no comments of our choice. */
#ifndef TACO_OGG_PAGES_H
#define TACO_OGG_PAGES_H

#include <ogg/ogg.h>
#include <stdbool.h>
#include <taco/audio.h>

/* A sink before another one, which gets whole pages with our serial number. */
struct taco_ogg_pages {
    taco_audio_sink sink;
    void *user;
    const struct taco_audio_tags *tags; /* NULL: the packet of tags stays as it is */
    ogg_sync_state pages;
    long n_read, n_added; /* pages */
    bool out_of_memory;
};

/* tags are borrowed until taco_ogg_pages_clear. */
void taco_ogg_pages_init(struct taco_ogg_pages *ogg, const struct taco_audio_tags *tags,
                         taco_audio_sink sink, void *user);

/* A taco_audio_sink, with a struct taco_ogg_pages as user data. Nonzero: the other sink has
 * stopped, or out_of_memory. */
int taco_ogg_pages_write(void *ogg, const void *bytes, size_t size);

void taco_ogg_pages_clear(struct taco_ogg_pages *ogg);

#endif
