/* tacod new-key: makes an API key, or takes one, and prints the line for the file of keys.
 *
 * The line goes to standard output, to be appended to the file; a key that was made goes to
 * standard error, and nowhere else. */
#include <errno.h>
#include <gnutls/gnutls.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "base/error.h"
#include "cli/command.h"
#include "config/options.h"
#include "http/keys.h"

#define RANDOM_BYTES 24 /* of a key that is made: 192 bits */
#define MIN_KEY 16 /* characters of a key that is given: short ones can be tried out */

static void print_help(void) {
    fputs("usage: tacod new-key NAME >> KEYS\n"
          "       tacod new-key NAME - >> KEYS < KEY\n\n"
          "Makes an API key for NAME and shows it, once, on standard error; prints the "
          "line\n"
          "for the file of tacod serve --keys, which holds only the key's hash. With - "
          "the\n"
          "key is read from standard input.\n\n",
          stdout);
    taco_options_print_help(stdout, TACO_COMMAND_NEW_KEY, NULL);
}

static enum taco_status make_key(char key[TACO_MAX_KEY + 1], struct taco_error *err) {
    unsigned char bytes[RANDOM_BYTES];
    if (getrandom(bytes, sizeof bytes, 0) != (ssize_t)sizeof bytes)
        return taco_error_set(err, TACO_ERR_IO, NULL, "no random numbers: %s",
                              strerror(errno));
    int n = snprintf(key, TACO_MAX_KEY + 1, "taco-");
    for (size_t i = 0; i < sizeof bytes; i++)
        n += snprintf(key + n, 3, "%02x", bytes[i]);
    gnutls_memset(bytes, 0, sizeof bytes);
    return TACO_OK;
}

static enum taco_status read_key(char key[TACO_MAX_KEY + 1], struct taco_error *err) {
    char line[TACO_MAX_KEY + 3];
    bool read = fgets(line, sizeof line, stdin) != NULL;
    size_t n = read ? strcspn(line, "\r\n") : 0;
    bool ok = n >= MIN_KEY && n <= TACO_MAX_KEY;
    for (size_t i = 0; i < n; i++)
        ok = ok && line[i] > ' ' && line[i] <= '~';
    if (ok) {
        memcpy(key, line, n);
        key[n] = '\0';
    }
    gnutls_memset(line, 0, sizeof line);
    if (!ok)
        return taco_error_set(err, TACO_ERR_FORMAT, NULL,
                              "a key has %d to %d characters of ASCII without blanks",
                              MIN_KEY, TACO_MAX_KEY);
    return TACO_OK;
}

static enum taco_status hash_key(const char *name, bool given, struct taco_error *err) {
    char key[TACO_MAX_KEY + 1], hex[2 * TACO_KEY_HASH_SIZE + 1];
    if (!taco_key_name_is_valid(name))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, NULL,
                              "'%.80s' is no name: 1 to %d letters, digits or . _ -, the "
                              "first a letter or a digit",
                              name, TACO_MAX_KEY_NAME);
    enum taco_status status = given ? read_key(key, err) : make_key(key, err);
    if (!status)
        status = taco_key_hash(key, hex, err);
    if (!status) {
        printf("%s %s\n", name, hex);
        if (!given)
            fprintf(stderr, "The key of %s, shown only this once:\n%s\n", name, key);
    }
    gnutls_memset(key, 0, sizeof key);
    return status;
}

int taco_command_new_key(int argc, char **argv) {
    struct taco_options options;
    struct taco_error err = TACO_ERROR_INIT;
    int code = TACO_EXIT_OK;
    enum taco_status status =
        taco_options_read(&options, TACO_COMMAND_NEW_KEY, argc, argv, NULL, &err);
    const struct taco_strings *a = &options.arguments;
    if (!status && !options.help &&
        (a->n < 1 || a->n > 2 || (a->n == 2 && strcmp(a->items[1], "-") != 0)))
        status = taco_error_set(&err, TACO_ERR_INVALID_ARGUMENT, NULL,
                                "it wants a name, and perhaps - to read the key: tacod "
                                "new-key --help");
    if (!status && options.help)
        print_help();
    else if (!status)
        status = hash_key(a->items[0], a->n == 2, &err);
    if (status)
        code = taco_command_fail("new-key", &err);
    taco_options_free(&options);
    return code;
}
