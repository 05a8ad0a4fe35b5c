/* JSON written straight into a buffer, without a tree in memory. Nesting is the caller's:
 * every begin has its end. Failures show in the buffer. */
#ifndef TACO_ENGINE_JSON_WRITER_H
#define TACO_ENGINE_JSON_WRITER_H

#include "engine/buffer.h"
#include <stdbool.h>
#include <stdint.h>

struct taco_json_writer {
    struct taco_buffer *out;
    int indent; /* spaces a level; 0: no white space */
    int depth;
    bool is_first; /* nothing stands in the innermost object or array yet */
};

/* All zeros but out and indent is a writer at the beginning. key NULL: inside an array, or
 * the outermost value. */
void taco_json_begin(struct taco_json_writer *w, const char *key, char bracket);
void taco_json_end(struct taco_json_writer *w, char bracket);
void taco_json_null(struct taco_json_writer *w, const char *key);
void taco_json_boolean(struct taco_json_writer *w, const char *key, bool value);
void taco_json_count(struct taco_json_writer *w, const char *key, uint64_t value);
/* With at most six decimals: a 16th of a sample at 16 kHz. More would be noise. */
void taco_json_number(struct taco_json_writer *w, const char *key, double value);
void taco_json_string(struct taco_json_writer *w, const char *key, const char *text);
void taco_json_stringn(struct taco_json_writer *w, const char *key, const char *text,
                       size_t n);
/* A string of n bytes without a character to escape, which the caller fills in; NULL: no
 * memory. */
char *taco_json_room(struct taco_json_writer *w, const char *key, size_t n);

#endif
