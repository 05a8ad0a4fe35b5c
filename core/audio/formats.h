/* What each audio format is to libsndfile, and which rates it has. */
#ifndef TACO_AUDIO_FORMATS_H
#define TACO_AUDIO_FORMATS_H

#include <taco/audio.h>

enum taco_framing {
    TACO_FRAMING_BYTES, /* samples follow one another: we write them, no library needed */
    TACO_FRAMING_FORWARD, /* libsndfile never goes back */
    TACO_FRAMING_PATCHED  /* libsndfile goes back to the header at the end */
};

struct taco_format {
    const char *name;
    const char *media_type;    /* with %d for the rate */
    const char *media_type_8k; /* the one that means 8 kHz; NULL: the same */
    int major, subtype;        /* SF_FORMAT_... */
    enum taco_framing framing;
    bool streams;                           /* makes sense without its final header */
    const int *rates;                       /* ascending, 0-ended; NULL: every rate */
    int default_rate;                       /* 0: the input's, or the next one of rates */
    const struct taco_bit_rates *bit_rates; /* by sample rate; NULL: nothing to choose */
};

/* Bits a second that may be had from a sample rate on; the last one of a list is from 0. */
struct taco_bit_rates {
    int from, lowest, highest;
};

/* NULL for a number that is no format. */
const struct taco_format *taco_format_get(enum taco_audio_format format);

/* The rate of the output for the option sample_rate (0: default) and the input's rate.
 * TACO_ERR_INVALID_ARGUMENT (sample_rate). */
enum taco_status taco_format_rate(const struct taco_format *format, int input_rate,
                                  int sample_rate, int *rate, struct taco_error *err);

/* Range of bits a second at a rate; both 0 for formats without a choice. */
void taco_format_bit_rates(enum taco_audio_format format, int rate, int *lowest,
                           int *highest);

#endif
