/* The reloader: one thread that warms up new voices and, after SIGHUP, reads everything that
 * comes from files again while requests go on. It is apart from the main thread, which always
 * reads signals. */
#ifndef TACO_SERVER_RELOAD_H
#define TACO_SERVER_RELOAD_H

#include "http/server.h"

struct taco_reloader;

/* Starts the thread, which lets every voice speak a sentence and then sets server->ready: the
 * first sentence touches every page of the weights and makes the plans, and no client should
 * wait for that. TACO_ERR_NO_MEMORY, TACO_ERR_IO. */
TACO_MUST_CHECK enum taco_status taco_reloader_start(struct taco_reloader **reloader,
                                                     struct taco_server *server,
                                                     struct taco_error *err);

/* Opens the certificate, the keys, the voices and the lexicon again. Requests that begin from
 * then on have what has changed, others keep what they have. What cannot be read stays as it
 * is, and the log says why. Returns at once; calls during a reload lead to one more. */
void taco_reloader_request(struct taco_reloader *reloader);

/* Cancels a warm-up and joins the thread. NULL is allowed. */
void taco_reloader_stop(struct taco_reloader *reloader);

#endif
