/* What came of a request: audio, alignment, times, diagnostics.
 *
 * A result is const, and counted: taco_result_ref and taco_result_unref are thread-safe.
 * Every pointer in it is owned by the result. It holds its own copy of everything but the
 * voice, which must outlive it. */
#ifndef TACO_RESULT_H
#define TACO_RESULT_H

#include <stdbool.h>
#include <stdint.h>
#include <taco/status.h>
#include <taco/text.h>
#include <taco/voice.h>

#ifdef __cplusplus
extern "C" {
#endif

enum taco_stop_reason {
    TACO_STOP_GATE,          /* the stop gate fired */
    TACO_STOP_ATTENTION_END, /* attention rested on the last symbol without the gate */
    TACO_STOP_MAX_FRAMES     /* the frame limit cut it off */
};

/* What is wrong with an alignment, or-ed. */
enum taco_flaw {
    TACO_FLAW_SKIP = 1 << 0, /* symbols of words were left out or leapt over */
    TACO_FLAW_REPEAT =
        1 << 1, /* it went back by more than 3 symbols, for 5 frames or more */
    TACO_FLAW_STALL = 1 << 2, /* it stayed on one sound for more than 0.6 s */
    TACO_FLAW_RUN_ON =
        1 << 3, /* it went on for more than 1 s behind the end of the text */
    TACO_FLAW_CUT_OFF = 1 << 4, /* it ended before the end of the text */
    TACO_FLAW_DRAGGING = 1 << 5 /* it is 1.4 times as slow as the voice usually is, where
                                   the voice's file tells its pace */
};
#define TACO_N_FLAWS 6

/* How often a chunk is decoded at most. */
#define TACO_MAX_ATTEMPTS 8

/* Self-diagnosis of an alignment [n_steps, n_symbols]; j(t) is the most attended symbol
 * of step t. */
struct taco_diagnostics {
    float coverage; /* 0 to 1: symbols of words that got at least half a frame's worth
                       of weight in all; 1 for a chunk without a word */
    float focus;    /* 0 to 1: mean over steps of the largest weight */
    uint32_t backward_jumps; /* steps with j(t) < j(t-1) - 1 */
    uint32_t forward_jumps;  /* steps with j(t) > j(t-1) + 3 */
    uint32_t longest_stall; /* most steps in a row on one symbol that is no punctuation */
    float frames_per_symbol;
    unsigned flaws; /* enum taco_flaw, or-ed */
    bool ok;        /* it has none */
};

/* Times are seconds of the final audio (speed applied, pauses counted), whole samples
 * each. */
struct taco_times {
    double start, end;
};

/* How a chunk was decoded once, and what was wrong with it. */
struct taco_attempt {
    uint64_t seed;
    int window_back, window_forward; /* that were asked for; 0, 0: the voice's own */
    unsigned flaws;                  /* enum taco_flaw, or-ed; 0: the attempt succeeded */
};

struct taco_chunk_result {
    uint32_t n_steps, n_symbols;
    uint32_t n_frames; /* n_steps * n_frames_per_step, or fewer where the voice's rule
                          drops the last frame */
    const float *alignment; /* [n_steps, n_symbols], as the voice's attention gave them */
    const float *heads; /* [n_steps, n_heads, n_symbols] of an attention with heads, whose
                           mean is the alignment; otherwise NULL */
    const float *gate;  /* [n_steps], probability of stopping; the largest of the step */
    const float *mel;   /* [n_frames, n_mels], after the postnet, in the voice's scale */
    enum taco_stop_reason stop_reason;
    uint64_t seed;                                /* that of the attempt that was kept */
    int attempts;                                 /* >= 1 */
    struct taco_attempt tried[TACO_MAX_ATTEMPTS]; /* [attempts], in their order; their
                                                     seeds differ */
    float speed; /* the request's times the text's chunk's, 0.25 to 4 */
    struct taco_diagnostics diagnostics;
    uint64_t first_sample; /* in the result's audio */
    uint64_t n_samples;    /* without the pause that follows */
};

struct taco_stage_times { /* seconds of work, summed over chunks and threads */
    double text, encoder, decoder, postnet, vocoder;
    double queued; /* from the start of the job to the first work on it */
    double total;  /* wall time from the start of the job to the result */
};

struct taco_result {
    const struct taco_voice *voice; /* borrowed */
    const struct taco_text *text;
    const struct taco_attention_info *attention; /* the one that was used; the voice's */
    int sample_rate;                             /* Hz */
    uint64_t n_samples;
    const float *samples; /* [n_samples], mono, -1 to 1 (clipped) */
    uint64_t n_clipped;   /* samples that had to be clipped */
    float speed;          /* the request's */
    uint64_t seed;
    uint32_t n_chunks;                      /* = text->n_chunks */
    const struct taco_chunk_result *chunks; /* [n_chunks] */
    const struct taco_times *symbols;       /* [text->n_symbols] */
    const struct taco_times *words; /* [text->n_words]; start <= end <= next start; a word
                                       with no symbol has start == end */
    const struct taco_times *spoken;     /* [text->n_spoken] */
    struct taco_diagnostics diagnostics; /* of all chunks: means, sums; ok if all are */
    struct taco_stage_times times;
};

TACO_API const struct taco_result *taco_result_ref(const struct taco_result *result);
/* NULL is allowed. */
TACO_API void taco_result_unref(const struct taco_result *result);

/* One failure of the attention, and where it is. */
struct taco_failure {
    enum taco_flaw kind; /* one */
    uint32_t chunk;
    struct taco_span span;   /* what of the text was skipped, repeated, cut off, ... */
    struct taco_times times; /* when, in the result's audio */
    char sentence[200];      /* for a person: '"brown fox" was left out.' */
};

/* Failures of all chunks in order: the first max of them to out [max]; returns how many
 * there are. */
TACO_API uint32_t taco_result_failures(const struct taco_result *result,
                                       struct taco_failure *out, uint32_t max);

/* When each character of the source text is spoken: out
 * [taco_result_n_characters(result)], one for every code point, in order; start <= end <=
 * next start, last end <= duration. Inside a word they share its time evenly; what lies
 * between words shares the gap. */
TACO_API uint32_t taco_result_n_characters(const struct taco_result *result);
TACO_API void taco_result_characters(const struct taco_result *result,
                                     struct taco_times *out);

/* When a mark of the text (text->marks) is reached, seconds: at the start of the word that
 * follows it, or at the end of the one before if a silence comes first. */
TACO_API double taco_result_mark_time(const struct taco_result *result, uint32_t mark);

/* Bytes of memory that the result holds. */
TACO_API size_t taco_result_bytes(const struct taco_result *result);

/* "gate", "attention_end", "max_frames". */
TACO_API const char *taco_stop_reason_name(enum taco_stop_reason reason);

/* "skip", "repeat", "stall", "run_on", "cut_off", "dragging"; one flaw, not several. */
TACO_API const char *taco_flaw_name(enum taco_flaw flaw);

/* -- written forms ------------------------------------------------------------------- */

enum taco_result_format {
    TACO_FORMAT_ALIGNMENT_JSON, /* application/json, schema in core/engine/ALIGNMENT.md */
    TACO_FORMAT_ALIGNMENT_SVG,  /* image/svg+xml, heat map symbols by frames */
    TACO_FORMAT_ALIGNMENT_PNG,  /* image/png, one pixel a step and symbol, scaled */
    TACO_FORMAT_ALIGNMENT_NPY,  /* NumPy float32 [steps, symbols], chunks diagonally */
    TACO_FORMAT_SRT,            /* application/x-subrip */
    TACO_FORMAT_VTT,            /* text/vtt */
    TACO_FORMAT_TEXTGRID,       /* Praat, tiers words and symbols */
    TACO_FORMAT_MEL_NPY,        /* NumPy float32 [frames, n_mels] */
    TACO_FORMAT_MEL_PNG         /* image/png */
};

enum taco_matrix_encoding {
    TACO_MATRIX_NONE,   /* leave the matrices out; default */
    TACO_MATRIX_ARRAYS, /* arrays of numbers */
    TACO_MATRIX_F16     /* base64 of little-endian float16, row-major */
};

struct taco_format_options {
    enum taco_matrix_encoding matrix; /* ALIGNMENT_JSON */
    bool compact;                     /* ALIGNMENT_JSON: no white space; default true */
    const char *id;                   /* ALIGNMENT_JSON: the request's name, or NULL */
    /* Asked before the call takes more memory, with all the bytes that it would then hold,
     * and again while it works, about every 64 KiB. Nonzero ends the call with
     * TACO_ERR_CANCELLED. NULL: never asked. */
    int (*grow)(void *user, size_t bytes);
    void *user;                       /* grow's */
    uint64_t reserved[TACO_RESERVED]; /* zeros (taco/status.h) */
};

TACO_API struct taco_format_options taco_format_options_default(void);

/* Writes the result in a form. *bytes [*size] is freed by the caller with taco_free; a NUL
 * stands behind the last byte. TACO_ERR_INVALID_ARGUMENT, TACO_ERR_NO_MEMORY. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_result_write(const struct taco_result *result, enum taco_result_format format,
                  const struct taco_format_options *options /* NULL: defaults */,
                  char **bytes, size_t *size, struct taco_error *err);

/* The form's media type, "image/png", and the ending of file names, "png" (alignment) or
 * "mel.png". Static storage. */
TACO_API const char *taco_result_media_type(enum taco_result_format format);
TACO_API const char *taco_result_extension(enum taco_result_format format);

/* Finds the form by a file name's ending, case ignored: json svg png npy srt vtt
 * TextGrid, mel.npy, mel.png. TACO_ERR_INVALID_ARGUMENT lists them. */
TACO_API TACO_MUST_CHECK enum taco_status
taco_result_format_parse(const char *extension, enum taco_result_format *format,
                         struct taco_error *err);

#ifdef __cplusplus
}
#endif
#endif
