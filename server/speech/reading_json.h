/* How a text is read, as JSON: what GET /v1/text and tacod text tell. */
#ifndef TACO_SERVER_READING_JSON_H
#define TACO_SERVER_READING_JSON_H

#include <jansson.h>
#include <taco/text.h>
#include <taco/voice.h>

/* The object of API.md, "Reading a text"; name is the voice's. The caller owns it. NULL: no
 * memory. */
json_t *taco_reading_json(const char *name, const struct taco_voice *voice,
                          const struct taco_text *text);

#endif
