/* Bringing voices to life: the warm-up, and SIGHUP, which reads everything that comes from
 * files again while requests go on. */
#ifndef TACO_SERVER_RELOAD_H
#define TACO_SERVER_RELOAD_H

#include "http/server.h"

struct taco_voices;

/* A reference on the voices of requests that begin now; they stay as they are until it is
 * given back. Thread-safe. */
struct taco_voices *taco_server_voices(struct taco_server *server);

/* Lets every voice that is not one of previous (or NULL) speak a sentence: the first one
 * touches every page of the weights and makes the plans, and nobody should wait for that. */
void taco_warm_up(struct taco_server *server, const struct taco_voices *voices,
                  const struct taco_voices *previous);

/* Opens the certificate, the keys, the voices and the lexicon again, and lets requests that
 * begin from now on have what has changed; those that are going on keep what they have. If
 * something cannot be read, it stays as it is, and the log says why. By the main thread. */
void taco_reload(struct taco_server *server);

#endif
