/* Where a reading of the text went wrong: kind, symbols and steps of each failure. */
#ifndef TACO_ENGINE_FAULTS_H
#define TACO_ENGINE_FAULTS_H

#include <taco/result.h>

/* A decoded chunk, as its attention read it. */
struct taco_reading {
    const float *alignment;            /* [n_steps, n_symbols], rows need not sum to 1 */
    uint32_t n_steps, n_symbols;       /* >= 1 */
    const struct taco_symbol *symbols; /* [n_symbols], those of the chunk */
    int frames_per_step;
    uint32_t n_frames;       /* mel frames that came of it */
    float frames_per_second; /* mel frames a second at speed 1 */
    float usual_pace;        /* frames a symbol of this voice; 0: not known */
    enum taco_stop_reason stop_reason;
};

struct taco_fault {
    enum taco_flaw kind;
    uint32_t first_symbol, end_symbol; /* of the chunk */
    uint32_t first_step, end_step;
};

struct taco_voice;
/* What a reading has of the voice; the rest is zero. */
struct taco_reading taco_reading_of(const struct taco_voice *voice,
                                    const struct taco_symbol *symbols);

/* Most faults of a chunk that are told; of skips and repeats the first 14 each. */
enum { TACO_MAX_FAULTS = 32 };

/* Faults in the order of their steps, ties by kind, to out [TACO_MAX_FAULTS]; returns how
 * many there are. */
uint32_t taco_faults_find(const struct taco_reading *reading, struct taco_fault *out);

/* The most attended symbol of each step; a step without weight has that of the step before. */
uint32_t taco_most_attended(const float *row /* [n] */, uint32_t n, uint32_t before);

#endif
