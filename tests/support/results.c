#include "support/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/diagnostics.h"
#include "engine/times.h"
#include "support/numbers.h"

static const char *const symbol_names[] = {" ", ".",     ",",        "a",
                                           "b", "\"<&>", "\xC9\x99", "AH0"};
enum { N_SYMBOLS = sizeof symbol_names / sizeof *symbol_names, N_MELS = 5, HOP = 160 };
enum { SPACE, STOP, COMMA, FIRST_LETTER };

static void *allocate(struct made_result *made, size_t n, size_t size) {
    void *p = taco_arena_alloc(&made->arena, n, size);
    if (!p) {
        fprintf(stderr, "test result: no memory\n");
        abort();
    }
    return p;
}

static void begin(struct made_result *made) {
    memset(made, 0, sizeof *made);
    made->voice.info = (struct taco_voice_info){.name = "made-up",
                                                .sample_rate = 16000,
                                                .hop_length = HOP,
                                                .n_mels = N_MELS,
                                                .n_frames_per_step = 1,
                                                .n_symbols = N_SYMBOLS,
                                                .symbols = symbol_names};
    static const struct taco_attention_info attention = {"location", "location", "", 0,
                                                         true};
    made->result = (struct taco_result){.voice = &made->voice,
                                        .attention = &attention,
                                        .text = &made->text,
                                        .sample_rate = 16000,
                                        .speed = 1,
                                        .seed = 7};
}

static void diagnose(struct taco_chunk_result *chunk, const struct taco_symbol *symbols) {
    const struct taco_reading reading = {
        .alignment = chunk->alignment,
        .n_steps = chunk->n_steps,
        .n_symbols = chunk->n_symbols,
        .symbols = symbols,
        .frames_per_step = 1,
        .n_frames = chunk->n_frames,
        .frames_per_second = 16000.0f / HOP,
        .stop_reason = chunk->stop_reason,
    };
    taco_diagnose(&reading, &chunk->diagnostics);
}

/* -- text -------------------------------------------------------------------------------
 */

/* Writes into arrays that are large enough for what made_result_random asks. */
struct writer {
    struct made_result *made;
    char *source;
    struct taco_chunk *chunks;
    struct taco_word *words;
    struct taco_spoken_word *spoken;
    struct taco_symbol *symbols;
    uint32_t at_cp;
};

static void put_text(struct writer *w, const char *text) {
    for (; *text; text++) {
        w->source[w->made->text.source_length++] = *text;
        w->at_cp += ((unsigned char)*text & 0xC0) != 0x80;
    }
}

static struct taco_span here(const struct writer *w) {
    uint32_t at = w->made->text.source_length;
    return (struct taco_span){at, at, w->at_cp, w->at_cp};
}

static void end_span(const struct writer *w, struct taco_span *span) {
    span->end = w->made->text.source_length;
    span->end_cp = w->at_cp;
}

static void put_symbol(struct writer *w, int32_t id, bool in_word,
                       struct taco_span span) {
    struct taco_text *text = &w->made->text;
    w->symbols[text->n_symbols++] =
        (struct taco_symbol){.id = id,
                             .word = in_word ? text->n_words - 1 : TACO_NO_WORD,
                             .spoken = in_word ? text->n_spoken - 1 : TACO_NO_WORD,
                             .span = span};
}

/* A word of n_symbols symbols; with none it is not spoken. */
static void put_word(struct writer *w, const char *source, uint32_t n_symbols,
                     uint64_t *seed) {
    struct taco_text *text = &w->made->text;
    struct taco_word *word = &w->words[text->n_words++];
    *word = (struct taco_word){.span = here(w),
                               .first_symbol = text->n_symbols,
                               .n_symbols = n_symbols,
                               .first_spoken = text->n_spoken,
                               .n_spoken = n_symbols > 0};
    put_text(w, source);
    end_span(w, &word->span);
    if (n_symbols > 0)
        w->spoken[text->n_spoken++] =
            (struct taco_spoken_word){.text = "word",
                                      .word = text->n_words - 1,
                                      .first_symbol = text->n_symbols,
                                      .n_symbols = n_symbols};
    for (uint32_t i = 0; i < n_symbols; i++) {
        int letters = N_SYMBOLS - FIRST_LETTER;
        int32_t id = FIRST_LETTER + (int32_t)test_random_below(seed, (size_t)letters);
        put_symbol(w, id, true, word->span);
    }
}

static void put_chunk(struct writer *w, uint64_t *seed) {
    static const char *const pieces[] = {"a",
                                         "tail",
                                         "\xC3\xA9t\xC3\xA9",
                                         "\xE6\xBC\xA2\xE5\xAD\x97",
                                         "<b>",
                                         "R&D",
                                         "\"so\"",
                                         "\xF0\x9F\x98\x80",
                                         "-->",
                                         "incredible",
                                         "x",
                                         "straightforwardly"};
    struct taco_text *text = &w->made->text;
    struct taco_chunk *chunk = &w->chunks[text->n_chunks++];
    *chunk = (struct taco_chunk){
        .span = here(w), .first_symbol = text->n_symbols, .first_word = text->n_words};
    size_t n = 1 + test_random_below(seed, 25);
    for (size_t i = 0; i < n; i++) {
        const char *piece =
            pieces[test_random_below(seed, sizeof pieces / sizeof *pieces)];
        put_word(w, piece, (uint32_t)test_random_below(seed, 7), seed);
        struct taco_span span = here(w);
        if (i + 1 == n)
            break;
        bool comma = test_random_below(seed, 6) == 0;
        put_text(w, comma ? "," : "");
        put_text(w, test_random_below(seed, 9) ? " " : "\r\n");
        end_span(w, &span);
        put_symbol(w, comma ? COMMA : SPACE, false, span);
    }
    struct taco_span span = here(w);
    put_text(w, ".");
    end_span(w, &span);
    end_span(w, &chunk->span);
    put_symbol(w, STOP, false, span);
    put_text(w, " ");
    chunk->n_symbols = text->n_symbols - chunk->first_symbol;
    chunk->n_words = text->n_words - chunk->first_word;
}

/* -- alignment and audio ------------------------------------------------------------- */

void test_alignment_fill(float *alignment, uint32_t n_symbols, const uint32_t *durations,
                         float weight) {
    float rest = n_symbols > 1 ? (1 - weight) / (float)(n_symbols - 1) : 0;
    for (uint32_t j = 0; j < n_symbols; j++)
        for (uint32_t k = 0; k < durations[j]; k++, alignment += n_symbols)
            for (uint32_t i = 0; i < n_symbols; i++)
                alignment[i] = i == j ? weight : rest;
}

static void fill_chunk(struct made_result *made, struct taco_chunk_result *chunk,
                       uint32_t index, uint64_t *seed, bool sense) {
    uint32_t n = made->text.chunks[index].n_symbols;
    uint32_t *durations = allocate(made, n, sizeof *durations);
    chunk->n_symbols = n;
    for (uint32_t j = 0; j < n; j++)
        chunk->n_steps += durations[j] = (uint32_t)test_random_below(seed, 9);
    if (chunk->n_steps == 0)
        chunk->n_steps = durations[0] = 1;
    chunk->n_frames = chunk->n_steps;
    float *alignment = allocate(made, (size_t)chunk->n_steps * n, sizeof *alignment);
    if (sense)
        test_alignment_fill(alignment, n, durations, 0.9f);
    for (size_t i = 0; !sense && i < (size_t)chunk->n_steps * n; i++)
        alignment[i] = (float)(test_random(seed) >> 40) * 0x1p-24f;
    float *gate = allocate(made, chunk->n_steps, sizeof *gate);
    float *mel = allocate(made, (size_t)chunk->n_frames * N_MELS, sizeof *mel);
    test_random_fill(seed, 4, mel, (size_t)chunk->n_frames * N_MELS);
    gate[chunk->n_steps - 1] = 0.75f;
    chunk->alignment = alignment;
    chunk->gate = gate;
    chunk->mel = mel;
    chunk->seed = made->result.seed + index;
    chunk->attempts = 1;
    chunk->tried[0].seed = chunk->seed;
    chunk->speed = made->result.speed;
    chunk->n_samples = (uint64_t)chunk->n_frames * HOP;
    diagnose(chunk, made->text.symbols + made->text.chunks[index].first_symbol);
}

static void fill_times(struct made_result *made) {
    const struct taco_text *text = &made->text;
    struct taco_result *result = &made->result;
    struct taco_times *symbols = allocate(made, text->n_symbols, sizeof *symbols);
    struct taco_times *words = allocate(made, text->n_words, sizeof *words);
    struct taco_times *spoken = allocate(made, text->n_spoken, sizeof *spoken);
    uint32_t *edges = allocate(made, text->n_symbols + 1, sizeof *edges);
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        const struct taco_chunk_result *chunk = &result->chunks[i];
        if (taco_symbol_edges(chunk->alignment, chunk->n_steps, chunk->n_symbols, NULL,
                              edges) != TACO_OK)
            abort();
        struct taco_time_base base = {
            16000, HOP, chunk->first_sample, chunk->n_samples, 0, chunk->n_samples};
        taco_symbol_times(&base, edges, chunk->n_symbols,
                          symbols + text->chunks[i].first_symbol);
    }
    taco_word_times(text, symbols, words, spoken);
    result->symbols = symbols;
    result->words = words;
    result->spoken = spoken;
}

static void fill_result(struct made_result *made, uint64_t *seed, bool sense) {
    struct taco_result *result = &made->result;
    struct taco_chunk_result *chunks =
        allocate(made, made->text.n_chunks, sizeof *chunks);
    result->n_chunks = made->text.n_chunks;
    result->chunks = chunks;
    for (uint32_t i = 0; i < result->n_chunks; i++) {
        chunks[i].first_sample = result->n_samples;
        fill_chunk(made, &chunks[i], i, seed, sense);
        result->n_samples += chunks[i].n_samples;
        if (i + 1 < result->n_chunks)
            result->n_samples += test_random_below(seed, 8000);
    }
    result->samples = allocate(made, result->n_samples, sizeof(float));
    fill_times(made);
    taco_diagnostics_join(chunks, result->n_chunks, &result->diagnostics);
}

static struct writer open_writer(struct made_result *made, size_t room) {
    struct writer w = {.made = made,
                       .source = allocate(made, room, 1),
                       .chunks = allocate(made, room, sizeof *w.chunks),
                       .words = allocate(made, room, sizeof *w.words),
                       .spoken = allocate(made, room, sizeof *w.spoken),
                       .symbols = allocate(made, room, sizeof *w.symbols)};
    made->text.source = w.source;
    made->text.chunks = w.chunks;
    made->text.words = w.words;
    made->text.spoken = w.spoken;
    made->text.symbols = w.symbols;
    return w;
}

void made_result_random(struct made_result *made, uint64_t seed, bool sense) {
    begin(made);
    struct writer w = open_writer(made, 4096);
    put_text(&w, test_random_below(&seed, 2) ? "\xC2\xA1" : "");
    for (size_t n = 1 + test_random_below(&seed, 4); n > 0; n--)
        put_chunk(&w, &seed);
    struct taco_note *note = allocate(made, 1, sizeof *note);
    *note = (struct taco_note){.kind = TACO_NOTE_FINAL_PUNCTUATION, .text = "."};
    made->text.notes = note;
    made->text.n_notes = (uint32_t)test_random_below(&seed, 2);
    fill_result(made, &seed, sense);
}

void made_result_plain(struct made_result *made) {
    begin(made);
    struct writer w = open_writer(made, 64);
    uint64_t seed = 1;
    w.chunks[0] = (struct taco_chunk){.span = here(&w)};
    put_word(&w, "Hi", 2, &seed);
    put_text(&w, " & <");
    put_symbol(&w, SPACE, false, (struct taco_span){2, 3, 2, 3});
    put_word(&w, "you", 3, &seed);
    put_text(&w, ">.");
    put_symbol(&w, STOP, false, (struct taco_span){10, 11, 10, 11});
    made->text.n_chunks = 1;
    w.chunks[0].n_symbols = made->text.n_symbols;
    w.chunks[0].n_words = made->text.n_words;
    end_span(&w, &w.chunks[0].span);
    fill_result(made, &seed, true);

    struct taco_chunk_result *chunk = allocate(made, 1, sizeof *chunk);
    *chunk = made->result.chunks[0];
    static const uint32_t durations[] = {10, 10, 10, 10, 10, 10, 10};
    float *alignment = allocate(made, 70 * 7, sizeof *alignment);
    float *gate = allocate(made, 70, sizeof *gate);
    float *mel = allocate(made, 70 * N_MELS, sizeof *mel);
    for (int i = 0; i < 70 * N_MELS; i++)
        mel[i] = (float)(i % N_MELS);
    gate[69] = 0.75f;
    test_alignment_fill(alignment, 7, durations, 1);
    chunk->alignment = alignment;
    chunk->gate = gate;
    chunk->mel = mel;
    chunk->n_steps = chunk->n_frames = 70;
    chunk->n_samples = made->result.n_samples = 70 * HOP;
    diagnose(chunk, made->text.symbols);
    made->result.chunks = chunk;
    made->result.samples = allocate(made, made->result.n_samples, sizeof(float));
    fill_times(made);
    taco_diagnostics_join(chunk, 1, &made->result.diagnostics);
}

void made_result_free(struct made_result *made) {
    taco_arena_free(&made->arena);
}
