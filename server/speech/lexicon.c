#include "speech/lexicon.h"

#include <stdint.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "http/error_code.h"

enum { WORD_MAX = 64, SPOKEN_MAX = 400, BYTES_MAX = 64 << 10 };

/* Printable ASCII, since letters with marks have lost them when words are looked up. */
static bool is_word(const char *word, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (word[i] <= ' ' || word[i] >= 0x7F || word[i] == '#')
            return false;
    return length >= 1 && length <= WORD_MAX;
}

static bool is_spoken(const char *spoken, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (spoken[i] < ' ' || spoken[i] >= 0x7F || spoken[i] == '#')
            return false;
    return length >= 1 && length <= SPOKEN_MAX;
}

static int add(struct taco_bytes *bytes, const char *word, size_t length,
               const json_t *value, struct taco_error *err) {
    if (!is_word(word, length))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "lexicon",
                              "lexicon: '%.64s' is not a word: 1 to %d printable ASCII "
                              "characters without spaces and '#'; letters are given "
                              "without accents",
                              word, WORD_MAX);
    if (!json_is_string(value))
        return taco_error_code_set(err, TACO_CODE_WRONG_TYPE, "lexicon",
                                   "lexicon: the value of '%.64s' must be a string",
                                   word);
    const char *spoken = json_string_value(value);
    if (!is_spoken(spoken, json_string_length(value)))
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "lexicon",
                              "lexicon: the value of '%.64s' must be phones such as "
                              "'W ER1 D', or other words, in 1 to %d ASCII characters",
                              word, SPOKEN_MAX);
    if (!taco_bytes_printf(bytes, "%s = %s\n", word, spoken))
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "lexicon",
                              "no memory for lexicon");
    if (bytes->size > BYTES_MAX)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "lexicon",
                              "lexicon: longer than %d bytes at '%.64s'", BYTES_MAX,
                              word);
    return 0;
}

int taco_lexicon_lines(char **lines, const json_t *object, struct taco_error *err) {
    *lines = NULL;
    if (!json_is_object(object))
        return taco_error_code_set(err, TACO_CODE_WRONG_TYPE, "lexicon",
                                   "lexicon must be an object of strings");
    struct taco_bytes bytes = {NULL, 0, 0};
    int code = taco_bytes_add(&bytes, "", 0) ? 0 : TACO_ERR_NO_MEMORY;
    const char *word;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)object, word, value) {
        if (!code)
            code = add(&bytes, word, strlen(word), value, err);
    }
    if (!code && !taco_bytes_add(&bytes, "", 1))
        code =
            taco_error_set(err, TACO_ERR_NO_MEMORY, "lexicon", "no memory for lexicon");
    if (code)
        taco_bytes_free(&bytes);
    *lines = code ? NULL : bytes.bytes;
    return code;
}
