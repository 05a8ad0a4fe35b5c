/* Which of its pronunciations a homograph has: "I read it" and "I will read it".
 *
 * A linear model over the words around (homograph_features.h), learned by
 * models/homographs/train. It adds weights of features; the sense with the highest sum
 * above 0 is taken, else the first one. The senses stand in homographs.inc.
 *
 * The weights are a table that is linked in, little-endian:
 *
 *     u32 start[4097]    of each bucket
 *     u16 check[n]       n = start[4096]
 *     i8  weight[n]
 *
 * A key is a string: the word (with "#2" for the third sense) or nothing, "|", and a
 * feature. Its hash is FNV-1a, mixed; the upper 12 bits are the bucket, the lower 16 the
 * check. Of two keys that agree in both, the one with the larger weight is kept. */
#ifndef TACO_TEXT_HOMOGRAPH_H
#define TACO_TEXT_HOMOGRAPH_H

#include "text/code_points.h"
#include "text/phones.h"

enum { TACO_HOMOGRAPH_PHONES_MAX = 24 };

/* Is word [n], case ignored, a homograph? */
bool taco_homograph_is(const char *word, size_t n);

/* The phones of word [n], which stands at code points [at, at_end) of the sentence [begin,
 * end), in phones [TACO_HOMOGRAPH_PHONES_MAX]. Returns how many; 0 if it is none. Reads at
 * most ten words on either side. */
uint32_t taco_homograph_choose(const char *word, size_t n,
                               const struct taco_code_points *code_points, uint32_t begin,
                               uint32_t end, uint32_t at, uint32_t at_end,
                               struct taco_phone *phones);

#endif
