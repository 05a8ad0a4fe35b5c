/* What to say and how: the options of one request, with their ranges and defaults. */
#ifndef TACO_REQUEST_H
#define TACO_REQUEST_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>
#include <taco/text.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The largest seed: JSON and JavaScript hold integers up to here exactly. */
#define TACO_SEED_MAX ((1ULL << 53) - 1)

/* Where Griffin-Lim starts. */
enum taco_phase {
    TACO_PHASE_PGHI,  /* phase gradient heap integration: deterministic, the default */
    TACO_PHASE_RANDOM /* uniform random phase drawn from the seed */
};

struct taco_vocoder_options {
    enum taco_phase phase; /* default TACO_PHASE_PGHI */
    int n_iter;            /* Griffin-Lim iterations, 0 to 1000, streaming at
                              most 4 of them; default 16 */
    float momentum;        /* alpha of fast Griffin-Lim, 0 (plain) to 1; default 0.99 */
    float power;           /* magnitudes are raised to it, 0.5 to 3; default 1 */
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

struct taco_request {
    const char *text;   /* UTF-8 [text_length], borrowed until the job has been created */
    size_t text_length; /* bytes */
    int speaker;        /* 0 to n_speakers - 1; default 0 */
    int attention;     /* 0 to the voice's n_attentions - 1; default 0, the voice's own */
    float temperature; /* the attention's energies are divided by it, 0.05 to 20: above 1
                           it looks less sharply; default 1. Attentions without energies
                           (gmm) have none */
    /* The attention sees the symbols from window_back before the one most attended to at
       the step before (0 to 1000) up to, not including, window_forward behind it (1 to
       1000). window_forward 0 (default): the voice's own window, if it has one. */
    int window_back, window_forward;
    bool has_seed;        /* false: a seed is drawn and told in the result */
    uint64_t seed;        /* 0 to TACO_SEED_MAX */
    float speed;          /* 0.25 to 4: 2 halves the duration, pitch kept; default 1 */
    float volume;         /* factor on the samples, 0 to 4; default 1 */
    float gate_threshold; /* 0.01 to 0.99999; 0 (default): the voice's own */
    int max_frames;   /* a chunk's frame limit, 1 to 20000; 0 (default): grows with the
                         chunk's number of symbols */
    int max_attempts; /* 1 to 8: a chunk whose attention fails is decoded again with the
                         next seed; the third attempt and those after it see only 2
                         symbols back and 6 ahead, unless the request has a window. The
                         best one is kept; default 1 (never again) */
    bool strict;    /* TACO_ERR_ALIGNMENT rather than a bad result, TACO_ERR_UNKNOWN_PHONE
                         rather than braces read as text; default false */
    bool streaming; /* audio is delivered while decoding goes on; default false */
    double max_audio; /* seconds of audio that the text may give, pauses included: more
                         ends the job with TACO_ERR_TEXT_TOO_LONG; 0 (default): the
                         engine's limit, which it cannot raise */
    double timeout;   /* seconds from the start of the job; 0 (default): none */
    /* Which chunk of a longer text the text begins with, 0 to 1000000000: what is spoken in
       parts is then what the whole would be, for one seed. Default 0 */
    int first_chunk;
    uint64_t client;         /* jobs of one client share a turn; 0: none of them */
    struct taco_cost answer; /* what the caller will make of the result: it counts towards
                                the engine's max_memory until the job is released;
                                default 0 */
    struct taco_text_options text_options;
    struct taco_vocoder_options vocoder;
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

TACO_API struct taco_vocoder_options taco_vocoder_options_default(void);

/* text is NULL: to be set by the caller. */
TACO_API struct taco_request taco_request_default(void);

/* Checks every option but the text. TACO_ERR_INVALID_ARGUMENT: err->param is the field's
 * name, the message tells the range. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_request_check(const struct taco_request *request, struct taco_error *err);

/* "pghi", "random" and back; TACO_ERR_INVALID_ARGUMENT for another name. */
TACO_API const char *taco_phase_name(enum taco_phase phase);
TACO_API TACO_MUST_CHECK enum taco_status
taco_phase_parse(const char *name, enum taco_phase *phase, struct taco_error *err);

#ifdef __cplusplus
}
#endif
#endif
