/* The file that libsndfile writes to: memory whose bytes are handed on. */
#ifndef TACO_VIRTUAL_FILE_H
#define TACO_VIRTUAL_FILE_H

#include <sndfile.h>
#include <stdbool.h>
#include <taco/audio.h>

struct taco_virtual_file {
    taco_audio_sink sink;
    void *user;
    unsigned char *bytes; /* [size] behind the first n_delivered bytes of the file */
    size_t size, capacity;
    sf_count_t n_delivered, position;
    bool out_of_memory, stopped;
};

/* For sf_open_virtual, with a struct taco_virtual_file as user data. */
extern const SF_VIRTUAL_IO taco_virtual_file_io;

/* Hands all bytes on. What libsndfile writes over them later is lost. TACO_ERR_CANCELLED:
 * the sink has stopped; TACO_ERR_NO_MEMORY: bytes have been lost. */
enum taco_status taco_virtual_file_deliver(struct taco_virtual_file *file);

/* Counts the first n bytes that have not been handed on as delivered. */
void taco_virtual_file_drop(struct taco_virtual_file *file, size_t n);

void taco_virtual_file_free(struct taco_virtual_file *file);

#endif
