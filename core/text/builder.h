/* Collects chunks, words, symbols and notes, and makes a struct taco_text of them. */
#ifndef TACO_TEXT_BUILDER_H
#define TACO_TEXT_BUILDER_H

#include "text/vector.h"
#include <taco/text.h>

struct taco_builder {
    const char *source; /* [length], borrowed */
    uint32_t length;
    struct taco_chunk *chunks;
    struct taco_word *words;
    struct taco_spoken_word *spoken;
    struct taco_symbol *symbols;
    struct taco_note *notes;
    struct taco_mark *marks; /* their names are borrowed */
    uint32_t n_chunks, n_words, n_spoken, n_symbols, n_notes, n_marks;
    uint32_t cap_chunks, cap_words, cap_spoken, cap_symbols, cap_notes, cap_marks;
    /* Texts of spoken words and notes, NUL between them. Their pointers in the arrays
     * above are not set before taco_builder_finish; these say where each begins. */
    struct taco_string strings;
    uint32_t *spoken_text; /* [n_spoken] */
    uint32_t *note_text;   /* [n_notes] */
    uint32_t cap_spoken_text, cap_note_text;
    /* Code points before each block of 64 bytes of the source. */
    uint32_t *blocks;
};

/* How far the builder has come, to go back to. */
struct taco_builder_mark {
    uint32_t n_chunks, n_words, n_spoken, n_symbols, n_notes, n_strings;
};

enum taco_status taco_builder_init(struct taco_builder *builder, const char *source,
                                   uint32_t length, struct taco_error *err);
void taco_builder_free(struct taco_builder *builder);

/* begin <= end <= length, both on a character's border. */
struct taco_span taco_builder_span(const struct taco_builder *builder, uint32_t begin,
                                   uint32_t end);

/* Each appends one; false when memory is exhausted. text [n] is copied. */
bool taco_builder_add_symbol(struct taco_builder *builder, int32_t id, uint32_t word,
                             uint32_t spoken, struct taco_span span);
/* rule: static, as in struct taco_word. */
bool taco_builder_add_word(struct taco_builder *builder, struct taco_span span,
                           const char *rule);
bool taco_builder_add_spoken(struct taco_builder *builder, uint32_t word,
                             const char *text, size_t n);
bool taco_builder_add_note(struct taco_builder *builder, enum taco_note_kind kind,
                           struct taco_span span, const char *text, size_t n);
bool taco_builder_add_mark(struct taco_builder *builder, const struct taco_mark *mark);
bool taco_builder_add_chunk(struct taco_builder *builder, const struct taco_chunk *chunk);

struct taco_builder_mark taco_builder_mark(const struct taco_builder *builder);
/* Forgets all that was added since the mark. */
void taco_builder_rewind(struct taco_builder *builder, struct taco_builder_mark mark);

/* Puts notes in order and packs everything into *text, one allocation that
 * taco_text_destroy frees. The builder stays to be freed. */
enum taco_status taco_builder_finish(struct taco_builder *builder,
                                     struct taco_text **text, struct taco_error *err);

#endif
