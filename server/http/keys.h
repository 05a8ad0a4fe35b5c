/* API keys: a file of their hashes, and who may pass.
 *
 * A line of the file is a name and the SHA-256 of a key in 64 hexadecimal digits, as
 * tacod new-key writes it; # begins a comment. The file holds no secret: a key has more
 * random bits than anybody can try. Several lines may have one name: one client with several
 * keys, so that a new key can be given out before the old one goes. */
#ifndef TACO_SERVER_KEYS_H
#define TACO_SERVER_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <taco/status.h>

#define TACO_KEY_HASH_SIZE 32
#define TACO_MAX_KEY_NAME 63 /* bytes: letters, digits, and . _ - after the first */
#define TACO_MAX_KEY 512     /* bytes: what is longer opens nothing */

/* Immutable once loaded; shared by references from any thread. */
struct taco_keys;

/* Reads the file. *keys has one reference, or is NULL on failure. TACO_ERR_NOT_FOUND,
 * TACO_ERR_IO; TACO_ERR_FORMAT: the message has the number of the line; also a file without
 * a key, since it would lock everybody out; TACO_ERR_NO_MEMORY. A file that everybody may
 * read is told of in the log. */
TACO_MUST_CHECK enum taco_status taco_keys_load(struct taco_keys **keys, const char *path,
                                                struct taco_error *err);

struct taco_keys *taco_keys_ref(struct taco_keys *keys);
void taco_keys_release(struct taco_keys *keys); /* NULL is allowed */

size_t taco_keys_count(const struct taco_keys *keys);

/* The name whose key that is, or NULL. Takes the same time for every key that is none: all
 * hashes are compared, and each whole. The string is that of keys. */
const char *taco_keys_find(const struct taco_keys *keys, const char *key);

/* Whether it can be a name in such a file. */
bool taco_key_name_is_valid(const char *name);

/* The hash as it stands in the file, 64 digits and a NUL. */
TACO_MUST_CHECK enum taco_status taco_key_hash(const char *key,
                                               char hex[2 * TACO_KEY_HASH_SIZE + 1],
                                               struct taco_error *err);

#endif
