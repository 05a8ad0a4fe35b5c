/* The table of options as help for people and as a configuration file. */
#include <string.h>

#include <jansson.h>

#include "base/error.h"
#include "config/option_table.h"

#define WIDTH 80
#define INDENT 26

/* Prints text with lines broken before WIDTH, from column on. */
static void print_wrapped(FILE *out, const char *text, int column) {
    while (*text) {
        int n = (int)strcspn(text, " ");
        if (column > INDENT && column + 1 + n > WIDTH) {
            fprintf(out, "\n%*s", INDENT, "");
            column = INDENT;
        } else if (column > INDENT) {
            fputc(' ', out);
            column++;
        }
        column += fprintf(out, "%.*s", n, text);
        text += n;
        text += *text == ' ';
    }
    fputc('\n', out);
}

static void print_option(FILE *out, char letter, const char *name, const char *metavar,
                         const char *help) {
    char flag[64];
    taco_option_flag(name, flag, sizeof flag);
    int column = letter ? fprintf(out, "  -%c, ", letter) : fprintf(out, "      ");
    column += fprintf(out, metavar ? "%s %s" : "%s", flag, metavar);
    if (column > INDENT - 2) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", INDENT - column, "");
    print_wrapped(out, help, INDENT);
}

void taco_options_print_help(FILE *out, enum taco_command command,
                             const struct taco_more_flags *more) {
    char help[640];
    for (const struct taco_option *o = taco_option_table; o->name; o++) {
        if (!(o->commands & command))
            continue;
        taco_option_describe(o, help, sizeof help);
        print_option(out, o->letter, o->name, o->metavar, help);
    }
    if (more)
        fputs("\nSpeech, with the same names as over HTTP (--no-NAME switches off):\n",
              out);
    const char *name, *metavar;
    for (size_t i = 0; more && more->at(more->user, i, &name, &metavar); i++) {
        more->describe(more->user, i, help, sizeof help);
        print_option(out, 0, name, metavar, help);
    }
}

static json_t *value_of(const struct taco_options *options, const struct taco_option *o) {
    const char *m = (const char *)options + o->offset;
    switch (o->kind) {
    case TACO_OPTION_INTEGER:
        return json_integer(*(const int *)(const void *)m);
    case TACO_OPTION_BYTES:
        return json_integer((json_int_t) * (const uint64_t *)(const void *)m);
    case TACO_OPTION_SECONDS:
        return json_real(*(const double *)(const void *)m);
    case TACO_OPTION_SWITCH:
        return json_boolean(*(const bool *)(const void *)m);
    case TACO_OPTION_STRING: {
        char *const *string = (char *const *)(const void *)m;
        return *string ? json_string(*string) : json_null();
    }
    case TACO_OPTION_STRINGS:
        break;
    }
    const struct taco_strings *list = (const void *)m;
    json_t *array = json_array();
    for (size_t i = 0; array && i < list->n; i++)
        if (json_array_append_new(array, json_string(list->items[i])) < 0) {
            json_decref(array);
            array = NULL;
        }
    return array;
}

enum taco_status taco_options_print_config(FILE *out, const struct taco_options *options,
                                           struct taco_error *err) {
    json_t *root = json_object();
    bool ok = root != NULL;
    for (const struct taco_option *o = taco_option_table; o->name && ok; o++)
        if ((o->commands & TACO_COMMAND_SERVE) && !(o->flags & TACO_OPTION_FLAG_ONLY))
            ok = json_object_set_new(root, o->name, value_of(options, o)) == 0;
    enum taco_status status = TACO_OK;
    if (!ok)
        status = taco_error_set(err, TACO_ERR_NO_MEMORY, NULL,
                                "no memory, or an option that is not UTF-8");
    else if (json_dumpf(root, out, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) < 0 ||
             fputc('\n', out) == EOF || fflush(out) == EOF)
        status = taco_error_set(err, TACO_ERR_IO, NULL, "cannot print the configuration");
    json_decref(root);
    return status;
}
