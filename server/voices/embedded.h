/* What the binary carries: the default voice, the page and the description of the routes
 * (embedded.S). */
#ifndef TACO_SERVER_EMBEDDED_H
#define TACO_SERVER_EMBEDDED_H

/* models/heart.safetensors, 64-byte aligned. */
extern const unsigned char taco_embedded_voice[], taco_embedded_voice_end[];
/* server/api/openapi.json. */
extern const unsigned char taco_embedded_openapi[], taco_embedded_openapi_end[];

#endif
