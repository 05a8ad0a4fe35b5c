#include "http/tls.h"

#include <gnutls/crypto.h>
#include <gnutls/x509.h>
#include <microhttpd.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "config/options.h"
#include "http/secret_file.h"

#define MAX_CHAIN 16       /* certificates of the file */
#define MAX_PEM (1u << 20) /* bytes of a file */
#define DIGEST_SIZE 32     /* SHA-256 */

/* What is shown in a handshake. Immutable once it is in force. */
struct identity {
    gnutls_pcert_st chain[MAX_CHAIN]; /* [n]: ours first */
    unsigned n;
    gnutls_privkey_t key; /* NULL: none yet */
    bool self_signed;
    unsigned char digest[DIGEST_SIZE]; /* of the files */
    double replaced_at;                /* by a newer one; seconds of taco_clock_now */
    struct identity *next;             /* the one before */
};

struct taco_tls {
    const char *cert_path, *key_path; /* of the options */
    double handshake_seconds;         /* no handshake takes longer */
    /* The one in force first. A handshake may still be using an older one. Only the
     * reloader's thread changes the list. */
    _Atomic(struct identity *) identities;
};

/* GnuTLS gives its callback nothing of ours. */
static _Atomic(struct taco_tls *) in_force;

/* -- reading ------------------------------------------------------------------------- */

static enum taco_status refuse(struct taco_error *err, const char *option,
                               const char *path, const char *what, int code) {
    return taco_error_set(
        err, code == GNUTLS_E_MEMORY_ERROR ? TACO_ERR_NO_MEMORY : TACO_ERR_FORMAT, option,
        "%.120s: %s: %s", path, what, gnutls_strerror(code));
}

/* Looks at our own certificate: who vouches for it, and when. */
static enum taco_status inspect(struct identity *identity, const char *path,
                                struct taco_error *err) {
    gnutls_x509_crt_t own;
    int code = gnutls_pcert_export_x509(&identity->chain[0], &own);
    if (code)
        return refuse(err, "tls_cert", path, "no certificate", code);
    identity->self_signed = gnutls_x509_crt_check_issuer(own, own) != 0;
    time_t now = time(NULL);
    if (gnutls_x509_crt_get_expiration_time(own) < now)
        taco_log(TACO_LOG_WARNING, "%s: the certificate has expired", path);
    if (gnutls_x509_crt_get_activation_time(own) > now)
        taco_log(TACO_LOG_WARNING, "%s: the certificate is not valid yet", path);
    gnutls_x509_crt_deinit(own);
    return TACO_OK;
}

static enum taco_status read_chain(struct identity *identity, const gnutls_datum_t *pem,
                                   const char *path, struct taco_error *err) {
    unsigned n = MAX_CHAIN;
    int code = gnutls_pcert_list_import_x509_raw(identity->chain, &n, pem,
                                                 GNUTLS_X509_FMT_PEM, 0);
    if (code)
        return refuse(err, "tls_cert", path, "no certificate in PEM", code);
    identity->n = n;
    return inspect(identity, path, err);
}

static enum taco_status read_key(struct identity *identity, const gnutls_datum_t *pem,
                                 const char *path, struct taco_error *err) {
    int code = gnutls_privkey_init(&identity->key);
    if (code == 0)
        code = gnutls_privkey_import_x509_raw(identity->key, pem, GNUTLS_X509_FMT_PEM,
                                              NULL, 0);
    if (code == GNUTLS_E_DECRYPTION_FAILED)
        return taco_error_set(err, TACO_ERR_FORMAT, "tls_key",
                              "%.150s: the key has a password; it must have none", path);
    if (code)
        return refuse(err, "tls_key", path, "no private key in PEM", code);
    taco_secret_file_check(path);
    return TACO_OK;
}

#define KEY_ID_SIZE 64 /* at least: SHA-1 has 20 bytes */

static bool is_key_of(const struct identity *identity) {
    unsigned char ids[2][KEY_ID_SIZE];
    size_t sizes[2] = {KEY_ID_SIZE, KEY_ID_SIZE};
    gnutls_pubkey_t public;
    if (gnutls_pubkey_init(&public))
        return false;
    bool same =
        gnutls_pubkey_import_privkey(public, identity->key, 0, 0) == 0 &&
        gnutls_pubkey_get_key_id(public, 0, ids[0], &sizes[0]) == 0 &&
        gnutls_pubkey_get_key_id(identity->chain[0].pubkey, 0, ids[1], &sizes[1]) == 0 &&
        sizes[0] == sizes[1] && memcmp(ids[0], ids[1], sizes[0]) == 0;
    gnutls_pubkey_deinit(public);
    return same;
}

static void free_identity(struct identity *identity) {
    for (unsigned i = 0; i < identity->n; i++)
        gnutls_pcert_deinit(&identity->chain[i]);
    if (identity->key)
        gnutls_privkey_deinit(identity->key);
    taco_free(identity);
}

/* Whether the files hold what identity was made of. */
static bool is_unchanged(const struct identity *identity,
                         const unsigned char digest[DIGEST_SIZE]) {
    return identity && memcmp(identity->digest, digest, DIGEST_SIZE) == 0;
}

/* Of both files. False: GnuTLS has failed. */
static bool digest_of(const gnutls_datum_t pem[2], unsigned char digest[DIGEST_SIZE]) {
    gnutls_hash_hd_t hash;
    if (gnutls_hash_init(&hash, GNUTLS_DIG_SHA256))
        return false;
    bool ok = gnutls_hash(hash, pem[0].data, pem[0].size) == 0 &&
              gnutls_hash(hash, "", 1) == 0 &&
              gnutls_hash(hash, pem[1].data, pem[1].size) == 0;
    gnutls_hash_deinit(hash, digest);
    return ok;
}

/* Frees identities that no handshake can be using any more. */
static void free_old_ones(struct taco_tls *tls) {
    double before = taco_clock_now() - tls->handshake_seconds;
    struct identity *newer = atomic_load(&tls->identities);
    while (newer && newer->next) {
        struct identity *old = newer->next;
        if (old->replaced_at < before) {
            newer->next = old->next;
            free_identity(old);
        } else {
            newer = old;
        }
    }
}

static enum taco_status read_identity(struct taco_tls *tls, const gnutls_datum_t pem[2],
                                      struct taco_error *err) {
    unsigned char digest[DIGEST_SIZE] = {0};
    struct identity *before = atomic_load(&tls->identities);
    if (!digest_of(pem, digest))
        return taco_error_set(err, TACO_ERR_INTERNAL, NULL, "SHA-256 is not available");
    if (is_unchanged(before, digest))
        return inspect(before, tls->cert_path, err); /* it may have expired */
    struct identity *identity = taco_calloc(1, sizeof *identity);
    if (!identity)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    memcpy(identity->digest, digest, DIGEST_SIZE);
    enum taco_status status = read_chain(identity, &pem[0], tls->cert_path, err);
    if (!status)
        status = read_key(identity, &pem[1], tls->key_path, err);
    if (!status && !is_key_of(identity))
        status = taco_error_set(err, TACO_ERR_FORMAT, "tls_key",
                                "%.100s is not the key of the certificate in %.100s",
                                tls->key_path, tls->cert_path);
    if (status) {
        free_identity(identity);
        return status;
    }
    if (before)
        before->replaced_at = taco_clock_now();
    identity->next = before;
    atomic_store(&tls->identities, identity);
    return TACO_OK;
}

enum taco_status taco_tls_reload(struct taco_tls *tls, struct taco_error *err) {
    const struct {
        const char *option, *path;
    } files[] = {{"tls_cert", tls->cert_path}, {"tls_key", tls->key_path}};
    gnutls_datum_t pem[2] = {{NULL, 0}, {NULL, 0}};
    enum taco_status status = TACO_OK;
    for (int i = 0; i < 2 && !status; i++) {
        char *bytes;
        size_t size;
        status = taco_regular_file_read(&bytes, &size, MAX_PEM, files[i].option,
                                        files[i].path, err);
        pem[i] = (gnutls_datum_t){(unsigned char *)bytes, (unsigned)size};
    }
    free_old_ones(tls);
    if (!status)
        status = read_identity(tls, pem, err);
    if (pem[1].data)
        gnutls_memset(pem[1].data, 0, pem[1].size);
    taco_free(pem[0].data);
    taco_free(pem[1].data);
    return status;
}

/* -- beginning, end, and in between -------------------------------------------------- */

enum taco_status taco_tls_open(struct taco_tls **tls_out,
                               const struct taco_options *options,
                               struct taco_error *err) {
    *tls_out = NULL;
    if (!options->tls_cert && !options->tls_key)
        return TACO_OK;
    if (!options->tls_cert || !options->tls_key)
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, options->tls_cert ? "tls_key" : "tls_cert",
            "%s is there without %s", options->tls_cert ? "--tls-cert" : "--tls-key",
            options->tls_cert ? "--tls-key" : "--tls-cert");
    if (MHD_is_feature_supported(MHD_FEATURE_TLS) != MHD_YES ||
        MHD_is_feature_supported(MHD_FEATURE_HTTPS_CERT_CALLBACK2) != MHD_YES)
        return taco_error_set(err, TACO_ERR_UNSUPPORTED, "tls_cert",
                              "this build of libmicrohttpd has no TLS");
    struct taco_tls *tls = taco_calloc(1, sizeof *tls);
    if (!tls)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory");
    tls->cert_path = options->tls_cert;
    tls->key_path = options->tls_key;
    tls->handshake_seconds = 2 * options->idle_timeout + 10;
    enum taco_status status = taco_tls_reload(tls, err);
    if (status) {
        taco_tls_close(tls);
        return status;
    }
    atomic_store(&in_force, tls);
    *tls_out = tls;
    return TACO_OK;
}

void taco_tls_close(struct taco_tls *tls) {
    if (!tls)
        return;
    struct taco_tls *expected = tls;
    atomic_compare_exchange_strong(&in_force, &expected, NULL);
    struct identity *next, *identity = atomic_load(&tls->identities);
    for (; identity; identity = next) {
        next = identity->next;
        free_identity(identity);
    }
    taco_free(tls);
}

bool taco_tls_is_self_signed(const struct taco_tls *tls) {
    return atomic_load(&tls->identities)->self_signed;
}

int taco_tls_retrieve(gnutls_session_t session, const struct gnutls_cert_retr_st *info,
                      gnutls_pcert_st **certs, unsigned *certs_length,
                      gnutls_ocsp_data_st **ocsp, unsigned *ocsp_length,
                      gnutls_privkey_t *privkey, unsigned *flags) {
    (void)session, (void)info;
    struct taco_tls *tls = atomic_load(&in_force);
    if (!tls)
        return -1;
    struct identity *identity = atomic_load(&tls->identities);
    *certs = identity->chain;
    *certs_length = identity->n;
    *ocsp = NULL;
    *ocsp_length = 0;
    *privkey = identity->key;
    *flags = 0; /* all of it stays ours */
    return 0;
}
