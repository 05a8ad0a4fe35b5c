/* Judges a reading by its sound alone, beside other readings of the same text: what the
 * diagnosis of the alignment is measured against.
 *
 * The cheapest path leads through the reference, frame by frame of the reading: it stays,
 * moves on by up to three, and pays to jump to any other place, or to leave the reference
 * where nothing in it sounds alike. Where it jumps, something was skipped or read again. */
#ifndef TACO_TESTS_JUDGE_H
#define TACO_TESTS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

struct test_sound; /* a mel spectrogram, made small, without its silences */

/* log_mel [n_frames, n_mels], natural logarithm; n_mels a multiple of 4. Frees with
 * test_sound_free. */
struct test_sound *test_sound_of(const float *log_mel, int n_frames, int n_mels);
void test_sound_free(struct test_sound *sound);

struct test_reference; /* several readings, laid over the first */
struct test_reference *test_reference_of(struct test_sound *const *readings, int n);
void test_reference_free(struct test_reference *reference);

/* In frames of the mel, but for far and ratio. */
struct test_hearing {
    int skipped, repeated; /* longest stretch of the reference jumped over, read again */
    int cut;               /* of its end, not read */
    int foreign;           /* longest stretch of the reading that the reference has not */
    int held;              /* longest stay on one frame of the reference */
    int silence;           /* longest silence */
    double far;   /* largest mean distance over 16 frames, nepers of the mel's bands */
    double ratio; /* the reading's length over the first reference's */
};

struct test_hearing test_hear(const struct test_reference *reference,
                              const struct test_sound *reading);

/* Is the text not read once, in order, to its end, at its pace? far_limit: what far
 * may be. */
bool test_hearing_failed(const struct test_hearing *hearing, double far_limit);

#endif
