#include "cli/batch_list.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

#define MAX_LINE (1u << 20)
#define MAX_ITEMS 10000000u

static enum taco_status bad_line(struct taco_error *err, const char *path, size_t line,
                                 const char *message) {
    return taco_error_set(err, TACO_ERR_FORMAT, "list", "%.100s, line %zu: %.120s", path,
                          line, message);
}

/* An id becomes the name of a file: no separators, nothing that starts with a dot. */
static bool is_id(const char *id) {
    size_t n = strspn(id, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                          "0123456789._-");
    return n > 0 && n <= TACO_BATCH_MAX_ID && !id[n] && *id != '.';
}

/* -- one line ------------------------------------------------------------------------ */

static json_t *parse_columns(char *line) {
    char *separator = strpbrk(line, "\t|");
    if (!separator)
        return NULL;
    bool bars = *separator == '|';
    *separator = '\0';
    if (bars) /* LJ Speech's third column has the text as it is read aloud */
        separator[1 + strcspn(separator + 1, "|")] = '\0';
    return json_pack("{s:s, s:s}", "id", line, "text", separator + 1);
}

/* What is wrong with a line's object, or NULL. */
static const char *check_fields(const json_t *fields) {
    const json_t *id = json_object_get(fields, "id");
    const json_t *text = json_object_get(fields, "text");
    if (!json_is_string(id) || !json_is_string(text))
        return "it must have the strings \"id\" and \"text\"";
    if (!is_id(json_string_value(id)) ||
        strlen(json_string_value(id)) != json_string_length(id))
        return "the id must be a file name of 1 to 128 letters, digits, '.', '_' and '-' "
               "that does not start with '.'";
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)(uintptr_t)fields, name, value) {
        const struct taco_field *field =
            taco_field_find(name, strlen(name), TACO_FIELD_BATCH);
        bool ours = strcmp(name, "id") == 0 || strcmp(name, "text") == 0;
        if (!ours && !field)
            return "it has a field that is no option: tacod batch --help lists them";
    }
    return NULL;
}

static enum taco_status add_line(struct taco_batch_list *list, size_t *capacity,
                                 char *line, size_t number, bool is_json,
                                 const char *path, struct taco_error *err) {
    if (list->n == *capacity) {
        size_t more = *capacity ? *capacity * 2 : 256;
        struct taco_batch_item *items =
            more <= MAX_ITEMS ? realloc(list->items, more * sizeof *items) : NULL;
        if (!items)
            return taco_error_set(err, TACO_ERR_NO_MEMORY, "list",
                                  "no memory for a list of more than %zu lines", list->n);
        list->items = items;
        *capacity = more;
    }
    json_error_t why;
    json_t *fields =
        is_json ? json_loads(line, JSON_REJECT_DUPLICATES, &why) : parse_columns(line);
    if (!fields && is_json)
        return bad_line(err, path, number, why.text);
    if (!fields)
        return bad_line(err, path, number,
                        "a line is an id, a tab or '|', and a text in UTF-8");
    const char *problem =
        json_is_object(fields) ? check_fields(fields) : "it must be a JSON object";
    if (problem) {
        json_decref(fields);
        return bad_line(err, path, number, problem);
    }
    list->items[list->n++] = (struct taco_batch_item){
        .id = json_string_value(json_object_get(fields, "id")),
        .text = json_string_value(json_object_get(fields, "text")),
        .fields = fields,
        .line = number};
    return TACO_OK;
}

/* -- the whole list ------------------------------------------------------------------ */

static enum taco_status read_lines(struct taco_batch_list *list, FILE *in,
                                   const char *path, struct taco_error *err) {
    enum taco_status status = TACO_OK;
    char *line = NULL;
    size_t size = 0, capacity = 0, number = 0;
    bool is_json = false;
    ssize_t length;
    while (!status && (length = getline(&line, &size, in)) >= 0) {
        number++;
        if (memchr(line, '\0', (size_t)length) || length > (ssize_t)MAX_LINE) {
            status = bad_line(err, path, number,
                              "it is longer than 1 MiB, or holds a NUL byte");
            break;
        }
        while (length && strchr("\r\n", line[length - 1]))
            line[--length] = '\0';
        if (!line[strspn(line, " \t")])
            continue;
        if (!list->n)
            is_json = line[strspn(line, " \t")] == '{';
        status = add_line(list, &capacity, line, number, is_json, path, err);
    }
    if (!status && ferror(in))
        status = taco_error_set(err, TACO_ERR_IO, "list", "cannot read '%.150s': %s",
                                path, strerror(errno));
    free(line);
    return status;
}

static int by_id(const void *a, const void *b) {
    const struct taco_batch_item *const *x = a, *const *y = b;
    int order = strcmp((*x)->id, (*y)->id);
    return order ? order : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* Two lines of one id would write the same file. */
static enum taco_status check_unique(const struct taco_batch_list *list, const char *path,
                                     struct taco_error *err) {
    const struct taco_batch_item **sorted = malloc((list->n + 1) * sizeof *sorted);
    if (!sorted)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, "list", "no memory for the list");
    for (size_t i = 0; i < list->n; i++)
        sorted[i] = &list->items[i];
    qsort(sorted, list->n, sizeof *sorted, by_id);
    enum taco_status status = TACO_OK;
    for (size_t i = 1; i < list->n && !status; i++)
        if (strcmp(sorted[i - 1]->id, sorted[i]->id) == 0)
            status =
                taco_error_set(err, TACO_ERR_FORMAT, "list",
                               "%.80s: lines %zu and %zu have the same id '%.64s'", path,
                               sorted[i - 1]->line, sorted[i]->line, sorted[i]->id);
    free(sorted);
    return status;
}

enum taco_status taco_batch_list_read(struct taco_batch_list *list, const char *path,
                                      struct taco_error *err) {
    *list = (struct taco_batch_list){0};
    bool standard = strcmp(path, "-") == 0;
    FILE *in = standard ? stdin : fopen(path, "re");
    if (!in)
        return taco_error_set(err, errno == ENOENT ? TACO_ERR_NOT_FOUND : TACO_ERR_IO,
                              "list", "cannot open '%.150s': %s", path, strerror(errno));
    const char *name = standard ? "standard input" : path;
    enum taco_status status = read_lines(list, in, name, err);
    if (!standard)
        fclose(in);
    if (!status && !list->n)
        status =
            taco_error_set(err, TACO_ERR_FORMAT, "list", "'%.150s' has no lines", name);
    return status ? status : check_unique(list, name, err);
}

void taco_batch_list_free(struct taco_batch_list *list) {
    for (size_t i = 0; i < list->n; i++)
        json_decref(list->items[i].fields);
    free(list->items);
    *list = (struct taco_batch_list){0};
}

/* -- requests ------------------------------------------------------------------------ */

static bool copy_string(char **string) {
    if (!*string)
        return true;
    *string = taco_strdup(*string);
    return *string != NULL;
}

int taco_batch_request(struct taco_speech *speech, const struct taco_speech *command,
                       const struct taco_batch_item *item, struct taco_error *err) {
    *speech = *command;
    speech->given = 0; /* a line may set again what the command has set */
    speech->text = NULL;
    bool voice = copy_string(&speech->voice);
    bool speaker = copy_string(&speech->speaker);
    if (!voice || !speaker)
        return taco_error_set(err, TACO_ERR_NO_MEMORY, NULL, "no memory for a request");
    const char *name;
    json_t *value;
    int code = 0;
    json_object_foreach(item->fields, name, value) {
        const struct taco_field *field =
            taco_field_find(name, strlen(name), TACO_FIELD_BATCH);
        const struct taco_value v = taco_value_json(value);
        if (field && !code)
            code = taco_speech_set(speech, field, &v, err);
    }
    speech->request.text = item->text;
    speech->request.text_length = strlen(item->text);
    return code;
}

static json_t *value_of(const struct taco_speech *speech,
                        const struct taco_field *field) {
    const char *at = (const char *)speech + field->offset;
    switch (field->kind) {
    case TACO_FIELD_TEXT:
    case TACO_FIELD_STRING:
    case TACO_FIELD_NAME_OR_NUMBER:
        return json_string(*(char *const *)(const void *)at);
    case TACO_FIELD_SEED:
        return json_integer((json_int_t) * (const uint64_t *)(const void *)at);
    case TACO_FIELD_FLOAT:
        return json_real((double)*(const float *)(const void *)at);
    case TACO_FIELD_DOUBLE:
        return json_real(*(const double *)(const void *)at);
    case TACO_FIELD_BOOLEAN:
    case TACO_FIELD_STREAM:
        return json_boolean(*(const bool *)(const void *)at);
    default: /* int, and the enumerations */
        return json_integer(*(const int *)(const void *)at);
    }
}

json_t *taco_batch_given(const struct taco_speech *speech) {
    json_t *given = json_object();
    for (size_t i = 0; given && taco_fields[i].name; i++)
        if (taco_speech_has(speech, &taco_fields[i]) &&
            json_object_set_new(given, taco_fields[i].name,
                                value_of(speech, &taco_fields[i]))) {
            json_decref(given);
            given = NULL;
        }
    return given;
}
