/* The voices that can be asked for by name. */
#ifndef TACO_SERVER_VOICES_H
#define TACO_SERVER_VOICES_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>
#include <taco/voice.h>

#include "voices/shared_voice.h"

struct taco_options;

struct taco_named_voice {
    char *name;
    struct taco_voice *voice; /* shared->voice */
    bool built_in;
    struct taco_shared_voice *shared; /* a reference */
};

struct taco_voices;

/* Opens the built-in voice, those of options->voices and those of options->voice, with the
 * lexicon where they have phones; a later one takes the place of an earlier one of the same
 * name only if that is the built-in one. Voices of the previous set (or NULL) whose files
 * have not changed are shared with it. The set has one reference; engine is told to forget
 * what is closed. TACO_ERR_INVALID_ARGUMENT: two voices of one name, or a default that is
 * none; TACO_ERR_NOT_FOUND, _IO: a folder; any status of taco_voice_open, with the file's
 * name in the message; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_voices_open(struct taco_voices **voices,
                                                  const struct taco_options *options,
                                                  struct taco_engine *engine,
                                                  const struct taco_voices *previous,
                                                  struct taco_error *err);

/* Thread-safe. A set is const. */
struct taco_voices *taco_voices_ref(struct taco_voices *voices);
void taco_voices_unref(struct taco_voices *voices); /* NULL is allowed */

/* name NULL: the default. NULL: there is none of that name. */
const struct taco_named_voice *taco_voices_find(const struct taco_voices *voices,
                                                const char *name);
/* In order of name; NULL behind the last. */
const struct taco_named_voice *taco_voices_at(const struct taco_voices *voices, size_t i);

/* The names, "a, b, c", cut at size. */
void taco_voices_list(const struct taco_voices *voices, char *out, size_t size);

/* One voice for the command line: NULL or the built-in voice's name, or else a file, with
 * the precision and lexicon of the options. Statuses of taco_voice_open. */
TACO_MUST_CHECK enum taco_status taco_voice_open_named(struct taco_voice **voice,
                                                       const char *name_or_path,
                                                       const struct taco_options *options,
                                                       struct taco_error *err);

#endif
