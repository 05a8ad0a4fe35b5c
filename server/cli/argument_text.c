#include "cli/argument_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

#define MAX_FILE (64u << 20)

static enum taco_status read_stream(struct taco_bytes *text, FILE *in, const char *name,
                                    struct taco_error *err) {
    char block[16384];
    size_t n;
    while ((n = fread(block, 1, sizeof block, in)) > 0) {
        if (text->size + n > MAX_FILE)
            return taco_error_set(err, TACO_ERR_TEXT_TOO_LONG, "text",
                                  "'%.150s' is longer than %u bytes", name, MAX_FILE);
        if (!taco_bytes_add(text, block, n))
            return taco_error_set(err, TACO_ERR_NO_MEMORY, "text",
                                  "no memory for '%.150s'", name);
    }
    return ferror(in) ? taco_error_set(err, TACO_ERR_IO, "text",
                                       "cannot read '%.150s': %s", name, strerror(errno))
                      : TACO_OK;
}

static enum taco_status read_file(struct taco_bytes *text, const char *path,
                                  struct taco_error *err) {
    FILE *in = fopen(path, "re");
    if (!in)
        return taco_error_set(err, errno == ENOENT ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
                              "file", "cannot open '%.150s': %s", path, strerror(errno));
    enum taco_status status = read_stream(text, in, path, err);
    fclose(in);
    return status;
}

static enum taco_status join(struct taco_bytes *text, const struct taco_strings *words,
                             struct taco_error *err) {
    for (size_t i = 0; i < words->n; i++)
        if ((i && !taco_bytes_add(text, " ", 1)) ||
            !taco_bytes_add(text, words->items[i], strlen(words->items[i])))
            return taco_error_set(err, TACO_ERR_NO_MEMORY, "text",
                                  "no memory for the text");
    return TACO_OK;
}

enum taco_status taco_argument_text(struct taco_bytes *text,
                                    const struct taco_options *options,
                                    const char *command, struct taco_error *err) {
    const struct taco_strings *words = &options->arguments;
    enum taco_status status;
    if (options->file && words->n)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "file",
                              "give a text or -f FILE, not both");
    if (options->file && strcmp(options->file, "-") != 0)
        status = read_file(text, options->file, err);
    else if (options->file || (words->n == 1 && strcmp(words->items[0], "-") == 0))
        status = read_stream(text, stdin, "standard input", err);
    else if (words->n)
        status = join(text, words, err);
    else
        return taco_error_set(
            err, TACO_ERR_INVALID_ARGUMENT, "text",
            "what to %s? Give a text, - for standard input, or -f FILE; "
            "tacod %s --help tells more",
            strcmp(command, "text") == 0 ? "read" : command, command);
    if (!status && !text->bytes && !taco_bytes_add(text, "", 0))
        status =
            taco_error_set(err, TACO_ERR_NO_MEMORY, "text", "no memory for the text");
    return status;
}
