/* Where the first sentence ends of a text that is still being written.
 *
 * What follows may move an end: "He came at 5 p.m. " ends a sentence before "Then" and none
 * before "Monday". So the text is read with several words behind it. An end that they all
 * agree on is certain; one that depends on more than how the next word begins waits for that
 * whole word. */
#include "text/front_end.h"

#include "base/error.h"
#include "base/memory.h"
#include "text/analysis.h"
#include <string.h>

/* What may go on: a word that is small, one that is not, a number. */
static const char continuations[] = {'a', 'A', '1'};

static void free_reading(struct taco_analysis *a) {
    taco_tokens_free(&a->tokens);
    taco_code_points_free(&a->code_points);
    taco_builder_free(&a->builder);
}

/* The first steps of taco_front_end_analyse. Whatever comes back, a is ended with
 * free_reading. */
static enum taco_status read_text(struct taco_analysis *a, const char *text,
                                  size_t length) {
    struct taco_token_rules rules = {a->front_end->english,
                                     taco_analysis_is_pronunciation, a};
    enum taco_status status =
        taco_builder_init(&a->builder, text, (uint32_t)length, a->err);
    if (status == TACO_OK)
        status = taco_front_end_read_plain(a->front_end, text, length, &a->builder,
                                           &a->code_points, a->err);
    if (status == TACO_OK)
        status = taco_tokens_read(&a->tokens, &a->code_points, &rules, a->err);
    if (status == TACO_OK)
        taco_sentences_mark(&a->tokens, &a->code_points);
    return status;
}

/* Does the token's end need nothing but how the next word begins: a full stop or its like, and
 * white space behind it? */
static bool ends_plainly(const struct taco_analysis *a, uint32_t i) {
    const struct taco_token *token = &a->tokens.at[i];
    uint32_t from =
        token->kind == TACO_TOKEN_PUNCTUATION ? token->begin : token->core_end;
    bool stops = false;
    for (uint32_t k = from; k < token->end; k++)
        stops = stops || taco_cp_is_stop(a->code_points.at[k].cp);
    return stops && !token->abbreviation && !token[1].glued;
}

/* Where the first sentence of the text ends, in bytes; 0: not known. */
static size_t first_end(const struct taco_analysis *a) {
    const struct taco_tokens *tokens = &a->tokens;
    for (uint32_t i = 0; i + 1 < tokens->n; i++) {
        if (tokens->at[i].ends == TACO_END_NONE)
            continue;
        bool next_is_whole = i + 2 < tokens->n && !tokens->at[i + 2].glued;
        bool certain = tokens->at[i].ends == TACO_END_PARAGRAPH || next_is_whole ||
                       ends_plainly(a, i);
        return certain ? a->code_points.at[tokens->at[i].end - 1].end : 0;
    }
    return 0;
}

/* Is there an empty line before the first word of text [length]? copy [length + 1] is
 * scratch. */
static enum taco_status find_gap(const struct taco_analysis *blank, const char *text,
                                 size_t length, char *copy, bool *paragraph) {
    /* White space at a text's start is dropped, so a word is put before it. */
    copy[0] = 'a';
    memcpy(copy + 1, text, length);
    struct taco_analysis a = *blank;
    enum taco_status status = read_text(&a, copy, length + 1);
    *paragraph = status == TACO_OK && a.code_points.n > 1 &&
                 a.code_points.at[1].cp == TACO_CP_PARAGRAPH;
    free_reading(&a);
    return status;
}

enum taco_status taco_front_end_first_sentence(const struct taco_front_end *fe,
                                               const char *text, size_t length,
                                               struct taco_sentence *out,
                                               struct taco_error *err) {
    *out = (struct taco_sentence){0};
    if (length > TACO_FIRST_SENTENCE_BYTES)
        return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                              "%zu bytes are too many to look for a sentence in: at most "
                              "%d",
                              length, TACO_FIRST_SENTENCE_BYTES);
    const struct taco_text_options options = taco_text_options_default();
    const struct taco_analysis blank = {.front_end = fe, .options = &options, .err = err};
    struct taco_error why = TACO_ERROR_INIT;
    enum taco_status status = taco_code_points_check(text, length, &why);
    if (status == TACO_ERR_EMPTY_TEXT)
        return TACO_OK;
    if (status != TACO_OK)
        return taco_error_set_at(err, status, "text", why.offset, "%s", why.message);
    char *copy = taco_malloc(length + 1);
    if (!copy)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a text");
    status = find_gap(&blank, text, length, copy, &out->paragraph);
    for (size_t i = 0; i < sizeof continuations && !status; i++) {
        memcpy(copy, text, length);
        copy[length] = continuations[i];
        struct taco_analysis a = blank;
        status = read_text(&a, copy, length + 1);
        size_t end = status == TACO_OK ? first_end(&a) : 0;
        free_reading(&a);
        if (i > 0 && end != out->end)
            end = 0;
        out->end = end < length ? end : 0;
        if (out->end == 0)
            break;
    }
    taco_free(copy);
    return status;
}
