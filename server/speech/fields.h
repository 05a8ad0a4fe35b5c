/* The fields of a request for speech, and what they set.
 *
 * One table serves JSON bodies, forms, queries and the command line. A field's type, range,
 * default and description are written there and nowhere else: the parser's errors, the help
 * of tacod say, the tables of API.md and the schemas of openapi.json come from it. */
#ifndef TACO_SERVER_FIELDS_H
#define TACO_SERVER_FIELDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <taco/audio.h>
#include <taco/request.h>
#include <taco/result.h>

#include "speech/value.h"

/* Where a field may stand. */
enum taco_field_use {
    TACO_FIELD_SPEECH = 1 << 0,    /* a request for speech over HTTP */
    TACO_FIELD_AUDIO = 1 << 1,     /* a request for the audio of a cached result */
    TACO_FIELD_ALIGNMENT = 1 << 2, /* ... for its alignment as JSON */
    TACO_FIELD_SAY = 1 << 3,       /* tacod say */
    TACO_FIELD_BATCH = 1 << 4,     /* tacod batch, and the lines of its list */
    TACO_FIELD_READING = 1 << 5,   /* a request for how a text is read */
    TACO_FIELD_SHOW = 1 << 6       /* tacod text */
};

enum taco_field_kind {
    TACO_FIELD_TEXT,
    TACO_FIELD_STRING,
    TACO_FIELD_NAME_OR_NUMBER,
    TACO_FIELD_SEED,
    TACO_FIELD_INTEGER,
    TACO_FIELD_FLOAT,
    TACO_FIELD_DOUBLE,
    TACO_FIELD_BOOLEAN,
    TACO_FIELD_STREAM, /* a boolean, or "sse" */
    TACO_FIELD_FORMAT,
    TACO_FIELD_PHASE,
    TACO_FIELD_LEXICON, /* an object of strings in JSON, lines elsewhere */
    TACO_FIELD_MATRIX,
    TACO_FIELD_INPUT
};

struct taco_field {
    const char *name;    /* "sentence_pause" */
    const char *metavar; /* "SECONDS"; NULL for a boolean, a switch of the command line */
    const char *help;    /* one sentence, without range and default */
    enum taco_field_kind kind;
    unsigned uses;        /* enum taco_field_use, or-ed */
    size_t offset;        /* in struct taco_speech */
    double min, max;      /* of numbers */
    const char *fallback; /* the default: a value, or what decides; NULL: required */
    const char *choices;  /* "wav|flac", of what takes one of several names; else NULL */
};

struct taco_speech {
    struct taco_request request; /* its text points to text below */
    char *text;      /* [request.text_length] and a NUL; NULL: none was given */
    char *voice;     /* NULL: the default one */
    char *speaker;   /* name or number; NULL: the first */
    char *attention; /* name; NULL: the voice's default */
    char *lexicon;   /* the request's text_options point to it; NULL: none */
    struct taco_audio_options audio;
    bool has_format; /* false: the Accept header or the file name's extension decides */
    enum taco_matrix_encoding matrix;
    bool events;    /* stream is "sse" */
    uint64_t given; /* bit i: field i has been set */
};

/* All fields, ended by one whose name is NULL. */
extern const struct taco_field taco_fields[];

/* The field of that name [length] that may stand there, or NULL. */
const struct taco_field *taco_field_find(const char *name, size_t length, unsigned use);

/* The field's help with its range, choices and default, to out [size]. */
void taco_field_describe(const struct taco_field *field, char *out, size_t size);

void taco_speech_init(struct taco_speech *speech);
void taco_speech_free(struct taco_speech *speech);

/* Whether the field has been set. */
bool taco_speech_has(const struct taco_speech *speech, const struct taco_field *field);

/* Sets a field. The result is an error code: TACO_CODE_DUPLICATE_PARAMETER, _WRONG_TYPE,
 * TACO_ERR_INVALID_ARGUMENT (out of range, or a name that is no choice),
 * TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK int taco_speech_set(struct taco_speech *speech,
                                    const struct taco_field *field,
                                    const struct taco_value *value,
                                    struct taco_error *err);

/* Checks what does not need the text's analysis, and finds speaker and attention in
 * the voice: TACO_ERR_INVALID_ARGUMENT, TACO_CODE_UNKNOWN_SPEAKER,
 * TACO_CODE_UNKNOWN_ATTENTION. */
TACO_MUST_CHECK int taco_speech_check(struct taco_speech *speech,
                                      const struct taco_voice *voice,
                                      struct taco_error *err);

/* Whether the audio can be written in that format: TACO_ERR_INVALID_ARGUMENT,
 * _UNSUPPORTED. */
TACO_MUST_CHECK int taco_speech_check_audio(const struct taco_speech *speech,
                                            const struct taco_voice *voice,
                                            struct taco_error *err);

#endif
