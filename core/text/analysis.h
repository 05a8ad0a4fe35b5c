/* One text on its way through a front end. */
#ifndef TACO_TEXT_ANALYSIS_H
#define TACO_TEXT_ANALYSIS_H

#include "text/builder.h"
#include "text/code_points.h"
#include "text/flite.h"
#include "text/markup.h"
#include "text/reading.h"
#include "text/settings.h"
#include "text/tokens.h"

struct taco_analysis {
    const struct taco_front_end *front_end;
    const struct taco_text_options *options;
    struct taco_lexicon *own_lexicon;   /* of the options, before the front end's; NULL */
    const struct taco_lexicon *lexicon; /* where to look words up; NULL: nowhere */
    enum taco_input input;              /* the options', "auto" decided */
    struct taco_markup markup; /* of a text with markup, and the way back to it */
    struct taco_code_points code_points;
    struct taco_tokens tokens;
    struct taco_builder builder;
    /* Scratch of the front ends, kept from sentence to sentence. */
    struct taco_items items;
    struct taco_flite_result flite;
    struct taco_flite_token *flite_tokens;
    uint32_t cap_flite_tokens;
    struct taco_phone *phones; /* of pronunciations in braces */
    uint32_t n_phones, cap_phones;
    struct taco_string text;
    struct taco_error *err;
};

/* Makes chunks of all tokens: sentences, over-long ones in parts.
 * TACO_ERR_NOTHING_TO_SPEAK, and as above. */
enum taco_status taco_chunks_make(struct taco_analysis *a);

/* Reads plain text [length], which taco_code_points_check accepted, as the front end wants
 * it. As taco_code_points_read. */
enum taco_status taco_front_end_read_plain(const struct taco_front_end *front_end,
                                           const char *text, size_t length,
                                           struct taco_builder *builder,
                                           struct taco_code_points *code_points,
                                           struct taco_error *err);

/* -- helpers of the front ends ------------------------------------------------------- */

/* Bytes of the source behind code points [begin, end); empty, at begin's first byte (or behind
 * the last code point), if there are none. */
struct taco_span taco_analysis_span(const struct taco_analysis *a, uint32_t begin,
                                    uint32_t end);

/* Appends the phones in the braces of a token to a->phones. TACO_ERR_UNKNOWN_PHONE
 * (err->offset), _NO_MEMORY. */
enum taco_status taco_analysis_phones(struct taco_analysis *a,
                                      const struct taco_token *token);

/* Are the code points [begin, end) between two braces a pronunciation? They are if each name
 * is a phone of the voice; always if the options are strict, or if the braces are not the
 * writer's but made of markup. user: the analysis. */
bool taco_analysis_is_pronunciation(const void *user, uint32_t begin, uint32_t end);

/* The punctuation mark that a sentence's listener hears behind token i of [.., to): the first of the
 * front end's punctuation behind it, a comma for a dash; TACO_NO_SYMBOL if there is none.
 * *code point is where it stands. */
int32_t taco_analysis_punctuation(const struct taco_analysis *a, uint32_t i, uint32_t to,
                                  uint32_t *code_point);

/* How many of Flite's words from i on are one word to a person: "it" and "'s". */
uint32_t taco_word_joined(const struct taco_analysis *a, uint32_t i);

/* Writes their name to a->text: the source's own letters where Flite changed them only to
 * look them up ("dont"), lower case. False when memory is exhausted. */
bool taco_word_name(struct taco_analysis *a, uint32_t i, uint32_t n_joined);

enum taco_status taco_analysis_no_memory(struct taco_analysis *a);

#endif
