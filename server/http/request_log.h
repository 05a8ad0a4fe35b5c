/* A request's name, and the line that the log has of it. */
#ifndef TACO_SERVER_REQUEST_LOG_H
#define TACO_SERVER_REQUEST_LOG_H

#include <microhttpd.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <taco/result.h>

struct taco_exchange;

#define TACO_MAX_REQUEST_ID 64 /* bytes */

/* What the line tells beside the exchange's own members. Whoever writes to it holds a
 * reference of the exchange; the line is written with the last one. */
struct taco_access_record {
    char request_id[TACO_MAX_REQUEST_ID + 1]; /* "": the headers have not come */
    char method[24];                          /* as the client wrote it, cut */
    char voice[65];                           /* "": none */
    const char *cache;                        /* "hit" or "miss", static; NULL: neither */
    _Atomic(const char *) error; /* the name of the error code, static; NULL: none */
    char *text;                  /* owned; NULL unless --log-text */
    bool has_seed, is_spoken;
    uint64_t seed;     /* where has_seed */
    uint64_t n_frames; /* where is_spoken, as the two below */
    double audio_seconds;
    enum taco_stop_reason stop_reason; /* the worst of all chunks */
    double milliseconds;               /* until the last byte went, or the client */
    bool is_completed;                 /* it went */
};

/* The headers are here: the request is called what X-Request-Id says if that is 1 to 64
 * letters, digits, '.', '_' or '-'; else it is given a name. */
void taco_request_log_begin(struct taco_exchange *x, const char *method);

/* Records the error that is sent to the client, and counts it. */
void taco_request_log_error(struct taco_exchange *x, int code);

/* Notes what was spoken, and counts it. */
void taco_request_log_result(struct taco_exchange *x, const struct taco_result *result);

/* MHD has done with the request. */
void taco_request_log_end(struct taco_exchange *x, enum MHD_RequestTerminationCode code);

/* Writes the line, at the level debug where only a machine looks whether the daemon lives, else
 * at info: never the text unless --log-text, so not the query either. */
void taco_request_log_write(const struct taco_exchange *x);

#endif
