/* The voice's config: the JSON object in the file's metadata (models/FORMAT.md,
 * "config").
 *
 * This file reads what belongs to nobody else: who the voice is and who speaks. The
 * objects "model", "audio" and "text" go to the modules that own them. */
#ifndef TACO_ENGINE_VOICE_CONFIG_H
#define TACO_ENGINE_VOICE_CONFIG_H

#include <jansson.h>
#include <taco/status.h>

struct taco_voice_config {
    json_t *root; /* owns every string below */
    const char *name, *description, *language, *licence, *source;
    const json_t *model, *audio, *text; /* objects */
    const json_t *inverter;             /* object, or NULL */
    const char **speakers;              /* [n_speakers], owned; NULL without "speakers" */
    int n_speakers;                     /* 0 without "speakers" */
};

/* Parses json, the text of the config. TACO_ERR_FORMAT: not JSON, a duplicate or unknown
 * key, a wrong type or value (err->param is the key); TACO_ERR_NO_MEMORY. On failure
 * nothing is left to free. */
enum taco_status taco_voice_config_parse(struct taco_voice_config *config,
                                         const char *json, struct taco_error *err);

void taco_voice_config_free(struct taco_voice_config *config);

#endif
