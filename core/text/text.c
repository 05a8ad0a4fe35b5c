#include <taco/text.h>

#include "base/memory.h"

struct taco_text_options taco_text_options_default(void) {
    return (struct taco_text_options){
        .final_punctuation = true,
        .normalise = true,
        .sentence_pause = 0.2F,
        .paragraph_pause = 0.6F,
        .max_symbols = 180,
        .max_bytes = 1 << 20,
    };
}

/* The struct and all that it points to are one allocation (builder.c). */
void taco_text_destroy(struct taco_text *text) {
    taco_free(text);
}

const char *taco_input_name(enum taco_input input) {
    static const char *const names[] = {"text", "html", "markdown", "ssml", "auto"};
    return (size_t)input < sizeof names / sizeof *names ? names[input] : "unknown";
}

const char *taco_note_kind_name(enum taco_note_kind kind) {
    switch (kind) {
    case TACO_NOTE_DROPPED:
        return "dropped_characters";
    case TACO_NOTE_REPLACED:
        return "replaced_characters";
    case TACO_NOTE_FINAL_PUNCTUATION:
        return "final_punctuation_added";
    case TACO_NOTE_SPLIT:
        return "sentence_split";
    case TACO_NOTE_IGNORED:
        return "markup_ignored";
    }
    return "unknown";
}
