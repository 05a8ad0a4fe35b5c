/* Marked-up text: HTML, Markdown and SSML as plain text, with the way back to the source.
 *
 * What a reader makes is plain UTF-8 that the analysis takes like any text: paragraphs are
 * separated by empty lines, pronunciations stand in braces. Runs say which bytes of the
 * source each part came from. */
#ifndef TACO_TEXT_MARKUP_H
#define TACO_TEXT_MARKUP_H

#include "text/vector.h"
#include <taco/text.h>

/* Output from out on, up to the next run's. */
struct taco_markup_run {
    uint32_t out;
    uint32_t begin, end; /* bytes of the source */
    bool verbatim;       /* the bytes are the source's from begin on */
};

/* Where a sentence ends because the markup says so, and the silence there. */
enum taco_markup_pause_kind {
    TACO_MARKUP_CUT,      /* inside a sentence: none */
    TACO_MARKUP_SENTENCE, /* that of sentences */
    TACO_MARKUP_BREAK     /* as long as it says */
};

struct taco_markup_pause {
    uint32_t at;  /* byte of the source behind which it stands */
    uint32_t out; /* the text's length behind it */
    enum taco_markup_pause_kind kind;
    float seconds; /* of a break */
};

/* From a byte of the source on, chunks have this speed and volume, factors. */
struct taco_markup_prosody {
    uint32_t at;
    float speed, volume;
};

struct taco_markup_mark {
    uint32_t at;   /* byte of the source */
    uint32_t name; /* where it begins in the names, a NUL behind it */
};

/* What the markup asks for and nobody does: "pitch". */
struct taco_markup_note {
    uint32_t begin, end; /* bytes of the source */
    const char *text;    /* static */
};

struct taco_markup {
    /* Set by the caller, as far as they matter. */
    const char *language; /* BCP 47 of the voice; NULL: any */
    bool english;         /* it is English */
    bool ipa;             /* phones are IPA, not ARPAbet */
    const struct taco_cancel *cancel;

    const char *source; /* borrowed */
    struct taco_string text;
    struct taco_markup_run *runs;          /* [n_runs] */
    struct taco_markup_pause *pauses;      /* [n_pauses], in order */
    struct taco_markup_prosody *prosodies; /* [n_prosodies], in order */
    struct taco_markup_mark *marks;        /* [n_marks], in order */
    struct taco_markup_note *notes;        /* [n_notes], in order */
    struct taco_string names;
    uint32_t n_runs, cap_runs, n_pauses, cap_pauses;
    uint32_t n_prosodies, cap_prosodies, n_marks, cap_marks, n_notes, cap_notes;
    uint32_t n_added; /* pieces of text, to look at cancel now and then */
    bool cancelled;
    bool no_comment_end; /* no "-->" stands from here on */
};

/* What source [length] is beyond doubt: SSML or HTML if it begins as a document of these
 * does, Markdown if it holds what nobody would want to hear: "**word**", "[text](http...)",
 * a heading, a fence, a table, a list. Otherwise TACO_INPUT_TEXT. Linear. */
enum taco_input taco_markup_detect(const char *source, uint32_t length);

/* Reads source [length], which is UTF-8. markup starts zeroed but for what the caller sets,
 * and is ended with taco_markup_free, whatever comes back. input is not TACO_INPUT_AUTO. HTML
 * and Markdown are read as far as they can be.
 * TACO_ERR_INVALID_ARGUMENT, _UNSUPPORTED (err->offset: byte): SSML that is not well formed
 * or asks for what there is not. TACO_ERR_CANCELLED, _NO_MEMORY. */
enum taco_status taco_markup_read(struct taco_markup *markup, enum taco_input input,
                                  const char *source, uint32_t length,
                                  struct taco_error *err);
void taco_markup_free(struct taco_markup *markup);

/* Bytes of the source that output bytes [begin, end) came from. */
void taco_markup_span(const struct taco_markup *markup, uint32_t begin, uint32_t end,
                      uint32_t *source_begin, uint32_t *source_end);

/* -- for the readers: false when memory is exhausted, or nobody waits any more ------------ */

/* Source bytes [begin, begin + n) as they are. */
bool taco_markup_copy(struct taco_markup *markup, const char *source, uint32_t begin,
                      uint32_t n);
/* text [n] in the place of source bytes [begin, end). */
bool taco_markup_add(struct taco_markup *markup, const char *text, size_t n,
                     uint32_t begin, uint32_t end);
/* A space, unless there is white space already; an empty line, unless there is one. */
bool taco_markup_space(struct taco_markup *markup, uint32_t at);
bool taco_markup_paragraph(struct taco_markup *markup, uint32_t at);
/* An empty line that lasts so long; of several at a place the kind that says most counts, and
 * of breaks the longest. */
bool taco_markup_pause(struct taco_markup *markup, uint32_t at,
                       enum taco_markup_pause_kind kind, float seconds);
/* The end of a chunk, unless there is one: of a sentence, if the text has come to the end of
 * one, or inside it. */
bool taco_markup_cut(struct taco_markup *markup, uint32_t at);
bool taco_markup_add_prosody(struct taco_markup *markup, uint32_t at, float speed,
                             float volume);
bool taco_markup_add_mark(struct taco_markup *markup, uint32_t at, const char *name);
/* text is static. */
bool taco_markup_add_note(struct taco_markup *markup, uint32_t begin, uint32_t end,
                          const char *text);
/* Reads the entity at source[at] == '&', "&amp;", "&#233;"; adds its character. *used:
 * bytes read, 1 if it is none and the ampersand is added. */
bool taco_markup_entity(struct taco_markup *markup, const char *source, uint32_t at,
                        uint32_t length, uint32_t *used);
/* Reads a tag, comment or declaration of HTML at source[at] == '<'; *used: its bytes, 0 if
 * it is none. What it hides (scripts, styles) is passed over with it. */
bool taco_markup_tag(struct taco_markup *markup, const char *source, uint32_t at,
                     uint32_t length, uint32_t *used);

/* Why a reader came back with false. */
enum taco_status taco_markup_failed(const struct taco_markup *markup,
                                    struct taco_error *err);

bool taco_markup_html(struct taco_markup *markup, const char *source, uint32_t length);
bool taco_markup_markdown(struct taco_markup *markup, const char *source,
                          uint32_t length);
enum taco_status taco_markup_ssml(struct taco_markup *markup, const char *source,
                                  uint32_t length, struct taco_error *err);

#endif
