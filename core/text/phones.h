/* ARPAbet phones, as CMU's dictionary and Flite name them. */
#ifndef TACO_TEXT_PHONES_H
#define TACO_TEXT_PHONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct taco_phone {
    int8_t base;   /* index of the name, below taco_phone_count() */
    int8_t stress; /* 0, 1, 2; -1: a consonant, or a vowel without a mark */
};

int taco_phone_count(void);
/* "AA", "B", ... */
const char *taco_phone_name(int base);
bool taco_phone_is_vowel(int base);

/* Reads "HH", "AH0", "ah1", "AX"; AX is AH. False for everything else, a stressed
 * consonant included. */
bool taco_phone_parse(const char *name, size_t n, struct taco_phone *phone);

/* The phone that Flite calls name ("ax", "hh"), with the stress of its syllable; false
 * for "pau" and unknown ones. */
bool taco_phone_from_flite(const char *name, bool stressed, struct taco_phone *phone);

/* What Flite calls it, with the stress mark of its lexicon: "ax", "ah1", "hh". out [8].
 */
void taco_phone_to_flite(struct taco_phone phone, char out[8]);

#endif
