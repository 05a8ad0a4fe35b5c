/* A growing run of bytes for the written forms of a result. An allocation that fails
 * makes all later calls do nothing; it is seen once, at the end. */
#ifndef TACO_ENGINE_BUFFER_H
#define TACO_ENGINE_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

struct taco_buffer {
    char *data; /* [size], and a NUL once there is anything */
    size_t size, capacity;
    size_t asked_at;                       /* size when grow was asked last */
    bool failed, stopped;                  /* stopped: failed since grow said so */
    int (*grow)(void *user, size_t bytes); /* of struct taco_format_options, or NULL */
    void *user;
};

#define TACO_BUFFER_INIT                                                                 \
    { NULL, 0, 0, 0, false, false, NULL, NULL }

/* Whether the call may go on and hold so many bytes beside the buffer's own. */
bool taco_buffer_may_hold(struct taco_buffer *buffer, size_t more);

void taco_buffer_add(struct taco_buffer *buffer, const void *bytes, size_t n);
void taco_buffer_text(struct taco_buffer *buffer, const char *text);
/* No floating point: its point is a comma in some locales. */
void taco_buffer_format(struct taco_buffer *buffer, const char *format, ...)
    TACO_PRINTF(2, 3);
/* value >= 0 with so many decimals, 0 to 9, and a point whatever the locale. */
void taco_buffer_decimal(struct taco_buffer *buffer, double value, int decimals);

/* Text [n] for XML content and attributes: & < > " written as entities, characters that
 * XML forbids as U+FFFD, every white space as one space. */
void taco_buffer_xml(struct taco_buffer *buffer, const char *text, size_t n);

/* Room for n more bytes, uninitialised, already counted as added; NULL: no memory. */
void *taco_buffer_grow(struct taco_buffer *buffer, size_t n);

/* Only the first n bytes stay. */
void taco_buffer_cut(struct taco_buffer *buffer, size_t n);

void taco_buffer_free(struct taco_buffer *buffer);

#endif
