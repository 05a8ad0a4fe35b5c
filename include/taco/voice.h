/* A voice: the weights, settings and symbols of one exported Tacotron 2.
 *
 * The file is models/FORMAT.md's safetensors. Opening reads it, checks every tensor
 * against the config, and prepares (packs) the decoder's matrices for this CPU. The file is
 * not needed afterwards: it may be overwritten or removed. An open voice is const: any number of threads and engines may use it without locks. It must
 * outlive every job and result that uses it, and every engine that has used it and was
 * not told to forget it (taco_engine_forget). */
#ifndef TACO_VOICE_H
#define TACO_VOICE_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct taco_voice;

/* How the decoder's matrices are held in memory and multiplied. */
enum taco_precision {
    TACO_PRECISION_AUTO, /* what the voice names, else INT8; F32 where there are no vector
                            instructions */
    TACO_PRECISION_F32,
    TACO_PRECISION_BF16,
    TACO_PRECISION_INT8
};

struct taco_voice_options {
    enum taco_precision precision; /* default TACO_PRECISION_AUTO */
    /* A file of pronunciations that go before the front end's own, or NULL (default):
     * lines "WORD PH PH PH" of ARPAbet phones, comments from '#' or ";;;" on. */
    const char *lexicon;
    /* How linear magnitudes are made of mels: NULL (default): by the voice's own inverter
     * where it has one, else by solving the equations of the mel basis; "none": by the
     * equations; or the path of an inverter file (models/FORMAT.md). */
    const char *inverter;
    const struct taco_cancel *cancel; /* asked while the voice is opened; NULL (default):
                                         never */
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

/* One of a voice's attentions. Strings are static or the voice's. */
struct taco_attention_info {
    const char *name;    /* what a request chooses it by */
    const char *type;    /* models/FORMAT.md's: "location", "dot", ... */
    const char *summary; /* one line: by what it looks, and what it is known for */
    int n_heads;         /* 0: its weights are one matrix */
    bool has_energies;   /* false: there is no temperature */
};

/* Facts about an open voice. Every pointer is owned by the voice. Strings are never
 * NULL; what the file does not say is "". */
struct taco_voice_info {
    const char *name; /* as in the file: [A-Za-z0-9][A-Za-z0-9._-]{0,63} */
    const char *description;
    const char *language; /* BCP 47, "en-US" */
    const char *licence;
    const char *source;    /* where the checkpoint came from */
    const char *front_end; /* "characters", "arpabet" or "ipa" */
    const char *attention; /* type of the default attention: "location", ... */
    const char *graph;     /* one line for a person */
    const char *stored;    /* tensor type in the file: "f32", "f16", "bf16" or "mixed" */
    const char *isa;       /* kernels chosen for this CPU: "avx512", ... */
    enum taco_precision precision; /* in use; never TACO_PRECISION_AUTO */
    uint64_t n_parameters;
    uint64_t file_bytes;
    int sample_rate;                   /* Hz */
    int n_fft, win_length, hop_length; /* samples */
    int n_mels;
    float fmin, fmax;      /* Hz */
    const char *inversion; /* from mels to magnitudes: "equations" or "network" */
    int n_frames_per_step; /* mel frames a decoder step makes */
    int n_symbols;
    const char *const *symbols;                   /* [n_symbols], index is the id */
    int n_attentions;                             /* >= 1 */
    const struct taco_attention_info *attentions; /* [n_attentions], the default first */
    int n_speakers;                               /* 1 for a single-speaker voice */
    const char *const *speakers; /* [n_speakers] names, or NULL: a single speaker */
};

TACO_API struct taco_voice_options taco_voice_options_default(void);

/* Opens the voice in the file at path. On success *voice is owned by the caller, who
 * ends it with taco_voice_close. On failure *voice is NULL.
 * TACO_ERR_NOT_FOUND, _IO: the file; _FORMAT: not a voice, or damaged; _VERSION; _SHAPE:
 * a tensor is missing or does not fit (err->param is its name); _UNSUPPORTED: a graph or
 * a precision that this build does not run; _NO_MEMORY. Of the lexicon (err->param is
 * "lexicon"): TACO_ERR_NOT_FOUND, _IO, _FORMAT (err->offset: the line), _UNSUPPORTED: the
 * voice has no ARPAbet phones. Of the inverter (err->param is "inverter"): the same statuses,
 * _UNSUPPORTED: it was trained for other mels than the voice's. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_voice_open(struct taco_voice **voice, const char *path,
                const struct taco_voice_options *options /* NULL: defaults */,
                struct taco_error *err);

/* Opens an installed voice by its name, "heart"; NULL: the default, which is heart. It is
 * NAME.safetensors in one of these directories, the first that has it: those of TACO_VOICES
 * in the environment, separated by colons; share/tacod/voices of the prefix that the library
 * or program with this code is installed in; /usr/local/share/tacod/voices;
 * /usr/share/tacod/voices. TACO_ERR_NOT_FOUND: the message names the voices that there are;
 * TACO_ERR_INVALID_ARGUMENT (name): not a voice's name; and as above. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_voice_open_installed(struct taco_voice **voice, const char *name,
                          const struct taco_voice_options *options,
                          struct taco_error *err);

/* The same from memory: bytes [size], 64-byte aligned, borrowed until the voice is
 * closed. TACO_ERR_INVALID_ARGUMENT for a NULL or misaligned pointer, and as above. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_voice_open_memory(struct taco_voice **voice, const void *bytes, size_t size,
                       const struct taco_voice_options *options, struct taco_error *err);

/* Ends a voice. NULL is allowed. */
TACO_API void taco_voice_close(struct taco_voice *voice);

/* Never NULL; valid until the voice is closed. */
TACO_API const struct taco_voice_info *taco_voice_info(const struct taco_voice *voice);

/* Self-test: speaks a sentence and looks whether every output is finite, and whether each
 * symbol that the front end can produce is in the voice's table and the other way round.
 * Writes a report of lines for a person to *report, freed by the caller with taco_free.
 * TACO_OK when all is well; TACO_ERR_FORMAT when something is not (the report says what);
 * TACO_ERR_NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_voice_check(const struct taco_voice *voice, char **report, struct taco_error *err);

/* "f32", "bf16", "int8", "auto". */
TACO_API const char *taco_precision_name(enum taco_precision precision);
/* The inverse; TACO_ERR_INVALID_ARGUMENT for another name. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_precision_parse(const char *name, enum taco_precision *precision,
                     struct taco_error *err);

#ifdef __cplusplus
}
#endif
#endif
