/* Words of the source: what white space separates, without the punctuation around it. */
#ifndef TACO_TEXT_TOKENS_H
#define TACO_TEXT_TOKENS_H

#include "text/abbreviations.h"
#include "text/code_points.h"

/* Longer ones are cut, so that no word is too much for a front end. */
#define TACO_TOKEN_MAX 64

enum taco_token_kind {
    TACO_TOKEN_WORD,
    TACO_TOKEN_PUNCTUATION, /* punctuation alone: "--", "...", ")" */
    TACO_TOKEN_PHONES       /* {HH AH0 L OW1} */
};

/* How a token ends: what comes behind it. */
enum taco_token_end {
    TACO_END_NONE,
    TACO_END_SENTENCE,
    TACO_END_PARAGRAPH /* an empty line, or the text's end */
};

/* Code point indices: begin <= core <= core_end <= end. */
struct taco_token {
    uint32_t begin;    /* first of the punctuation before the word: quotes, brackets */
    uint32_t core;     /* the word; for SIGNS core == core_end == end */
    uint32_t core_end; /* with the full stop of an abbreviation */
    uint32_t end;      /* behind the punctuation after the word */
    uint8_t kind;      /* enum taco_token_kind */
    uint8_t ends;      /* enum taco_token_end, set by taco_sentences_mark */
    bool glued;        /* no white space before it */
    bool line;         /* the first of its line (and not of the text) */
    /* Set if the core ends with a full stop of its own. */
    const struct taco_abbreviation *abbreviation;
};

struct taco_tokens {
    struct taco_token *at; /* [n] */
    uint32_t n, capacity;
};

struct taco_token_rules {
    bool english; /* knows abbreviations, and cuts words at clause punctuation without a
                   * space */
    /* Do the code points [begin, end) between two braces make a pronunciation? If not, the
     * braces are punctuation. */
    bool (*is_pronunciation)(const void *user, uint32_t begin, uint32_t end);
    const void *user;
};

/* tokens starts zeroed and is ended with taco_tokens_free, whatever comes back: TACO_OK or
 * TACO_ERR_NO_MEMORY. */
enum taco_status taco_tokens_read(struct taco_tokens *tokens,
                                  const struct taco_code_points *code_points,
                                  const struct taco_token_rules *rules,
                                  struct taco_error *err);
void taco_tokens_free(struct taco_tokens *tokens);

/* Sets ends of every token: sentences and paragraphs. */
void taco_sentences_mark(struct taco_tokens *tokens,
                         const struct taco_code_points *code_points);

/* A full stop, a question mark, an exclamation mark, of any script. */
bool taco_cp_is_stop(uint32_t cp);

/* Is token i the number of a footnote, which nobody reads out: "It ended.[4]", "The end.1",
 * "so they say[12]"? */
bool taco_token_is_footnote(const struct taco_tokens *tokens,
                            const struct taco_code_points *code_points, uint32_t i);

/* The ASCII code points [begin, end) as a string in out [size], '\1' for every other one; cut
 * to size. Returns the length. */
uint32_t taco_code_points_copy(const struct taco_code_points *code_points, uint32_t begin,
                               uint32_t end, char *out, uint32_t size);

#endif
