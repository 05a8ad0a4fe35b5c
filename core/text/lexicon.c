#include "text/lexicon.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/regular_file.h"
#include "text/vector.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_MAX_BYTES = 1024 };

/* While reading; offsets, since the pools still move. */
struct raw_entry {
    uint32_t word, phones, n_phones, alias;
    bool has_alias;
};

struct taco_lexicon {
    struct taco_lexicon_entry *entries; /* [n], sorted by word */
    struct raw_entry *raw;              /* [n] while reading */
    uint32_t n, cap_raw;
    struct taco_string words;
    struct taco_phone *phones;
    uint32_t n_phones, cap_phones;
    const struct taco_lexicon *next; /* where to look further; NULL: nowhere */
};

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c | 32) : c;
}

/* strcmp of entry with word [n], whose ASCII letters count as small ones. */
static int compare(const char *entry, const char *word, size_t n) {
    for (size_t i = 0; i < n; i++) {
        unsigned char a = (unsigned char)entry[i], b = (unsigned char)lower(word[i]);
        if (a != b)
            return a < b ? -1 : 1;
    }
    return entry[n] ? 1 : 0;
}

static int by_word(const void *a, const void *b) {
    return strcmp(((const struct taco_lexicon_entry *)a)->word,
                  ((const struct taco_lexicon_entry *)b)->word);
}

/* Takes the next word of *line, separated by blanks; NULL at its end. */
static char *next_field(char **line) {
    char *field = *line + strspn(*line, " \t\r\n");
    size_t n = strcspn(field, " \t\r\n");
    if (n == 0)
        return NULL;
    *line = field + n + (field[n] != '\0');
    field[n] = '\0';
    return field;
}

/* "TOMATO(2)", "TOMATO(1)": another way to say it. */
static bool is_variant(const char *word) {
    size_t n = strlen(word);
    return n > 3 && word[n - 1] == ')' && word[n - 2] >= '0' && word[n - 2] <= '9' &&
           word[n - 3] == '(';
}

static enum taco_status no_memory(struct taco_error *err) {
    return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
}

/* Are all words of spoken phones in capitals, "N Y AO1 K IY0"? */
static bool are_phones(const char *spoken) {
    bool any = false;
    while (*(spoken += strspn(spoken, " \t\r\n"))) {
        size_t n = strcspn(spoken, " \t\r\n");
        struct taco_phone phone;
        for (size_t i = 0; i < n; i++)
            if (spoken[i] >= 'a' && spoken[i] <= 'z')
                return false;
        if (!taco_phone_parse(spoken, n, &phone))
            return false;
        any = true;
        spoken += n;
    }
    return any;
}

/* Words of letters, digits and apostrophes, as the reader of English takes them. */
static enum taco_status read_alias(struct taco_lexicon *lexicon, char *line,
                                   const char *word, long number, struct raw_entry *entry,
                                   struct taco_error *err) {
    entry->alias = lexicon->words.n;
    for (char *part; (part = next_field(&line));) {
        size_t n = strlen(part);
        for (size_t i = 0; i < n; i++) {
            char c = lower(part[i]);
            if (n < 48 && ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '\''))
                continue;
            return taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                                     "lexicon, line %ld: '%.48s' of '%.40s' is neither a "
                                     "phone such as AH0 nor a "
                                     "word of up to 47 letters, digits and apostrophes",
                                     number, part, word);
        }
        if ((lexicon->words.n > entry->alias &&
             !taco_string_add_char(&lexicon->words, ' ')) ||
            !taco_string_add(&lexicon->words, part, n))
            return no_memory(err);
    }
    if (lexicon->words.n == entry->alias)
        return taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                                 "lexicon, line %ld: nothing stands behind '%.40s ='",
                                 number, word);
    entry->has_alias = true;
    return taco_string_add_char(&lexicon->words, '\0') ? TACO_OK : no_memory(err);
}

static enum taco_status read_phones(struct taco_lexicon *lexicon, char *line,
                                    const char *word, long number,
                                    struct raw_entry *entry, struct taco_error *err) {
    for (char *name; (name = next_field(&line)); entry->n_phones++) {
        struct taco_phone phone;
        if (!taco_phone_parse(name, strlen(name), &phone))
            return taco_error_set_at(
                err, TACO_ERR_FORMAT, "lexicon", number,
                "lexicon, line %ld: '%.16s' of '%.40s' is no ARPAbet "
                "phone such as HH or AH0",
                number, name, word);
        if (!taco_vector_reserve(&lexicon->phones, &lexicon->cap_phones,
                                 lexicon->n_phones, 1, sizeof *lexicon->phones))
            return no_memory(err);
        lexicon->phones[lexicon->n_phones++] = phone;
    }
    if (entry->n_phones)
        return TACO_OK;
    return taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                             "lexicon, line %ld: '%.40s' has no phones behind it", number,
                             word);
}

static enum taco_status read_line(struct taco_lexicon *lexicon, char *line, long number,
                                  struct taco_error *err) {
    if (strncmp(line, ";;;", 3) == 0)
        return TACO_OK;
    char *comment = strchr(line, '#');
    if (comment)
        *comment = '\0';
    char *word = next_field(&line);
    if (!word || is_variant(word))
        return TACO_OK;
    struct raw_entry entry = {.word = lexicon->words.n, .phones = lexicon->n_phones};
    for (char *c = word; *c; c++)
        *c = lower(*c);
    if (!taco_string_add(&lexicon->words, word, strlen(word)) ||
        !taco_string_add_char(&lexicon->words, '\0') ||
        !taco_vector_reserve(&lexicon->raw, &lexicon->cap_raw, lexicon->n, 1,
                             sizeof *lexicon->raw))
        return no_memory(err);
    line += strspn(line, " \t");
    bool either = *line == '=';
    line += either;
    enum taco_status status = either && !are_phones(line)
                                  ? read_alias(lexicon, line, word, number, &entry, err)
                                  : read_phones(lexicon, line, word, number, &entry, err);
    if (status == TACO_OK)
        lexicon->raw[lexicon->n++] = entry;
    return status;
}

static enum taco_status read_file(struct taco_lexicon *lexicon, FILE *file,
                                  const char *path, struct taco_error *err) {
    char line[LINE_MAX_BYTES];
    for (long number = 1; fgets(line, sizeof line, file); number++) {
        size_t n = strlen(line);
        if (n + 1 == sizeof line && line[n - 1] != '\n')
            return taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                                     "lexicon, line %ld: longer than %d bytes", number,
                                     LINE_MAX_BYTES - 2);
        enum taco_status status = read_line(lexicon, line, number, err);
        if (status != TACO_OK)
            return status;
    }
    if (ferror(file))
        return taco_error_set(err, TACO_ERR_IO, "lexicon", "%s: %s", path,
                              strerror(errno));
    return TACO_OK;
}

/* Sorts the entries; of those for one word the first stays. */
static enum taco_status sort(struct taco_lexicon *lexicon, struct taco_error *err) {
    uint32_t n = lexicon->n;
    lexicon->entries = taco_calloc(n + 1, sizeof *lexicon->entries);
    if (!lexicon->entries)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
    for (uint32_t i = 0; i < n; i++) {
        const struct raw_entry *raw = &lexicon->raw[i];
        lexicon->entries[i] = (struct taco_lexicon_entry){
            .word = lexicon->words.bytes + raw->word,
            .phones = lexicon->phones + raw->phones,
            .n_phones = raw->n_phones,
            .alias = raw->has_alias ? lexicon->words.bytes + raw->alias : NULL};
    }
    qsort(lexicon->entries, n, sizeof *lexicon->entries, by_word);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct taco_lexicon_entry *last = kept ? &lexicon->entries[kept - 1] : NULL;
        if (!last || strcmp(last->word, lexicon->entries[i].word) != 0)
            lexicon->entries[kept++] = lexicon->entries[i];
        else if (lexicon->entries[i].word < last->word) /* the earlier one */
            *last = lexicon->entries[i];
    }
    lexicon->n = kept;
    return TACO_OK;
}

enum taco_status taco_lexicon_open(struct taco_lexicon **out, const char *path,
                                   struct taco_error *err) {
    *out = NULL;
    struct taco_lexicon *lexicon = NULL;
    FILE *file;
    enum taco_status status = taco_regular_file_open(&file, "lexicon", path, err);
    if (status)
        return status;
    lexicon = taco_calloc(1, sizeof *lexicon);
    if (!lexicon) {
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "out of memory");
        goto done;
    }
    status = read_file(lexicon, file, path, err);
    if (status == TACO_OK)
        status = sort(lexicon, err);
done:
    fclose(file);
    if (status == TACO_OK)
        *out = lexicon;
    else
        taco_lexicon_close(lexicon);
    return status;
}

enum taco_status taco_lexicon_parse(struct taco_lexicon **out, const char *text,
                                    const struct taco_lexicon *next,
                                    struct taco_error *err) {
    *out = NULL;
    size_t length = strlen(text);
    if (length > TACO_LEXICON_BYTES_MAX)
        return taco_error_set(err, TACO_ERR_INVALID_ARGUMENT, "lexicon",
                              "lexicon has %zu bytes, at most %d are allowed", length,
                              TACO_LEXICON_BYTES_MAX);
    struct taco_lexicon *lexicon = taco_calloc(1, sizeof *lexicon);
    if (!lexicon)
        return no_memory(err);
    lexicon->next = next;
    enum taco_status status = TACO_OK;
    for (long number = 1; *text && status == TACO_OK; number++) {
        char line[LINE_MAX_BYTES];
        size_t n = strcspn(text, "\n");
        if (n + 1 >= sizeof line) {
            status = taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                                       "lexicon, line %ld: longer than %d bytes", number,
                                       LINE_MAX_BYTES - 2);
            break;
        }
        memcpy(line, text, n);
        line[n] = '\0';
        text += n + (text[n] == '\n');
        status = read_line(lexicon, line, number, err);
        if (status == TACO_OK && lexicon->n > TACO_LEXICON_WORDS_MAX)
            status =
                taco_error_set_at(err, TACO_ERR_FORMAT, "lexicon", number,
                                  "lexicon: more than %d words", TACO_LEXICON_WORDS_MAX);
    }
    if (status == TACO_ERR_FORMAT && err)
        err->status = TACO_ERR_INVALID_ARGUMENT;
    if (status == TACO_ERR_FORMAT)
        status = TACO_ERR_INVALID_ARGUMENT;
    if (status == TACO_OK)
        status = sort(lexicon, err);
    if (status == TACO_OK)
        *out = lexicon;
    else
        taco_lexicon_close(lexicon);
    return status;
}

void taco_lexicon_close(struct taco_lexicon *lexicon) {
    if (!lexicon)
        return;
    taco_free(lexicon->entries);
    taco_free(lexicon->raw);
    taco_free(lexicon->phones);
    taco_string_free(&lexicon->words);
    taco_free(lexicon);
}

const struct taco_lexicon_entry *taco_lexicon_find(const struct taco_lexicon *lexicon,
                                                   const char *word, size_t n) {
    if (!lexicon)
        return NULL;
    uint32_t low = 0, high = lexicon->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int c = compare(lexicon->entries[middle].word, word, n);
        if (c == 0)
            return &lexicon->entries[middle];
        if (c < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return taco_lexicon_find(lexicon->next, word, n);
}

uint32_t taco_lexicon_count(const struct taco_lexicon *lexicon) {
    return lexicon ? lexicon->n : 0;
}

const struct taco_lexicon_entry *taco_lexicon_at(const struct taco_lexicon *lexicon,
                                                 uint32_t i) {
    return &lexicon->entries[i];
}
