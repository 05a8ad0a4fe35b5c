/* Characters beyond ASCII that no decomposition of Unicode writes in ASCII: ß, ø, Ж, “.
 */
#ifndef TACO_TEXT_FOLD_H
#define TACO_TEXT_FOLD_H

#include <stdbool.h>
#include <stdint.h>

/* The plain form of a quote, a dash or an ellipsis, of one to three bytes; NULL for every
 * other code point. It fits every language. */
const char *taco_fold_punctuation(uint32_t cp);

/* Letters of the Latin, Greek and Cyrillic scripts in ASCII, capitals as capitals; NULL
 * for every other code point. */
const char *taco_fold_letter(uint32_t cp);

/* Marks of trade and footnotes, and the inverted marks of Spanish: nobody reads them out.
 */
bool taco_fold_is_silent(uint32_t cp);

#endif
