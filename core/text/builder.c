#include "text/builder.h"

#include "base/error.h"
#include "base/memory.h"
#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 64 };

static bool is_start(char c) {
    return ((unsigned char)c & 0xC0) != 0x80;
}

enum taco_status taco_builder_init(struct taco_builder *builder, const char *source,
                                   uint32_t length, struct taco_error *err) {
    *builder = (struct taco_builder){.source = source, .length = length};
    builder->blocks = taco_malloc(((size_t)length / BLOCK + 1) * sizeof *builder->blocks);
    if (!builder->blocks)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    uint32_t n = 0;
    for (uint32_t i = 0; i <= length; i++) {
        if (i % BLOCK == 0)
            builder->blocks[i / BLOCK] = n;
        if (i < length && is_start(source[i]))
            n++;
    }
    return TACO_OK;
}

void taco_builder_free(struct taco_builder *builder) {
    taco_free(builder->chunks);
    taco_free(builder->words);
    taco_free(builder->spoken);
    taco_free(builder->symbols);
    taco_free(builder->notes);
    taco_free(builder->marks);
    taco_free(builder->spoken_text);
    taco_free(builder->note_text);
    taco_free(builder->blocks);
    taco_string_free(&builder->strings);
    *builder = (struct taco_builder){0};
}

static uint32_t code_points_before(const struct taco_builder *builder, uint32_t at) {
    uint32_t i = at / BLOCK * BLOCK;
    uint32_t n = builder->blocks[at / BLOCK];
    for (; i < at; i++)
        n += is_start(builder->source[i]);
    return n;
}

struct taco_span taco_builder_span(const struct taco_builder *builder, uint32_t begin,
                                   uint32_t end) {
    assert(begin <= end && end <= builder->length);
    return (struct taco_span){begin, end, code_points_before(builder, begin),
                              code_points_before(builder, end)};
}

bool taco_builder_add_symbol(struct taco_builder *builder, int32_t id, uint32_t word,
                             uint32_t spoken, struct taco_span span) {
    if (!taco_vector_reserve(&builder->symbols, &builder->cap_symbols, builder->n_symbols,
                             1, sizeof *builder->symbols))
        return false;
    builder->symbols[builder->n_symbols++] =
        (struct taco_symbol){.id = id, .word = word, .spoken = spoken, .span = span};
    return true;
}

bool taco_builder_add_word(struct taco_builder *builder, struct taco_span span,
                           const char *rule) {
    if (!taco_vector_reserve(&builder->words, &builder->cap_words, builder->n_words, 1,
                             sizeof *builder->words))
        return false;
    builder->words[builder->n_words++] =
        (struct taco_word){.span = span,
                           .rule = rule,
                           .first_symbol = builder->n_symbols,
                           .first_spoken = builder->n_spoken};
    return true;
}

/* Copies text [n] with a NUL behind it into the pool; *at is where it begins. */
static bool add_string(struct taco_builder *builder, const char *text, size_t n,
                       uint32_t *at) {
    *at = builder->strings.n;
    return taco_string_add(&builder->strings, text, n) &&
           taco_string_add_char(&builder->strings, '\0');
}

bool taco_builder_add_spoken(struct taco_builder *builder, uint32_t word,
                             const char *text, size_t n) {
    uint32_t at;
    if (!taco_vector_reserve(&builder->spoken, &builder->cap_spoken, builder->n_spoken, 1,
                             sizeof *builder->spoken) ||
        !taco_vector_reserve(&builder->spoken_text, &builder->cap_spoken_text,
                             builder->n_spoken, 1, sizeof *builder->spoken_text) ||
        !add_string(builder, text, n, &at))
        return false;
    builder->spoken_text[builder->n_spoken] = at;
    builder->spoken[builder->n_spoken++] =
        (struct taco_spoken_word){.word = word, .first_symbol = builder->n_symbols};
    return true;
}

bool taco_builder_add_note(struct taco_builder *builder, enum taco_note_kind kind,
                           struct taco_span span, const char *text, size_t n) {
    uint32_t at;
    if (!taco_vector_reserve(&builder->notes, &builder->cap_notes, builder->n_notes, 1,
                             sizeof *builder->notes) ||
        !taco_vector_reserve(&builder->note_text, &builder->cap_note_text,
                             builder->n_notes, 1, sizeof *builder->note_text) ||
        !add_string(builder, text, n, &at))
        return false;
    builder->note_text[builder->n_notes] = at;
    builder->notes[builder->n_notes++] = (struct taco_note){.kind = kind, .span = span};
    return true;
}

bool taco_builder_add_mark(struct taco_builder *builder, const struct taco_mark *mark) {
    if (!taco_vector_reserve(&builder->marks, &builder->cap_marks, builder->n_marks, 1,
                             sizeof *builder->marks))
        return false;
    builder->marks[builder->n_marks++] = *mark;
    return true;
}

bool taco_builder_add_chunk(struct taco_builder *builder,
                            const struct taco_chunk *chunk) {
    if (!taco_vector_reserve(&builder->chunks, &builder->cap_chunks, builder->n_chunks, 1,
                             sizeof *builder->chunks))
        return false;
    builder->chunks[builder->n_chunks++] = *chunk;
    return true;
}

struct taco_builder_mark taco_builder_mark(const struct taco_builder *builder) {
    return (struct taco_builder_mark){builder->n_chunks, builder->n_words,
                                      builder->n_spoken, builder->n_symbols,
                                      builder->n_notes,  builder->strings.n};
}

void taco_builder_rewind(struct taco_builder *builder, struct taco_builder_mark mark) {
    builder->n_chunks = mark.n_chunks;
    builder->n_words = mark.n_words;
    builder->n_spoken = mark.n_spoken;
    builder->n_symbols = mark.n_symbols;
    builder->n_notes = mark.n_notes;
    builder->strings.n = mark.n_strings;
}

/* Order of notes: by span, and as they came where spans are the same. The text's place in
 * the pool grows with every note, so it tells which came first. */
struct ordered_note {
    struct taco_note note;
    uint32_t text;
};

static int by_span(const void *a, const void *b) {
    const struct ordered_note *x = a, *y = b;
    if (x->note.span.begin != y->note.span.begin)
        return x->note.span.begin < y->note.span.begin ? -1 : 1;
    if (x->note.span.end != y->note.span.end)
        return x->note.span.end < y->note.span.end ? -1 : 1;
    return (x->text > y->text) - (x->text < y->text);
}

static bool sort_notes(struct taco_builder *builder) {
    uint32_t n = builder->n_notes;
    struct ordered_note *ordered = taco_malloc((size_t)n * sizeof *ordered);
    if (!ordered)
        return false;
    for (uint32_t i = 0; i < n; i++)
        ordered[i] = (struct ordered_note){builder->notes[i], builder->note_text[i]};
    qsort(ordered, n, sizeof *ordered, by_span);
    for (uint32_t i = 0; i < n; i++) {
        builder->notes[i] = ordered[i].note;
        builder->note_text[i] = ordered[i].text;
    }
    taco_free(ordered);
    return true;
}

/* Takes n * size bytes, rounded up to 16, from a block being measured or filled. */
static void *carve(char **at, size_t *total, size_t n, size_t size) {
    size_t bytes = (n * size + 15) & ~(size_t)15;
    void *p = *at;
    if (*at)
        *at += bytes;
    *total += bytes;
    return p;
}

static void *fill(char **at, size_t *total, const void *from, size_t n, size_t size) {
    void *to = carve(at, total, n, size);
    if (to && n)
        memcpy(to, from, n * size);
    return to;
}

enum taco_status taco_builder_finish(struct taco_builder *builder, struct taco_text **out,
                                     struct taco_error *err) {
    *out = NULL;
    if (builder->n_notes && !sort_notes(builder))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    /* The first round measures, the second writes. */
    char *block = NULL;
    for (int round = 0;; round++) {
        char *at = block;
        size_t total = 0;
        struct taco_text *text = carve(&at, &total, 1, sizeof *text);
        char *source = carve(&at, &total, (size_t)builder->length + 1, 1);
        struct taco_chunk *chunks =
            fill(&at, &total, builder->chunks, builder->n_chunks, sizeof *chunks);
        struct taco_word *words =
            fill(&at, &total, builder->words, builder->n_words, sizeof *words);
        struct taco_spoken_word *spoken =
            fill(&at, &total, builder->spoken, builder->n_spoken, sizeof *spoken);
        struct taco_symbol *symbols =
            fill(&at, &total, builder->symbols, builder->n_symbols, sizeof *symbols);
        struct taco_note *notes =
            fill(&at, &total, builder->notes, builder->n_notes, sizeof *notes);
        struct taco_mark *marks =
            fill(&at, &total, builder->marks, builder->n_marks, sizeof *marks);
        for (uint32_t i = 0; i < builder->n_marks; i++) {
            const char *name = builder->marks[i].name;
            char *copy = fill(&at, &total, name, strlen(name) + 1, 1);
            if (marks)
                marks[i].name = copy;
        }
        char *strings = fill(&at, &total, builder->strings.bytes, builder->strings.n, 1);
        if (round == 0) {
            block = taco_malloc(total);
            if (!block)
                return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
            continue;
        }
        memcpy(source, builder->source, builder->length);
        source[builder->length] = '\0';
        for (uint32_t i = 0; i < builder->n_spoken; i++)
            spoken[i].text = strings + builder->spoken_text[i];
        for (uint32_t i = 0; i < builder->n_notes; i++)
            notes[i].text = strings + builder->note_text[i];
        *text = (struct taco_text){.source = source,
                                   .source_length = builder->length,
                                   .n_chunks = builder->n_chunks,
                                   .n_words = builder->n_words,
                                   .n_spoken = builder->n_spoken,
                                   .n_symbols = builder->n_symbols,
                                   .n_notes = builder->n_notes,
                                   .n_marks = builder->n_marks,
                                   .chunks = chunks,
                                   .words = words,
                                   .spoken = spoken,
                                   .symbols = symbols,
                                   .notes = notes,
                                   .marks = marks};
        *out = text;
        return TACO_OK;
    }
}
