/* The certificate and its key that the daemon shows over TLS, which can be exchanged while it
 * serves. Thread-safe. */
#ifndef TACO_SERVER_TLS_H
#define TACO_SERVER_TLS_H

#include <gnutls/abstract.h>
#include <stdbool.h>
#include <taco/status.h>

/* TLS 1.2 and 1.3, and what GnuTLS holds for sound. */
#define TACO_TLS_PRIORITIES "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"

struct taco_tls;
struct taco_options;

/* Reads --tls-cert and --tls-key; *tls is NULL without them. There is one in a process.
 * TACO_ERR_INVALID_ARGUMENT: one without the other; TACO_ERR_NOT_FOUND, TACO_ERR_IO;
 * TACO_ERR_FORMAT: no certificate, no key, a key with a password or of another
 * certificate; TACO_ERR_UNSUPPORTED: the HTTP library has no TLS; TACO_ERR_NO_MEMORY. */
TACO_MUST_CHECK enum taco_status taco_tls_open(struct taco_tls **tls,
                                               const struct taco_options *options,
                                               struct taco_error *err);
/* No handshake may be going on. NULL is allowed. */
void taco_tls_close(struct taco_tls *tls);

/* Reads the files again, for handshakes that begin from now on. On failure all stays. */
TACO_MUST_CHECK enum taco_status taco_tls_reload(struct taco_tls *tls,
                                                 struct taco_error *err);

/* Nobody but itself vouches for the certificate, so that clients have to be told. */
bool taco_tls_is_self_signed(const struct taco_tls *tls);

/* GnuTLS's callback, for MHD_OPTION_HTTPS_CERT_CALLBACK2. */
gnutls_certificate_retrieve_function3 taco_tls_retrieve;

#endif
