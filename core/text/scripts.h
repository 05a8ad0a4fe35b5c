/* Which letters a language is written with. */
#ifndef TACO_TEXT_SCRIPTS_H
#define TACO_TEXT_SCRIPTS_H

#include <stdbool.h>
#include <stdint.h>

/* May cp, a letter, a mark or a digit beyond ASCII, stand in a text of the language?
 * language: as eSpeak NG names it ("ru", "en-us", "cmn"). Latin letters may in every
 * language, since foreign names are written with them. */
bool taco_script_fits(const char *language, uint32_t cp);

#endif
