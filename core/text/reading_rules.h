/* Between reading.c, which walks over the tokens, and the rules of reading_rules.c. */
#ifndef TACO_TEXT_READING_RULES_H
#define TACO_TEXT_READING_RULES_H

#include "text/ascii.h"
#include "text/reading.h"

/* The text from one token on, as the patterns see it: words with the signs behind them,
 * one space between. ASCII; signs beyond it stand as one of these. */
#define TACO_SIGN_MONEY "\x01"
#define TACO_SIGN_DEGREE "\x02"
#define TACO_SIGN_TIMES "\x03"
#define TACO_SIGN_OTHER "\x04"
#define TACO_SIGN_CENT "\x05"
#define TACO_SIGN_MICRO "\x06"
#define TACO_SIGN_OHM "\x07"

enum { TACO_WINDOW = 160, TACO_WINDOW_TOKENS = 8 };

struct taco_reader {
    struct taco_items *items;
    const struct taco_code_points *code_points;
    const struct taco_tokens *tokens;
    const struct taco_lexicon *lexicon;
    struct taco_builder *builder;
    uint32_t from, to;                /* the tokens being read */
    uint32_t token;                   /* the one at which the window begins */
    char window[TACO_WINDOW];         /* [length + 1] */
    uint32_t code_point[TACO_WINDOW]; /* of each byte */
    uint32_t token_of[TACO_WINDOW];   /* of each byte */
    bool ends_word[TACO_WINDOW];      /* a word ends before this byte */
    uint32_t length;
    char before[32]; /* the word before, lower case; "" if signs stand between or none is
                      */
    bool normalise;  /* the rules are applied */
    int depth;       /* of taco_reader_piece */
    bool no_memory;
};

/* Part of the window. */
struct taco_part {
    uint32_t begin, end;
};

/* Applies at `at` of the window the rule that reads most. Returns where what it read ends,
 * or 0 if none fits. */
uint32_t taco_rules_apply(struct taco_reader *reader, uint32_t at);

/* The rules, for tests and for the page of the grammar. */
struct taco_rule_info {
    const char *name, *pattern, *example, *spoken;
};

bool taco_rule_at(uint32_t i, struct taco_rule_info *info);

/* -- for the rules: each appends items ----------------------------------------------- */

/* text [n] read so, made from part. NULL when memory is exhausted (reader->no_memory). */
struct taco_item *taco_reader_add(struct taco_reader *reader, const char *text, size_t n,
                                  enum taco_reading reading, struct taco_part part);
/* The part's own text, commas left out for every reading of numbers. */
void taco_reader_part(struct taco_reader *reader, enum taco_reading reading,
                      struct taco_part part);
/* Words with single spaces between. */
void taco_reader_words(struct taco_reader *reader, const char *words,
                       struct taco_part part);
/* The part as if it stood alone: letters, digits and signs in turn. */
void taco_reader_mixed(struct taco_reader *reader, struct taco_part part);
/* A whole number, as a year, a quantity or digits by its form and place. */
void taco_reader_integer(struct taco_reader *reader, struct taco_part part);
/* Letters and apostrophes. */
void taco_reader_word(struct taco_reader *reader, struct taco_part part);
/* The part as the rules read it if it stood alone, else as taco_reader_mixed. */
void taco_reader_piece(struct taco_reader *reader, struct taco_part part);
/* Does an apostrophe stand right before `at`? */
bool taco_reader_quoted(const struct taco_reader *reader, uint32_t at);
/* Is a quotation that began with mark, '"' or '\'', open at the window's token? */
bool taco_reader_quote_open(const struct taco_reader *reader, uint32_t mark);
void taco_reader_pause(struct taco_reader *reader);
void taco_reader_plural(struct taco_reader *reader);

/* -- small things ------------------------------------------------------------------ */

/* What the patterns see for a sign; 0: itself, or TACO_SIGN_OTHER beyond ASCII. */
char taco_reading_window_sign(uint32_t cp);

/* "jan", "january", ... */
bool taco_is_month(const char *text);

/* What stands in the window for a letter beyond ASCII, which only a front end of
 * characters lets through. */
#define TACO_CHAR_FOREIGN '\x1F'

static inline bool taco_char_is_word(char c) {
    return taco_char_is_letter(c) || c == '\'' || c == TACO_CHAR_FOREIGN;
}

static inline uint32_t taco_reader_run(const struct taco_reader *r, uint32_t i,
                                       uint32_t end, bool (*is)(char)) {
    while (i < end && is(r->window[i]))
        i++;
    return i;
}

#endif
