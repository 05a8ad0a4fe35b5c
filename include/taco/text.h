/* What became of a text: chunks (sentences), words, symbols, and notes on every change.
 *
 * All of it is const and owned by the struct taco_text, which a result owns in turn.
 * Spans are half-open ranges of bytes in the caller's UTF-8 text; the _cp twins count
 * Unicode code points. They always start and end on a character's border. */
#ifndef TACO_TEXT_H
#define TACO_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/status.h>
#include <taco/voice.h>

#ifdef __cplusplus
extern "C" {
#endif

struct taco_span {
    uint32_t begin, end;       /* bytes */
    uint32_t begin_cp, end_cp; /* code points */
};

#define TACO_NO_WORD UINT32_MAX

/* One input of the encoder. */
struct taco_symbol {
    int32_t id;            /* row of the embedding, 0 <= id < n_symbols of the voice */
    uint32_t word;         /* index into words, TACO_NO_WORD for spaces and punctuation */
    uint32_t spoken;       /* index into spoken, or TACO_NO_WORD */
    struct taco_span span; /* source; empty (begin == end) where we inserted the symbol */
};

/* One word of the source text: "$25.50", "Mr.", "can't", "{HH AH0 L OW1}". */
struct taco_word {
    struct taco_span span;            /* without surrounding punctuation */
    uint32_t first_symbol, n_symbols; /* n_symbols 0: nothing of it is spoken */
    uint32_t first_spoken, n_spoken;
    /* What read it: a kind of the grammar (core/text/README.md: "money", "date", ...),
     * "abbreviation", "lexicon", "phones", "letters", "mixed" or "word". Static. */
    const char *rule;
};

/* One word as it is spoken: "$25.50" has four: twenty, five, dollars, fifty (and cents). */
struct taco_spoken_word {
    const char *text; /* lower-case UTF-8 */
    uint32_t word;    /* index into words */
    uint32_t first_symbol, n_symbols;
};

/* One sentence (or part of an over-long one): one row of the decoder. */
struct taco_chunk {
    struct taco_span span;
    uint32_t first_symbol, n_symbols; /* n_symbols >= 1 */
    uint32_t first_word, n_words;
    float pause; /* silence after it, seconds; after the last 0 unless markup asks */
    float speed, volume; /* factors on those of the request: 1 unless markup asks */
};

enum taco_note_kind {
    TACO_NOTE_DROPPED,           /* characters that cannot be spoken were left out */
    TACO_NOTE_REPLACED,          /* characters were written as others (transliterated) */
    TACO_NOTE_FINAL_PUNCTUATION, /* a sentence had none and was given a full stop */
    TACO_NOTE_SPLIT,             /* an over-long sentence was cut here */
    TACO_NOTE_IGNORED /* markup that has no effect; the text names what it asks for:
                                    "pitch", "emphasis" */
};

struct taco_note {
    enum taco_note_kind kind;
    struct taco_span span;
    const char *text; /* what was put there instead; "" if nothing */
};

/* What the text is written in. Spans are those of the source in any case. */
enum taco_input {
    TACO_INPUT_TEXT,
    TACO_INPUT_HTML,     /* tags out, entities as characters, blocks as paragraphs */
    TACO_INPUT_MARKDOWN, /* headings, lists, tables; links by their text */
    TACO_INPUT_SSML,     /* speak, p, s, break, sub, phoneme, say-as, emphasis, mark */
    TACO_INPUT_AUTO /* SSML, HTML or Markdown where that is beyond doubt, else text */
};

/* A mark element of SSML. */
struct taco_mark {
    const char *name;
    struct taco_span span; /* where it stands: empty */
    uint32_t word;         /* the word that follows; n_words: none */
    bool
        before_silence; /* it lies before the silence in front of that word, not behind */
};

struct taco_text {
    const char *source; /* the caller's text, copied [source_length], NUL added */
    uint32_t source_length;
    enum taco_input input; /* what it was read as; never TACO_INPUT_AUTO */
    float
        lead; /* silence before the first chunk, seconds: 0 unless markup asks. Without a
                   chunk it is all that is heard: what markup asks for, or 0.2 */
    uint32_t n_chunks, n_words, n_spoken, n_symbols, n_notes, n_marks;
    const struct taco_chunk *chunks;       /* [n_chunks], in order, n_chunks >= 1 unless
                                              options allow silence */
    const struct taco_word *words;         /* [n_words], in order */
    const struct taco_spoken_word *spoken; /* [n_spoken], in order */
    const struct taco_symbol *symbols;     /* [n_symbols], chunk after chunk */
    const struct taco_note *notes;         /* [n_notes], in order of span */
    const struct taco_mark *marks;         /* [n_marks], in order */
};

struct taco_text_options {
    bool final_punctuation; /* give sentences a final full stop; default true */
    float sentence_pause;   /* seconds between sentences, 0 to 10; default 0.2 */
    float paragraph_pause;  /* seconds at an empty line, 0 to 10; default 0.6 */
    uint32_t max_symbols;   /* longest chunk, 20 to 2000; longer ones are cut at clauses,
                               then words, never inside a word; default 180 */
    uint32_t max_bytes;     /* longest text, 1 to 64 MiB; default 1 MiB */
    /* Words and how they are spoken, ahead of the voice's lexicon; NULL (default): none. One
     * a line: "gnocchi = N Y AO1 K IY0", phones, or "W3C = world wide web consortium", other
     * words. A '#' begins a comment. At most 64 KiB and 1,000 words. Borrowed. */
    const char *lexicon;
    bool normalise;     /* read numbers, dates, abbreviations and their like as a person
                               does; false: word by word, digits as plain numbers. Default
                               true */
    bool allow_silence; /* a text without a word has no chunks, and notes what was
                               dropped; false: TACO_ERR_NOTHING_TO_SPEAK. Default false */
    bool strict;        /* braces that do not hold phones of the voice are
                               TACO_ERR_UNKNOWN_PHONE; false: they are read as text. A job
                               sets it if its request is strict. Default false */
    enum taco_input input; /* default TACO_INPUT_TEXT */
    /* Asked for every sentence; a job sets its own. NULL (default): never. */
    const struct taco_cancel *cancel;
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

TACO_API struct taco_text_options taco_text_options_default(void);

/* Analyses UTF-8 text [length] with the voice's front end. Thread-safe. *out is owned by
 * the caller, who ends it with taco_text_destroy.
 * TACO_ERR_INVALID_ARGUMENT: an option out of range (err->param; of the lexicon err->offset is
 * the line); _UNSUPPORTED: the voice has no use for a lexicon, or SSML asks for
 * what there is not (err->offset); _EMPTY_TEXT;
 * _NOTHING_TO_SPEAK; _INVALID_UTF8 (err->offset is the byte); _UNKNOWN_PHONE (err->offset; options->strict or a phoneme element);
 * _TEXT_TOO_LONG; _CANCELLED; _NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_text_analyse(const struct taco_voice *voice, const char *text, size_t length,
                  const struct taco_text_options *options /* NULL: defaults */,
                  struct taco_text **out, struct taco_error *err);

/* The longest text that taco_text_first_sentence looks at. */
#define TACO_FIRST_SENTENCE_BYTES 16384

struct taco_sentence {
    size_t end;     /* behind its last byte; 0: its end is not certain yet */
    bool paragraph; /* an empty line stands before its first word */
};

/* Finds the first sentence of plain text [length] that is still being written, if its end is
 * certain: whatever word follows, taco_text_analyse will cut there. (A lone punctuation mark that
 * follows may still belong to it.) A full stop is certain once white space and, where it
 * matters, the next letter or word has come. The text ends between two characters.
 * Thread-safe.
 * TACO_ERR_INVALID_UTF8 (err->offset is the byte); _TEXT_TOO_LONG: more than
 * TACO_FIRST_SENTENCE_BYTES; _NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_text_first_sentence(const struct taco_voice *voice, const char *text, size_t length,
                         struct taco_sentence *sentence, struct taco_error *err);

/* NULL is allowed. */
TACO_API void taco_text_destroy(struct taco_text *text);

/* "text", "html", "markdown", "ssml", "auto". */
TACO_API const char *taco_input_name(enum taco_input input);

/* "dropped_characters", "replaced_characters", "final_punctuation_added", "sentence_split",
 * "markup_ignored". */
TACO_API const char *taco_note_kind_name(enum taco_note_kind kind);

#ifdef __cplusplus
}
#endif
#endif
