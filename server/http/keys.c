#include "http/keys.h"

#include <ctype.h>
#include <errno.h>
#include <gnutls/crypto.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "http/secret_file.h"

#define MAX_LINE 512 /* bytes of a line of the file */

struct key {
    char name[TACO_MAX_KEY_NAME + 1];
    unsigned char hash[TACO_KEY_HASH_SIZE];
};

struct taco_keys {
    atomic_int refs;
    struct key *items; /* [n] */
    size_t n, capacity;
};

/* -- one key ------------------------------------------------------------------------- */

bool taco_key_name_is_valid(const char *name) {
    size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                            "0123456789._-");
    return n > 0 && n <= TACO_MAX_KEY_NAME && !name[n] &&
           isalnum((unsigned char)name[0]) != 0;
}

static bool hash_key(const char *key, unsigned char hash[TACO_KEY_HASH_SIZE]) {
    return gnutls_hash_fast(GNUTLS_DIG_SHA256, key, strlen(key), hash) == 0;
}

enum taco_status taco_key_hash(const char *key, char hex[2 * TACO_KEY_HASH_SIZE + 1],
                               struct taco_error *err) {
    unsigned char hash[TACO_KEY_HASH_SIZE];
    if (!hash_key(key, hash))
        return taco_error_set(err, TACO_ERR_INTERNAL, NULL, "SHA-256 cannot be had");
    for (size_t i = 0; i < sizeof hash; i++)
        snprintf(hex + 2 * i, 3, "%02x", hash[i]);
    return TACO_OK;
}

/* Reads 64 hexadecimal digits; what stands behind them is not looked at. */
static bool read_hash(const char *hex, unsigned char hash[TACO_KEY_HASH_SIZE]) {
    for (size_t i = 0; i < 2 * TACO_KEY_HASH_SIZE; i++) {
        unsigned char c = (unsigned char)hex[i];
        if (!isxdigit(c))
            return false;
        unsigned digit = c <= '9' ? c - 0x30u : (c | 0x20u) - 0x61u + 10u;
        hash[i / 2] = (unsigned char)(i % 2 ? (unsigned)hash[i / 2] << 4 | digit : digit);
    }
    return true;
}

/* -- the file ------------------------------------------------------------------------ */

static struct key *add_key(struct taco_keys *keys) {
    if (keys->n == keys->capacity) {
        size_t capacity = keys->capacity ? 2 * keys->capacity : 16;
        struct key *items = taco_realloc(keys->items, capacity * sizeof *items);
        if (!items)
            return NULL;
        keys->items = items;
        keys->capacity = capacity;
    }
    struct key *key = &keys->items[keys->n++];
    *key = (struct key){0};
    return key;
}

/* line has no newline; nothing but blanks and a comment adds no key. The message never
 * quotes the line: somebody may have written the key itself there. */
static enum taco_status read_line(struct taco_keys *keys, char *line, const char *path,
                                  int number, struct taco_error *err) {
    static const char blanks[] = " \t\r";
    line[strcspn(line, "#")] = '\0';
    char *name = line + strspn(line, blanks);
    if (!*name)
        return TACO_OK;
    char *hash = name + strcspn(name, blanks);
    if (*hash)
        *hash++ = '\0';
    hash += strspn(hash, blanks);
    size_t digits = strcspn(hash, blanks);
    if (!taco_key_name_is_valid(name))
        return taco_error_set(
            err, TACO_ERR_FORMAT, "keys",
            "%.100s: line %d: a name has 1 to %d letters, digits or . _ "
            "- and begins with a letter or a digit",
            path, number, TACO_MAX_KEY_NAME);
    struct key *key = add_key(keys);
    if (!key)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "keys", "no memory for the keys");
    if (digits != sizeof key->hash * 2 || !read_hash(hash, key->hash) ||
        hash[digits + strspn(hash + digits, blanks)])
        return taco_error_set(
            err, TACO_ERR_FORMAT, "keys",
            "%.100s: line %d: behind the name belong the 64 hexadecimal "
            "digits that tacod new-key prints",
            path, number);
    snprintf(key->name, sizeof key->name, "%s", name);
    for (const struct key *other = keys->items; other < key; other++)
        if (memcmp(other->hash, key->hash, sizeof key->hash) == 0)
            return taco_error_set(err, TACO_ERR_FORMAT, "keys",
                                  "%.100s: line %d: the same key as that of '%s'", path,
                                  number, other->name);
    return TACO_OK;
}

static enum taco_status read_lines(struct taco_keys *keys, FILE *file, const char *path,
                                   struct taco_error *err) {
    char line[MAX_LINE + 2];
    enum taco_status status = TACO_OK;
    for (int number = 1; !status && fgets(line, sizeof line, file); number++) {
        size_t n = strcspn(line, "\n");
        if (n > MAX_LINE)
            return taco_error_set(err, TACO_ERR_FORMAT, "keys",
                                  "%.100s: line %d: more than %d bytes", path, number,
                                  MAX_LINE);
        line[n] = '\0';
        status = read_line(keys, line, path, number, err);
    }
    if (!status && ferror(file))
        status = taco_error_set(err, TACO_ERR_IO, "keys", "cannot read '%.150s': %s",
                                path, strerror(errno));
    if (!status && !keys->n)
        status = taco_error_set(err, TACO_ERR_FORMAT, "keys",
                                "%.150s: there is no key in it: nobody could pass", path);
    return status;
}

enum taco_status taco_keys_load(struct taco_keys **keys_out, const char *path,
                                struct taco_error *err) {
    *keys_out = NULL;
    struct taco_keys *keys = taco_calloc(1, sizeof *keys);
    if (!keys)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "keys", "no memory for the keys");
    atomic_init(&keys->refs, 1);
    FILE *file;
    enum taco_status status = taco_regular_file_open(&file, "keys", path, err);
    if (!status)
        status = read_lines(keys, file, path, err);
    if (!status)
        taco_secret_file_check(path);
    if (file)
        fclose(file);
    if (status)
        taco_keys_release(keys);
    else
        *keys_out = keys;
    return status;
}

struct taco_keys *taco_keys_ref(struct taco_keys *keys) {
    atomic_fetch_add_explicit(&keys->refs, 1, memory_order_relaxed);
    return keys;
}

void taco_keys_release(struct taco_keys *keys) {
    if (!keys || atomic_fetch_sub_explicit(&keys->refs, 1, memory_order_acq_rel) > 1)
        return;
    taco_free(keys->items);
    taco_free(keys);
}

size_t taco_keys_count(const struct taco_keys *keys) {
    return keys->n;
}

const char *taco_keys_find(const struct taco_keys *keys, const char *key) {
    unsigned char hash[TACO_KEY_HASH_SIZE];
    if (strlen(key) > TACO_MAX_KEY || !hash_key(key, hash))
        return NULL;
    const char *name = NULL;
    for (size_t i = 0; i < keys->n; i++)
        if (gnutls_memcmp(keys->items[i].hash, hash, sizeof hash) == 0)
            name = keys->items[i].name;
    return name;
}
