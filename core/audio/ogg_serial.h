/* Ogg streams that repeat: libsndfile draws the serial number of each stream, which would
 * make the same samples other bytes at every call (RFC 3533, section 6). */
#ifndef TACO_OGG_SERIAL_H
#define TACO_OGG_SERIAL_H

#include <ogg/ogg.h>
#include <stdbool.h>
#include <taco/audio.h>

/* A sink before another one, which gets whole pages with our serial number. */
struct taco_ogg_serial {
    taco_audio_sink sink;
    void *user;
    ogg_sync_state pages;
    bool out_of_memory;
};

void taco_ogg_serial_init(struct taco_ogg_serial *serial, taco_audio_sink sink,
                          void *user);

/* A taco_audio_sink, with a struct taco_ogg_serial as user data. Nonzero: the other sink has
 * stopped, or out_of_memory. */
int taco_ogg_serial_write(void *serial, const void *bytes, size_t size);

void taco_ogg_serial_clear(struct taco_ogg_serial *serial);

#endif
